//! The messages of merges, as GitHub makes them by default.

use std::sync::Arc;

use crate::git::{Commit, Person};
use crate::store::pulls::{MergeMethod, Pull};

/// Between the commits of a squash and the people who made them.
const RULE: &str = "---------";

/// Title and body, where they were not given.
pub(super) fn message(
    method: MergeMethod,
    pull: &Pull,
    commits: &[Arc<Commit>],
    author: &Person,
    title: Option<&str>,
    body: Option<&str>,
) -> String {
    let (default_title, default_body) = match method {
        MergeMethod::Squash => (squash_title(pull, commits), squash_body(commits, author)),
        MergeMethod::Merge | MergeMethod::Rebase => (merge_title(pull), pull.issue.title.clone()),
    };
    let title = title.map_or(default_title, str::to_owned);
    let body = body.map_or(default_body, str::to_owned);
    if body.is_empty() {
        title
    } else {
        format!("{title}\n\n{body}")
    }
}

fn merge_title(pull: &Pull) -> String {
    format!(
        "Merge pull request #{} from {}/{}",
        pull.number(),
        pull.head_owner.login,
        pull.head_ref
    )
}

fn squash_title(pull: &Pull, commits: &[Arc<Commit>]) -> String {
    let title = match commits {
        [only] => only.headline(),
        _ => &pull.issue.title,
    };
    format!("{title} (#{})", pull.number())
}

fn squash_body(commits: &[Arc<Commit>], author: &Person) -> String {
    let listed = match commits {
        [only] => only.body().trim_end().to_owned(),
        several => several
            .iter()
            .filter(|commit| commit.parents.len() < 2)
            .map(|commit| format!("* {}", commit.message.trim_end()))
            .collect::<Vec<_>>()
            .join("\n\n"),
    };
    let trailers = co_authors(commits, author);
    match (listed.is_empty(), trailers.is_empty()) {
        (_, true) => listed,
        (true, false) => trailers,
        (false, false) if commits.len() > 1 => format!("{listed}\n\n{RULE}\n\n{trailers}"),
        (false, false) => format!("{listed}\n\n{trailers}"),
    }
}

/// Everybody who made one of the commits, except the author of the result.
fn co_authors(commits: &[Arc<Commit>], author: &Person) -> String {
    let mut lines: Vec<String> = Vec::new();
    for commit in commits {
        let person = &commit.author;
        if person.email == author.email || person.name == author.name {
            continue;
        }
        let line = format!("Co-authored-by: {} <{}>", person.name, person.email);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join("\n")
}
