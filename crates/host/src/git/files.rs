//! Reads files as they are in a commit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::call::Call;
use super::names::check_revision;
use super::{Git, GitError, Oid, parse};

impl Git {
    /// A file as it is in a commit; absent where there is none, and where it
    /// is a folder or a submodule.
    pub async fn file_at(&self, revision: &str, path: &Path) -> Result<Option<Vec<u8>>, GitError> {
        let Some(blob) = self.blob_at(revision, path).await? else {
            return Ok(None);
        };
        self.blob(&blob).await.map(Some)
    }

    /// The content of a blob.
    pub async fn blob(&self, blob: &Oid) -> Result<Vec<u8>, GitError> {
        let call =
            Call::read(format!("read the object {blob}")).args(["cat-file", "blob", blob.as_str()]);
        Ok(self.call(call).await?.success()?.stdout)
    }

    /// The contents of some blobs, by id. Ids whose content is larger than
    /// `largest`, that are missing or are not blobs are left out, and so is
    /// what would take the sum above `together`.
    pub async fn blobs(
        &self,
        ids: impl IntoIterator<Item = &Oid>,
        largest: usize,
        together: usize,
    ) -> Result<BTreeMap<Oid, Vec<u8>>, GitError> {
        let asked = lines(ids);
        if asked.is_empty() {
            return Ok(BTreeMap::new());
        }
        let call = Call::read("look at objects").args(["cat-file", "--batch-check"]);
        let reply = self.call(call.stdin(asked)).await?.success()?;
        let mut room = together;
        let mut small = Vec::new();
        for (id, size) in parse::blob_sizes(&reply.stdout) {
            if size <= largest && size <= room {
                room -= size;
                small.push(id);
            }
        }
        if small.is_empty() {
            return Ok(BTreeMap::new());
        }
        let call = Call::read("read objects").args(["cat-file", "--batch"]);
        let reply = self.call(call.stdin(lines(&small))).await?.success()?;
        Ok(parse::blobs(&reply.stdout).collect())
    }

    /// The id of a file's content in a commit.
    pub async fn blob_at(&self, revision: &str, path: &Path) -> Result<Option<Oid>, GitError> {
        // By the tree and not as `revision:path`: a path may hold anything.
        let call = Call::read(format!("find {} in {revision}", path.display()))
            .args(["--literal-pathspecs", "ls-tree", "-z", "--full-tree"])
            .args(["--end-of-options", check_revision(revision)?, "--"])
            .arg(path);
        let reply = self.call(call).await?.success()?;
        Ok(parse::tree(&reply.stdout)
            .into_iter()
            .find(|entry| entry.path == path && entry.kind == "blob")
            .map(|entry| entry.id))
    }

    /// The files of a commit, all folders deep.
    pub async fn files_at(&self, revision: &str) -> Result<Vec<PathBuf>, GitError> {
        let call = Call::read(format!("list the files of {revision}"))
            .args(["ls-tree", "-r", "-z", "--full-tree"])
            .args(["--end-of-options", check_revision(revision)?]);
        let reply = self.call(call).await?.success()?;
        let entries = parse::tree(&reply.stdout).into_iter();
        Ok(entries
            .filter(|entry| entry.kind == "blob")
            .map(|entry| entry.path)
            .collect())
    }
}

/// Each once, as git takes them.
fn lines<'a>(ids: impl IntoIterator<Item = &'a Oid>) -> Vec<u8> {
    let ids: BTreeSet<&str> = ids.into_iter().map(Oid::as_str).collect();
    ids.iter()
        .flat_map(|id| [id.as_bytes(), b"\n"])
        .flatten()
        .copied()
        .collect()
}
