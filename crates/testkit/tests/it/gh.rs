//! The real `gh` against a server that notes what it is asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use baton_testkit::{Gh, Sandbox};

/// What one request came with: its first line and its headers in small letters.
struct Asked {
    line: String,
    headers: Vec<String>,
    body: String,
}

/// Answers every request with the same JSON.
fn serve(answer: &'static str) -> (u16, Receiver<Asked>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            // The test may be over; then nobody wants to know.
            if sender.send(exchange(stream.unwrap(), answer)).is_err() {
                return;
            }
        }
    });
    (port, receiver)
}

fn exchange(mut stream: TcpStream, answer: &str) -> Asked {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim_end().is_empty() {
            break;
        }
        lines.push(line.trim_end().to_owned());
    }
    let line = lines.remove(0);
    let headers: Vec<_> = lines.iter().map(|line| line.to_ascii_lowercase()).collect();
    let length = headers
        .iter()
        .find_map(|header| header.strip_prefix("content-length: "))
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{answer}",
        answer.len()
    )
    .unwrap();
    Asked {
        line,
        headers,
        body: String::from_utf8(body).unwrap(),
    }
}

#[test]
fn gh_asks_the_given_server_with_the_given_token() {
    let sandbox = Sandbox::new();
    let (port, asked) = serve(r#"{"full_name":"octo/demo"}"#);
    let Some(gh) = Gh::new(&sandbox, port, "secret") else {
        return;
    };
    let output = gh.run(["api", "repos/octo/demo", "--jq", ".full_name"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "octo/demo\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");

    let asked = asked.recv().unwrap();
    assert_eq!(
        asked.line,
        "GET http://api.github.localhost/repos/octo/demo HTTP/1.1"
    );
    assert!(
        asked
            .headers
            .contains(&"authorization: token secret".to_owned()),
        "{:?}",
        asked.headers
    );
}

#[test]
fn gh_learns_the_repository_from_the_remotes() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.git(&[
        "remote",
        "add",
        "origin",
        "http://github.localhost/octo/demo.git",
    ]);
    let (port, asked) = serve(
        r#"{"data":{"repository":{"pullRequest":{"number":7,"url":"http://github.localhost/octo/demo/pull/7"}}}}"#,
    );
    let Some(gh) = Gh::new(&sandbox, port, "secret") else {
        return;
    };
    let args = ["pr", "view", "7", "--json", "url", "--jq", ".url"];
    assert_eq!(
        gh.text_in(repo.path(), args),
        "http://github.localhost/octo/demo/pull/7\n"
    );
    let asked = asked.recv().unwrap();
    assert_eq!(
        asked.line,
        "POST http://api.github.localhost/graphql HTTP/1.1"
    );
    assert!(
        asked
            .body
            .contains(r#""owner":"octo","pr_number":7,"repo":"demo""#),
        "{}",
        asked.body
    );
}

#[test]
fn gh_reaches_no_other_server() {
    let sandbox = Sandbox::new();
    let (port, asked) = serve("{}");
    let Some(gh) = Gh::new(&sandbox, port, "secret") else {
        return;
    };
    let output = gh.run(["api", "--hostname", "github.com", "user"]);
    assert!(!output.status.success());
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("127.0.0.1:9"), "{message}");
    assert!(asked.try_recv().is_err());
}
