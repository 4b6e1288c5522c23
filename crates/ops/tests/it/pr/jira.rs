//! A Jira with one issue, PROJ-123.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

pub(super) const TOKEN: &str = "token-of-octo";

pub(super) struct FakeJira {
    address: SocketAddr,
    inside: Arc<Mutex<Inside>>,
}

struct Inside {
    status: String,
    transitions: Vec<String>,
    calls: Vec<String>,
}

impl FakeJira {
    /// The transitions lead to statuses of the same names.
    pub(super) fn start(transitions: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let inside = Arc::new(Mutex::new(Inside {
            status: "In Progress".to_owned(),
            transitions: transitions.iter().map(|name| (*name).to_owned()).collect(),
            calls: Vec::new(),
        }));
        let shared = Arc::clone(&inside);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                thread::spawn(move || serve(&stream, &shared));
            }
        });
        Self { address, inside }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Method and path of every request, those that read first.
    pub(super) fn calls(&self) -> Vec<String> {
        let mut calls = self.inside.lock().unwrap().calls.clone();
        calls.sort_by_key(|call| !call.starts_with("GET"));
        calls
    }
}

fn serve(stream: &TcpStream, inside: &Mutex<Inside>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let mut words = line.split_whitespace();
        let method = words.next().unwrap_or_default().to_owned();
        let path = words.next().unwrap_or_default().to_owned();
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).unwrap();
            if header.trim().is_empty() {
                break;
            }
            if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let (status, answer) = inside.lock().unwrap().answer(&method, &path, &body);
        let text = if answer.is_null() { String::new() } else { answer.to_string() };
        let mut stream = stream;
        write!(
            stream,
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{text}",
            text.len()
        )
        .unwrap();
    }
}

impl Inside {
    fn answer(&mut self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let place = path.split('?').next().unwrap_or_default();
        self.calls.push(format!("{method} {place}"));
        let Some(rest) = place.strip_prefix("/rest/api/2/issue/PROJ-123") else {
            return (404, json!({ "errorMessages": ["Issue does not exist"] }));
        };
        match (method, rest) {
            ("GET", "") => {
                let status = json!({ "name": self.status });
                (200, json!({ "key": "PROJ-123", "fields": { "status": status } }))
            }
            ("GET", "/transitions") => {
                let transitions: Vec<Value> = (1..)
                    .zip(&self.transitions)
                    .map(|(id, name)| json!({ "id": format!("{id}"), "name": name, "to": { "name": name } }))
                    .collect();
                (200, json!({ "transitions": transitions }))
            }
            ("POST", "/remotelink") => (201, json!({ "id": 1 })),
            ("POST", "/transitions") => {
                let id: usize = body["transition"]["id"].as_str().unwrap().parse().unwrap();
                self.status.clone_from(&self.transitions[id - 1]);
                (204, Value::Null)
            }
            _ => (404, json!({ "errorMessages": ["no such thing"] })),
        }
    }
}
