//! The tree before the change: what was touched since, and what a linter said
//! about it then.

use std::path::{Path, PathBuf};

use baton_host::cmd::Environment;
use baton_host::folder;
use baton_host::git::{ChangeKind, Checkout, FileDiff, Git};
use baton_protocol::diagnostic::Diagnostic;
use baton_protocol::phase::validation_details::AttemptPurpose;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::Check;
use super::attempt::{self, Attempt, Bench, Verdict};
use super::changed_files::{self, ChangedFiles};
use super::compared;
use super::outcome::Mended;
use super::tool::Invocation;

/// The commit that a change is compared with.
pub(super) struct Base {
    pub(super) commit: String,
    git: Git,
    /// The project's folder, relative to the top of the repository.
    prefix: PathBuf,
    /// The top of the repository, as the project's folder is written.
    top: PathBuf,
}

/// The tree before the change, in a temporary folder.
pub(super) struct BaseTree {
    place: TempDir,
    folder: PathBuf,
    /// The tree after the change.
    changed: PathBuf,
}

impl BaseTree {
    /// The environment in which the project's commands reach it. Where it can be
    /// shown so, they find it in place of the changed tree as well: packages that
    /// are installed from the project (Python's editable ones, workspaces of npm)
    /// lead there.
    pub(super) fn shown_in(&self, environment: &Environment) -> Environment {
        environment
            .replacing(&self.changed, &tree(&self.place))
            .unwrap_or_else(|| environment.showing(self.place.path()))
    }

    /// The project's folder in it.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Puts in what was built of it, relative to the project's folder, each with
    /// its copy. What cannot be put in, tests will miss.
    pub(super) fn put_in(&self, built: &[(PathBuf, PathBuf)]) {
        for (path, copy) in built {
            let to = self.folder.join(path);
            if to.symlink_metadata().is_err()
                && let Err(error) = folder::copy(copy, &to)
            {
                tracing::warn!(%error, path = %path.display(), "cannot put in what was built");
            }
        }
    }

    pub(super) async fn discard(self, base: &Base) {
        base.discard(&self.place).await;
    }
}

/// Why it cannot be told what has changed.
#[derive(Debug, thiserror::Error)]
pub enum NoChange {
    #[error("{folder} is in no git repository with a commit")]
    NoRepository { folder: String },
    #[error("there is no commit `{revision}`")]
    NoCommit { revision: String },
}

/// The files below a folder that differ from a commit, or else from where the
/// branch left the trunk.
pub async fn changed_since(
    folder: &Path,
    environment: &Environment,
    cancel: &CancellationToken,
    base: Option<&str>,
) -> Result<Vec<String>, NoChange> {
    let no_repository = || NoChange::NoRepository {
        folder: folder.display().to_string(),
    };
    let git = Git::open(folder, environment)
        .await
        .map_err(|_| no_repository())?;
    if git.find_commit("HEAD").await.ok().flatten().is_none() {
        return Err(no_repository());
    }
    if let Some(revision) = base
        && git.find_commit(revision).await.ok().flatten().is_none()
    {
        return Err(NoChange::NoCommit {
            revision: revision.to_owned(),
        });
    }
    let found = Base::find(folder, environment, cancel, base).await;
    let differences = match found {
        Some(base) => base.differences().await.unwrap_or_default(),
        None => Vec::new(),
    };
    Ok(differences.into_iter().map(|(path, _)| path).collect())
}

/// Where work usually branches off.
const TRUNKS: [&str; 5] = [
    "origin/HEAD",
    "origin/main",
    "origin/master",
    "main",
    "master",
];

impl Base {
    /// The given commit; else where the branch left the trunk, or the last
    /// commit. `None` where there is no repository or nothing differs.
    pub(super) async fn find(
        folder: &Path,
        environment: &Environment,
        cancel: &CancellationToken,
        given: Option<&str>,
    ) -> Option<Self> {
        let git = Git::open(folder, environment).await.ok()?;
        let git = git.with_cancellation(cancel.clone());
        let top_level = git.facts().await.ok()?.top_level?;
        let mut commit = git.find_commit(given.unwrap_or("HEAD")).await.ok()??;
        if given.is_none() {
            for trunk in TRUNKS {
                if let Ok(Some(found)) = git.merge_base("HEAD", trunk).await {
                    commit = found;
                    break;
                }
            }
        }
        let real = folder.canonicalize().ok()?;
        let prefix = real.strip_prefix(top_level.canonicalize().ok()?).ok()?;
        let base = Self {
            commit: commit.to_string(),
            git,
            top: folder
                .ancestors()
                .nth(prefix.components().count())?
                .to_owned(),
            prefix: prefix.to_path_buf(),
        };
        let differs = base.differences().await.is_some_and(|d| !d.is_empty());
        differs.then_some(base)
    }

