//! Notices a program that fills the disk.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::watch::HomeWatch;

/// Folders are not walked for longer than this.
const MAX_ENTRIES: usize = 5_000_000;

/// Watches how much a program adds to the folders that it may write to.
#[derive(Clone, Debug)]
pub struct DiskGuard {
    roots: Vec<PathBuf>,
    /// Bytes that may be added.
    limit: u64,
    /// Bytes that have to stay free.
    reserve: u64,
    free_at_start: u64,
}

impl DiskGuard {
    pub fn new(roots: Vec<PathBuf>, limit: u64, reserve: u64) -> Self {
        let free_at_start = roots
            .iter()
            .map(|root| free(root))
            .min()
            .unwrap_or(u64::MAX);
        Self {
            roots,
            limit,
            reserve,
            free_at_start,
        }
    }

    /// How many bytes the program has on the disk, if that is too much. Cheap
    /// as long as the disk has room; otherwise the folders are looked through,
    /// since others may be filling the disk.
    pub fn excess(&self) -> Option<u64> {
        let free = self.roots.iter().map(|root| free(root)).min()?;
        let used = self.free_at_start.saturating_sub(free);
        let is_short = free < self.reserve;
        if used <= self.limit && !is_short {
            return None;
        }
        let own = self.size();
        // With the disk nearly full, a program that added little is not to blame.
        let blame = if is_short { self.reserve } else { self.limit };
        (own > blame.min(self.limit)).then_some(own)
    }

    fn size(&self) -> u64 {
        let mut waiting: Vec<PathBuf> = self.roots.clone();
        let mut seen = BTreeSet::new();
        let (mut size, mut entries) = (0_u64, 0);
        while let Some(path) = waiting.pop() {
            entries += 1;
            let Ok(facts) = fs::symlink_metadata(&path) else {
                continue;
            };
            // Files with several names are on the disk once.
            if facts.nlink() > 1 && !facts.is_dir() && !seen.insert((facts.dev(), facts.ino())) {
                continue;
            }
            size = size.saturating_add(facts.blocks().saturating_mul(512));
            if facts.is_dir() && entries < MAX_ENTRIES && HomeWatch::may_look_into(&facts) {
                let inner = fs::read_dir(&path).into_iter().flatten().flatten();
                waiting.extend(inner.map(|entry| entry.path()));
            }
        }
        size
    }
}

#[cfg(target_os = "linux")]
fn free(path: &Path) -> u64 {
    rustix::fs::statvfs(path).map_or(u64::MAX, |disk| disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(target_os = "linux"))]
fn free(_path: &Path) -> u64 {
    u64::MAX
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_is_added_counts_and_what_is_small_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let roots = vec![folder.path().to_owned()];
        // A reserve that no disk has: the folder is looked through every time.
        let guard = DiskGuard::new(roots.clone(), 1 << 20, u64::MAX);
        assert_eq!(guard.excess(), None);
        fs::write(folder.path().join("large"), vec![1; 2 << 20]).unwrap();
        assert!(guard.excess().is_some_and(|size| size >= 2 << 20));
        // With room on the disk, nothing is looked through.
        let roomy = DiskGuard::new(roots, 1 << 40, 0);
        assert_eq!(roomy.excess(), None);
    }

    /// A home folder that is watched and walked at every look at the disk.
    #[cfg(target_os = "linux")]
    fn guarded_home() -> (tempfile::TempDir, HomeWatch, DiskGuard) {
        let home = tempfile::tempdir().unwrap();
        let watch = HomeWatch::start(home.path(), &[], None).unwrap();
        let guard = DiskGuard::new(vec![home.path().to_owned()], 1 << 20, u64::MAX);
        (home, watch, guard)
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn looking_through_a_home_folder_is_not_recorded_as_a_look_of_the_program() {
        let (home, watch, guard) = guarded_home();
        assert_eq!(guard.excess(), None);
        // What looks like a change, and puts nothing there: another time, other rights,
        // another name.
        let at = |name: &str| home.path().join(name);
        let old = rustix::fs::Timespec {
            tv_sec: 1,
            tv_nsec: 0,
        };
        let times = rustix::fs::Timestamps {
            last_access: old,
            last_modification: old,
        };
        let flags = rustix::fs::AtFlags::empty();
        rustix::fs::utimensat(rustix::fs::CWD, at(".ssh"), &times, flags).unwrap();
        fs::set_permissions(at(".aws"), fs::Permissions::from_mode(0o700)).unwrap();
        fs::rename(at(".kube"), at(".kube-2")).unwrap();
        assert_eq!(guard.excess(), None);
        assert_eq!(watch.finish(), BTreeSet::new());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_program_puts_among_keys_is_counted_and_recorded() {
        type Put = fn(&Path, &Path);
        let ways: [Put; 3] = [
            |large, keys| fs::rename(large, keys.join("large")).unwrap(),
            |large, keys| fs::hard_link(large, keys.join("large")).unwrap(),
            |large, keys| fs::write(keys.join("large"), fs::read(large).unwrap()).unwrap(),
        ];
        for put in ways {
            let (home, watch, guard) = guarded_home();
            let outside = tempfile::tempdir_in(home.path().parent().unwrap()).unwrap();
            let large = outside.path().join("large");
            fs::write(&large, vec![1; 2 << 20]).unwrap();
            put(&large, &home.path().join(".ssh"));
            assert!(guard.excess().is_some());
            let seen: Vec<String> = watch.finish().iter().map(ToString::to_string).collect();
            assert_eq!(seen, ["looked for keys in ~/.ssh (an empty stand-in)"]);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_walk_for_one_sandbox_is_no_look_in_another_with_the_same_home() {
        let (home, first, guard) = guarded_home();
        fs::write(home.path().join(".ssh/small"), "x").unwrap();
        let second = HomeWatch::start(home.path(), &[], None).unwrap();
        assert_eq!(guard.excess(), None);
        assert_eq!(second.finish(), BTreeSet::new());
        assert_eq!(first.finish().len(), 1);
    }
}
