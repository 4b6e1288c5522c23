//! The demo's project: a function that divides by zero when a shop sold
//! nothing, and what the first agents say about it.

use std::fs;
use std::io;
use std::path::Path;

use std::num::NonZeroU64;

use baton_protocol::handoff::{
    Choice, Handoff, HttpUrl, IssueReady, IssueType, Priority, WorkspaceReady, WorkspaceStatus,
    WorkspaceType,
};

pub(super) const BRANCH: &str = "fix/issue-1-average-of-nothing";

const MANIFEST: &str = include_str!("sample/Cargo.toml.sample");
const LIBRARY: &str = include_str!("sample/lib.rs.sample");
const DEFECT: &str = "amounts.iter().sum::<u64>() / amounts.len() as u64";
const REMEDY: &str =
    "let count = amounts.len().max(1) as u64;\n    amounts.iter().sum::<u64>() / count";

pub(super) fn write(repository: &Path) -> io::Result<()> {
    fs::create_dir_all(repository.join("src"))?;
    fs::write(repository.join("Cargo.toml"), MANIFEST)?;
    fs::write(repository.join("src/lib.rs"), LIBRARY)?;
    fs::write(repository.join(".gitignore"), "/target\n")
}

pub(super) fn mend(checkout: &Path) -> io::Result<()> {
    let library = checkout.join("src/lib.rs");
    let text = fs::read_to_string(&library)?;
    fs::write(library, text.replace(DEFECT, REMEDY))
}

/// What the issue manager would say, once there is a forge to hold the issue.
pub(super) fn issue_ready() -> Handoff {
    Handoff::IssueReady(IssueReady {
        timestamp: None,
        issue_url: issue_url(),
        issue_number: ISSUE,
        issue_title: "The average of no amounts divides by zero".to_owned(),
        issue_type: Choice::from(IssueType::Bug),
        priority: Choice::from(Priority::High),
        pr_url: None,
        pr_number: None,
        status: None,
        summary: Some("`average` panics for a shop that sold nothing".to_owned()),
        requirements: vec!["The average of no amounts is 0".to_owned()],
        other: Vec::new(),
    })
}

pub(super) fn workspace_ready(worktree: &Path) -> Handoff {
    let line = |text: &str| text.parse().expect("one line, as written here");
    Handoff::WorkspaceReady(WorkspaceReady {
        timestamp: None,
        issue_url: issue_url(),
        issue_number: ISSUE,
        pr_url: None,
        pr_number: None,
        branch: line(BRANCH),
        workspace_path: line(&worktree.to_string_lossy().replace('\n', " ")),
        workspace_type: Choice::from(WorkspaceType::Worktree),
        port: None,
        status: Choice::from(WorkspaceStatus::Ready),
        summary: None,
        validation: None,
        other: Vec::new(),
    })
}

const ISSUE: NonZeroU64 = NonZeroU64::MIN;

fn issue_url() -> HttpUrl {
    "http://localhost/demo/ledger/issues/1"
        .parse()
        .expect("an address, as written here")
}