    /// What the change did to each file below the project's folder, by path in
    /// it.
    pub(super) async fn differences(&self) -> Option<Vec<(String, FileDiff)>> {
        let snapshot = self.git.snapshot().await.ok()?;
        let files = snapshot.diff_from(&self.commit, 0).await.ok()?;
        let named = files.into_iter().filter_map(|file| {
            let inner = file.path.strip_prefix(&self.prefix).ok()?;
            Some((inner.to_str()?.to_owned(), file))
        });
        Some(named.collect())
    }

    /// The content of a file before the change.
    pub(super) async fn content(&self, file: &FileDiff) -> Option<Vec<u8>> {
        let was_there = file.kind != ChangeKind::Added && file.old_mode.starts_with("100");
        if !was_there {
            return None;
        }
        self.git.blob(&file.old).await.ok()
    }

    /// Takes what was there before out of what a formatter or linter complains
    /// about. A tool that breaks down is only noted to have done so before: it
    /// cannot judge the change, and what that means is the caller's decision.
    pub(super) async fn forgive_old(
        &self,
        bench: Bench<'_>,
        change: &ChangedFiles,
        mended: &mut Mended,
    ) {
        let Some((invocation, last)) = mended.last.take() else {
            return;
        };
        if last.verdict != Verdict::Failed {
            return;
        }
        let Some(tree) = self
            .check_out_beside(bench.folder, &bench.cx.environment)
            .await
        else {
            return;
        };
        let shown = tree.shown_in(&bench.cx.environment);
        let cx = bench.cx.clone().with_environment(shown);
        let before = Bench {
            cx: &cx,
            folder: tree.folder(),
            ..bench
        };
        let attempt = self.look_before(before, change, &invocation).await;
        let is_alike =
            attempt.verdict == Verdict::Passed || attempt.record.exit_code == last.record.exit_code;
        // Problems are compared one by one; of a breakdown there are only words.
        let problems = if last.diagnostics.is_empty() {
            None
        } else {
            let split = self.split(bench.folder, &last, tree.folder(), &attempt);
            Some(split.await)
        };
        tree.discard(self).await;
        mended.details.attempts.push(attempt.record.clone());
        match problems {
            _ if !is_alike => {}
            Some((new, old)) => keep_new(mended, bench.check, &last.diagnostics, new, old),
            None if is_same_breakdown(&last, &attempt) => {
                mended.details.fails_before = true;
                mended.details.notes.push(format!(
                    "the {} fails in the same way on the tree before the change: {}",
                    bench.check.name(),
                    last.issues.join("; ")
                ));
            }
            None => {}
        }
    }

    /// Runs the tool on the files of the change as they were before it, or on
    /// everything where none of them was there.
    async fn look_before(
        &self,
        bench: Bench<'_>,
        change: &ChangedFiles,
        invocation: &Invocation,
    ) -> Attempt {
        let renamed = self.old_names().await;
        let names: Vec<String> = change
            .paths()
            .map(|name| old_name(&renamed, name))
            .filter(|name| bench.folder.join(name).is_file())
            .collect();
        let before = ChangedFiles::sort_out(bench.folder, &names);
        let run = invocation.on(&before, bench.folder);
        attempt::run(bench, invocation, &run, AttemptPurpose::Base).await
    }

    /// The problems that are new, and those that were there before.
    async fn split(
        &self,
        project: &Path,
        now: &Attempt,
        folder: &Path,
        before: &Attempt,
    ) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
        let renamed = self.old_names().await;
        compared::split(
            now.diagnostics.clone(),
            &|file, line| line_of(project, file, line),
            &before.diagnostics,
            &|file, line| line_of(folder, file, line),
            &|name| old_name(&renamed, name),
        )
    }

    async fn old_names(&self) -> Vec<(String, String)> {
        let files = self.differences().await.unwrap_or_default();
        files
            .into_iter()
            .filter_map(|(new, file)| match file.kind {
                ChangeKind::Renamed { from, .. } | ChangeKind::Copied { from, .. } => {
                    let old = from.strip_prefix(&self.prefix).ok()?.to_str()?;
                    Some((new, old.to_owned()))
                }
                _ => None,
            })
            .collect()
    }

    /// A copy of the tree before the change, with what is installed for the
    /// project.
    pub(super) async fn check_out_beside(
        &self,
        project: &Path,
        environment: &Environment,
    ) -> Option<BaseTree> {
        let place = self.check_out(environment).await?;
        let folder = tree(&place).join(&self.prefix);
        if environment.replacing(&self.top, &tree(&place)).is_none() {
            link_dependencies(project, &folder);
        }
        Some(BaseTree {
            place,
            folder,
            changed: self.top.clone(),
        })
    }

    async fn discard(&self, place: &TempDir) {
        // Also after a cancellation, nothing may stay behind.
        let git = self.git.clone().with_cancellation(CancellationToken::new());
        if let Err(error) = git.discard_worktree(&tree(place)).await {
            tracing::warn!("a temporary worktree was left behind: {error}");
        }
    }

    async fn check_out(&self, environment: &Environment) -> Option<TempDir> {
        let folder = TempDir::with_prefix_in("baton-base-", environment.temporary_folder()).ok()?;
        let place = folder.path().join("tree");
        let checkout = Checkout::Detached(&self.commit);
        self.git.add_worktree(&place, checkout).await.ok()?;
        Some(folder)
    }
}

