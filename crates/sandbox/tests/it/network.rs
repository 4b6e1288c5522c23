//! What a restricted program reaches over the network.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use baton_sandbox::proxy::{AllowList, INNER_PORT, Proxy};
use baton_sandbox::{Access, Network};

use crate::program::Stage;

/// A server on this machine that answers every connection the same way.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut buffer = [0; 1024];
            let _ = stream.read(&mut buffer);
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
            );
        }
    });
    port
}

fn get(address: &str) -> String {
    format!(
        "python3 -c 'import urllib.request; print(urllib.request.urlopen(\"{address}\", timeout=5).read().decode())'"
    )
}

#[test]
fn without_a_network_only_its_own_loopback_device_is_there() {
    let port = server();
    let stage = Stage::new();
    let ended = stage.shell(&get(&format!("http://127.0.0.1:{port}/")));
    assert_ne!(ended.code, Some(0), "{ended:?}");
    let own = "python3 -c '
import socket, threading
s = socket.create_server((\"127.0.0.1\", 0))
threading.Thread(target=lambda: s.accept()[0].sendall(b\"own\")).start()
print(socket.create_connection(s.getsockname()).recv(10).decode())'";
    assert_eq!(stage.shell(own).success(), "own\n");
}

#[test]
fn a_port_that_it_opens_is_not_open_outside() {
    let stage = Stage::new();
    let script = "python3 -c '
import socket
s = socket.create_server((\"0.0.0.0\", 47113))
print(\"listening\", flush=True)
s.settimeout(1)
try: s.accept()
except Exception: print(\"no connection\")'";
    let mut command = stage.command("/bin/sh", &["-c", script]);
    let mut child = command
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut first = [0; 10];
    stdout.read_exact(&mut first).unwrap();
    assert!(std::net::TcpStream::connect("127.0.0.1:47113").is_err());
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("no connection"), "{rest}");
    child.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_proxy_leads_to_allowed_hosts_only() {
    let (allowed, refused, direct) = (server(), server(), server());
    let mut stage = Stage::new();
    let mut list = AllowList::default();
    list.add(&format!("localhost:{allowed}"));
    list.add(&format!("127.0.0.1:{direct}"));
    let proxy = Proxy::start(&stage.path("proxy.sock"), list, None).unwrap();
    stage.policy.network = Network::Proxy {
        socket: proxy.socket().to_owned(),
        ports: vec![direct],
    };
    stage.environment.push((
        "http_proxy".to_owned(),
        format!("http://127.0.0.1:{INNER_PORT}"),
    ));
    let ran = tokio::task::spawn_blocking(move || {
        let through = stage
            .shell(&get(&format!("http://localhost:{allowed}/")))
            .success();
        assert_eq!(through, "hello\n");
        let ended = stage.shell(&get(&format!("http://localhost:{refused}/")));
        assert!(ended.stderr.contains("403"), "{ended:?}");
        // A tunnel, as for TLS, to a port that is passed through.
        let tunnel = format!(
            "unset http_proxy; {}",
            get(&format!("http://127.0.0.1:{direct}/"))
        );
        assert_eq!(stage.shell(&tunnel).success(), "hello\n");
        refused
    });
    let port = ran.await.unwrap();
    let names: Vec<String> = proxy.take_refused().into_iter().collect();
    assert_eq!(names, [format!("localhost:{port}")]);
    assert!(proxy.take_refused().is_empty());
}

#[test]
fn all_of_the_network_is_a_choice() {
    let port = server();
    let mut stage = Stage::new();
    stage.policy.network = Network::All;
    let output = stage
        .shell(&get(&format!("http://127.0.0.1:{port}/")))
        .success();
    assert_eq!(output, "hello\n");
}

#[test]
fn a_socket_that_is_not_in_the_view_cannot_be_reached() {
    let mut stage = Stage::new();
    let socket = stage.path("outside/socket");
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let connect = format!(
        "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect(\"{}\"); print(\"in\")'",
        socket.display()
    );
    let ended = stage.shell(&connect);
    assert_ne!(ended.code, Some(0), "{ended:?}");
    stage.policy.show(&socket, Access::Write);
    assert_eq!(stage.shell(&connect).success(), "in\n");
    drop(listener);
}
