//! One peer in one folder, swapped in whole: an interrupted install leaves
//! either the old one or none, never half of one.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::failure::Failure;
use crate::program::Program;

pub(crate) struct Peer {
    pub(crate) name: &'static str,
    /// Whatever decides what gets installed; another pin is another install.
    pub(crate) pin: &'static str,
    /// Fills an empty folder, which is then renamed.
    pub(crate) install: fn(&Path) -> Result<(), Failure>,
    pub(crate) proof: Proof,
}

/// By what one sees that a peer is there and works; all paths are relative to its folder.
#[derive(Clone, Copy)]
pub(crate) enum Proof {
    /// The program that others start, and arguments with which it succeeds if it works at all.
    Runs(&'static str, &'static [&'static str]),
    /// Data that others read; the first is the one that they look for.
    Holds(&'static [&'static str]),
}

/// Written last, so that it vouches for everything else in the folder.
const MARKER: &str = ".baton-pin";

/// Generous: a cold start from a slow disk, with the other core busy.
const PROOF_LIMIT: Duration = Duration::from_mins(1);

impl Peer {
    /// Installed with this pin, and still running on what the machine has now.
    pub(crate) fn is_current(&self, peers: &Path) -> bool {
        let folder = peers.join(self.name);
        let marked = fs::read_to_string(folder.join(MARKER)).is_ok_and(|pin| pin == self.pin);
        marked && self.works_in(&folder)
    }

    /// The program or file that others look for.
    pub(crate) fn entry(&self, peers: &Path) -> PathBuf {
        let folder = peers.join(self.name);
        match self.proof {
            Proof::Runs(program, _) => folder.join(program),
            Proof::Holds(files) => files
                .first()
                .map_or(folder.clone(), |file| folder.join(file)),
        }
    }

    pub(crate) fn install_into(&self, peers: &Path) -> Result<(), Failure> {
        let _lock = lock(peers)?;
        // Another run may have installed it while this one waited.
        if self.is_current(peers) {
            return Ok(());
        }
        println!("  installing {} …", self.name);
        let partial = peers.join(format!(".{}.partial", self.name));
        let replaced = peers.join(format!(".{}.replaced", self.name));
        clear(&partial)?;
        clear(&replaced)?;
        create(&partial)?;
        (self.install)(&partial)?;
        if !self.works_in(&partial) {
            return Err(Failure::new(self.proof.missed()));
        }
        let marker = partial.join(MARKER);
        fs::write(&marker, self.pin).map_err(Failure::could_not(format_args!(
            "write {}",
            marker.display()
        )))?;
        let folder = peers.join(self.name);
        if folder.exists() {
            rename(&folder, &replaced)?;
        }
        rename(&partial, &folder)?;
        clear(&replaced)
    }

    fn works_in(&self, folder: &Path) -> bool {
        match self.proof {
            Proof::Runs(program, args) => Program::new(folder.join(program))
                .args(args)
                .succeeds_within(PROOF_LIMIT),
            Proof::Holds(files) => files.iter().all(|file| folder.join(file).is_file()),
        }
    }
}

impl Proof {
    fn missed(self) -> String {
        match self {
            Self::Runs(program, args) => format!(
                "`{program} {}` fails right after installing it",
                args.join(" ")
            ),
            Self::Holds(files) => format!("installing it did not bring {}", files.join(", ")),
        }
    }
}

/// Held while installing, because checkouts share the folder. The system lets
/// go of it when the process ends, however it ends.
fn lock(peers: &Path) -> Result<File, Failure> {
    create(peers)?;
    let path = peers.join(".lock");
    let doing = || format!("lock {}", path.display());
    let file = File::create(&path).map_err(Failure::could_not(doing()))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            println!("  waiting for another run that is installing peers …");
            file.lock().map_err(Failure::could_not(doing()))?;
        }
        Err(TryLockError::Error(error)) => return Err(Failure::could_not(doing())(error)),
    }
    Ok(file)
}

