//! The client of GitHub against a scripted server. The contract checker compares
//! requests and responses with GitHub's own.

mod archives;
mod auth;
mod changes;
mod contract;
mod degrading;
mod documents;
mod errors;
mod fault_matrix;
mod force_pushes;
mod paging;
mod questions;
mod recorded_traffic;
mod resources;
mod sent_twice;
mod server;

use baton_protocol::Repository;
use baton_remote::github::{Auth, GitHub, GitHubError, Observer, Server};
use baton_remote::http::{Clock, Secret, Settings};
use serde_json::{Value, json};

use self::server::Scripted;

pub(crate) const NOW: &str = "2031-05-06T07:08:09Z";
pub(crate) const HEAD: &str = "1111111111111111111111111111111111111111";
pub(crate) const BASE: &str = "2222222222222222222222222222222222222222";
pub(crate) const MERGE: &str = "3333333333333333333333333333333333333333";

pub(crate) fn repository() -> Repository {
    Repository::new("octo", "app").unwrap()
}

/// Settings without retries, and a clock that stands still: each scripted
/// response is sent once.
pub(crate) fn settings(server: &Scripted) -> Settings {
    let mut settings = Server::at(&server.api_url()).settings("baton-tests");
    settings.retry.attempts = 1;
    settings.clock = Clock::new(|| NOW.parse().unwrap(), |_| Box::pin(async {}), || 0.0);
    settings
}

pub(crate) fn client(server: &Scripted) -> GitHub {
    client_with(server, Auth::Token(Secret::new("token-of-octo")))
}

pub(crate) fn client_with(server: &Scripted, auth: Auth) -> GitHub {
    let place = Server::at(&server.api_url());
    GitHub::new(&place, auth, settings(server), Observer::default()).unwrap()
}

/// An error as people see it: message, next step and kind.
pub(crate) fn report(error: &GitHubError, server: &Scripted) -> String {
    let kind = format!("{:?}", error.category()).to_lowercase();
    let text = format!("{error}\n{}\n[{kind}]", error.hint());
    text.replace(&server.authority(), "HOST")
}

/// A pull request as REST gives it, with only what has to be there.
pub(crate) fn pull(number: u32) -> Value {
    json!({
        "number": number,
        "node_id": format!("PR_{number}"),
        "html_url": format!("https://github.com/octo/app/pull/{number}"),
        "state": "open",
        "title": "Add a door",
        "body": null,
        "user": null,
        "head": { "ref": "door", "sha": HEAD, "repo": null },
        "base": { "ref": "main", "sha": BASE, "repo": { "full_name": "octo/app" } },
        "created_at": "2031-05-06T07:08:09Z",
        "updated_at": "2031-05-06T07:08:09Z",
        "closed_at": null,
        "merged_at": null,
        "merge_commit_sha": null,
    })
}

/// `value` with some of its fields set to others.
pub(crate) fn with(mut value: Value, changes: &Value) -> Value {
    for (name, change) in changes.as_object().unwrap() {
        value[name] = change.clone();
    }
    value
}
