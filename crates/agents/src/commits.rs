//! Commits that the run makes of what a coding agent left in the workspace.

use std::path::Path;

use baton_host::git::{Call, Git, GitError, LogEntry, LogRange, Oid, Submodule};
use baton_protocol::handoff::IssueType;
use baton_workflow::Key;

use crate::step_error::StepError;

/// Says which step made a commit.
pub(crate) const TRAILER: &str = "Baton-Step";

/// A subject longer than this is cut by most of what shows it.
const SUBJECT: usize = 72;

/// More commits than one run makes.
const MAX_COMMITS: usize = 500;

/// What is built, installed or secret, and never part of a change, whether or
/// not the project says so: patterns as in `.gitignore`. Files that are committed
/// already are not concerned.
const NEVER_NEW: &[&str] = &[
    "node_modules/",
    ".venv/",
    "__pycache__/",
    ".pytest_cache/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".gradle/",
    "/target",
    ".env",
    ".env.local",
    ".env.*.local",
];

/// Removes new files that are not committed, except what never would be.
pub(crate) async fn remove_new(git: &Git) -> Result<(), StepError> {
    let spared = NEVER_NEW.iter().flat_map(|pattern| ["-e", *pattern]);
    let call = Call::write("remove new files")
        .args(["clean", "--quiet", "-ffd"])
        .args(spared);
    Ok(git.call(call).await?.success().map(drop)?)
}

/// Commits all that is not committed in the workspace. `None` where there is
/// nothing. A step that is run again finds the rest only, so nothing is
/// committed twice.
pub(crate) async fn commit_rest(
    git: &Git,
    message: &str,
    key: &Key,
) -> Result<Option<Oid>, StepError> {
    stage(git, &[]).await?;
    commit_staged(git, message, key).await
}

/// The same for some files only.
pub(crate) async fn commit_paths(
    git: &Git,
    paths: &[String],
    message: &str,
    key: &Key,
) -> Result<Option<Oid>, StepError> {
    if paths.is_empty() {
        return Ok(None);
    }
    unstage(git).await?;
    stage(git, paths).await?;
    commit_staged(git, message, key).await
}

/// The paths of all that is not committed and may be.
pub(crate) async fn uncommitted(git: &Git) -> Result<Vec<String>, StepError> {
    stage(git, &[]).await?;
    let call = Call::read("list what is not committed").args([
        "diff",
        "--cached",
        "--no-renames",
        "--name-only",
        "-z",
        "HEAD",
    ]);
    let reply = git.call(call).await?.success()?;
    let names = reply.stdout.split(|&byte| byte == 0);
    Ok(names
        .filter(|name| !name.is_empty())
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect())
}

/// The commits behind a revision, the oldest first.
pub(crate) async fn since(git: &Git, revision: &str) -> Result<Vec<LogEntry>, GitError> {
    let range = LogRange {
        from: Some(revision),
        to: "HEAD",
    };
    let mut commits = git.log(range, MAX_COMMITS).await?;
    commits.reverse();
    Ok(commits)
}

/// A conventional subject such as `fix: count the last page`, of whatever text.
pub(crate) fn subject(word: &str, text: &str) -> String {
    let text: String = text
        .chars()
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_end_matches(['.', '!', '…', ' ']);
    let mut subject = format!("{word}: {}", uncapitalised(text));
    if subject.chars().count() > SUBJECT {
        let end = subject
            .char_indices()
            .nth(SUBJECT - 1)
            .map_or(subject.len(), |(index, _)| index);
        let end = subject[..end]
            .rfind(' ')
            .filter(|&at| at > SUBJECT / 2)
            .unwrap_or(end);
        subject.truncate(end);
        subject = format!("{}…", subject.trim_end());
    }
    subject
}

/// The word that a conventional commit begins with.
pub(crate) fn word(issue: IssueType) -> &'static str {
    match issue {
        IssueType::Bug => "fix",
        IssueType::Feature | IssueType::Enhancement => "feat",
        IssueType::Refactor => "refactor",
        IssueType::Chore => "chore",
    }
}

