//! What a change must not publish, looked at before anything of it is pushed:
//! once pushed, a secret is known, and a large file stays in the history.

mod blobs;
mod links;
mod secrets;

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use baton_host::git::{ChangeKind, FileDiff, LogEntry, LogRange};
use baton_workflow::Objection;

use crate::AgentStep;
use crate::acceptance::objection;
use crate::foreign_text::one_line;
use crate::step_error::StepError;
use crate::workspace::Workspace;

/// The rule of all that must not be published, apart from secrets.
const RULE: &str = "evidence/publishing";

/// More commits than one run makes.
const MAX_COMMITS: usize = 500;

/// The most that is told of what is wrong.
const MAX_TOLD: usize = 5;

/// Folders and files that are built, installed or private. In a change they are
/// new, unless the project has committed such a folder before.
const NEVER_NEW: &[&str] = &[
    "node_modules",
    ".venv",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".gradle",
    ".env",
    ".env.local",
];

/// Looks at all that the branch would publish: its files, and every commit, for
/// what was taken back later is published, too.
pub(crate) async fn check(step: &AgentStep<'_>, workspace: &Workspace) -> Result<(), StepError> {
    let git = &workspace.git;
    let limits = &step.place.settings.publishing;
    let fork = workspace.fork_point(step.place).await?;
    // Sizes first: the rest reads contents.
    let mut wrong = step.unaccepted(blobs::too_large(git, fork.as_str(), limits).await?);
    if wrong.is_empty() {
        let changed = git.diff(fork.as_str(), "HEAD", 0).await?;
        wrong.extend(links::leading_out(workspace, &changed).await?);
        wrong.extend(generated(workspace, fork.as_str(), &changed).await?);
        wrong.extend(changed.iter().filter_map(odd_name));
        wrong.extend(blobs::programs(git, &changed).await?);
        let range = LogRange {
            from: Some(fork.as_str()),
            to: "HEAD",
        };
        let commits = git.log(range, MAX_COMMITS).await?;
        wrong.extend(commits.iter().filter_map(odd_message));
        wrong.extend(secrets::find(git, &commits).await?);
        wrong = step.unaccepted(wrong);
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let first = wrong.iter().take(MAX_TOLD);
    let mut listed: Vec<String> = first.map(|objection| step.told(objection)).collect();
    let more = wrong.len().saturating_sub(MAX_TOLD);
    if more > 0 {
        listed.push(format!("and {more} more"));
    }
    let message = format!(
        "nothing was pushed, because the change would publish what it must not: {}; take it out of the branch's commits, too (`git reset --soft {}` and commit again)",
        listed.join("; "),
        fork.short()
    );
    Err(StepError::objections(message, wrong))
}

/// What is said is what a person accepts.
fn told(text: &str) -> Objection {
    objection(RULE, text, text)
}

/// What is built or installed, in a place where the project had no such thing.
async fn generated(
    workspace: &Workspace,
    fork: &str,
    changed: &[FileDiff],
) -> Result<Vec<Objection>, StepError> {
    let mut places: Vec<&Path> = changed
        .iter()
        .filter(|file| file.kind == ChangeKind::Added)
        .filter_map(|file| place_of_generated(&file.path))
        .collect();
    places.sort_unstable();
    places.dedup();
    let mut wrong = Vec::new();
    for place in places.into_iter().take(MAX_TOLD) {
        let call = baton_host::git::Call::read("look for a folder in the base")
            .args([
                "--literal-pathspecs",
                "ls-tree",
                "--name-only",
                "-z",
                fork,
                "--",
            ])
            .arg(place);
        let known = workspace.git.call(call).await?.success()?.stdout;
        if known.is_empty() {
            let place = one_line(&place.to_string_lossy(), 100);
            wrong.push(told(&format!("{place} is generated or private")));
        }
    }
    Ok(wrong)
}

/// The path up to the folder or file that is never new.
fn place_of_generated(path: &Path) -> Option<&Path> {
    let is_generated = |path: &&Path| {
        let name = path.file_name();
        NEVER_NEW.iter().any(|known| name == Some(known.as_ref()))
    };
    path.ancestors().filter(is_generated).last()
}

/// A name that a terminal or a shell would read as something else.
fn odd_name(file: &FileDiff) -> Option<Objection> {
    let is_odd = file.kind == ChangeKind::Added
        && file.path.components().any(|part| match part {
            Component::Normal(name) => name.as_bytes().iter().any(u8::is_ascii_control),
            _ => false,
        });
    is_odd.then(|| {
        let name = one_line(&file.path.to_string_lossy(), 100);
        told(&format!("the name of {name} has control characters"))
    })
}

fn odd_message(commit: &LogEntry) -> Option<Objection> {
    let is_odd = |c: char| c.is_control() && !matches!(c, '\n' | '\t' | '\r');
    let id = commit.commit.short();
    let is_odd = commit.message.contains(is_odd);
    is_odd.then(|| told(&format!("the message of {id} has control characters")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_folders_are_found_at_their_outermost() {
        for (path, place) in [
            ("node_modules/a/node_modules/b.js", Some("node_modules")),
            ("web/node_modules/a.js", Some("web/node_modules")),
            ("a/__pycache__/b.pyc", Some("a/__pycache__")),
            (".env", Some(".env")),
            (".env.example", None),
            ("src/environment.rs", None),
        ] {
            assert_eq!(
                place_of_generated(Path::new(path)),
                place.map(Path::new),
                "{path}"
            );
        }
    }
}
