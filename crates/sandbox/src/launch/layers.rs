//! Layers that children of one sandbox share.
//!
//! The kernel does not define the behaviour of two mounts with the same upper
//! folder. So one child at a time has it. Others that run beside it, as a build
//! does beside the tests, read what is there, and their own changes are removed
//! with them.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::{Doing as _, SetupError};
use crate::policy::{Policy, Source};

/// What a child holds of the layers, as long as it lives.
#[derive(Default)]
pub(super) struct Held {
    /// Each with the folder of the kernel's own beside the upper one.
    locks: Vec<(File, PathBuf)>,
    /// Layers of this child alone.
    own: Vec<PathBuf>,
}

/// Locks the upper folders that are free, and replaces the others. `name` is
/// that of this child alone.
pub(super) fn hold(policy: &mut Policy, name: &OsStr) -> Result<Held, SetupError> {
    let mut held = Held::default();
    for mount in &mut policy.mounts {
        let Source::Layers { lower, upper, work } = &mut mount.source else {
            continue;
        };
        let doing = "prepare layers";
        let lock = File::create(upper.with_file_name("lock")).doing(doing)?;
        if lock.try_lock().is_ok() {
            remove_mark(work);
            held.locks.push((lock, work.clone()));
            continue;
        }
        let own = work.join(name);
        let (own_upper, own_work) = (own.join("upper"), own.join("work"));
        for folder in [&own_upper, &own_work] {
            fs::create_dir_all(folder).doing(doing)?;
        }
        lower.insert(0, std::mem::replace(upper, own_upper));
        *work = own_work;
        held.own.push(own);
    }
    Ok(held)
}

impl Held {
    /// What is left is removed with the run.
    pub(super) fn release(self) {
        for own in &self.own {
            discard(own);
        }
        for (lock, work) in self.locks {
            // Other versions do not know the mark.
            remove_mark(&work);
            drop(lock);
        }
    }
}

/// A layer that was mounted without being synced has a mark, and the kernel does
/// not mount it again as long as the mark is there. Its folders have no rights.
fn remove_mark(work: &Path) {
    let inner = work.join("work");
    let mark = inner.join("incompat");
    for folder in [&inner, &mark, &mark.join("volatile")] {
        let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    }
    let _ = fs::remove_dir_all(&mark);
}

fn discard(own: &Path) {
    remove_mark(&own.join("work"));
    let _ = fs::remove_dir_all(own);
}
