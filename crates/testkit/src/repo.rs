//! Real git repositories with fixed dates.

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Sandbox;
use crate::fake::write_script;

/// The date of the first commit; each further one is a minute later.
const FIRST_COMMIT: u64 = 1_700_000_000;

/// A real git repository whose commits have fixed authors and dates, and hence
/// the same ids wherever the test runs.
#[derive(Debug)]
pub struct Repo<'a> {
    sandbox: &'a Sandbox,
    path: PathBuf,
    commits: Cell<u64>,
}

impl<'a> Repo<'a> {
    pub(crate) fn init(sandbox: &'a Sandbox, path: PathBuf, options: &[&str]) -> Self {
        fs::create_dir_all(&path).expect("the sandbox is writable");
        let repo = Self {
            sandbox,
            path,
            commits: Cell::new(0),
        };
        let init = ["init", "--quiet", "--initial-branch=main"];
        repo.git(&[&init, options].concat());
        repo
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs git, which must succeed, and returns what it printed without the
    /// last line break.
    pub fn git<A: AsRef<OsStr>>(&self, args: &[A]) -> String {
        let output = self.try_git(args);
        assert!(
            output.status.success(),
            "git {:?} failed: {}",
            args.iter().map(AsRef::as_ref).collect::<Vec<_>>(),
            String::from_utf8_lossy(&output.stderr)
        );
        let text = String::from_utf8_lossy(&output.stdout);
        text.strip_suffix('\n').unwrap_or(&text).to_owned()
    }

    /// Runs git, which may fail.
    pub fn try_git<A: AsRef<OsStr>>(&self, args: &[A]) -> std::process::Output {
        let date = format!("{} +0000", FIRST_COMMIT + 60 * self.commits.get());
        self.sandbox
            .command(&self.path, "git")
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_DATE", &date)
            .args(args)
            .output()
            .expect("git is installed")
    }

    /// Writes a file of the working tree, with its folders.
    pub fn write(&self, file: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path.join(file);
        let folder = path.parent().expect("a file has a folder");
        fs::create_dir_all(folder).expect("the sandbox is writable");
        fs::write(&path, content).expect("the sandbox is writable");
        path
    }

    pub fn remove(&self, file: impl AsRef<Path>) {
        fs::remove_file(self.path.join(file)).expect("the file to remove exists");
    }

    /// Commits the whole working tree, also when nothing changed, and returns
    /// the commit's id.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.commits.set(self.commits.get() + 1);
        self.head()
    }

    /// Writes one file and commits.
    pub fn commit_file(&self, file: &str, content: impl AsRef<[u8]>, message: &str) -> String {
        self.write(file, content);
        self.commit(message)
    }

    pub fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    /// Makes a branch at the current commit and checks it out.
    pub fn branch(&self, name: &str) {
        self.git(&["checkout", "--quiet", "-b", name]);
    }

    pub fn checkout(&self, revision: &str) {
        self.git(&["checkout", "--quiet", revision]);
    }

    /// Merges with a merge commit and returns its id.
    pub fn merge(&self, revision: &str) -> String {
        let message = format!("Merge {revision}");
        self.git(&["merge", "--quiet", "--no-ff", "-m", &message, revision]);
        self.commits.set(self.commits.get() + 1);
        self.head()
    }

    /// Makes a bare repository beside this one, adds it as a remote and pushes
    /// the current branch to it.
    #[expect(
        clippy::return_self_not_must_use,
        reason = "many tests need the remote by its name only"
    )]
    pub fn add_remote(&self, name: &str) -> Repo<'a> {
        let folder = self.path.file_name().expect("a repository has a name");
        let bare = format!("{}-{name}.git", folder.to_string_lossy());
        let remote = self.sandbox.bare_repo(&bare);
        self.git(&[
            OsStr::new("remote"),
            "add".as_ref(),
            name.as_ref(),
            remote.path.as_ref(),
        ]);
        self.git(&["push", "--quiet", "--set-upstream", name, "HEAD"]);
        remote
    }

    /// Clones this repository into a folder of the sandbox.
    #[must_use]
    pub fn clone_to(&self, name: &str, options: &[&str]) -> Repo<'a> {
        let path = self.sandbox.path(name);
        // With a URL, git honours --depth, which it ignores for a plain path.
        let url = format!("file://{}", self.path.display());
        let target = path.to_str().expect("sandbox paths are plain text");
        self.git(&[&["clone", "--quiet"], options, &[&url, target]].concat());
        Repo {
            sandbox: self.sandbox,
            path,
            commits: Cell::new(self.commits.get()),
        }
    }

    /// Installs a hook: a shell script.
    pub fn hook(&self, name: &str, body: &str) {
        let folder = self.git(&["rev-parse", "--git-path", "hooks"]);
        let path = self.path.join(folder).join(name);
        fs::create_dir_all(path.parent().expect("a hook has a folder"))
            .expect("the sandbox is writable");
        write_script(&path, &format!("#!/bin/sh\n{body}\n"));
    }
}
