//! Rows as JSON: the one view of every object, from which REST, GraphQL and webhooks are answered.
//!
//! The names are REST's. `…_facts` has what the row itself says, which is all that GraphQL reads by
//! name; the whole body adds what is embedded.

pub(crate) mod checks;
pub(crate) mod commits;
pub(crate) mod deployments;
pub(crate) mod hooks;
pub(crate) mod issues;
mod prelude;
pub(crate) mod pulls;
pub(crate) mod repositories;
pub(crate) mod reviews;
pub(crate) mod rules;
pub(crate) mod stacks;
pub(crate) mod users;
pub(crate) mod workflows;

use rusqlite::Connection;
use serde_json::{Map, Value};

use crate::app::App;
use crate::error::Result;
use crate::store::repositories::Repository;
use crate::urls::Urls;

/// What a row needs to become JSON: the rows around it, and addresses.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) conn: &'a Connection,
    pub(crate) urls: &'a Urls,
}

impl View<'_> {
    /// An address in the API below a repository. `path` is empty or begins with a slash.
    pub(crate) fn api(&self, repository: &Repository, path: &str) -> String {
        let name = repository.full_name();
        self.urls.api(&format!("/repos/{name}{path}"))
    }

    /// The same for people.
    pub(crate) fn page(&self, repository: &Repository, path: &str) -> String {
        self.urls
            .page(&format!("/{}{path}", repository.full_name()))
    }
}

impl App {
    /// Looks at one state of affairs, to show it.
    pub(crate) fn show<T>(&self, look: impl FnOnce(View<'_>) -> Result<T>) -> Result<T> {
        self.read(|conn| {
            look(View {
                conn,
                urls: self.urls(),
            })
        })
    }
}

/// Both objects in one; the second wins.
pub(crate) fn merged(mut body: Value, more: Value) -> Value {
    if let (Value::Object(body), Value::Object(more)) = (&mut body, more) {
        body.extend(more);
    }
    body
}

/// Fields written with `json!`.
pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
