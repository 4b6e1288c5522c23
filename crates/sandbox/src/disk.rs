//! Notices a program that fills the disk.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::watch;

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
    /// Folders for keys, and when something was last made in them.
    stand_ins: Vec<(PathBuf, Option<SystemTime>)>,
}

impl DiskGuard {
    pub fn new(roots: Vec<PathBuf>, limit: u64, reserve: u64) -> Self {
        let free_at_start = roots
            .iter()
            .map(|root| free(root))
            .min()
            .unwrap_or(u64::MAX);
        let stand_ins = roots
            .iter()
            .flat_map(|root| watch::KEYS.iter().map(|keys| root.join(keys)))
            .map(|folder| {
                let changed = last_change(&folder);
                (folder, changed)
            })
            .filter(|(_, changed)| changed.is_some())
            .collect();
        Self {
            roots,
            limit,
            reserve,
            free_at_start,
            stand_ins,
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
            if facts.is_dir() && entries < MAX_ENTRIES && !self.is_untouched_stand_in(&path) {
                let inner = fs::read_dir(&path).into_iter().flatten().flatten();
                waiting.extend(inner.map(|entry| entry.path()));
            }
        }
        size
    }

    /// Folders for keys are watched: looking into one would be blamed on the
    /// program. One in which nothing was made has nothing to count.
    fn is_untouched_stand_in(&self, path: &Path) -> bool {
        let mut known = self.stand_ins.iter();
        known.any(|(folder, changed)| folder == path && *changed == last_change(path))
    }
}

fn last_change(folder: &Path) -> Option<SystemTime> {
    fs::metadata(folder).and_then(|facts| facts.modified()).ok()
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

    #[cfg(target_os = "linux")]
    #[test]
    fn looking_through_a_home_folder_is_not_blamed_on_the_program() {
        let home = tempfile::tempdir().unwrap();
        let watch = watch::HomeWatch::start(home.path(), &[], None).unwrap();
        let guard = DiskGuard::new(vec![home.path().to_owned()], 1 << 20, u64::MAX);
        assert_eq!(guard.excess(), None);
        assert!(watch.finish().is_empty());
        // A program cannot hide what it adds there. The clock of file systems is coarse.
        std::thread::sleep(std::time::Duration::from_millis(50));
        fs::write(home.path().join(".ssh/large"), vec![1; 2 << 20]).unwrap();
        assert!(guard.excess().is_some());
    }
}
