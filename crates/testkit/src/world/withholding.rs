//! A forge that keeps things from a token, as GitHub does where a permission is missing.

use std::io::{self, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

use super::World;
use super::client::Response;
use crate::gate::closing;
use crate::request::Request;

/// What is kept back.
#[derive(Clone, Copy, Debug)]
pub enum Withheld {
    /// A field in answers of GraphQL, such as `repository.pullRequest.reviewDecision`; `*` stands
    /// for every entry of a list. It is `null`, and `errors` says that it is forbidden.
    Field(&'static str),
    /// The same without a word in `errors`.
    Silently(&'static str),
    /// REST refuses every path that contains this.
    Path(&'static str),
}

const MESSAGE: &str = "Resource not accessible by personal access token";

impl World {
    /// The address of the API for a token from which all this is withheld.
    pub fn withholding(&self, what: &[Withheld]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("it listens");
        let (what, forge) = (what.to_vec(), self.address());
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let what = what.clone();
                // A client that has seen enough leaves in the middle.
                thread::spawn(move || drop(pass(&client, forge, &what)));
            }
        });
        let own = self.address().to_string();
        self.api_url().replace(&own, &address.to_string())
    }
}

fn pass(mut client: &TcpStream, forge: SocketAddr, what: &[Withheld]) -> io::Result<()> {
    let Some(request) = Request::read(&mut BufReader::new(client))? else {
        return Ok(());
    };
    let is_refused = |what: &Withheld| match what {
        Withheld::Path(part) => request.path().contains(part),
        Withheld::Field(_) | Withheld::Silently(_) => false,
    };
    if what.iter().any(is_refused) {
        let body = json!({ "message": MESSAGE, "status": "403" });
        return client.write_all(&answer_with("403 Forbidden", &body));
    }
    let mut upstream = TcpStream::connect(forge)?;
    upstream.write_all(&request.for_one_answer())?;
    let mut answer = Vec::new();
    upstream.read_to_end(&mut answer)?;
    if !request.path().ends_with("/graphql") {
        return client.write_all(&closing(answer));
    }
    let mut body = Response::parse(&answer).json();
    withhold(&mut body, what);
    client.write_all(&answer_with("200 OK", &body))
}

fn answer_with(status: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

fn withhold(answer: &mut Value, what: &[Withheld]) {
    let mut errors = Vec::new();
    for what in what {
        let (field, is_silent) = match what {
            Withheld::Field(field) => (field, false),
            Withheld::Silently(field) => (field, true),
            Withheld::Path(_) => continue,
        };
        let mut found = Vec::new();
        let names: Vec<&str> = field.split('.').collect();
        remove(&mut answer["data"], &names, &mut Vec::new(), &mut found);
        if !is_silent {
            errors.extend(found);
        }
    }
    let errors = errors
        .into_iter()
        .map(|path| json!({ "type": "FORBIDDEN", "path": path, "message": MESSAGE }));
    let errors: Vec<Value> = errors.collect();
    if !errors.is_empty() {
        answer["errors"] = Value::Array(errors);
    }
}

/// Puts `null` wherever the names lead to, and notes the places.
fn remove(at: &mut Value, names: &[&str], path: &mut Vec<Value>, found: &mut Vec<Value>) {
    let Some((name, rest)) = names.split_first() else {
        *at = Value::Null;
        found.push(Value::Array(path.clone()));
        return;
    };
    match at {
        Value::Object(fields) => {
            if let Some(field) = fields.get_mut(*name) {
                path.push(json!(name));
                remove(field, rest, path, found);
                path.pop();
            }
        }
        Value::Array(entries) if *name == "*" => {
            for (index, entry) in entries.iter_mut().enumerate() {
                path.push(json!(index));
                remove(entry, rest, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}
