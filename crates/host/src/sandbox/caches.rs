//! Caches of package managers: the user's own are read, and what a run adds is
//! kept for the repository's runs or removed with the run.
//!
//! Installing, before any agent has worked, adds to the caches that the runs of
//! a repository share. Everything else reads those and keeps its changes to
//! itself, so that an agent cannot place a program where another run finds it.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use baton_sandbox::{Access, Mount, Source};

use super::prepared::{flat, remove_layers};
use super::toolchains::{CACHE_VARIABLES, CACHES, Cache};
use super::{Role, RunFolders, SandboxSettings};
use crate::cmd::Environment;

/// Folders in which projects of a repository are, and files and folders that are
/// looked at.
const MAX_DEPTH: u32 = 4;
const MAX_ENTRIES: usize = 20_000;

/// Folders whose files are others' projects.
const NOT_SOURCE: &[&str] = &[".git", "node_modules", "target", ".venv", "venv"];

/// Keeps one installation at a time from changing what others read.
#[derive(Debug)]
pub(super) struct CacheLock {
    _file: File,
}

pub(super) fn layers(
    settings: &SandboxSettings,
    role: Role,
    folders: &RunFolders<'_>,
    environment: &Environment,
) -> io::Result<(Vec<Mount>, Option<CacheLock>)> {
    let Some(home) = environment.get("HOME").map(Path::new) else {
        return Ok((Vec::new(), None));
    };
    let has_layers = settings.support.layers;
    let lock = match folders.caches {
        Some(caches) if has_layers => lock(caches, role)?,
        _ => None,
    };
    let shared = folders.caches.filter(|_| lock.is_some());
    let mut mounts = Vec::new();
    let used = Used::by(role, folders.worktree);
    let own = CACHES.iter().filter(|cache| used.includes(cache));
    let own = own.map(|cache| home.join(cache.path));
    let named = CACHE_VARIABLES
        .iter()
        .filter_map(|name| environment.get(name))
        .map(PathBuf::from)
        .filter(|path| path.is_absolute() && !path.starts_with(folders.worktree));
    for at in own.chain(named) {
        let is_known = mounts.iter().any(|mount: &Mount| at.starts_with(&mount.at));
        if is_known {
            continue;
        }
        let flat = flat(&at);
        let private = folders.own.join("caches").join(&flat);
        if !has_layers {
            // A folder of its own: slower, and just as safe.
            continue;
        }
        let of_runs = shared.map(|shared| shared.join(&flat).join("upper"));
        let (upper, work) = match shared {
            Some(shared) if role == Role::Prepare => {
                let shared = shared.join(&flat);
                let work = shared.join("work");
                // The lock is held: these are of runs that have ended.
                remove_layers(&work)?;
                (shared.join("upper"), work)
            }
            _ => (private.join("upper"), private.join("work")),
        };
        let mut lower = Vec::new();
        lower.extend(
            of_runs
                .filter(|of_runs| *of_runs != upper)
                .filter(|of_runs| has_entries(of_runs)),
        );
        lower.extend(Some(at.clone()).filter(|real| has_entries(real)));
        // Each mount costs every child some time, and most people have few of
        // these caches: where there is nothing to show, the private home folder
        // does.
        if lower.is_empty() && at.starts_with(home) && upper.starts_with(folders.own) {
            continue;
        }
        fs::create_dir_all(&upper)?;
        // Layers take ten times as long to mount as a folder.
        let source = if lower.is_empty() {
            Source::Path(upper)
        } else {
            fs::create_dir_all(&work)?;
            Source::Layers { lower, upper, work }
        };
        mounts.push(Mount {
            source,
            at,
            access: Access::Write,
        });
    }
    Ok((mounts, lock))
}

/// The caches that a program may have a use for. Every layer takes time to mount
/// and to end, for each child. A tool whose cache is left out has a folder of its
/// own in the private home folder.
enum Used {
    All,
    /// Those of a project with files of these names.
    ByNames(BTreeSet<OsString>),
}

impl Used {
    /// An agent may begin a project in another language; a command finds the
    /// project as it is.
    fn by(role: Role, worktree: &Path) -> Self {
        match role {
            Role::Writer | Role::Reader => Self::All,
            Role::Prepare | Role::Install | Role::Command => {
                let (mut names, mut left) = (BTreeSet::new(), MAX_ENTRIES);
                match collect_names(worktree, MAX_DEPTH, &mut left, &mut names) {
                    Some(()) => Self::ByNames(names),
                    None => Self::All,
                }
            }
        }
    }

    fn includes(&self, cache: &Cache) -> bool {
        let Self::ByNames(names) = self else {
            return true;
        };
        cache
            .manifests
            .iter()
            .any(|manifest| match manifest.strip_prefix('*') {
                Some(end) => names
                    .iter()
                    .any(|name| name.as_encoded_bytes().ends_with(end.as_bytes())),
                None => names.contains(OsStr::new(manifest)),
            })
    }
}

/// The names of the files below a folder, without those of installed packages.
/// `None` where there are too many to look at all of them.
fn collect_names(
    folder: &Path,
    depth: u32,
    left: &mut usize,
    names: &mut BTreeSet<OsString>,
) -> Option<()> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        *left = left.checked_sub(1)?;
        let name = entry.file_name();
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            names.insert(name);
        } else if depth > 0 && !NOT_SOURCE.iter().any(|other| name == *other) {
            collect_names(&entry.path(), depth - 1, left, names)?;
        }
    }
    Some(())
}

fn has_entries(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// `None` where others are at it: then nothing is shared this time.
fn lock(caches: &Path, role: Role) -> io::Result<Option<CacheLock>> {
    fs::create_dir_all(caches)?;
    let file = File::create(caches.join("lock"))?;
    let locked = match role {
        Role::Prepare => file.try_lock(),
        Role::Writer | Role::Reader | Role::Install | Role::Command => file.try_lock_shared(),
    };
    Ok(locked.is_ok().then_some(CacheLock { _file: file }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(role: Role, files: &[&str]) -> Vec<&'static str> {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let used = Used::by(role, folder.path());
        let caches = CACHES.iter().filter(|cache| used.includes(cache));
        caches.map(|cache| cache.path).collect()
    }

    #[test]
    fn commands_have_the_caches_of_their_project() {
        assert_eq!(
            used(Role::Command, &["Cargo.toml", "src/lib.rs"]),
            [".cargo"]
        );
        assert_eq!(
            used(Role::Install, &["server/pom.xml", "README.md"])[..2],
            [".m2", ".gradle"]
        );
        let both = used(
            Role::Prepare,
            &["app/tests/unit/a_test.py", "web/package.json"],
        );
        assert!(
            both.contains(&".cache/pip") && both.contains(&".npm"),
            "{both:?}"
        );
        assert!(!both.contains(&".cargo"), "{both:?}");
        // Installed packages are not the project.
        let installed = used(Role::Command, &["node_modules/a/package.json", "a.txt"]);
        assert_eq!(installed, [] as [&str; 0]);
    }

    #[test]
    fn agents_have_all_caches_and_so_has_a_project_that_is_too_large_to_look_at() {
        assert_eq!(used(Role::Writer, &[]).len(), CACHES.len());
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "").unwrap();
        let mut names = BTreeSet::new();
        assert_eq!(collect_names(folder.path(), 0, &mut 0, &mut names), None);
        assert_eq!(
            collect_names(folder.path(), 0, &mut 1, &mut names),
            Some(())
        );
    }
}
