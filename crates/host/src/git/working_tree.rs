//! Hashes and resets the working tree.

use std::fmt::Write;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::call::Call;
use super::shadow::Shadow;
use super::{Git, GitError, Oid, Submodule};

const DOING: &str = "hash the working tree";

impl Git {
    /// The tree that a commit of the whole working tree would have now: changed,
    /// deleted and new files included, ignored ones not.
    ///
    /// The same content gives the same id, committed or not. Neither the index
    /// nor the object store of the repository is touched.
    pub async fn working_tree(&self) -> Result<Oid, GitError> {
        let scratch = self.scratch().await?;
        self.tree_in(&scratch, &scratch.index()).await
    }

    /// A place to add the working tree to without touching the repository.
    pub(super) async fn scratch(&self) -> Result<Scratch, GitError> {
        let (objects, index) = match self.shadow().await? {
            Some(Shadow { location, .. }) => (
                location.common_dir.join("objects"),
                location.git_dir.join("index"),
            ),
            None => (
                self.path_of_file("objects").await?,
                self.path_of_file("index").await?,
            ),
        };
        let temporary = self.environment.temporary_folder();
        let prepared =
            tokio::task::spawn_blocking(move || Scratch::prepare(&temporary, &objects, &index));
        match prepared.await {
            Ok(result) => result.map_err(file_error),
            Err(stopped) => Err(file_error(io::Error::other(stopped))),
        }
    }

    /// Resets the working tree to a commit, whatever is in it now: changes and
    /// new files are lost, ignored ones stay. The branch that is checked out
    /// points to the commit afterwards.
    pub async fn put_back(&self, commit: &Oid) -> Result<(), GitError> {
        let doing = format!("put back the files of {}", commit.as_str());
        let reset =
            Call::write(doing.clone()).args(["reset", "--quiet", "--hard", commit.as_str()]);
        self.call(reset).await?.success()?;
        let clean = Call::write(doing).args(["clean", "--quiet", "-ffd"]);
        self.call(clean).await?.success().map(|_| ())
    }

    /// Brings an index of the scratch up to date; the tree it has then.
    pub(super) async fn tree_in(&self, scratch: &Scratch, index: &Path) -> Result<Oid, GitError> {
        let submodules = self.submodules_in(scratch.call(index)).await?;
        self.stage_submodules_in(scratch.call(index), &submodules)
            .await?;
        let add = scratch.call(index).args(["add", "--all", "--", ":/"]);
        let add = add.args(submodules.iter().map(Submodule::excluded));
        self.call(add).await?.success()?;
        let write = scratch.call(index).arg("write-tree");
        let reply = self.call(write).await?.success()?;
        Oid::parse(&reply.line()).ok_or_else(|| reply.unreadable())
    }

    /// Where a file of the repository is, with its worktree taken into account.
    async fn path_of_file(&self, name: &str) -> Result<PathBuf, GitError> {
        use std::os::unix::ffi::OsStringExt;

        let call =
            Call::read(DOING).args(["rev-parse", "--path-format=absolute", "--git-path", name]);
        let mut reply = self.call(call).await?.success()?;
        if reply.stdout.pop() != Some(b'\n') {
            return Err(reply.unreadable());
        }
        Ok(std::ffi::OsString::from_vec(reply.stdout).into())
    }
}

pub(super) fn file_error(source: io::Error) -> GitError {
    GitError::File {
        doing: DOING.to_owned(),
        source,
    }
}

/// A copy of the index, so that unchanged files need not be read, and an object
/// store that borrows from the real one.
#[derive(Debug)]
pub(super) struct Scratch {
    folder: TempDir,
}

impl Scratch {
    fn prepare(temporary: &Path, objects: &Path, index: &Path) -> io::Result<Self> {
        let folder = TempDir::with_prefix_in("baton-tree-", temporary)?;
        let scratch = Self { folder };
        let info = scratch.objects().join("info");
        fs::create_dir_all(&info)?;
        fs::write(info.join("alternates"), alternates_line(objects))?;
        match copy_index(index, &scratch.index()) {
            // A repository without commits has no index yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(scratch),
            copied => copied.map(|()| scratch),
        }
    }

    /// A call with an index and object store of its own. The settings keep git
    /// from writing anything else: a shared index, a daemon, a compressed copy
    /// that is thrown away at once, a refusal because of line endings.
    pub(super) fn call(&self, index: &Path) -> Call {
        Call::read(DOING)
            .env("GIT_INDEX_FILE", index)
            .env("GIT_OBJECT_DIRECTORY", self.objects())
            .args(["-c", "core.splitIndex=false", "-c", "core.fsmonitor=false"])
            .args(["-c", "core.looseCompression=0", "-c", "core.safecrlf=false"])
            .args(["-c", "advice.addEmbeddedRepo=false"])
    }

    pub(super) fn index(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    /// A second index, which begins as a copy of the first.
    pub(super) fn second_index(&self) -> io::Result<PathBuf> {
        let second = self.folder.path().join("index-now");
        copy_index(&self.index(), &second)?;
        Ok(second)
    }

    fn objects(&self) -> PathBuf {
        self.folder.path().join("objects")
    }
}

/// Copies the index with its time. git takes a file for unchanged if it is older
/// than the index; a copy that is newer than the original would hide changes
/// made in the moment after the original was written.
fn copy_index(from: &Path, to: &Path) -> io::Result<()> {
    let written = fs::metadata(from)?.modified()?;
    fs::copy(from, to)?;
    let times = fs::FileTimes::new().set_modified(written);
    fs::File::options().write(true).open(to)?.set_times(times)
}

/// A line of the file `alternates`, quoted as in C where git would not read it
/// literally.
pub(super) fn alternates_line(objects: &Path) -> Vec<u8> {
    let bytes = objects.as_os_str().as_bytes();
    if !bytes.iter().any(|&byte| byte == b'\n' || byte == b'"') {
        return [bytes, b"\n"].concat();
    }
    let mut quoted = "\"".to_owned();
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || byte == b'/' {
            quoted.push(char::from(byte));
        } else {
            write!(quoted, "\\{byte:03o}").expect("writing to a string cannot fail");
        }
    }
    quoted.push_str("\"\n");
    quoted.into_bytes()
}
