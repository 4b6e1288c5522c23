//! A cheap check whether a repository has changed.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::GitRepository;

impl GitRepository {
    /// A number that changes when a ref was written, found without starting
    /// git. Reads the file system.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for file in [
            "packed-refs",
            "reftable/tables.list",
            "refs/heads",
            "refs/tags",
        ] {
            visit(&self.path().join(file), &mut hasher);
        }
        hasher.finish()
    }
}

/// What cannot be read says nothing; git will complain where it matters.
fn visit(path: &Path, hasher: &mut DefaultHasher) {
    let Ok(facts) = fs::symlink_metadata(path) else {
        return;
    };
    // A ref is written again and moved into place, hence the inode.
    path.hash(hasher);
    (facts.ino(), facts.mtime(), facts.mtime_nsec(), facts.size()).hash(hasher);
    if facts.is_dir() {
        let mut entries: Vec<_> = fs::read_dir(path)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        entries.sort();
        for entry in &entries {
            visit(entry, hasher);
        }
    }
}
