//! Watches over the tree while a tool may write: what it did is told, and what
//! it did outside the change is undone.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use baton_host::cmd::Environment;
use baton_host::git::{ChangeKind, Git, TreeSnapshot};
use tempfile::TempDir;

use super::changed_files::{self, ChangedFiles};

/// The tree as it was before a tool.
pub(super) enum Guard {
    Repository {
        snapshot: Box<TreeSnapshot>,
        /// The project's folder, relative to the top of the repository.
        prefix: PathBuf,
    },
    /// A folder without git: its files are copied.
    Folder(Copies),
    /// Too large to copy.
    Nothing,
}

/// What a tool did to files outside the change.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Undone {
    pub(super) restored: Vec<String>,
    pub(super) created: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl Undone {
    /// Takes away a file that was not there before. What git ignores never
    /// comes here; a cache that is not ignored makes the next run quicker and
    /// stays.
    fn remove(&mut self, root: &Path, path: &Path, name: String) {
        if path.iter().any(changed_files::is_made_by_tools) {
            self.notes
                .push(format!("{name} was made and stays: it is a cache"));
            return;
        }
        match fs::remove_file(root.join(path)) {
            Ok(()) => self.created.push(name),
            Err(error) => self
                .notes
                .push(format!("cannot remove {name}, which was made: {error}")),
        }
    }
}

/// Something that is the same as long as the tree is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    Tree(String),
    Files(BTreeMap<PathBuf, Stamp>),
    Unknown,
}

type Stamp = (u64, Option<SystemTime>);

impl Guard {
    pub(super) async fn begin(folder: &Path, environment: &Environment) -> Self {
        if let Ok(git) = Git::open(folder, environment).await
            && let Ok(snapshot) = git.snapshot().await
        {
            let real = folder.canonicalize().unwrap_or_else(|_| folder.into());
            let top = snapshot
                .top_level()
                .canonicalize()
                .unwrap_or_else(|_| snapshot.top_level().into());
            let prefix = real.strip_prefix(&top).unwrap_or(Path::new("")).into();
            let snapshot = Box::new(snapshot);
            return Self::Repository { snapshot, prefix };
        }
        let (folder, temporary) = (folder.to_path_buf(), environment.temporary_folder());
        let copying = tokio::task::spawn_blocking(move || Copies::make(&folder, &temporary));
        match copying.await {
            Ok(Ok(Some(copies))) => Self::Folder(copies),
            Ok(Ok(None) | Err(_)) | Err(_) => Self::Nothing,
        }
    }

    /// To be compared with a later one.
    pub(super) async fn state(&self) -> State {
        match self {
            Self::Repository { snapshot, .. } => match snapshot.tree_now().await {
                Ok(tree) => State::Tree(tree.to_string()),
                Err(_) => State::Unknown,
            },
            Self::Folder(copies) => State::Files(stamps(&copies.folder).unwrap_or_default()),
            Self::Nothing => State::Unknown,
        }
    }

    /// Whether the tree is another than it was in the beginning.
    pub(super) async fn is_changed(&self) -> bool {
        match self {
            Self::Repository { snapshot, .. } => {
                snapshot.tree_now().await.ok().as_ref() != Some(snapshot.tree())
            }
            Self::Folder(copies) => stamps(&copies.folder).ok().as_ref() != Some(&copies.before),
            Self::Nothing => true,
        }
    }

    /// Keeps what happened to the change, and takes back the rest.
    pub(super) async fn undo_outside(&self, change: &ChangedFiles) -> Undone {
        match self {
            Self::Repository { snapshot, prefix } => repository(snapshot, prefix, change).await,
            Self::Folder(copies) => copies.undo_outside(change),
            Self::Nothing => Undone {
                notes: vec![
                    "the folder is no git repository and too large to copy, so what the tool \
                     rewrote outside the change was not undone"
                        .to_owned(),
                ],
                ..Undone::default()
            },
        }
    }
}

