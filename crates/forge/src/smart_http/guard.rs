//! Rules at push time.
//!
//! git asks a `pre-receive` hook when it has received all objects, and an
//! `update` hook about each ref. Ours is one small script: before anything is
//! accepted it puts the wanted changes and the place of the new objects into a
//! folder, waits for the forge's answer there, and then refuses the refs that
//! the answer names. Files, because a shell has nothing better; if the forge
//! dies meanwhile, the script sees that and refuses everything.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_host::git::{Call, Oid};
use tempfile::TempDir;

use crate::actions::pushes::{self, Refusal};
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, Result};
use crate::git::RefChange;
use crate::store::repositories::Repository;

const SCRIPT: &str = include_str!("hook.sh");

/// The names under which git calls the script.
const HOOKS: [&str; 3] = ["pre-receive", "update", "post-receive"];

/// Between two looks for the script's question. A push takes some ten
/// milliseconds at least.
const LOOK: Duration = Duration::from_millis(3);

/// The place of one conversation.
pub(super) struct Guard {
    folder: TempDir,
    hooks: PathBuf,
}

impl Guard {
    pub(super) fn new(app: &App) -> Result<Self> {
        let prepared = || -> io::Result<Self> {
            Ok(Self {
                folder: tempfile::tempdir_in(app.scratch())?,
                hooks: install(&app.settings().data)?,
            })
        };
        prepared().map_err(|error| ApiError::internal(format!("a push cannot be checked: {error}")))
    }

    pub(super) fn equip(&self, call: Call) -> Call {
        let mut setting = std::ffi::OsString::from("core.hooksPath=");
        setting.push(&self.hooks);
        call.arg("-c")
            .arg(setting)
            .env("BATON_FORGE_PUSH", self.folder.path())
            .env("BATON_FORGE_PID", std::process::id().to_string())
    }

    /// Waits for the question and answers it. The task is ended from outside
    /// when git is done without having asked.
    pub(super) async fn answer(self, app: &App, repository: &Repository, caller: &Caller) {
        let folder = self.folder.path();
        let question = folder.join("question");
        while !question.exists() {
            tokio::time::sleep(LOOK).await;
        }
        let verdict = match decide(app, repository, caller, &question, folder).await {
            Ok(verdict) => verdict,
            Err(error) => {
                tracing::error!(?error, "a push could not be checked");
                Verdict::Refused("error: the forge could not check this push\n".to_owned())
            }
        };
        if let Err(error) = verdict.write(folder) {
            tracing::error!(%error, "a push could not be answered");
        }
        // The script reads the answer until git is done.
        std::future::pending::<()>().await;
    }
}

/// What becomes of a push.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// Nothing of it is accepted, for these reasons.
    Refused(String),
    /// All but the refs that are named here is.
    Accepted(String),
}

impl Verdict {
    fn new(changes: &[RefChange], refusals: &[Refusal]) -> Self {
        let is_refused = |change: &RefChange| {
            let mut refused = refusals.iter();
            refused.any(|refusal| refusal.name == change.name)
        };
        if !changes.is_empty() && changes.iter().all(is_refused) {
            let messages = refusals.iter().map(|refusal| refusal.message.trim_end());
            let mut reasons = messages.collect::<Vec<_>>().join("\n");
            reasons.push('\n');
            Self::Refused(reasons)
        } else {
            Self::Accepted(render(refusals))
        }
    }

    /// The script waits for the answer, so that comes last.
    fn write(&self, folder: &Path) -> io::Result<()> {
        let answer = match self {
            Self::Refused(reasons) => {
                fs::write(folder.join("refusal"), reasons)?;
                ""
            }
            Self::Accepted(exceptions) => exceptions,
        };
        write_whole(&folder.join("answer"), answer)
    }
}

async fn decide(
    app: &App,
    repository: &Repository,
    caller: &Caller,
    question: &Path,
    folder: &Path,
) -> Result<Verdict> {
    let unreadable = |error| ApiError::internal(format!("a hook's question: {error}"));
    let objects = fs::read_to_string(question).map_err(unreadable)?;
    let commands = fs::read_to_string(folder.join("commands")).map_err(unreadable)?;
    let git = app.git(repository);
    // A path that git gives may be relative to the repository.
    let objects = git.path().join(objects.trim_end_matches('\n'));
    let changes: Vec<_> = commands.lines().filter_map(parse_command).collect();
    let git = git.with_quarantine(objects);
    let refusals = pushes::check(app, repository, caller, &git, &changes).await?;
    Ok(Verdict::new(&changes, &refusals))
}

/// `<old> <new> <ref>`
fn parse_command(line: &str) -> Option<RefChange> {
    let mut words = line.splitn(3, ' ');
    let (old, new) = (Oid::parse(words.next()?)?, Oid::parse(words.next()?)?);
    let existing = |oid: Oid| (!oid.is_zero()).then_some(oid);
    Some(RefChange {
        name: words.next()?.to_owned(),
        old: existing(old),
        new: existing(new),
    })
}

/// A line per line of each message, with the ref in front.
fn render(refusals: &[Refusal]) -> String {
    let mut text = String::new();
    for refusal in refusals {
        for line in refusal.message.lines() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{} {line}", refusal.name);
        }
    }
    text
}

/// Anyone who waits for the file finds all of it.
fn write_whole(path: &Path, content: &str) -> io::Result<()> {
    let draft = path.with_extension("draft");
    fs::write(&draft, content)?;
    fs::rename(draft, path)
}

/// The same for all repositories. Written again, as another version of the
/// forge may have left its own.
fn install(data: &Path) -> io::Result<PathBuf> {
    let folder = data.join("hooks");
    fs::create_dir_all(&folder)?;
    for name in HOOKS {
        let path = folder.join(name);
        if fs::read_to_string(&path).is_ok_and(|known| known == SCRIPT) {
            continue;
        }
        let mut draft = tempfile::NamedTempFile::new_in(&folder)?;
        io::Write::write_all(&mut draft, SCRIPT.as_bytes())?;
        fs::set_permissions(draft.path(), fs::Permissions::from_mode(0o755))?;
        draft.persist(&path).map_err(|error| error.error)?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_what_changes() {
        let (old, new) = ("0".repeat(40), "a".repeat(40));
        let change = parse_command(&format!("{old} {new} refs/heads/x")).unwrap();
        assert_eq!(change.old, None);
        assert_eq!(change.new.unwrap().as_str(), new);
        assert_eq!(parse_command("nonsense"), None);
    }

    #[test]
    fn every_line_of_a_refusal_names_its_ref() {
        let refusal = Refusal {
            name: "refs/heads/main".to_owned(),
            message: "error: GH006: one.\nerror: two.".to_owned(),
        };
        insta::assert_snapshot!(render(std::slice::from_ref(&refusal)), @r"
        refs/heads/main error: GH006: one.
        refs/heads/main error: two.
        ");
        let change = |name: &str| RefChange {
            name: name.to_owned(),
            old: None,
            new: None,
        };
        let (main, topic) = (change("refs/heads/main"), change("refs/heads/topic"));
        let refusals = [refusal];
        let whole = Verdict::new(std::slice::from_ref(&main), &refusals);
        let reasons = "error: GH006: one.\nerror: two.\n".to_owned();
        assert_eq!(whole, Verdict::Refused(reasons));
        let partly = Verdict::new(&[main, topic], &refusals);
        assert_eq!(partly, Verdict::Accepted(render(&refusals)));
    }
}
