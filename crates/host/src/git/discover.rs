//! Finds the repository around a folder by reading files, so that git is never
//! asked to trust what it finds on the way.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::cmd::Environment;

use super::GitError;

/// The prefix of the path in a file `.git`.
pub(super) const GIT_DIR_PREFIX: &[u8] = b"gitdir: ";

/// A pointer such as `.git` or `commondir` holds one path.
const MAX_POINTER: u64 = 64 * 1024;

/// Files that git opens without a look at what they are. A named pipe or a
/// device in their place would hold it up, or feed it without end.
const PLAIN_FILES: [&str; 4] = ["HEAD", "index", "config.worktree", "info/sparse-checkout"];
const SHARED_PLAIN_FILES: [&str; 7] = [
    "HEAD",
    "config",
    "packed-refs",
    "shallow",
    "info/attributes",
    "info/exclude",
    "objects/info/alternates",
];

/// Where a repository is. All paths are absolute and free of symbolic links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Location {
    /// The folder of this worktree's own state.
    pub(super) git_dir: PathBuf,
    /// The folder of what all worktrees share.
    pub(super) common_dir: PathBuf,
    /// The folder that holds `.git`; absent in a bare repository.
    pub(super) top_level: Option<PathBuf>,
}

impl Location {
    /// The repository around a folder, as git would find it, except that a
    /// folder which only looks like a bare repository is an ordinary folder:
    /// any clone can contain such a one.
    pub(super) fn around(
        folder: &Path,
        environment: &Environment,
    ) -> Result<Option<Self>, GitError> {
        let Ok(start) = folder.canonicalize() else {
            return Ok(None);
        };
        let ceilings = ceilings(environment);
        let device = |path: &Path| fs::metadata(path).map(|facts| facts.dev()).ok();
        let crosses_devices = environment
            .get("GIT_DISCOVERY_ACROSS_FILESYSTEM")
            .is_some_and(|value| !matches!(value.as_bytes(), b"" | b"0" | b"false"));
        for ancestor in start.ancestors() {
            let is_beyond = ancestor != start
                && (ceilings.iter().any(|ceiling| ceiling == ancestor)
                    || !crosses_devices && device(ancestor) != device(&start));
            if is_beyond {
                return Ok(None);
            }
            if let Some(found) = Self::from_working_tree(ancestor)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The repository whose working tree begins in this very folder.
    pub(super) fn from_working_tree(top_level: &Path) -> Result<Option<Self>, GitError> {
        let dot_git = top_level.join(".git");
        match fs::metadata(&dot_git) {
            Ok(facts) if facts.is_dir() => Self::from_git_dir(&dot_git, Some(top_level)),
            Ok(facts) if facts.is_file() => {
                let target = pointer(&dot_git, GIT_DIR_PREFIX)
                    .ok_or_else(|| unusable(&dot_git, "it names no folder"))?;
                let found = Self::from_git_dir(&top_level.join(target), Some(top_level))?;
                found
                    .ok_or_else(|| unusable(&dot_git, "it names a folder that is no repository"))
                    .map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A bare repository that the caller names as one.
    pub(super) fn bare(folder: &Path) -> Result<Option<Self>, GitError> {
        Self::from_git_dir(folder, None)
    }

    /// A repository whose working tree is elsewhere.
    pub(super) fn separate(git_dir: &Path, work_tree: &Path) -> Result<Option<Self>, GitError> {
        Self::from_git_dir(git_dir, Some(work_tree))
    }

    fn from_git_dir(folder: &Path, top_level: Option<&Path>) -> Result<Option<Self>, GitError> {
        let Ok(git_dir) = folder.canonicalize() else {
            return Ok(None);
        };
        let common_dir = match pointer(&git_dir.join("commondir"), b"") {
            Some(common) => git_dir.join(common),
            None => git_dir.clone(),
        };
        let Ok(common_dir) = common_dir.canonicalize() else {
            return Ok(None);
        };
        let is_folder = |name: &str| common_dir.join(name).is_dir();
        let has_head = fs::symlink_metadata(git_dir.join("HEAD")).is_ok();
        if !has_head || !is_folder("objects") || !is_folder("refs") {
            return Ok(None);
        }
        let own = PLAIN_FILES.iter().map(|name| git_dir.join(name));
        let shared = SHARED_PLAIN_FILES.iter().map(|name| common_dir.join(name));
        for file in own.chain(shared) {
            if fs::metadata(&file).is_ok_and(|facts| !facts.is_file()) {
                return Err(unusable(&file, "it is not a regular file"));
            }
        }
        Ok(Some(Self {
            git_dir,
            common_dir,
            top_level: top_level.map(Path::to_path_buf),
        }))
    }
}

/// What a file holds, if it is a regular one of at most `limit` bytes; absent
/// where there is none.
pub(super) fn read_plain(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, GitError> {
    match fs::metadata(path) {
        Ok(facts) if facts.is_file() => {}
        Ok(_) => return Err(unusable(path, "it is not a regular file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(path, &error.to_string())),
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
        .map_err(|error| unusable(path, &error.to_string()))?;
    if bytes.len() as u64 > limit {
        return Err(unusable(path, "it is too large"));
    }
    Ok(Some(bytes))
}

pub(super) fn unusable(path: &Path, problem: &str) -> GitError {
    GitError::Unusable {
        path: path.to_path_buf(),
        problem: problem.to_owned(),
    }
}

/// The path in a file that consists of nothing else.
pub(super) fn pointer(file: &Path, prefix: &[u8]) -> Option<PathBuf> {
    let bytes = read_plain(file, MAX_POINTER).ok()??;
    let end = bytes
        .iter()
        .rposition(|byte| !matches!(byte, b'\n' | b'\r'))?;
    let path = bytes[..=end].strip_prefix(prefix)?;
    (!path.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(path)))
}

/// Folders that the user does not want searched, nor what is above them.
fn ceilings(environment: &Environment) -> Vec<PathBuf> {
    let Some(list) = environment.get("GIT_CEILING_DIRECTORIES") else {
        return Vec::new();
    };
    std::env::split_paths(list)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.canonicalize().unwrap_or(folder))
        .collect()
}
