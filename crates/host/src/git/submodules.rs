//! Submodules that are checked out. git would run itself in each of them to see
//! whether it is changed, with the configuration that it has; baton looks at
//! their commits only.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use super::call::Call;
use super::discover::Location;
use super::{Git, GitError, Oid};

/// A submodule with a repository of its own in its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submodule {
    /// From the top of the working tree.
    pub path: PathBuf,
    recorded: Vec<u8>,
    /// What it has checked out; absent where it has no commit.
    commit: Option<Oid>,
}

impl Submodule {
    /// The pathspec of all but it.
    pub fn excluded(&self) -> OsString {
        let mut spec = OsString::from(":(top,exclude,literal)");
        spec.push(&self.path);
        spec
    }
}

impl Git {
    /// The submodules whose changes git must not look for by itself.
    pub async fn submodules(&self) -> Result<Vec<Submodule>, GitError> {
        self.submodules_in(Call::read("list the submodules")).await
    }

    /// The submodules of the index that a call uses.
    pub(super) async fn submodules_in(&self, call: Call) -> Result<Vec<Submodule>, GitError> {
        let Some(shadow) = self.shadow().await? else {
            return Ok(Vec::new());
        };
        let Some(top_level) = &shadow.location.top_level else {
            return Ok(Vec::new());
        };
        let call = call.args(["ls-files", "--stage", "-z", "--full-name", "--", ":/"]);
        let reply = self.call(call).await?.success()?;
        let mut found = Vec::new();
        for (recorded, path) in gitlinks(&reply.stdout) {
            let folder = top_level.join(&path);
            let commit = match Location::from_working_tree(&folder) {
                Ok(None) => continue,
                Ok(Some(_)) => Box::pin(self.at(folder).find_commit("HEAD")).await,
                Err(unusable) => Err(unusable),
            };
            found.push(Submodule {
                path,
                recorded: recorded.to_vec(),
                // One that cannot be read stays as it is recorded.
                commit: commit.ok().flatten(),
            });
        }
        Ok(found)
    }

    /// Puts the commits that submodules have checked out into the index, as
    /// `git add` would.
    pub async fn stage_submodules(&self, submodules: &[Submodule]) -> Result<(), GitError> {
        let call = Call::write("stage the submodules");
        self.stage_submodules_in(call, submodules).await
    }

    pub(super) async fn stage_submodules_in(
        &self,
        call: Call,
        submodules: &[Submodule],
    ) -> Result<(), GitError> {
        let mut lines = Vec::new();
        for Submodule {
            path,
            recorded,
            commit,
        } in submodules
        {
            if let Some(commit) = commit
                && commit.as_str().as_bytes() != recorded
            {
                lines.extend_from_slice(format!("160000 {commit}\t").as_bytes());
                lines.extend_from_slice(path.as_os_str().as_bytes());
                lines.push(0);
            }
        }
        if lines.is_empty() {
            return Ok(());
        }
        let call = call.args(["update-index", "-z", "--index-info"]);
        self.call(call.stdin(lines)).await?.success().map(drop)
    }
}

/// The commits and paths of submodules in `git ls-files --stage -z`.
fn gitlinks(bytes: &[u8]) -> impl Iterator<Item = (&[u8], PathBuf)> {
    bytes.split(|&byte| byte == 0).filter_map(|entry| {
        let rest = entry.strip_prefix(b"160000 ")?;
        let tab = rest.iter().position(|&byte| byte == b'\t')?;
        let commit = rest[..tab].split(|&byte| byte == b' ').next()?;
        let path = OsStr::from_bytes(&rest[tab + 1..]).as_bytes().to_vec();
        Some((commit, PathBuf::from(OsString::from_vec(path))))
    })
}
