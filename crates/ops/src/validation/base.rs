//! The tree before the change: what was touched since, and what a linter said
//! about it then.

use std::path::{Path, PathBuf};

use baton_host::cmd::Environment;
use baton_host::git::{ChangeKind, Checkout, FileDiff, Git};
use baton_protocol::diagnostic::Diagnostic;
use baton_protocol::phase::validation_details::{AttemptPurpose, ToolAttempt};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

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
}

/// The tree before the change, in a temporary folder.
pub(super) struct BaseTree {
    place: TempDir,
    folder: PathBuf,
}

impl BaseTree {
    /// The environment in which the project's commands reach it.
    pub(super) fn shown_in(&self, environment: &Environment) -> Environment {
        environment.showing(self.place.path())
    }

    /// The project's folder in it.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
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

    /// Takes what was there before out of what a linter complains about. Does
    /// nothing unless the linter speaks of the tree before in the same way.
    pub(super) async fn forgive_old(
        &self,
        bench: Bench<'_>,
        change: &ChangedFiles,
        mended: &mut Mended,
    ) {
        let Some((invocation, last)) = mended.last.take() else {
            return;
        };
        // What was not understood cannot be compared.
        if last.verdict != Verdict::Failed || last.diagnostics.is_empty() {
            return;
        }
        let Some(tree) = self.check_out_beside(bench.folder, bench.environment).await else {
            return;
        };
        let environment = tree.shown_in(bench.environment);
        let bench = Bench {
            environment: &environment,
            ..bench
        };
        let found = self
            .look_before(bench, change, (&invocation, &last), tree.folder())
            .await;
        tree.discard(self).await;
        if let Some((new, old, record)) = found {
            mended.details.attempts.push(record);
            apply(mended, &last.diagnostics, new, old);
        }
    }

    async fn look_before(
        &self,
        bench: Bench<'_>,
        change: &ChangedFiles,
        (invocation, last): (&Invocation, &Attempt),
        folder: &Path,
    ) -> Option<(Vec<Diagnostic>, Vec<Diagnostic>, ToolAttempt)> {
        let renamed = self.old_names().await;
        let old_name = |name: &str| {
            let found = renamed.iter().find(|(new, _)| new == name);
            found.map_or(name, |(_, old)| old).to_owned()
        };
        let names: Vec<String> = change
            .paths()
            .map(old_name)
            .filter(|name| folder.join(name).is_file())
            .collect();
        let was_restricted = !change.is_empty();
        if was_restricted && names.is_empty() {
            return None;
        }
        let before = ChangedFiles::sort_out(folder, &names);
        let project = bench.folder;
        let bench: Bench<'_> = Bench { folder, ..bench };
        let run = invocation.on(&before, folder);
        let attempt = attempt::run(bench, invocation, &run, AttemptPurpose::Base).await;
        let is_alike =
            attempt.verdict == Verdict::Passed || attempt.record.exit_code == last.record.exit_code;
        if !is_alike {
            return None;
        }
        let (new, old) = compared::split(
            last.diagnostics.clone(),
            &|file, line| line_of(project, file, line),
            &attempt.diagnostics,
            &|file, line| line_of(folder, file, line),
            &old_name,
        );
        Some((new, old, attempt.record))
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
        let folder = place.path().join("tree").join(&self.prefix);
        link_dependencies(project, &folder);
        Some(BaseTree { place, folder })
    }

    async fn discard(&self, place: &TempDir) {
        // Also after a cancellation, nothing may stay behind.
        let git = self.git.clone().with_cancellation(CancellationToken::new());
        if let Err(error) = git.discard_worktree(&place.path().join("tree")).await {
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

fn apply(mended: &mut Mended, all: &[Diagnostic], new: Vec<Diagnostic>, old: Vec<Diagnostic>) {
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
            "the linter complains only about what was there before the change: {count}"
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

/// What is installed for the project serves the tree before the change, too.
fn link_dependencies(project: &Path, before: &Path) {
    const INSTALLED: [&str; 5] = ["node_modules", ".venv", "venv", "vendor", ".bundle"];
    for name in INSTALLED {
        let (there, here) = (project.join(name), before.join(name));
        if there.is_dir() && here.symlink_metadata().is_err() {
            // Without it the linter will say what it lacks.
            let _ = std::os::unix::fs::symlink(there, here);
        }
    }
}