async fn repository(snapshot: &TreeSnapshot, prefix: &Path, change: &ChangedFiles) -> Undone {
    let mut undone = Undone::default();
    let changes = match snapshot.changes().await {
        Ok(changes) => changes,
        Err(error) => {
            undone
                .notes
                .push(format!("cannot tell what was rewritten: {error}"));
            return undone;
        }
    };
    let mut paths = Vec::new();
    for file in changes {
        let name = match file.path.strip_prefix(prefix) {
            Ok(inner) => inner.to_string_lossy().into_owned(),
            Err(_) => file.path.to_string_lossy().into_owned(),
        };
        let is_inside = file.path.starts_with(prefix);
        if is_inside && change.contains(&name) {
            continue;
        }
        if file.kind == ChangeKind::Added {
            undone.remove(snapshot.top_level(), &file.path, name);
        } else {
            undone.restored.push(name);
            paths.push(file.path);
        }
    }
    if let Err(error) = snapshot.restore(&paths).await {
        undone
            .notes
            .push(format!("cannot restore what was rewritten: {error}"));
        undone.restored.clear();
    }
    undone
}

/// Copies of a folder's files.
pub(super) struct Copies {
    folder: PathBuf,
    place: TempDir,
    before: BTreeMap<PathBuf, Stamp>,
}

/// A folder without git is a small one.
const MAX_FILES: usize = 5_000;
const MAX_BYTES: u64 = 64 << 20;

impl Copies {
    /// `None` when there is too much.
    fn make(folder: &Path, temporary: &Path) -> io::Result<Option<Self>> {
        let before = stamps(folder)?;
        let bytes: u64 = before.values().map(|(length, _)| length).sum();
        if before.len() >= MAX_FILES || bytes > MAX_BYTES {
            return Ok(None);
        }
        let place = TempDir::with_prefix_in("baton-guard-", temporary)?;
        for path in before.keys() {
            let copy = place.path().join(path);
            if let Some(parent) = copy.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::copy(folder.join(path), copy)?;
        }
        Ok(Some(Self {
            folder: folder.to_path_buf(),
            place,
            before,
        }))
    }

    fn undo_outside(&self, change: &ChangedFiles) -> Undone {
        let mut undone = Undone::default();
        let Ok(now) = stamps(&self.folder) else {
            undone
                .notes
                .push("cannot tell what was rewritten".to_owned());
            return undone;
        };
        for path in now.keys().filter(|path| !self.before.contains_key(*path)) {
            let name = path.to_string_lossy().into_owned();
            if !change.contains(&name) {
                undone.remove(&self.folder, path, name);
            }
        }
        for path in self.before.keys() {
            let name = path.to_string_lossy().into_owned();
            if change.contains(&name) || self.is_as_before(path) {
                continue;
            }
            match self.bring_back(path) {
                Ok(()) => undone.restored.push(name),
                Err(error) => undone.notes.push(format!("cannot restore {name}: {error}")),
            }
        }
        undone
    }

    fn is_as_before(&self, path: &Path) -> bool {
        let now = fs::read(self.folder.join(path));
        let before = fs::read(self.place.path().join(path));
        matches!((now, before), (Ok(now), Ok(before)) if now == before)
    }

    fn bring_back(&self, path: &Path) -> io::Result<()> {
        let original = self.folder.join(path);
        if let Some(parent) = original.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(self.place.path().join(path), original).map(drop)
    }
}

/// Every file with its length and time, links and heavy folders left out.
fn stamps(folder: &Path) -> io::Result<BTreeMap<PathBuf, Stamp>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(relative) = folders.pop() {
        for entry in fs::read_dir(folder.join(&relative))? {
            let entry = entry?;
            let path = relative.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                if !changed_files::is_made_by_tools(&entry.file_name()) {
                    folders.push(path);
                }
            } else if kind.is_file() {
                let facts = entry.metadata()?;
                found.insert(path, (facts.len(), facts.modified().ok()));
            }
            if found.len() >= MAX_FILES {
                return Ok(found);
            }
        }
    }
    Ok(found)
}
