//! The messages of merges, as GitHub makes them.

use std::sync::Arc;

use crate::actions::prelude::*;
use crate::git::{Commit, Person};
use crate::store::pulls::MergeMethod;

/// Between the commits of a squash and the people who made them.
const RULE: &str = "---------";

/// What was asked for; the repository's settings say what stands for the rest.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wording<'a> {
    pub(crate) title: Option<&'a str>,
    pub(crate) body: Option<&'a str>,
}

/// `author` is who the commit will be by.
pub(crate) fn message(
    repository: &Repository,
    method: MergeMethod,
    pull: &Pull,
    commits: &[Arc<Commit>],
    author: &Person,
    wording: Wording<'_>,
) -> String {
    let (title, body) = match method {
        MergeMethod::Squash => (
            squash_title(repository, pull, commits),
            squash_body(repository, pull, commits, author),
        ),
        MergeMethod::Merge | MergeMethod::Rebase => {
            (merge_title(repository, pull), merge_body(repository, pull))
        }
    };
    let title = wording.title.map_or(title, str::to_owned);
    let body = wording.body.map_or(body, str::to_owned);
    if body.trim().is_empty() {
        title
    } else {
        format!("{title}\n\n{body}")
    }
}

fn titled(pull: &Pull) -> String {
    format!("{} (#{})", pull.issue.title, pull.number())
}

fn described(pull: &Pull) -> String {
    pull.issue.body.clone().unwrap_or_default()
}

fn merge_title(repository: &Repository, pull: &Pull) -> String {
    if repository.merge_commit_title == "PR_TITLE" {
        return titled(pull);
    }
    format!(
        "Merge pull request #{} from {}/{}",
        pull.number(),
        pull.head_owner.login,
        pull.head_ref
    )
}

fn merge_body(repository: &Repository, pull: &Pull) -> String {
    match repository.merge_commit_message.as_str() {
        "PR_BODY" => described(pull),
        "BLANK" => String::new(),
        _ => pull.issue.title.clone(),
    }
}

fn squash_title(repository: &Repository, pull: &Pull, commits: &[Arc<Commit>]) -> String {
    match commits {
        [only] if repository.squash_merge_commit_title != "PR_TITLE" => {
            format!("{} (#{})", only.headline(), pull.number())
        }
        _ => titled(pull),
    }
}

fn squash_body(
    repository: &Repository,
    pull: &Pull,
    commits: &[Arc<Commit>],
    author: &Person,
) -> String {
    let listed = match (repository.squash_merge_commit_message.as_str(), commits) {
        ("PR_BODY", _) => described(pull),
        ("BLANK", _) => String::new(),
        (_, [only]) => only.body().trim_end().to_owned(),
        (_, several) => several
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
