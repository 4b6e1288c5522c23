//! How to resolve conflicts, step by step.

use std::collections::BTreeSet;

use baton_host::cmd::quote;
use baton_protocol::Repository;
use baton_protocol::tools::detect_merge_conflicts::{
    ConflictInstructions, ConflictType, MergeTarget,
};

use super::super::gh;
use super::conflict::Conflict;
use super::decisions;

/// What a line begins with that git put there. Both sides of a file that two
/// renames took apart are marked with one character more than usual, and lines
/// of `=` underline headings, so they prove nothing.
const MARKER: &str = "'^(<{7,}|>{7,}|[|]{7,}) '";
/// Whatever has been decided for each file by then: kept, changed or deleted.
/// The names come from git, which gives some files another one while it merges;
/// from `diff-files`, because `git diff` may lock the index to refresh it while
/// `git add` wants to.
const ADD_DECIDED: &str = "git diff-files --name-only --diff-filter=U -z | \
    git --literal-pathspecs add --pathspec-from-file=- --pathspec-file-nul";

/// Where the commands are run.
pub(super) struct Clone<'a> {
    pub(super) web_url: &'a str,
    pub(super) repository: &'a Repository,
    /// What the clone calls that repository: in the clone of a fork it is not `origin`.
    pub(super) remote: &'a str,
}

/// The commands that resolve the conflicts, in order, in a clone of the
/// repository. What has to be decided in between is said in comments. `shown`
/// are the first of `total` conflicts.
pub(super) fn build(
    clone: &Clone<'_>,
    number: u32,
    target: &MergeTarget,
    shown: &[Conflict],
    total: usize,
) -> ConflictInstructions {
    let mut resolution_steps = vec![
        gh::command(
            clone.web_url,
            &[
                "pr",
                "checkout",
                &number.to_string(),
                "--repo",
                &clone.repository.to_string(),
            ],
        ),
        format!(
            "git fetch {} {}",
            quote(clone.remote),
            quote(&target.branch)
        ),
        "git merge --no-edit FETCH_HEAD".to_owned(),
        "git status --short".to_owned(),
    ];
    resolution_steps.extend(shown.iter().map(decisions::describe));
    if total > shown.len() {
        resolution_steps.push(format!(
            "# and {} more, which git status lists",
            total - shown.len()
        ));
    }
    // In one step, so that a shell that goes on after a failure adds nothing.
    resolution_steps.push(format!(
        "! git --literal-pathspecs grep -nE {MARKER}{} && {ADD_DECIDED}",
        if total > shown.len() {
            String::new()
        } else {
            only(shown)
        }
    ));
    resolution_steps.push("git commit --no-edit".to_owned());
    resolution_steps.push("git push".to_owned());
    ConflictInstructions {
        resolution_steps,
        estimated_time: estimate(shown, total),
    }
}

/// Narrows a search to the files in conflict: others may be about markers.
fn only(conflicts: &[Conflict]) -> String {
    let names = conflicts
        .iter()
        .flat_map(|conflict| conflict.paths.iter().chain([&conflict.path]));
    let names: BTreeSet<_> = names.collect();
    let names: Vec<String> = names.into_iter().map(quote).collect();
    format!(" -- {}", names.join(" "))
}

/// Minutes per file, by what has to be thought about.
fn estimate(conflicts: &[Conflict], total: usize) -> String {
    let minutes = |conflict: &Conflict| match conflict.kind {
        ConflictType::Content | ConflictType::Rename => 5,
        ConflictType::Delete | ConflictType::Mode => 2,
    };
    let shown: usize = conflicts.iter().map(minutes).sum();
    let all = shown + (total - conflicts.len()) * 5;
    let files = if total == 1 { "file" } else { "files" };
    format!("about {all} minutes ({total} {files} in conflict)")
}
