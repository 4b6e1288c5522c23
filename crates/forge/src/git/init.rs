use std::fs;
use std::path::Path;

use baton_host::git::{Call, GitError};

use super::GitRepository;

/// What every repository of the forge is set to.
const CONFIG: &str = "\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tlogAllRefUpdates = false
\tfsync = committed,loose-object,reference
[gc]
\tauto = 0
[receive]
\tautogc = false
\tadvertisePushOptions = true
\tdenyDeletes = false
\tdenyDeleteCurrent = ignore
\tdenyCurrentBranch = ignore
[uploadpack]
\tallowFilter = true
\tallowReachableSHA1InWant = true
[http]
\treceivepack = true
";

impl GitRepository {
    /// Makes it, empty, with `HEAD` at a branch that has no commit yet.
    pub(crate) async fn init(&self, default_branch: &str) -> Result<(), GitError> {
        self.make_folder()?;
        let call = Call::write("make a repository")
            .args(["init", "--quiet", "--bare", "--template="])
            .arg(format!("--initial-branch={default_branch}"));
        self.call(call).await?.success()?;
        self.write_config()
    }

    /// Makes it as a copy of another: branches, tags and all objects.
    pub(crate) async fn init_from(
        &self,
        source: &Path,
        only_branch: Option<&str>,
    ) -> Result<(), GitError> {
        self.make_folder()?;
        let mut call = Call::write("copy a repository").args([
            "clone",
            "--quiet",
            "--bare",
            "--template=",
            "--no-local",
        ]);
        if let Some(branch) = only_branch {
            call = call.args(["--single-branch", "--branch", branch]);
        }
        let call = call.arg("--").arg(source).arg(".");
        self.call(call).await?.success()?;
        self.write_config()?;
        // A clone brings the source's pull requests along only by their refs.
        let pulls = self.refs(&["refs/pull"]).await?;
        let deleted: Vec<_> = pulls.iter().map(|found| found.deletion()).collect();
        self.update_refs(&deleted).await
    }

    /// Points `HEAD`, and with it a clone, to a branch.
    pub(crate) async fn set_head(&self, branch: &str) -> Result<(), GitError> {
        let call = Call::write("set the default branch")
            .args(["symbolic-ref", "HEAD"])
            .arg(format!("refs/heads/{branch}"));
        self.call(call).await?.success().map(drop)
    }

    /// Takes it off the disk. Not for one that lies outside the data folder.
    pub(crate) fn remove(&self) -> Result<(), GitError> {
        match fs::remove_dir_all(self.path()) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(GitError::File {
                doing: format!("remove {}", self.path().display()),
                source,
            }),
            _ => Ok(()),
        }
    }

    /// A half-made folder of an interrupted attempt is of no use.
    fn make_folder(&self) -> Result<(), GitError> {
        self.remove()?;
        fs::create_dir_all(self.path()).map_err(|source| GitError::File {
            doing: format!("make {}", self.path().display()),
            source,
        })
    }

    fn write_config(&self) -> Result<(), GitError> {
        let path = self.path().join("config");
        fs::write(&path, CONFIG).map_err(|source| GitError::File {
            doing: format!("write {}", path.display()),
            source,
        })
    }
}
