//! What `prepare` left in the workspace besides the commit: installed packages,
//! builds, files such as `.env`. Commands that judge the work find exactly that.
//!
//! Whatever else lies there and is not committed was made by an agent or by its
//! tests: a `conftest.py` that is ignored would decide about results and never
//! be reviewed. It is set aside while commands run, and given back to the agent.
//! Installed packages and large folders are seen through layers (see
//! [`baton_host::sandbox::Prepared`]); files and the folders of a build are put
//! back. A layer is a mount, which scripts that begin with `rm -rf dist` cannot
//! remove.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use baton_host::folder::{self, MaxSize};
use baton_host::git::{self, Call, Git};
use serde_json::{Value, json};

use crate::AgentStep;
use crate::claim;
use crate::step_error::StepError;

/// Files that say what is installed. Others, such as those of Cargo, Go and
/// Maven, are read by tools that install by themselves.
const MANIFESTS: &[&str] = &[
    "package.json",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "bun.lock",
    "bun.lockb",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "Pipfile",
    "Pipfile.lock",
    "Gemfile",
    "Gemfile.lock",
    ".gemspec",
    "requirements.txt",
    "requirements-dev.txt",
    "requirements-test.txt",
    "dev-requirements.txt",
    "test-requirements.txt",
];

/// Larger files are kept, and not put back.
const MAX_FILE: u64 = 1 << 20;
const MAX_FILES: usize = 200;

/// Larger folders are seen through layers instead of being put back: copying them
/// for each step would take longer than building them again.
const MAX_FOLDER: MaxSize = MaxSize {
    entries: 2_000,
    bytes: 64 << 20,
};

/// Folders that the tree before the change shares with the one after it. They are
/// seen through layers whatever their size, so that no tests change them.
const SHARED: &[&str] = baton_ops::validation::INSTALLED_FOLDERS;

/// As it was when `prepare` had ended.
pub(crate) struct Prepared {
    /// Seen through layers. Relative to the workspace.
    folders: Vec<PathBuf>,
    /// Folders that are put back, each with its copy.
    copied_folders: Vec<(PathBuf, PathBuf)>,
    /// Each with its copy, if it has one.
    files: Vec<(PathBuf, Option<PathBuf>)>,
    /// The manifests, each with the id of its content.
    manifests: BTreeSet<String>,
}

impl Prepared {
    /// Writes down what is there now.
    pub(super) async fn record(step: &AgentStep<'_>, git: &Git) -> Result<(), StepError> {
        let (worktree, folder) = (git.cwd().to_owned(), folder(step));
        let copies = folder.join("files");
        let failed = |error: &io::Error| {
            StepError::file(
                format_args!("keep what was prepared in {}", folder.display()),
                error,
            )
        };
        git::remove_all(&folder).map_err(|error| failed(&error))?;
        fs::create_dir_all(&copies).map_err(|error| failed(&error))?;
        let (mut folders, mut copied_folders, mut files) = (Vec::new(), Vec::new(), Vec::new());
        for entry in not_committed(git).await? {
            let path = worktree.join(&entry);
            let facts = fs::symlink_metadata(&path);
            if facts.as_ref().is_ok_and(fs::Metadata::is_dir) {
                let is_shared = SHARED.iter().any(|name| entry.ends_with(name));
                if is_shared || !folder::fits(&path, MAX_FOLDER).map_err(|error| failed(&error))? {
                    folders.push(entry);
                    continue;
                }
                let copy = format!("folder-{}", copied_folders.len());
                folder::copy(&path, &copies.join(&copy)).map_err(|error| failed(&error))?;
                copied_folders.push((entry, copy));
                continue;
            }
            let is_small = facts.is_ok_and(|facts| facts.is_file() && facts.len() <= MAX_FILE);
            let copy = (is_small && files.len() < MAX_FILES).then(|| files.len().to_string());
            if let Some(copy) = &copy {
                fs::copy(worktree.join(&entry), copies.join(copy))
                    .map_err(|error| failed(&error))?;
            }
            files.push((entry, copy));
        }
        let list = json!({
            "folders": folders,
            "copied_folders": copied_folders,
            "files": files,
            "manifests": manifests(git).await?,
        });
        let new = folder.join("list.new");
        fs::write(&new, list.to_string())
            .and_then(|()| fs::rename(&new, folder.join(LIST)))
            .map_err(|error| failed(&error))
    }

