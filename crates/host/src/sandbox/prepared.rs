//! What was installed and built before any agent worked: later programs see it
//! through a layer of their own, and what they change there is theirs alone.
//!
//! A coding agent may well rewrite the test runner that is installed for the
//! project. The tests that judge its work must not be run by that one.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use baton_sandbox::{Access, Isolation, Mount, Source};

use super::toolchains::CACHES;
use super::{RunFolders, SandboxSettings};
use crate::cmd::{Environment, Means};

/// Folders of a home folder that are not taken over from one to the next:
/// settings, which each has a copy of, and stand-ins for keys.
const NOT_INHERITED: &[&str] = &[".config", ".ssh", ".aws", ".gnupg", ".kube", ".docker"];

/// As deep as files are looked for: deeper than programs are installed.
const MAX_DEPTH: u32 = 6;

/// Whether folders can be mounted as layers here.
pub(super) fn are_possible(settings: &SandboxSettings, isolation: Isolation) -> bool {
    settings.support.layers
        && isolation == Isolation::Namespaces
        && matches!(settings.means, Means::Launcher(_))
}

pub(super) fn layers(
    settings: &SandboxSettings,
    isolation: Isolation,
    folders: &RunFolders<'_>,
    environment: &Environment,
) -> io::Result<Vec<Mount>> {
    let Some(prepared) = folders.prepared else {
        return Ok(Vec::new());
    };
    if !are_possible(settings, isolation) {
        return Ok(Vec::new());
    }
    let mut layers: Vec<(PathBuf, PathBuf)> = Vec::new();
    if let Some(home) = environment.get("HOME").map(Path::new) {
        let inherited = inherited(&prepared.own.join("home"));
        layers.extend(inherited.map(|(name, folder)| (folder, home.join(name))));
    }
    let present = prepared.folders.iter().filter(|folder| is_folder(folder));
    layers.extend(present.map(|folder| (folder.clone(), folder.clone())));
    let mut mounts = Vec::new();
    for (lower, at) in layers {
        let place = folders.own.join("layers").join(flat(&at));
        let (upper, work) = (place.join("upper"), place.join("work"));
        fs::create_dir_all(&upper)?;
        fs::create_dir_all(&work)?;
        mounts.push(Mount {
            source: Source::Layers {
                lower: vec![lower],
                upper,
                work,
            },
            at,
            access: Access::Write,
        });
    }
    Ok(mounts)
}

/// Removes a folder that layers were in. The kernel leaves folders without any
/// rights in it.
pub fn remove_layers(folder: &Path) -> io::Result<()> {
    let remove = || match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    };
    if remove().is_ok() {
        return Ok(());
    }
    open_up(folder);
    remove()
}

/// Gives its owner all rights to the folders below one; links are not followed.
fn open_up(folder: &Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

/// Names and folders of a home folder that later ones take over.
fn inherited(home: &Path) -> impl Iterator<Item = (PathBuf, PathBuf)> + use<> {
    let entries = fs::read_dir(home).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let (name, path) = (entry.file_name(), entry.path());
        let is_cache = CACHES.iter().any(|cache| name == cache.path);
        let is_meant = !is_cache && !NOT_INHERITED.iter().any(|one| name == *one);
        (is_meant && holds_files(&path, MAX_DEPTH)).then(|| (PathBuf::from(name), path))
    })
}

/// Folders alone are what caches were mounted on.
fn holds_files(folder: &Path, depth: u32) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut kinds = entries.filter_map(|entry| Some((entry.file_type().ok()?, entry.path())));
    kinds.any(|(kind, path)| !kind.is_dir() || (depth > 0 && holds_files(&path, depth - 1)))
}

/// A link is not one.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|facts| facts.is_dir())
}

/// A path as one name.
pub(super) fn flat(path: &Path) -> String {
    let path = path.to_string_lossy();
    path.trim_start_matches('/').replace('/', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_without_rights_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        let closed = own.join("layers/a/work/work");
        fs::create_dir_all(&closed).unwrap();
        fs::set_permissions(&closed, Permissions::from_mode(0o000)).unwrap();
        remove_layers(&own).unwrap();
        assert!(!own.exists());
        remove_layers(&own).unwrap();
    }

    #[test]
    fn programs_are_inherited_and_settings_keys_and_caches_are_not() {
        let home = tempfile::tempdir().unwrap();
        for name in [".local/bin", ".ssh", ".config", ".npm", "empty/inner"] {
            fs::create_dir_all(home.path().join(name)).unwrap();
        }
        for name in [".npmrc", ".local/bin/tool", ".ssh/id", ".npm/index"] {
            fs::write(home.path().join(name), "").unwrap();
        }
        let names: Vec<PathBuf> = inherited(home.path()).map(|(name, _)| name).collect();
        assert_eq!(names, [Path::new(".local")]);
    }
}
