//! A scripted server that records its requests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::contract::CONTRACT;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Listens on loopback until it is dropped.
pub(crate) struct Scripted {
    port: u16,
    script: Arc<Script>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct Script {
    /// By method and path. The last answer of a route is given again and again.
    routes: Mutex<HashMap<String, Vec<Answer>>>,
    /// What is answered where there is no route.
    otherwise: Mutex<Option<Answer>>,
    seen: Mutex<Vec<Seen>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::text(status, "application/json; charset=utf-8", body.to_string())
    }

    pub(crate) fn text(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("content-type".to_owned(), content_type.to_owned())],
            body: body.into(),
        }
    }

    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    /// With its query.
    pub(crate) target: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Value,
    bytes: Vec<u8>,
}

impl Scripted {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let script = Arc::new(Script::default());
        let serving = Arc::clone(&script);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&serving)));
            }
        });
        Self { port, script, task }
    }

    pub(crate) fn authority(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn api_url(&self) -> String {
        format!("http://{}/api/v3", self.authority())
    }

    /// What is answered to `route`, such as `GET /repos/octo/app`; paths are
    /// below the API's root and have their query. Given several times, the
    /// answers come in turn.
    pub(crate) fn on(&self, route: &str, answer: Answer) {
        let mut routes = self.script.routes.lock().unwrap();
        routes.entry(route.to_owned()).or_default().push(answer);
    }

    pub(crate) fn on_json(&self, route: &str, body: &Value) {
        self.on(route, Answer::json(200, body));
    }

    /// What is answered to everything that has no answer of its own.
    pub(crate) fn otherwise(&self, answer: Answer) {
        *self.script.otherwise.lock().unwrap() = Some(answer);
    }

    /// What GraphQL answers to the operation of that name.
    pub(crate) fn on_graphql(&self, operation: &str, answer: Answer) {
        self.on(&format!("GRAPHQL {operation}"), answer);
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.script.seen.lock().unwrap().clone()
    }

    /// Method and target of all requests.
    pub(crate) fn targets(&self) -> Vec<String> {
        let line = |seen: &Seen| format!("{} {}", seen.method, seen.target);
        self.script.seen.lock().unwrap().iter().map(line).collect()
    }
}

/// In every test, the client's requests must be valid for GitHub.
impl Drop for Scripted {
    fn drop(&mut self) {
        self.task.abort();
        let Some(contract) = &*CONTRACT else { return };
        if std::thread::panicking() {
            return;
        }
        for seen in self.seen() {
            let problems = match seen.target.strip_prefix("/api/v3") {
                // Where GitHub sends those who ask for a renamed repository.
                Some(target) if target.starts_with("/repositories/") => continue,
                Some(target) => {
                    let (path, query) = target.split_once('?').unwrap_or((target, ""));
                    let query = (!query.is_empty()).then_some(query);
                    let rest = &contract.rest;
                    rest.check_request(&seen.method, path, query, &seen.bytes)
                }
                None if seen.target == "/api/graphql" => contract.graphql.check_request(&seen.body),
                None => Vec::new(),
            };
            assert!(problems.is_empty(), "{seen:?}: {problems:#?}");
        }
    }
}

async fn serve(mut stream: TcpStream, script: Arc<Script>) {
    let Some(seen) = read_request(&mut stream).await else {
        return;
    };
    let answer = script.answer_to(&seen);
    script.seen.lock().unwrap().push(seen);
    let headers = answer
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"));
    let head = format!(
        "HTTP/1.1 {} Scripted\r\n{}content-length: {}\r\nconnection: close\r\n\r\n",
        answer.status,
        headers.collect::<String>(),
        answer.body.len()
    );
    let mut bytes = head.into_bytes();
    bytes.extend(answer.body);
    // The client may have gone away already, as it does at a cap.
    let _ = stream.write_all(&bytes).await;
    let _ = stream.shutdown().await;
}

async fn read_request(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).ok()?;
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers
        .get("content-length")
        .map_or(0, |length| length.parse().unwrap());
    let mut body = bytes.split_off(head_end + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Seen {
        method,
        target,
        headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
        bytes: body,
    })
}

impl Script {
    fn answer_to(&self, seen: &Seen) -> Answer {
        let route = match seen.target.strip_prefix("/api/v3") {
            Some(path) => format!("{} {path}", seen.method),
            None if seen.target == "/api/graphql" => format!("GRAPHQL {}", operation(&seen.body)),
            None => format!("{} {}", seen.method, seen.target),
        };
        let mut routes = self.routes.lock().unwrap();
        match routes.get_mut(&route) {
            Some(answers) if answers.len() > 1 => answers.remove(0),
            Some(answers) => answers[0].clone(),
            None => {
                let message = format!("the script has no {route}");
                let broken = Answer::json(500, &json!({ "message": message }));
                self.otherwise.lock().unwrap().clone().unwrap_or(broken)
            }
        }
    }
}

/// The name of the operation in a GraphQL request.
fn operation(body: &Value) -> String {
    let query = body["query"].as_str().unwrap_or_default();
    let behind = query
        .lines()
        .find_map(|line| {
            line.strip_prefix("query ")
                .or(line.strip_prefix("mutation "))
        })
        .unwrap_or_default();
    behind
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect()
}
