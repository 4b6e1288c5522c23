//! Folders of installed packages that git does not ignore, as in a project whose `.gitignore` is still
//! to be written. They are no part of anyone's change, and hashing them takes longer than all else.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::call::Call;
use super::{Git, GitError};

/// How deep such folders are looked for: `packages/NAME/node_modules`.
const MAX_DEPTH: usize = 3;

/// Folders that are looked into.
const MAX_FOLDERS: usize = 2_000;

/// More would not fit into a command line.
const MAX_FOUND: usize = 200;

impl Git {
    /// The pathspecs of all but the installed packages of which the index of a call has no file.
    pub(super) async fn without_installed(&self, call: Call) -> Result<Vec<OsString>, GitError> {
        let Some(shadow) = self.shadow().await? else {
            return Ok(Vec::new());
        };
        let Some(top_level) = shadow.location.top_level.clone() else {
            return Ok(Vec::new());
        };
        let found = tokio::task::spawn_blocking(move || installed_below(&top_level))
            .await
            .unwrap_or_default();
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let call = call
            .args(["ls-files", "-z", "--full-name", "--"])
            .args(found.iter().map(|path| pathspec("top,literal", path)));
        let tracked = self.call(call).await?.success()?.stdout;
        let is_tracked = |folder: &PathBuf| {
            let mut files = tracked.split(|&byte| byte == 0).map(OsStr::from_bytes);
            files.any(|file| Path::new(file).starts_with(folder))
        };
        let left_out = found.iter().filter(|folder| !is_tracked(folder));
        Ok(left_out
            .map(|path| pathspec("top,exclude,literal", path))
            .collect())
    }
}

fn pathspec(magic: &str, path: &Path) -> OsString {
    let mut spec = OsString::from(format!(":({magic})"));
    spec.push(path);
    spec
}

/// Relative to the folder. What cannot be read has nothing to find.
fn installed_below(top_level: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![(PathBuf::new(), 0)];
    let mut looked_into = 0;
    while let Some((folder, depth)) = open.pop() {
        looked_into += 1;
        if looked_into > MAX_FOLDERS || found.len() >= MAX_FOUND {
            break;
        }
        // What is in a submodule is its own.
        if depth > 0
            && top_level
                .join(&folder)
                .join(".git")
                .symlink_metadata()
                .is_ok()
        {
            continue;
        }
        let entries = fs::read_dir(top_level.join(&folder)).into_iter().flatten();
        for entry in entries.flatten() {
            // A link is a file to git.
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let (name, inner) = (entry.file_name(), folder.join(entry.file_name()));
            if name == ".git" {
                continue;
            }
            if name == "node_modules" || is_virtual_environment(&entry.path()) {
                found.push(inner);
            } else if depth + 1 < MAX_DEPTH {
                open.push((inner, depth + 1));
            }
        }
    }
    found.sort();
    found
}

/// As `python -m venv` makes them. The settings alone would hide any folder that someone puts them into.
fn is_virtual_environment(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
    has("pyvenv.cfg") && (has("bin/python") || has("Scripts/python.exe"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_found_near_the_top_and_by_what_they_hold() {
        let top = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = top.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        };
        for name in [
            ".venv/pyvenv.cfg",
            ".venv/bin/python",
            "env/pyvenv.cfg",
            "env/src/hidden.py",
            "node_modules/left-pad/index.js",
            "packages/web/node_modules/a/index.js",
            "a/b/c/d/node_modules/too-deep.js",
            "submodule/.git",
            "submodule/node_modules/theirs.js",
        ] {
            file(name);
        }
        std::os::unix::fs::symlink("node_modules", top.path().join("linked")).unwrap();
        let found = installed_below(top.path());
        let names: Vec<&str> = found.iter().filter_map(|path| path.to_str()).collect();
        assert_eq!(
            names,
            [".venv", "node_modules", "packages/web/node_modules"]
        );
    }
}