    /// `None` where the run works in the user's own checkout, or an older baton
    /// prepared it.
    pub(crate) fn load(step: &AgentStep<'_>) -> Option<Self> {
        if step.place.settings.in_place {
            return None;
        }
        let folder = folder(step);
        let text = fs::read(folder.join(LIST)).ok()?;
        let list: Value = serde_json::from_slice(&text).ok()?;
        let texts = |value: &Value| -> Vec<String> {
            let items = value.as_array().into_iter().flatten();
            items
                .filter_map(|item| Some(item.as_str()?.to_owned()))
                .collect()
        };
        let pairs = |name: &str| {
            let pairs = list[name].as_array().into_iter().flatten();
            pairs.filter_map(|pair| {
                let copy = pair[1].as_str().map(|copy| folder.join("files").join(copy));
                Some((PathBuf::from(pair[0].as_str()?), copy))
            })
        };
        Some(Self {
            folders: texts(&list["folders"])
                .into_iter()
                .map(PathBuf::from)
                .collect(),
            copied_folders: pairs("copied_folders")
                .filter_map(|(path, copy)| Some((path, copy?)))
                .collect(),
            files: pairs("files").collect(),
            manifests: texts(&list["manifests"]).into_iter().collect(),
        })
    }

    /// What the commit before the change was built to: folders relative to the
    /// workspace, each with its copy.
    pub(crate) fn copied_folders(&self) -> &[(PathBuf, PathBuf)] {
        &self.copied_folders
    }

    /// The folders of the workspace that are seen through layers.
    pub(crate) fn folders(&self, worktree: &Path) -> Vec<PathBuf> {
        let folders = self.folders.iter();
        folders.map(|folder| worktree.join(folder)).collect()
    }

    /// Removes the folders, to be made again.
    pub(super) fn remove(&self, worktree: &Path) -> Result<(), StepError> {
        for folder in self.folders(worktree) {
            git::remove_all(&folder).map_err(|error| {
                StepError::file(format_args!("remove {}", folder.display()), &error)
            })?;
        }
        Ok(())
    }

    /// Whether what is installed is what the newest commit asks for.
    pub(super) async fn fits(&self, git: &Git) -> Result<bool, StepError> {
        Ok(manifests(git).await? == self.manifests)
    }

    /// Sets aside what was not there, and puts back the files that were, except
    /// lockfiles that `prepare` made of manifests that are others now. No program
    /// of the run may be at work meanwhile.
    pub(super) async fn restore(
        &self,
        step: &AgentStep<'_>,
        git: &Git,
        fits: bool,
    ) -> Result<(), StepError> {
        let worktree = git.cwd().to_owned();
        let is_kept = |file: &Path| fits || !is_manifest(&file.to_string_lossy());
        let is_prepared = |entry: &Path| {
            let copied = self.copied_folders.iter().map(|(folder, _)| folder);
            let mut folders = self.folders.iter().chain(copied);
            folders.any(|folder| entry.starts_with(folder))
                || self
                    .files
                    .iter()
                    .any(|(file, _)| file == entry && is_kept(file))
        };
        let aside = aside(step);
        for entry in not_committed(git).await? {
            if !is_prepared(&entry) {
                set_aside(&worktree.join(&entry), &aside.join(&entry)).map_err(|error| {
                    StepError::file(format_args!("set aside {}", entry.display()), &error)
                })?;
            }
        }
        for (file, copy) in self.files.iter().filter(|(file, _)| is_kept(file)) {
            let Some(copy) = copy else { continue };
            put_back(copy, &worktree, file).map_err(|error| {
                StepError::file(format_args!("put back {}", file.display()), &error)
            })?;
        }
        for (folder, copy) in &self.copied_folders {
            put_back_folder(copy, &worktree, folder).map_err(|error| {
                StepError::file(format_args!("put back {}", folder.display()), &error)
            })?;
        }
        Ok(())
    }
}

