//! The identity of this process among those that drive runs, and which others are
//! dead.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::random::random;

/// An identity that dies with the process: a lock that the system releases
/// however the process ends.
#[derive(Debug)]
pub(crate) struct Owner {
    pub(crate) name: String,
    path: PathBuf,
    _lock: File,
}

impl Owner {
    pub(crate) fn new(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let name = format!("{}-{:016x}", std::process::id(), random());
        let path = folder.join(&name);
        // Locked before it is renamed, so it never appears without its lock.
        let unnamed = folder.join(format!(".{name}"));
        let lock = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&unnamed)?;
        lock.lock()?;
        fs::rename(&unnamed, &path)?;
        Ok(Self {
            name,
            path,
            _lock: lock,
        })
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // If it remains, it is found without its lock.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether the owner of that name is certainly gone. On a folder shared by
/// several machines a lock may not work; then leases expire by themselves.
pub(crate) fn is_dead(folder: &Path, name: &str) -> bool {
    let path = folder.join(name);
    match File::open(&path) {
        Ok(file) => match file.try_lock() {
            Ok(()) => {
                let _ = fs::remove_file(&path);
                true
            }
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
        },
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_owners_are_distinguished_from_dead_ones() {
        let folder = tempfile::tempdir().unwrap();
        let owner = Owner::new(folder.path()).unwrap();
        let name = owner.name.clone();
        assert!(!is_dead(folder.path(), &name));
        drop(owner);
        assert!(is_dead(folder.path(), &name));
    }

    #[test]
    fn a_file_without_its_lock_is_what_a_killed_process_leaves() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("1-0"), "").unwrap();
        assert!(is_dead(folder.path(), "1-0"));
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
