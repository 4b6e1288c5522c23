//! Repositories that borrow the objects of another one: a run's own, which only
//! baton writes to, and the copy that a coding agent works with.
//!
//! They are made by writing files, so that no git runs in a folder that others
//! can write to.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::call::Call;
use super::discover::read_plain;
use super::harden::Trust;
use super::names::branch_ref;
use super::working_tree::alternates_line;
use super::{Git, GitError, Oid};
use crate::cmd::{Environment, Redactor};

/// Refs and lists of them are small; a repository may have very many tags.
const MAX_REFS: u64 = 64 * 1024 * 1024;
/// git knows fewer.
const MAX_HOOKS: usize = 30;
const MAX_INDEX: u64 = 1024 * 1024 * 1024;

/// What a borrower is to be like.
#[derive(Debug, Clone, Copy)]
pub struct Borrower<'a> {
    /// Its git folder, which must not exist.
    pub folder: &'a Path,
    /// The branch that is checked out, and its commit.
    pub branch: &'a str,
    pub commit: &'a Oid,
    /// Passwords in the URLs of remotes are left out.
    pub without_logins: bool,
}

impl Git {
    /// git with the repository `git_dir`, whose working tree is `work_tree`
    /// whatever that folder's own configuration is.
    pub async fn open_separate(
        git_dir: &Path,
        work_tree: &Path,
        environment: &Environment,
    ) -> Result<Self, GitError> {
        let trust = Trust::UserInSeparate;
        let mut git = Self::open_with(work_tree.to_owned(), environment, trust).await?;
        git.separate = Some(git_dir.into());
        Ok(git)
    }

    /// Makes a repository that borrows this one's objects and has its remotes,
    /// tags and settings that describe it.
    pub async fn make_borrower(&self, borrower: Borrower<'_>) -> Result<(), GitError> {
        let Some(shadow) = self.shadow().await? else {
            return Err(GitError::NotARepository {
                path: self.cwd().to_owned(),
            });
        };
        let reference = branch_ref(borrower.branch)?;
        let lender = shadow.location.common_dir.clone();
        let index = shadow.location.git_dir.join("index");
        let config = read_plain(&shadow.folder().join("config"), MAX_REFS)?.unwrap_or_default();
        let config = String::from_utf8_lossy(&config);
        let config = own_config(&config, borrower.without_logins);
        let tags = Call::read("list the tags").args([
            "for-each-ref",
            "--format=%(objectname) %(refname)",
            "refs/tags",
            "refs/remotes",
        ]);
        let tags = self.call(tags).await?.success()?.stdout;
        let (folder, commit) = (borrower.folder.to_owned(), borrower.commit.clone());
        let copies_index = borrower.without_logins;
        let write = move || -> io::Result<()> {
            for name in [
                "objects/info",
                "objects/pack",
                "info",
                "refs/heads",
                "refs/tags",
            ] {
                fs::create_dir_all(folder.join(name))?;
            }
            let alternates = alternates_line(&lender.join("objects"));
            fs::write(folder.join("objects/info/alternates"), alternates)?;
            fs::write(folder.join("config"), config)?;
            let mut packed = b"# pack-refs with: sorted \n".to_vec();
            packed.extend_from_slice(&tags);
            fs::write(folder.join("packed-refs"), packed)?;
            let branch = folder.join(&reference);
            fs::create_dir_all(branch.parent().unwrap_or(&folder))?;
            fs::write(branch, format!("{commit}\n"))?;
            for name in ["shallow", "info/exclude", "info/attributes"] {
                if let Ok(Some(bytes)) = read_plain(&lender.join(name), MAX_REFS) {
                    fs::write(folder.join(name), bytes)?;
                }
            }
            if copies_index && let Ok(Some(bytes)) = read_plain(&index, MAX_INDEX) {
                fs::write(folder.join("index"), bytes)?;
            }
            // Last: without it, the folder is no repository.
            fs::write(folder.join("HEAD"), format!("ref: {reference}\n"))
        };
        let written = tokio::task::spawn_blocking(write).await;
        let written = written.unwrap_or_else(|stopped| Err(io::Error::other(stopped)));
        written.map_err(|source| GitError::File {
            doing: format!("make the repository {}", borrower.folder.display()),
            source,
        })
    }

