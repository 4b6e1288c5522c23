//! Tests of git calls with real repositories.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, also in the functions it calls"
)]

mod attention;
mod branches;
mod content;
mod history;
mod honest;
mod hostile;
mod login;
mod merge_tree;
mod push;
mod replay;
mod repository;
mod snapshot;
mod worktrees;

use std::path::Path;

use baton_host::cmd::Environment;
use baton_host::git::{Git, GitError};
use baton_testkit::{Repo, Sandbox};

async fn open(sandbox: &Sandbox, path: &Path) -> Git {
    let environment: Environment = sandbox.environment().clone().into_iter().collect();
    Git::open(path, &environment).await.unwrap()
}

async fn git(sandbox: &Sandbox, repo: &Repo<'_>) -> Git {
    open(sandbox, repo.path()).await
}

async fn open_bare(sandbox: &Sandbox, path: &Path) -> Git {
    let environment: Environment = sandbox.environment().clone().into_iter().collect();
    Git::open_bare(path, &environment).await.unwrap()
}

/// git that follows the repository's hooks and configuration.
async fn trusting(sandbox: &Sandbox, repo: &Repo<'_>) -> Git {
    let environment: Environment = sandbox.environment().clone().into_iter().collect();
    Git::open_trusting(repo.path(), &environment).await.unwrap()
}

/// The message with the sandbox's path taken out.
fn message(sandbox: &Sandbox, error: &GitError) -> String {
    let root = sandbox.root();
    error.to_string().replace(root.to_str().unwrap(), "[root]")
}
