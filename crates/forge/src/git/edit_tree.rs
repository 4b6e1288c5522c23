use baton_host::git::{Call, GitError, Oid};

use super::GitRepository;

/// What is to be at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeChange {
    pub(crate) path: String,
    /// Mode and object; absent: nothing.
    pub(crate) entry: Option<(String, Oid)>,
}

const FOLDER_MODE: &str = "040000";

impl GitRepository {
    /// The tree with changes made to it. The paths have been checked.
    pub(crate) async fn edit_tree(
        &self,
        base: Option<&Oid>,
        changes: &[TreeChange],
    ) -> Result<Oid, GitError> {
        let folder = tempfile::tempdir().map_err(|source| GitError::File {
            doing: "make a place for an index".to_owned(),
            source,
        })?;
        let index = folder.path().join("index");
        let call = |doing: &str| Call::write(doing).env("GIT_INDEX_FILE", &index);
        let start = match base {
            Some(base) => call("read a tree").args(["read-tree", base.as_str()]),
            None => call("begin a tree").args(["read-tree", "--empty"]),
        };
        self.call(start).await?.success()?;
        let (folders, files): (Vec<_>, Vec<_>) = changes
            .iter()
            .partition(|change| matches!(&change.entry, Some((mode, _)) if mode == FOLDER_MODE));
        let update = call("change a tree")
            .args(["update-index", "-z", "--index-info"])
            .stdin(index_info(&files));
        self.call(update).await?.success()?;
        for change in folders {
            if let Some((_, oid)) = &change.entry {
                let graft = call("add a folder to a tree")
                    .arg("read-tree")
                    .arg(format!("--prefix={}/", change.path))
                    .arg(oid.as_str());
                self.call(graft).await?.success()?;
            }
        }
        let reply = self.call(call("store a tree").arg("write-tree")).await?;
        let reply = reply.success()?;
        Oid::parse(&reply.line()).ok_or_else(|| reply.unreadable())
    }
}

/// `<mode> SP <object> TAB <path> NUL`; mode 0 takes the path away.
fn index_info(changes: &[&TreeChange]) -> Vec<u8> {
    let mut input = String::new();
    for change in changes {
        let (mode, oid) = match &change.entry {
            Some((mode, oid)) => (mode.as_str(), oid.as_str()),
            None => ("0", "0000000000000000000000000000000000000000"),
        };
        input.push_str(mode);
        input.push(' ');
        input.push_str(oid);
        input.push('\t');
        input.push_str(&change.path);
        input.push('\0');
    }
    input.into_bytes()
}