fn tree(place: &TempDir) -> PathBuf {
    place.path().join("tree")
}

/// Whether both runs ended with the same words, apart from numbers, from where the
/// tree is, and from how the program came there.
fn is_same_breakdown(now: &Attempt, before: &Attempt) -> bool {
    let words = |attempt: &Attempt| -> Vec<String> {
        let tail = attempt.record.output_tail.as_deref().unwrap_or_default();
        let lines = tail.lines().filter(|line| !is_frame(line));
        let words = lines.flat_map(str::split_whitespace);
        let words = words.filter(|word| !word.contains('/'));
        let without_digits = |word: &str| word.chars().filter(|c| !c.is_ascii_digit()).collect();
        words.map(without_digits).collect()
    };
    let is_failed = before.verdict == Verdict::Failed && before.diagnostics.is_empty();
    let now = words(now);
    is_failed && !now.is_empty() && words(before) == now
}

/// A line of a stack trace.
fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    let is_begun = ["at ", "from ", "File \""].iter();
    is_begun.copied().any(|start| line.starts_with(start))
        || line.contains(":in '")
        || line.contains(":in `")
}

fn old_name(renamed: &[(String, String)], name: &str) -> String {
    let found = renamed.iter().find(|(new, _)| new == name);
    found.map_or(name, |(_, old)| old).to_owned()
}

fn keep_new(
    mended: &mut Mended,
    check: Check,
    all: &[Diagnostic],
    new: Vec<Diagnostic>,
    old: Vec<Diagnostic>,
) {
    let still_blamed: Vec<String> = attempt::blamed(all)
        .into_iter()
        .filter(|diagnostic| new.contains(diagnostic))
        .map(ToString::to_string)
        .collect();
    if still_blamed.is_empty() {
        mended.passed = true;
        let count = match old.len() {
            1 => "1 problem".to_owned(),
            count => format!("{count} problems"),
        };
        mended.details.notes.push(format!(
            "the {} complains only about what was there before the change: {count}",
            check.name()
        ));
    }
    mended.issues = still_blamed;
    mended.details.diagnostics = new;
    mended.details.old_diagnostics = old;
}

fn line_of(folder: &Path, file: &str, line: u64) -> Option<String> {
    let bytes = changed_files::read(&folder.join(file)).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let at = usize::try_from(line).ok()?.checked_sub(1)?;
    text.lines().nth(at).map(str::to_owned)
}

/// Folders with what is installed for a project.
pub const INSTALLED_FOLDERS: &[&str] = &["node_modules", ".venv", "venv", "vendor", ".bundle"];

/// What is installed for the project serves the tree before the change, too.
fn link_dependencies(project: &Path, before: &Path) {
    for name in INSTALLED_FOLDERS {
        let (there, here) = (project.join(name), before.join(name));
        if there.is_dir() && here.symlink_metadata().is_err() {
            // Without it the linter will say what it lacks.
            let _ = std::os::unix::fs::symlink(there, here);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_protocol::phase::validation_details::ToolAttempt;

    fn attempt(tail: &str) -> Attempt {
        Attempt {
            verdict: Verdict::Failed,
            issues: Vec::new(),
            diagnostics: Vec::new(),
            record: ToolAttempt {
                purpose: AttemptPurpose::Check,
                command: "lint".to_owned(),
                outcome: "exited with code 2".to_owned(),
                exit_code: Some(2),
                duration_ms: 1,
                timeout_seconds: 1,
                diagnostics: 0,
                output_tail: Some(tail.to_owned()),
            },
        }
    }

    #[test]
    fn a_breakdown_is_the_same_wherever_the_program_was() {
        let same = |now: &str, before: &str| is_same_breakdown(&attempt(now), &attempt(before));
        assert!(same(
            "cannot load such file -- rubocop-rake\n/gems/loader.rb:46:in `load'\n/gems/store.rb:1:in `for'",
            "cannot load such file -- rubocop-rake\n/gems/loader.rb:46:in `load'",
        ));
        assert!(same(
            "SyntaxError: Unexpected token in /tmp/a/x.js\n    at Module.load (node:1091:12)",
            "SyntaxError: Unexpected token in /tmp/base/x.js\n    at require (node:12:1)",
        ));
        assert!(!same("cannot load one", "cannot load another"));
        assert!(!same("", ""));
    }
}
