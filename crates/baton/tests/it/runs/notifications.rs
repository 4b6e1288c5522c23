//! Notifications of a run are sent, and the run does not need them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::scene::Scene;

/// What a webhook was told, request by request.
struct Webhook {
    url: String,
    told: Receiver<(String, Value)>,
}

impl Webhook {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hooks/baton", listener.local_addr().unwrap());
        let (tell, told) = channel();
        // Ends with the test, which is the end of the process.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let request = answer(stream.unwrap());
                if tell.send(request).is_err() {
                    return;
                }
            }
        });
        Self { url, told }
    }

    fn next(&self) -> Value {
        let patience = Duration::from_mins(1);
        let (head, body) = self.told.recv_timeout(patience).expect("it is told");
        assert!(head.starts_with("POST /hooks/baton HTTP/1.1\r\n"), "{head}");
        let head = head.to_lowercase();
        assert!(head.contains("content-type: application/json"), "{head}");
        assert!(!head.contains("authorization"), "{head}");
        body
    }
}

/// Takes one request, and answers as such services do.
fn answer(stream: TcpStream) -> (String, Value) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut head).unwrap(), 0, "{head}");
    }
    let lower = head.to_lowercase();
    let length = lower
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.unwrap().parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    let reply = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok";
    reader.get_mut().write_all(reply.as_bytes()).unwrap();
    (head, serde_json::from_slice(&body).unwrap())
}

#[test]
fn a_webhook_and_a_command_hear_of_questions_and_of_the_end() {
    let scene = Scene::new();
    let webhook = Webhook::start();
    let told = scene.world.sandbox.path("told.jsonl");
    scene.configure(&format!(
        "notify.webhook = \"{}\"\nnotify.command = [\"sh\", \"-c\", \"cat >> {1}; echo >> {1}\"]\n",
        webhook.url,
        told.display()
    ));
    let asked = scene.ask(&[
        "-v",
        "run",
        "Greet everyone who comes in",
        "--mode",
        "supervised",
    ]);
    assert_eq!(asked.code, Some(5), "{asked}");
    assert!(!asked.stderr.contains("notify."), "{asked}");
    let question = webhook.next();
    assert_eq!(question["status"], "waiting");
    assert_eq!(question["question"]["options"][0]["choice"], "y");
    assert_eq!(question["run"], asked.stdout.trim());

    let stopped = scene.ask(&["answer", "-", "s"]);
    assert_eq!(stopped.code, Some(1), "{stopped}");
    let end = webhook.next();
    assert_eq!(end["status"], "cancelled");
    assert_eq!(end["run"], question["run"]);
    let by_command = std::fs::read_to_string(told).unwrap();
    let by_command: Vec<Value> = by_command
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(by_command, [question, end]);
}

#[test]
fn notifications_that_fail_change_nothing() {
    let scene = Scene::new();
    // A port that nothing listens on any more.
    let unused = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    scene.configure(&format!(
        "notify.webhook = \"http://{unused}/\"\nnotify.command = [\"sh\", \"-c\", \"exit 7\"]\n"
    ));
    let asked = scene.ask(&[
        "-v",
        "run",
        "Greet everyone who comes in",
        "--mode",
        "supervised",
    ]);
    assert_eq!(asked.code, Some(5), "{asked}");
    for trouble in ["notify.command failed", "notify.webhook was not reached"] {
        assert!(asked.stderr.contains(trouble), "{asked}");
    }
    let stopped = scene.ask(&["answer", "-", "s"]);
    assert_eq!(stopped.code, Some(1), "{stopped}");
    assert!(!stopped.stderr.contains("notify"), "{stopped}");
    assert_eq!(scene.json(&["show", "-"])["status"], "cancelled");
}
