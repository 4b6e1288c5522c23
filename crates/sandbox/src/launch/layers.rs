//! Layers that children of one sandbox share.
//!
//! The kernel does not define the behaviour of two mounts with the same upper
//! folder. So one child at a time has it. Others that run beside it, as a build
//! does beside the tests, read what is there, and their own changes are removed
//! with them.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::{Doing as _, SetupError};
use crate::policy::{Policy, Source};

/// What a child holds of the layers, as long as it lives.
#[derive(Default)]
pub(super) struct Held {
    locks: Vec<File>,
    /// Layers of this child alone.
    own: Vec<PathBuf>,
}

/// Locks the upper folders that are free, and replaces the others. `name` is
/// that of this child alone.
///
/// Each mount gets a new folder for the kernel's own files: where one was used
/// without being synced, the kernel left a mark and does not use it again. What
/// is in them is removed with the sandbox, since each removal here would take
/// longer than the mount.
pub(super) fn hold(policy: &mut Policy, name: &OsStr) -> Result<Held, SetupError> {
    let mut held = Held::default();
    for mount in &mut policy.mounts {
        let Source::Layers { lower, upper, work } = &mut mount.source else {
            continue;
        };
        let doing = "prepare layers";
        let lock = File::create(upper.with_file_name("lock")).doing(doing)?;
        let own = make_folder(work, name).doing(doing)?;
        if lock.try_lock().is_ok() {
            *work = own;
            held.locks.push(lock);
            continue;
        }
        let (own_upper, own_work) = (own.join("upper"), own.join("work"));
        for folder in [&own_upper, &own_work] {
            fs::create_dir(folder).doing(doing)?;
        }
        lower.insert(0, std::mem::replace(upper, own_upper));
        *work = own_work;
        held.own.push(own);
    }
    Ok(held)
}

/// A new folder. One of the same name may be left from a child before.
fn make_folder(parent: &Path, name: &OsStr) -> io::Result<PathBuf> {
    let mut name = name.to_owned();
    loop {
        let folder = parent.join(&name);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => name.push("_"),
            made => return made.map(|()| folder),
        }
    }
}

impl Held {
    /// What is left is removed with the sandbox.
    pub(super) fn release(self) {
        for own in &self.own {
            discard(own);
        }
        drop(self.locks);
    }
}

/// The kernel's folders have no rights.
fn discard(own: &Path) {
    let inner = own.join("work/work");
    for folder in [
        &inner,
        &inner.join("incompat"),
        &inner.join("incompat/volatile"),
    ] {
        let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    }
    let _ = fs::remove_dir_all(own);
}
