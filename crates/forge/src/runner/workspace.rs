//! The folders of one job: its working tree, its home, its temporary files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use baton_host::git::{Call, GitError};
use baton_host::sandbox::remove_layers;

use crate::app::App;
use crate::store::repositories::Repository;

/// A working tree of one commit for one job, with a home and a place for
/// temporary files. It is a small repository that borrows the objects of the
/// real one: commands may use git, see the whole history and do what they
/// like, but no ref of the forge's is theirs. All of it goes with the job.
pub(super) struct Workspace {
    folder: PathBuf,
    tree: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum WorkspaceError {
    #[error("cannot make the working tree {}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("cannot check the commit out")]
    Git(#[from] GitError),
}

impl Workspace {
    pub(super) async fn check_out(
        app: &App,
        repository: &Repository,
        sha: &str,
        job_id: i64,
    ) -> Result<Self, WorkspaceError> {
        let folder = app.run_files().workspaces().join(job_id.to_string());
        let tree = folder.join("tree");
        let workspace = Self { folder, tree };
        workspace.make_folders()?;
        let source = app.git(repository);
        let git = source.host().at(workspace.path());
        let format = if sha.len() == 64 { "sha256" } else { "sha1" };
        let init = Call::write("make a working tree")
            .args(["init", "--quiet", "--template=", "--initial-branch=main"])
            .arg(format!("--object-format={format}"));
        git.call(init).await?.success()?;
        workspace.borrow_objects(&source.path().join("objects"))?;
        let checkout = Call::write("check a commit out")
            .args(["checkout", "--quiet", "--force", "--detach", sha, "--"]);
        git.call(checkout).await?.success()?;
        Ok(workspace)
    }

    /// Everything of the job's.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The working tree.
    pub(super) fn path(&self) -> &Path {
        &self.tree
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    pub(super) fn temporary(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    fn make_folders(&self) -> Result<(), WorkspaceError> {
        // Those of a try that was cut short may be there.
        remove_layers(&self.folder)
            .and_then(|()| fs::create_dir_all(&self.tree))
            .and_then(|()| fs::create_dir(self.home()))
            .and_then(|()| fs::create_dir(self.temporary()))
            .map_err(|source| self.trouble(source))
    }

    fn borrow_objects(&self, objects: &Path) -> Result<(), WorkspaceError> {
        let info = self.tree.join(".git/objects/info");
        let mut line = objects.as_os_str().as_encoded_bytes().to_vec();
        line.push(b'\n');
        fs::create_dir_all(&info)
            .and_then(|()| fs::write(info.join("alternates"), line))
            .map_err(|source| self.trouble(source))
    }

    fn trouble(&self, source: io::Error) -> WorkspaceError {
        WorkspaceError::Folder {
            path: self.folder.clone(),
            source,
        }
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if let Err(error) = remove_layers(&self.folder) {
            tracing::warn!(%error, folder = %self.folder.display(), "a working tree stays behind");
        }
    }
}