fn create(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(Failure::could_not(format_args!(
        "create {}",
        folder.display()
    )))
}

fn clear(folder: &Path) -> Result<(), Failure> {
    if !folder.exists() {
        return Ok(());
    }
    fs::remove_dir_all(folder).map_err(Failure::could_not(format_args!(
        "remove {}",
        folder.display()
    )))
}

fn rename(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::rename(from, to).map_err(Failure::could_not(format_args!(
        "rename {} to {}",
        from.display(),
        to.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A link rather than a script: a file that was just written may still be
    /// open in a child of another test, and then cannot be run.
    fn link(folder: &Path, program: &str) -> Result<(), Failure> {
        std::os::unix::fs::symlink(program, folder.join("tool")).map_err(Failure::could_not("link"))
    }

    const SOUND: Peer = Peer {
        name: "tool",
        pin: "1",
        install: |folder| link(folder, "/bin/sh"),
        proof: Proof::Runs("tool", &["-c", "true"]),
    };

    fn listed(peers: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(peers)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn an_installed_peer_is_current_until_its_pin_changes() {
        let peers = tempfile::tempdir().unwrap();
        assert!(!SOUND.is_current(peers.path()));
        SOUND.install_into(peers.path()).unwrap();
        assert!(SOUND.is_current(peers.path()));
        let newer = Peer { pin: "2", ..SOUND };
        assert!(!newer.is_current(peers.path()));
        newer.install_into(peers.path()).unwrap();
        assert!(newer.is_current(peers.path()));
        assert_eq!(listed(peers.path()), [".lock", "tool"]);
    }

    #[test]
    fn what_an_interrupted_install_left_is_thrown_away() {
        let peers = tempfile::tempdir().unwrap();
        let partial = peers.path().join(".tool.partial");
        fs::create_dir_all(partial.join("half")).unwrap();
        assert!(!SOUND.is_current(peers.path()));
        SOUND.install_into(peers.path()).unwrap();
        assert_eq!(listed(peers.path()), [".lock", "tool"]);
        assert_eq!(listed(&peers.path().join("tool")), [MARKER, "tool"]);
    }

    #[test]
    fn a_failed_install_keeps_the_one_before() {
        let peers = tempfile::tempdir().unwrap();
        SOUND.install_into(peers.path()).unwrap();
        let broken = Peer {
            pin: "2",
            proof: Proof::Runs("tool", &["-c", "false"]),
            ..SOUND
        };
        let failure = broken.install_into(peers.path()).unwrap_err();
        insta::assert_snapshot!(failure, @"`tool -c false` fails right after installing it");
        assert!(SOUND.is_current(peers.path()));
    }

    #[test]
    fn data_is_current_while_all_of_it_is_there() {
        let peers = tempfile::tempdir().unwrap();
        let data = Peer {
            install: |folder| {
                let write = |name| fs::write(folder.join(name), "{}");
                write("a")
                    .and(write("b"))
                    .map_err(Failure::could_not("write"))
            },
            proof: Proof::Holds(&["a", "b"]),
            ..SOUND
        };
        data.install_into(peers.path()).unwrap();
        assert!(data.is_current(peers.path()));
        fs::remove_file(peers.path().join("tool").join("b")).unwrap();
        assert!(!data.is_current(peers.path()));

        let more = Peer {
            pin: "2",
            proof: Proof::Holds(&["a", "c"]),
            ..data
        };
        let failure = more.install_into(peers.path()).unwrap_err();
        insta::assert_snapshot!(failure, @"installing it did not bring a, c");
    }

    #[test]
    fn a_peer_that_stopped_working_is_not_current() {
        let peers = tempfile::tempdir().unwrap();
        SOUND.install_into(peers.path()).unwrap();
        let folder = peers.path().join("tool");
        fs::remove_file(folder.join("tool")).unwrap();
        link(&folder, "/no/such/program").unwrap();
        assert!(!SOUND.is_current(peers.path()));
    }
}