    /// The commit of a branch in a repository that is not trusted, by reading
    /// its files. `None` where it has no such branch, or its content is not
    /// valid.
    pub fn branch_in_untrusted(git_dir: &Path, branch: &str) -> Result<Option<Oid>, GitError> {
        let reference = branch_ref(branch)?;
        let text = |path: PathBuf| {
            let bytes = read_plain(&path, MAX_REFS).ok().flatten()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        if let Some(loose) = text(git_dir.join(&reference)) {
            return Ok(Oid::parse(loose.trim()));
        }
        let packed = text(git_dir.join("packed-refs")).unwrap_or_default();
        let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
        let found = lines.find(|(_, name)| *name == reference);
        Ok(found.and_then(|(commit, _)| Oid::parse(commit)))
    }

    /// The commit that is checked out in such a repository.
    pub fn head_in_untrusted(git_dir: &Path) -> Result<Option<Oid>, GitError> {
        let head = read_plain(&git_dir.join("HEAD"), MAX_REFS).ok().flatten();
        let head = head.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let head = head.as_deref().unwrap_or_default().trim();
        match head.strip_prefix("ref: refs/heads/") {
            Some(branch) => Self::branch_in_untrusted(git_dir, branch),
            None => Ok(Oid::parse(head)),
        }
    }

    /// Takes a commit and what it needs out of a store of objects that is not
    /// trusted. Nothing runs there; every object is checked. Only what this
    /// repository's `known` commit does not reach is copied.
    pub async fn take_objects(
        &self,
        objects: &Path,
        commit: &Oid,
        known: &Oid,
    ) -> Result<(), GitError> {
        let pack = Call::read("pack new commits")
            .args(["pack-objects", "--quiet", "--revs", "--stdout"])
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects)
            .stdin(format!("{commit}\n^{known}\n").into_bytes());
        let packed = self.call(pack).await?.success()?.stdout;
        let store = Call::write("take new commits")
            .args(["index-pack", "--stdin", "--strict"])
            .stdin(packed);
        self.call(store).await?.success().map(drop)
    }
}

/// The settings of another repository for one that has its own refs and a whole
/// working tree.
fn own_config(config: &str, without_logins: bool) -> String {
    // The stand-in has a section for each setting.
    let mut own = String::new();
    let mut head = "";
    for line in config.lines() {
        if line.starts_with('[') {
            head = line;
            continue;
        }
        let name = line.trim().split([' ', '=']).next().unwrap_or_default();
        let is_other = matches!(
            (head, name),
            ("[core]", "sparsecheckout" | "sparsecheckoutcone" | "bare")
                | ("[extensions]", "refstorage" | "partialclone")
        );
        if is_other {
            continue;
        }
        let line = if without_logins && head.starts_with("[remote") {
            without_login(line)
        } else {
            line.to_owned()
        };
        own.push_str(head);
        own.push('\n');
        own.push_str(&line);
        own.push('\n');
    }
    own.push_str("[core]\n\tbare = false\n");
    own
}

/// A URL with a password loses the part before the host.
fn without_login(line: &str) -> String {
    let redacted = Redactor::default().redact(line).into_owned();
    if redacted == line {
        return redacted;
    }
    match (line.find("://"), line.find('@')) {
        (Some(scheme), Some(at)) if scheme < at => {
            format!("{}{}", &line[..scheme + 3], &line[at + 1..])
        }
        _ => redacted,
    }
}

/// Whether a path is a folder and no link to one.
pub fn is_real_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|facts| facts.is_dir())
}

/// Removes what is there, without following a link.
pub fn remove_all(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(facts) if facts.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
    }
}

/// What a coding agent added to its repository besides objects and refs: hooks
/// and settings that would act later, if anything read them.
pub fn planted(git_dir: &Path, config_before: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let config = read_plain(&git_dir.join("config"), MAX_REFS);
    if !matches!(&config, Ok(Some(now)) if now == config_before) {
        found.push("its configuration".to_owned());
    }
    if let Ok(hooks) = fs::read_dir(git_dir.join("hooks")) {
        let names = hooks.flatten().map(|entry| entry.file_name());
        let mut names: Vec<_> = names.take(MAX_HOOKS).collect();
        names.sort();
        found.extend(names.iter().map(|name| {
            let name = String::from_utf8_lossy(name.as_bytes()).into_owned();
            format!("the hook {name}")
        }));
    }
    for name in [
        "info/attributes",
        "config.worktree",
        "commondir",
        "info/grafts",
    ] {
        if fs::symlink_metadata(git_dir.join(name)).is_ok() {
            found.push(name.to_owned());
        }
    }
    if git_dir.join("refs/replace").exists() {
        found.push("replaced objects".to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_no_password_and_a_whole_tree() {
        let config = "[core]\n\trepositoryformatversion = \"1\"\n[core]\n\tsparsecheckout = \"true\"\n\
            [extensions]\n\trefstorage = \"reftable\"\n[remote \"origin\"]\n\turl = \"https://x:secret@example.com/a/b.git\"\n";
        insta::assert_snapshot!(own_config(config, true), @r#"
        [core]
        	repositoryformatversion = "1"
        [remote "origin"]
        	url = "https://example.com/a/b.git"
        [core]
        	bare = false
        "#);
        assert!(own_config(config, false).contains("x:secret@"));
    }
}
