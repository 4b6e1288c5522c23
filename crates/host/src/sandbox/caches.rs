//! Caches of package managers: the user's own are read, and what a run adds is
//! kept for the repository's runs or removed with the run.
//!
//! Installing, before any agent has worked, adds to the caches that the runs of
//! a repository share. Everything else reads those and keeps its changes to
//! itself, so that an agent cannot place a program where another run finds it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use baton_sandbox::{Access, Mount, Source};

use super::prepared::{flat, remove_layers};
use super::toolchains::{CACHE_VARIABLES, CACHES};
use super::{Role, RunFolders, SandboxSettings};
use crate::cmd::Environment;

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
    let own = CACHES.iter().map(|name| home.join(name));
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
