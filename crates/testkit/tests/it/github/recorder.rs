use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

use baton_testkit::github::Recorder;
use baton_testkit::{Gh, Sandbox};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::{contract, shown};
use crate::server::{response, serve};

/// Sends bytes and reads all that comes back.
fn ask(address: SocketAddr, request: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // A connection that breaks has said all that it has to say.
    let _ = stream.read_to_end(&mut answer);
    answer
}

#[test]
fn an_exchange_passes_unchanged_and_is_kept() {
    let (upstream, asked) = serve(response("X-Kind: odd", b"answer"));
    let recorder = Recorder::start(upstream);
    let answer = ask(
        recorder.address(),
        "POST /a/b?c=d HTTP/1.1\r\nHost: h\r\nX-Mine: 1\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody",
    );
    assert!(answer.ends_with(b"answer"));
    let asked = asked.recv().unwrap();
    assert_eq!(asked.line, "POST /a/b?c=d HTTP/1.1");
    assert_eq!(asked.body, "body");

    let exchanges = recorder.exchanges();
    let [exchange] = exchanges.as_slice() else {
        panic!("{exchanges:?}");
    };
    assert_eq!(exchange.method, "POST");
    assert_eq!(exchange.path, "/a/b");
    assert_eq!(exchange.query.as_deref(), Some("c=d"));
    assert_eq!(exchange.request_header("x-mine"), Some("1"));
    assert_eq!(exchange.request_body, b"body");
    assert_eq!(exchange.status, 200);
    assert_eq!(exchange.response_header("X-Kind"), Some("odd"));
    assert_eq!(exchange.response_body, b"answer");
    assert!(exchange.complete);

    recorder.clear();
    assert!(recorder.exchanges().is_empty());
}

#[test]
fn a_proxy_request_reaches_the_server_as_it_was() {
    let (upstream, asked) = serve(response("X-Kind: odd", b""));
    let recorder = Recorder::start(upstream);
    let line = "GET http://api.github.localhost/user?a=b HTTP/1.1";
    let request = format!("{line}\r\nHost: api.github.localhost\r\nConnection: close\r\n\r\n");
    ask(recorder.address(), &request);
    assert_eq!(asked.recv().unwrap().line, line);
    assert_eq!(recorder.exchanges()[0].path, "/user");
}

#[test]
fn a_compressed_answer_is_kept_in_clear() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(b"{\"a\":1}").unwrap();
    let compressed = encoder.finish().unwrap();
    let (upstream, _asked) = serve(response("Content-Encoding: gzip", &compressed));
    let recorder = Recorder::start(upstream);
    let answer = ask(
        recorder.address(),
        "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
    );
    assert!(answer.ends_with(&compressed));
    let exchange = recorder.exchanges().remove(0);
    assert_eq!(exchange.response_body, b"{\"a\":1}");
    assert!(exchange.complete);
}

#[test]
fn what_breaks_off_breaks_off_for_the_client_too() {
    let torn = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".to_vec();
    let (upstream, _asked) = serve(torn);
    let recorder = Recorder::start(upstream);
    let request = "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    let answer = ask(recorder.address(), request);
    assert!(
        answer.ends_with(b"half"),
        "{}",
        String::from_utf8_lossy(&answer)
    );
    let exchange = recorder.exchanges().remove(0);
    assert!(!exchange.complete);

    // No one listens any more.
    let gone = TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap();
    let recorder = Recorder::start(gone);
    assert_eq!(ask(recorder.address(), request), b"");
    assert!(recorder.exchanges().is_empty());
}

/// The way all of it is used: a real client, a server, and the contract between them.
#[test]
fn answers_to_the_real_gh_are_held_to_the_contract() {
    let Some(contract) = contract() else {
        return;
    };
    let problems = |label: &str| {
        let sandbox = Sandbox::new();
        let (upstream, _asked) =
            serve(response("Content-Type: application/json", label.as_bytes()));
        let recorder = Recorder::start(upstream);
        let gh = Gh::new(&sandbox, recorder.port(), "secret")?;
        let output = gh.run(["api", "repos/octo/demo/labels/bug"]);
        assert!(output.status.success());
        assert_eq!(recorder.exchanges().len(), 1);
        Some(shown(&contract.check(&recorder.exchanges())))
    };
    let sound = r#"{"id":1,"node_id":"LA_1","url":"https://api.github.com/repos/octo/demo/labels/bug","name":"bug","description":null,"color":"ff0000","default":true}"#;
    let Some(no_problems) = problems(sound) else {
        return;
    };
    assert_eq!(no_problems, "");
    let unsound = problems(&sound.replace("default", "is_default")).unwrap();
    insta::assert_snapshot!(unsound, @r#"
    GET /repos/{owner}/{repo}/labels/{name}, response 200: "default" is a required property
    GET /repos/{owner}/{repo}/labels/{name}, response 200, /is_default: GitHub knows no such field
    "#);
}

#[test]
fn git_is_not_held_to_the_contract_and_graphql_is() {
    let Some(contract) = contract() else {
        return;
    };
    let answer = br#"{"data":{"viewer":{"login":1}}}"#;
    let (upstream, _asked) = serve(response("Content-Type: application/json", answer));
    let recorder = Recorder::start(upstream);
    let body = r#"{"query":"{ viewer { login nick } }"}"#;
    for path in [
        "/octo/demo.git/git-upload-pack",
        "/_forge/faults",
        "/api/graphql",
    ] {
        let length = body.len();
        ask(
            recorder.address(),
            &format!(
                "POST {path} HTTP/1.1\r\nHost: h\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            ),
        );
    }
    let exchanges = recorder.exchanges();
    assert_eq!(exchanges.len(), 3);
    insta::assert_snapshot!(shown(&contract.check(&exchanges)), @"
    graphql, document, /viewer/nick: type `User` has no field `nick`
    graphql, response, /data/viewer/login: 1 is no `String`
    graphql, response, /data/viewer/nick: type `User` has no field `nick`
    ");
    insta::assert_snapshot!(shown(&contract.check_answers(&exchanges)), @"
    graphql, response, /data/viewer/login: 1 is no `String`
    graphql, response, /data/viewer/nick: type `User` has no field `nick`
    ");
}
