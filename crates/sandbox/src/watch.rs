//! Traces in the private home folder of a program: what it changed there that
//! would act later in a real one, and which empty stand-ins it looked into.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders in which people keep keys. Each is there, and empty.
const KEYS: &[&str] = &[".ssh", ".aws", ".gnupg", ".kube", ".config/gh", ".docker"];

/// Files that other programs of a user read when they start.
const STARTUP: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".config/fish/config.fish",
    ".gitconfig",
    ".config/git/config",
    ".config/git/hooks",
    ".config/systemd/user",
    ".config/autostart",
    ".local/bin",
    ".ssh/authorized_keys",
    ".ssh/config",
    ".vimrc",
    ".inputrc",
    ".pam_environment",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".config/pip/pip.conf",
    ".cargo/config.toml",
    ".cargo/bin",
];

/// Something that a program did in its private home folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trace {
    /// It looked into a folder for keys, which is empty here.
    LookedForKeys(String),
    /// It wrote what would have acted in a real home folder; it is thrown away.
    ChangedStartup(String),
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LookedForKeys(path) => {
                write!(f, "looked for keys in ~/{path} (an empty stand-in)")
            }
            Self::ChangedStartup(path) => {
                write!(f, "wrote ~/{path} (in its private home folder)")
            }
        }
    }
}

/// Watches a private home folder while a program runs.
#[derive(Debug)]
pub struct HomeWatch {
    home: PathBuf,
    /// What of the startup files was there before, with its time and size.
    before: Vec<Option<(std::time::SystemTime, u64)>>,
    keys: KeyWatch,
}

impl HomeWatch {
    /// Makes the stand-ins and begins to watch.
    pub fn start(home: &Path) -> io::Result<Self> {
        for folder in KEYS {
            fs::create_dir_all(home.join(folder))?;
        }
        Ok(Self {
            before: STARTUP.iter().map(|file| stamp(&home.join(file))).collect(),
            keys: KeyWatch::start(home)?,
            home: home.to_owned(),
        })
    }

    /// What happened since the start.
    pub fn finish(self) -> BTreeSet<Trace> {
        let looked = self.keys.opened().into_iter();
        let mut traces: BTreeSet<Trace> = looked.map(Trace::LookedForKeys).collect();
        for (file, before) in STARTUP.iter().zip(&self.before) {
            let now = stamp(&self.home.join(file));
            if now.is_some() && now != *before {
                traces.insert(Trace::ChangedStartup((*file).to_owned()));
            }
        }
        traces
    }
}

fn stamp(path: &Path) -> Option<(std::time::SystemTime, u64)> {
    let facts = fs::symlink_metadata(path).ok()?;
    Some((facts.modified().ok()?, facts.len()))
}

#[cfg(target_os = "linux")]
use linux::KeyWatch;

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{BTreeMap, BTreeSet};
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};

    use super::KEYS;

    /// More events than this say nothing new.
    const MAX_EVENTS: usize = 10_000;

    #[derive(Debug)]
    pub(super) struct KeyWatch {
        events: OwnedFd,
        folders: BTreeMap<i32, &'static str>,
    }

    impl KeyWatch {
        pub(super) fn start(home: &Path) -> io::Result<Self> {
            let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
            let mut folders = BTreeMap::new();
            for folder in KEYS {
                let flags = WatchFlags::OPEN | WatchFlags::ACCESS | WatchFlags::CREATE;
                let number = inotify::add_watch(&events, home.join(folder), flags)?;
                folders.insert(number, *folder);
            }
            Ok(Self { events, folders })
        }

        pub(super) fn opened(&self) -> BTreeSet<String> {
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut reader = Reader::new(&self.events, &mut buffer);
            let mut opened = BTreeSet::new();
            for _ in 0..MAX_EVENTS {
                let Ok(event) = reader.next() else { break };
                if let Some(folder) = self.folders.get(&event.wd()) {
                    opened.insert((*folder).to_owned());
                }
            }
            opened
        }
    }
}

#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
struct KeyWatch;

#[cfg(not(target_os = "linux"))]
impl KeyWatch {
    fn start(_home: &Path) -> io::Result<Self> {
        Ok(Self)
    }

    fn opened(&self) -> BTreeSet<String> {
        BTreeSet::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_honest_program_leaves_no_trace() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(".npmrc"), "fund=false").unwrap();
        let watch = HomeWatch::start(home.path()).unwrap();
        fs::create_dir_all(home.path().join(".cache/x")).unwrap();
        fs::read(home.path().join(".npmrc")).unwrap();
        assert_eq!(watch.finish(), BTreeSet::new());
    }

    #[test]
    fn looking_for_keys_and_planting_is_noticed() {
        let home = tempfile::tempdir().unwrap();
        let watch = HomeWatch::start(home.path()).unwrap();
        fs::write(home.path().join(".bashrc"), "evil").unwrap();
        let _ = fs::read_dir(home.path().join(".ssh")).unwrap().count();
        let named: Vec<String> = watch.finish().iter().map(ToString::to_string).collect();
        let expected: &[&str] = if cfg!(target_os = "linux") {
            &[
                "looked for keys in ~/.ssh (an empty stand-in)",
                "wrote ~/.bashrc (in its private home folder)",
            ]
        } else {
            &["wrote ~/.bashrc (in its private home folder)"]
        };
        assert_eq!(named, expected);
    }
}
