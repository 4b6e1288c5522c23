//! Stand-ins for folders that a program should not read: it sees an empty
//! folder in their place, which is watched.
//!
//! Looking for a name that is not there leaves no trace. So a stand-in has
//! names that a program would look for, all of them folders: reading or writing
//! one as a file fails, so it is not taken for the real one.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use baton_sandbox::{Access, Isolation, Mount, Policy, Source, StandIn, make_process_stand_in};

use super::RunFolders;

/// A folder in whose place programs see a stand-in.
#[derive(Clone, Debug)]
pub struct Decoy {
    pub at: PathBuf,
    /// What it is to a reader of the record, such as `your checkout`.
    pub what: &'static str,
    /// Names that a program would look for, relative to it.
    pub baits: Vec<PathBuf>,
}

#[derive(Debug, Default)]
pub(super) struct StandIns {
    /// Each with the folder that is mounted in its place.
    mounted: Vec<(Decoy, PathBuf)>,
    /// For the process that starts a program.
    pub(super) process: Option<PathBuf>,
}

impl StandIns {
    /// Makes a folder for each.
    pub(super) fn make(folders: &RunFolders<'_>, isolation: Isolation) -> io::Result<Self> {
        if isolation != Isolation::Namespaces {
            // Nothing can be mounted in place of something else.
            return Ok(Self::default());
        }
        let private = folders.private.join("stand-ins");
        let process = private.join("process");
        make_process_stand_in(&process)?;
        let mut mounted = Vec::new();
        for (index, decoy) in folders.decoys.iter().enumerate() {
            // Tools look into the folders around the one that they work in.
            let holds_work = real(folders.worktree).starts_with(real(&decoy.at));
            if holds_work || !decoy.at.is_dir() {
                continue;
            }
            let source = private.join(index.to_string());
            fs::create_dir_all(&source)?;
            mounted.push((decoy.clone(), source));
        }
        Ok(Self {
            mounted,
            process: Some(process),
        })
    }

    /// Adds them above the mounts so far, except where they would hide one.
    pub(super) fn show(&mut self, policy: &mut Policy) {
        policy.process_stand_in.clone_from(&self.process);
        let at: Vec<PathBuf> = policy.mounts.iter().map(|mount| real(&mount.at)).collect();
        self.mounted.retain(|(decoy, _)| {
            let around = real(&decoy.at);
            !at.iter().any(|at| at.starts_with(&around))
        });
        for (decoy, source) in &self.mounted {
            policy.show_at(source, &decoy.at, Access::Read);
        }
    }

    /// Fills them with bait, and with places for what the policy shows inside
    /// of them: nothing may be added while they are watched.
    pub(super) fn fill(&self, policy: &Policy) -> io::Result<()> {
        for (decoy, source) in &self.mounted {
            let mut taken = BTreeSet::new();
            for mount in &policy.mounts {
                let Ok(inner) = mount.at.strip_prefix(&decoy.at) else {
                    continue;
                };
                let first = inner.components().next();
                if real(&mount.at) != real(&decoy.at).join(inner) {
                    // A link will be there.
                    taken.extend(first);
                } else if let Some(is_folder) = is_folder(mount) {
                    make_place(&source.join(inner), is_folder)?;
                }
            }
            for bait in &decoy.baits {
                let at = source.join(bait);
                let first = bait.components().next();
                if first.is_some_and(|first| !taken.contains(&first)) && !at.exists() {
                    // At most a file that is mounted there is in the way.
                    let _ = fs::create_dir_all(at);
                }
            }
        }
        Ok(())
    }

    pub(super) fn to_watch(&self) -> Vec<StandIn> {
        let mounted = self.mounted.iter();
        let watched = mounted.map(|(decoy, source)| {
            let inner = decoy.baits.iter().filter_map(|bait| bait.parent());
            let folders: BTreeSet<PathBuf> = inner
                .map(|inner| source.join(inner))
                .chain([source.clone()])
                .filter(|folder| folder.is_dir())
                .collect();
            StandIn {
                what: decoy.what,
                folders: folders.into_iter().collect(),
            }
        });
        watched.collect()
    }
}