/// Gives an agent what was set aside while commands ran.
pub(crate) fn give_back(step: &AgentStep<'_>, worktree: &Path) {
    let aside = aside(step);
    if !aside.exists() {
        return;
    }
    merge_into(&aside, worktree);
    if let Err(error) = git::remove_all(&aside) {
        tracing::warn!(%error, "what was set aside stays");
    }
}

const LIST: &str = "list.json";

fn folder(step: &AgentStep<'_>) -> PathBuf {
    claim::private_folder(&step.place.checkout, step.call.run()).join("prepared")
}

fn aside(step: &AgentStep<'_>) -> PathBuf {
    claim::private_folder(&step.place.checkout, step.call.run()).join("set-aside")
}

/// Files and folders that no commit has, ignored or not.
pub(super) async fn not_committed(git: &Git) -> Result<Vec<PathBuf>, StepError> {
    let call = Call::read("list what is not committed").args([
        "ls-files",
        "--others",
        "--directory",
        "--no-empty-directory",
        "-z",
    ]);
    let reply = git.call(call).await?.success()?;
    let names = reply.stdout.split(|byte| *byte == 0);
    Ok(names
        .filter_map(|name| str::from_utf8(name).ok())
        .filter(|name| !name.is_empty())
        .map(|name| PathBuf::from(name.trim_end_matches('/')))
        .collect())
}

/// The manifests of the newest commit, each with the id of its content.
async fn manifests(git: &Git) -> Result<BTreeSet<String>, StepError> {
    let call = Call::read("find manifests").args(["ls-tree", "-r", "-z", "--full-tree", "HEAD"]);
    let reply = git.call(call).await?.success()?;
    let entries = reply.stdout.split(|byte| *byte == 0);
    Ok(entries
        .filter_map(|entry| str::from_utf8(entry).ok())
        .filter(|entry| is_manifest(entry))
        .map(str::to_owned)
        .collect())
}

/// By the last part of a path, or of what git says about one.
fn is_manifest(path: &str) -> bool {
    let name = path.rsplit(['/', '\t']).next().unwrap_or_default();
    MANIFESTS.iter().any(|manifest| {
        name == *manifest || (manifest.starts_with('.') && name.ends_with(manifest))
    })
}

fn set_aside(from: &Path, to: &Path) -> io::Result<()> {
    git::remove_all(to)?;
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::rename(from, to)
}

/// Moves what is not there yet; what is there was made by commands since.
fn merge_into(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        let target = to.join(entry.file_name());
        match fs::symlink_metadata(&target) {
            Err(_) => {
                if let Err(error) = fs::rename(entry.path(), &target) {
                    tracing::warn!(%error, path = %target.display(), "cannot give back");
                }
            }
            Ok(facts) if facts.is_dir() => merge_into(&entry.path(), &target),
            Ok(_) => {}
        }
    }
}

fn put_back_folder(copy: &Path, worktree: &Path, folder: &Path) -> io::Result<()> {
    let target = target(worktree, folder)?;
    git::remove_all(&target)?;
    folder::copy(copy, &target)
}

/// Where an entry of the workspace is put. The folder around it may be a link by
/// now that leads elsewhere.
fn target(worktree: &Path, entry: &Path) -> io::Result<PathBuf> {
    let target = worktree.join(entry);
    let parent = target.parent().unwrap_or(worktree);
    fs::create_dir_all(parent)?;
    if !parent.canonicalize()?.starts_with(worktree.canonicalize()?) {
        return Err(io::Error::other("its folder leads out of the workspace"));
    }
    Ok(target)
}

fn put_back(copy: &Path, worktree: &Path, file: &Path) -> io::Result<()> {
    let target = target(worktree, file)?;
    let is_same = || -> io::Result<bool> {
        let facts = fs::symlink_metadata(&target)?;
        Ok(facts.is_file() && facts.len() <= MAX_FILE && fs::read(&target)? == fs::read(copy)?)
    };
    if is_same().unwrap_or(false) {
        return Ok(());
    }
    git::remove_all(&target)?;
    fs::copy(copy, &target).map(drop)
}
