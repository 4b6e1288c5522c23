//! Folders and files of a commit.

use baton_host::git::{Call, GitError, Oid};

use super::{GitRepository, names};

/// One entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    /// Six digits, as GitHub gives it.
    pub(crate) mode: String,
    pub(crate) kind: EntryKind,
    pub(crate) oid: Oid,
    /// Of a file.
    pub(crate) size: Option<u64>,
    /// From the root of the listed tree.
    pub(crate) path: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File,
    Folder,
    /// A commit of another repository.
    Submodule,
}

impl EntryKind {
    /// git's own word.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::File => "blob",
            Self::Folder => "tree",
            Self::Submodule => "commit",
        }
    }
}

impl TreeEntry {
    pub(crate) fn is_symlink(&self) -> bool {
        self.mode == "120000"
    }

    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

impl GitRepository {
    /// What a tree (or the tree of a commit) holds. Paths that are not UTF-8
    /// are shown with replacement characters.
    pub(crate) async fn tree(
        &self,
        tree: &Oid,
        recursive: bool,
    ) -> Result<Option<Vec<TreeEntry>>, GitError> {
        let mut call = Call::read("list a tree").args(["ls-tree", "-z", "--long", "--full-tree"]);
        if recursive {
            call = call.args(["-r", "-t"]);
        }
        let reply = self.call(call.arg(tree.as_str())).await?;
        if reply.code != 0 {
            return Ok(None);
        }
        Ok(Some(parse_tree(&reply.stdout)))
    }

    /// The entry at a path, below a commit or tree.
    pub(crate) async fn entry(
        &self,
        root: &Oid,
        path: &str,
    ) -> Result<Option<TreeEntry>, GitError> {
        if !names::is_tree_path(path) {
            return Ok(None);
        }
        let call = Call::read("find a path")
            .args([
                "ls-tree",
                "-z",
                "--long",
                "--full-tree",
                root.as_str(),
                "--",
            ])
            .arg(path);
        let reply = self.call(call).await?.success()?;
        Ok(parse_tree(&reply.stdout)
            .into_iter()
            .find(|entry| entry.path == path))
    }

    /// The content of a file, below a commit or tree; absent where there is none.
    pub(crate) async fn file(&self, root: &Oid, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        match self.entry(root, path).await? {
            Some(entry) if entry.kind == EntryKind::File => self.blob(&entry.oid).await,
            _ => Ok(None),
        }
    }
}

/// `<mode> SP <type> SP <object> SP <size> TAB <file> NUL`
fn parse_tree(answer: &[u8]) -> Vec<TreeEntry> {
    answer
        .split(|byte| *byte == 0)
        .filter_map(|record| {
            let text = String::from_utf8_lossy(record);
            let (facts, path) = text.split_once('\t')?;
            let mut words = facts.split_whitespace();
            let (mode, kind) = (words.next()?, words.next()?);
            Some(TreeEntry {
                mode: mode.to_owned(),
                kind: match kind {
                    "tree" => EntryKind::Folder,
                    "commit" => EntryKind::Submodule,
                    _ => EntryKind::File,
                },
                oid: Oid::parse(words.next()?)?,
                size: words.next().and_then(|size| size.parse().ok()),
                path: path.to_owned(),
            })
        })
        .collect()
}