/// Without links, where it is there.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// What a mount will cover; `None` where there is nothing to show.
fn is_folder(mount: &Mount) -> Option<bool> {
    let source = match &mount.source {
        Source::Same | Source::View(_) => &mount.at,
        Source::Path(path) => path,
        Source::Layers { .. } => return Some(true),
    };
    source.metadata().ok().map(|facts| facts.is_dir())
}

fn make_place(at: &Path, is_folder: bool) -> io::Result<()> {
    if is_folder {
        return fs::create_dir_all(at);
    }
    if let Some(parent) = at.parent() {
        fs::create_dir_all(parent)?;
    }
    // It may be bait of an earlier step.
    let _ = fs::remove_dir(at);
    if !at.exists() {
        fs::File::create(at)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use baton_sandbox::{HomeWatch, Level, Network};

    use super::*;

    fn folders<'a>(root: &'a Path, worktree: &'a Path, decoys: &'a [Decoy]) -> RunFolders<'a> {
        RunFolders {
            worktree,
            private: root,
            own: root,
            prepared: None,
            borrowed: &[],
            protected: &[],
            decoys,
            caches: None,
            logins: &[],
            programs: &[],
            named: &[],
            committer: None,
        }
    }

    fn decoy(at: &Path) -> Decoy {
        Decoy {
            at: at.to_owned(),
            what: "your checkout",
            baits: [".git/HEAD", "src", ".env", "data"]
                .map(PathBuf::from)
                .into(),
        }
    }

    #[test]
    fn mounts_inside_have_a_place_and_the_rest_is_bait() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (checkout, worktree) = (root.join("checkout"), root.join("worktree"));
        for path in ["checkout/.git/objects", "worktree", "elsewhere", "private"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
        fs::write(checkout.join(".env"), "SECRET=1").unwrap();
        std::os::unix::fs::symlink(root.join("elsewhere"), checkout.join("data")).unwrap();
        let decoys = [decoy(&checkout)];
        let private = root.join("private");
        let folders = folders(&private, &worktree, &decoys);
        let mut made = StandIns::make(&folders, Isolation::Namespaces).unwrap();
        let mut policy = Policy::new(Level::Standard, Network::None);
        made.show(&mut policy);
        for path in [".git/objects", ".env", "data", "absent"] {
            policy.show(checkout.join(path), Access::Read);
        }
        made.fill(&policy).unwrap();
        let source = private.join("stand-ins/0");
        for path in [".git/objects", ".git/HEAD", "src"] {
            assert!(source.join(path).is_dir(), "{path}");
        }
        assert!(source.join(".env").is_file());
        assert_eq!(fs::read(source.join(".env")).unwrap(), b"");
        for path in ["data", "absent"] {
            assert!(!source.join(path).exists(), "{path}");
        }
        // To make it again, as the next step does, is not to look into it.
        let home = private.join("home");
        let watch = HomeWatch::start(&home, &made.to_watch(), made.process.as_deref()).unwrap();
        let again = StandIns::make(&folders, Isolation::Namespaces).unwrap();
        again.fill(&policy).unwrap();
        let _ = again.to_watch();
        assert_eq!(watch.finish(), BTreeSet::new());
    }

    #[test]
    fn nothing_that_a_program_needs_is_hidden() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let checkout = root.join("checkout");
        let worktree = checkout.join("worktrees/a");
        fs::create_dir_all(&worktree).unwrap();
        let decoys = [decoy(&checkout), decoy(&root.join("absent"))];
        let in_it = folders(&root, &worktree, &decoys);
        let made = StandIns::make(&in_it, Isolation::Namespaces).unwrap();
        assert!(made.mounted.is_empty(), "{made:?}");
        // A home folder that is a checkout.
        let other = root.join("other");
        let beside = folders(&root, &other, &decoys);
        let mut made = StandIns::make(&beside, Isolation::Namespaces).unwrap();
        assert_eq!(made.mounted.len(), 1);
        let mut policy = Policy::new(Level::Standard, Network::None);
        policy.show_at(&other, checkout.join("worktrees"), Access::Write);
        made.show(&mut policy);
        assert!(made.mounted.is_empty(), "{made:?}");
        let made = StandIns::make(&beside, Isolation::FilesOnly).unwrap();
        assert_eq!(made.to_watch(), []);
    }
}
