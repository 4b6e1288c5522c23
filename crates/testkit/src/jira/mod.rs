//! A Jira with one issue, [`ISSUE`]: the part of its REST API, versions 2 and 3,
//! that is asked about it, and Atlassian's own MCP server in front of it.

mod answers;
mod mcp;

use std::io::{BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::Value;

use crate::request::Request;

pub const ISSUE: &str = "PROJ-123";
pub const USER: &str = "octo@example.com";
pub const TOKEN: &str = "token-of-octo";

/// `USER:TOKEN`, as basic authentication sends it.
const BASIC: &str = "Basic b2N0b0BleGFtcGxlLmNvbTp0b2tlbi1vZi1vY3Rv";

pub struct FakeJira {
    address: SocketAddr,
    inside: Arc<Mutex<Inside>>,
}

/// What the Jira knows, for tests to look at and to change.
#[derive(Debug)]
pub struct Inside {
    pub status: String,
    /// From every status the same.
    pub transitions: Vec<Way>,
    /// Some sites have them switched off.
    pub has_remote_links: bool,
    /// The transitions that were taken.
    pub moves: Vec<String>,
    pub links: Vec<Value>,
    pub comments: Vec<Value>,
    /// Method and path of every request.
    pub calls: Vec<String>,
    pub troubles: Vec<Trouble>,
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Way {
    pub name: String,
    pub to: String,
    /// A field that has to be filled in.
    pub required: Option<String>,
}

/// Something that goes wrong with matching requests.
#[derive(Clone, Debug)]
pub struct Trouble {
    pub method: &'static str,
    /// How the path ends.
    pub path: &'static str,
    pub times: u32,
    pub kind: TroubleKind,
}

#[derive(Clone, Debug)]
pub enum TroubleKind {
    /// Instead of doing it.
    Answer {
        status: u16,
        content_type: &'static str,
        /// A whole line, or nothing.
        header: &'static str,
        body: String,
    },
    /// The connection ends before anything is done.
    GoneBefore,
    /// It is done, and the connection ends instead of an answer.
    GoneAfter,
}

impl TroubleKind {
    pub fn status(status: u16, body: &Value) -> Self {
        Self::Answer {
            status,
            content_type: "application/json",
            header: "",
            body: body.to_string(),
        }
    }

    /// A page for people.
    pub fn page(status: u16) -> Self {
        Self::Answer {
            status,
            content_type: "text/html",
            header: "",
            body: "<!DOCTYPE html><html><body>Log in</body></html>".to_owned(),
        }
    }
}

impl FakeJira {
    /// The transitions lead to statuses of the same names.
    pub fn start(transitions: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("it listens");
        let ways = transitions.iter().map(|name| Way {
            name: (*name).to_owned(),
            to: (*name).to_owned(),
            required: None,
        });
        let inside = Arc::new(Mutex::new(Inside {
            status: "In Progress".to_owned(),
            transitions: ways.collect(),
            has_remote_links: true,
            moves: Vec::new(),
            links: Vec::new(),
            comments: Vec::new(),
            calls: Vec::new(),
            troubles: Vec::new(),
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

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next `times` requests of this kind go wrong.
    pub fn trouble(&self, method: &'static str, path: &'static str, times: u32, kind: TroubleKind) {
        self.inside().troubles.push(Trouble {
            method,
            path,
            times,
            kind,
        });
    }

    /// Method and path of every request, those that read first: they are sent
    /// side by side.
    pub fn calls(&self) -> Vec<String> {
        let mut calls = self.inside().calls.clone();
        calls.sort_by_key(|call| (!call.starts_with("GET")).then(|| call.clone()));
        calls
    }
}

fn serve(stream: &TcpStream, inside: &Mutex<Inside>) {
    let mut reader = BufReader::new(stream);
    while let Ok(Some(request)) = Request::read(&mut reader) {
        let mut known = inside.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(answer) = known.answer(&request) else {
            return;
        };
        drop(known);
        let mut stream = stream;
        let is_sent = stream.write_all(answer.as_bytes()).is_ok();
        if !is_sent || request.is_last() {
            return;
        }
    }
}

impl Inside {
    /// `None`: the connection ends.
    fn answer(&mut self, request: &Request) -> Option<String> {
        self.calls
            .push(format!("{} {}", request.method, request.path()));
        let trouble = self.troubles.iter_mut().find(|trouble| {
            trouble.times > 0
                && trouble.method == request.method
                && request.path().ends_with(trouble.path)
        });
        let trouble = trouble.map(|trouble| {
            trouble.times -= 1;
            trouble.kind.clone()
        });
        match trouble {
            Some(TroubleKind::GoneBefore) => return None,
            Some(TroubleKind::Answer {
                status,
                content_type,
                header,
                body,
            }) => return Some(raw(status, content_type, header, &body)),
            Some(TroubleKind::GoneAfter) | None => {}
        }
        let (status, body) = self.do_it(request);
        if trouble.is_some() {
            return None;
        }
        let text = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        Some(raw(status, "application/json", "", &text))
    }
}

fn raw(status: u16, content_type: &str, header: &str, body: &str) -> String {
    let length = body.len();
    let header = if header.is_empty() {
        String::new()
    } else {
        format!("{header}\r\n")
    };
    format!(
        "HTTP/1.1 {status} Status\r\ncontent-type: {content_type}\r\n{header}content-length: \
         {length}\r\n\r\n{body}"
    )
}
