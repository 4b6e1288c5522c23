//! A forge that keeps things from a token, as GitHub does: for want of a permission, a scope, a
//! login or a newer version, and because it is overloaded.

mod query;

use std::io::{self, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::World;
use super::client::Response;
use crate::gate::closing;
use crate::request::Request;

/// What is kept back, and how. Parts of paths are those of REST; `GRAPHQL Name` is the operation of
/// that name, and `GRAPHQL` any.
#[derive(Clone, Copy, Debug)]
pub enum Withheld {
    /// A field in answers of GraphQL, such as `repository.pullRequest.reviewDecision`; `*` stands
    /// for every entry of a list. It is `null`, and `errors` says that it is forbidden: a
    /// fine-grained token without the permission.
    Field(&'static str),
    /// The same, since the organisation wants single sign-on.
    Saml(&'static str),
    /// The same without a word in `errors`.
    Silently(&'static str),
    /// REST refuses every path that contains this.
    Path(&'static str),
    /// A classic token: GraphQL refuses the whole query while it asks for a field of this name.
    FieldScope {
        field: &'static str,
        scope: &'static str,
    },
    /// A classic token: REST says which scopes it wants.
    PathScope {
        path: &'static str,
        scope: &'static str,
    },
    /// The organisation wants single sign-on for this.
    SingleSignOn(&'static str),
    /// An older server that does not know a field; the second is the type.
    UnknownField(&'static str, &'static str),
    /// An older server that does not know an endpoint, or one that denies that there is anything.
    NotFound(&'static str),
    /// A gateway that gives up, on heavy requests.
    BadGateway(&'static str),
    /// The secondary rate limit, with this status.
    TooFast(&'static str, u16),
    /// Answers that come after this time.
    Slow(&'static str, Duration),
    /// GraphQL gives this word in place of a field's value, as before it knows better.
    Stale(&'static str, &'static str),
}

const MESSAGE: &str = "Resource not accessible by personal access token";

/// In seconds; longer than any caller waits.
const RETRY_AFTER: u64 = 900;

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
    for one in what {
        if let Withheld::Slow(part, pause) = one
            && is_about(&request, part)
        {
            thread::sleep(*pause);
        }
    }
    if let Some(refusal) = what.iter().find_map(|one| refusal(&request, one)) {
        return client.write_all(&refusal);
    }
    if let Some(body) = query::refused(&request, what) {
        return client.write_all(&answer_with("200 OK", "", &body));
    }
    let mut upstream = TcpStream::connect(forge)?;
    upstream.write_all(&request.for_one_answer())?;
    let mut answer = Vec::new();
    upstream.read_to_end(&mut answer)?;
    if !is_graphql(&request) {
        return client.write_all(&closing(answer));
    }
    let mut body = Response::parse(&answer).json();
    query::withhold(&mut body, what);
    client.write_all(&answer_with("200 OK", "", &body))
}

fn is_graphql(request: &Request) -> bool {
    request.path().ends_with("/graphql")
}

/// Whether a part of a path, or `GRAPHQL Name`, is about a request.
fn is_about(request: &Request, part: &str) -> bool {
    match part.strip_prefix("GRAPHQL") {
        Some(name) => is_graphql(request) && query::text(request).contains(name),
        None => !is_graphql(request) && request.path().contains(part),
    }
}

/// The whole answer, where the request as such is refused.
fn refusal(request: &Request, what: &Withheld) -> Option<Vec<u8>> {
    let about = |part: &str| is_about(request, part);
    let says = |status: &str, headers: &str, message: &str| {
        let number = status.split(' ').next();
        let body = json!({ "message": message, "status": number });
        Some(answer_with(status, headers, &body))
    };
    match *what {
        Withheld::Path(part) if about(part) => says("403 Forbidden", "", MESSAGE),
        Withheld::PathScope { path, scope } if about(path) => {
            let headers = format!("x-oauth-scopes: gist\r\nx-accepted-oauth-scopes: {scope}\r\n");
            says(
                "403 Forbidden",
                &headers,
                "Must have admin rights to Repository.",
            )
        }
        Withheld::SingleSignOn(part) if about(part) => {
            let url = "https://github.com/orgs/octo/sso?authorization_request=1";
            let headers = format!("x-github-sso: required; url={url}\r\n");
            let message = "Resource protected by organization SAML enforcement. You must grant your \
                Personal Access token access to this organization.";
            says("403 Forbidden", &headers, message)
        }
        Withheld::NotFound(part) if about(part) => says("404 Not Found", "", "Not Found"),
        Withheld::BadGateway(part) if about(part) => says("502 Bad Gateway", "", "Server Error"),
        Withheld::TooFast(part, status) if about(part) => {
            let status = if status == 429 {
                "429 Too Many Requests"
            } else {
                "403 Forbidden"
            };
            let headers = format!("retry-after: {RETRY_AFTER}\r\n");
            says(
                status,
                &headers,
                "You have exceeded a secondary rate limit.",
            )
        }
        _ => None,
    }
}

fn answer_with(status: &str, headers: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{headers}content-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}