/// A name such as `README` or `HTTP` keeps its letters.
fn uncapitalised(text: &str) -> String {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => {
            first.to_lowercase().chain(text.chars().skip(1)).collect()
        }
        _ => text.to_owned(),
    }
}

async fn unstage(git: &Git) -> Result<(), StepError> {
    let call = Call::write("sort what is to be committed").args(["reset", "--quiet"]);
    Ok(git.call(call).await?.success().map(drop)?)
}

async fn stage(git: &Git, paths: &[String]) -> Result<(), StepError> {
    let quiet = [
        "-c",
        "advice.addEmbeddedRepo=false",
        "-c",
        "core.safecrlf=false",
    ];
    let stage = || Call::write("stage the changes").args(quiet);
    let mut submodules = git.submodules().await?;
    if !paths.is_empty() {
        let is_submodule = |path: &str| {
            let mut known = submodules.iter();
            known.any(|submodule| submodule.path == Path::new(path))
        };
        let (own, files): (Vec<_>, Vec<_>) = paths.iter().partition(|path| is_submodule(path));
        submodules.retain(|submodule| own.iter().any(|path| submodule.path == Path::new(path)));
        git.stage_submodules(&submodules).await?;
        if files.is_empty() {
            return Ok(());
        }
        let call = stage()
            .args(["--literal-pathspecs", "add", "--all", "--"])
            .args(files);
        return Ok(git.call(call).await?.success().map(drop)?);
    }
    git.stage_submodules(&submodules).await?;
    let others = || submodules.iter().map(Submodule::excluded);
    let update = stage().args(["add", "--update", "--", ":/"]).args(others());
    git.call(update).await?.success()?;
    // Named one by one: a pattern that leaves out what is ignored anyway is an
    // error to `git add`.
    let list = Call::read("list new files")
        .args(["ls-files", "--others", "--exclude-standard", "-z"])
        .args(NEVER_NEW.iter().flat_map(|pattern| ["-x", *pattern]));
    let new = git.call(list).await?.success()?.stdout;
    if new.is_empty() {
        return Ok(());
    }
    let add = stage()
        .args(["--literal-pathspecs", "add", "--all"])
        .args(["--pathspec-from-file=-", "--pathspec-file-nul"])
        .stdin(new);
    Ok(git.call(add).await?.success().map(drop)?)
}

async fn commit_staged(git: &Git, message: &str, key: &Key) -> Result<Option<Oid>, StepError> {
    let changed = Call::read("see what is staged").args(["diff", "--cached", "--quiet"]);
    // Its answer is 1 where there is something.
    if git.call(changed).await?.yes_or_no()? {
        return Ok(None);
    }
    if git.committer().await?.is_none() {
        return Err(StepError::blocked(
            "git does not know who commits; set `git config user.name` and `user.email`",
        ));
    }
    let message = format!("{}\n\n{TRAILER}: {key}\n", message.trim_end());
    let call = Call::write("commit")
        // Signing could ask for a password; what hooks check is for the validation to check.
        .args(["commit", "--quiet", "--no-verify", "--no-gpg-sign"])
        .args(["--cleanup=verbatim", "--file=-"])
        .stdin(message.into_bytes());
    git.call(call).await?.success()?;
    Ok(Some(git.commit("HEAD").await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_conventional_whatever_the_text() {
        insta::assert_snapshot!(subject("fix", "Count the last page."), @"fix: count the last page");
        insta::assert_snapshot!(subject("feat", "README: say\nmore\u{7}"), @"feat: README: say more");
        insta::assert_snapshot!(subject("feat", "HTTP caching"), @"feat: HTTP caching");
        let long = "Let people who have forgotten their password ask for a new one by mail, twice";
        insta::assert_snapshot!(subject("feat", long), @"feat: let people who have forgotten their password ask for a new one…");
        assert!(subject("feat", &"x".repeat(200)).chars().count() <= SUBJECT);
    }
}
