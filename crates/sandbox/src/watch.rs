//! Traces of a program: what it changed in its private home folder that would
//! act later in a real one, and which empty stand-ins it looked into.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Folders in which people keep keys. Each is there, and empty.
pub(crate) const KEYS: &[&str] = &[".ssh", ".aws", ".gnupg", ".kube", ".config/gh", ".docker"];

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

/// What is visible of the process that starts a program: the names that the
/// kernel gives to the two files.
pub(crate) const ENVIRONMENT: &str = "environ";
pub(crate) const COMMAND_LINE: &str = "cmdline";

/// Something that a program did.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trace {
    /// It looked into a folder for keys, which is empty here.
    LookedForKeys(String),
    /// It wrote what would have acted in a real home folder; it is thrown away.
    ChangedStartup(String),
    /// It looked into a folder it should not read, of which it sees a stand-in.
    LookedInto(&'static str),
    /// It read the environment of the process that started it.
    ReadEnvironment,
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
            Self::LookedInto(what) => write!(f, "looked into {what} (an empty stand-in)"),
            Self::ReadEnvironment => f.write_str(
                "read the environment of the process that started it (an empty stand-in)",
            ),
        }
    }
}

/// A folder with nothing of worth that a program sees in place of another one,
/// and cannot change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandIn {
    /// What it replaces, such as `your checkout`.
    pub what: &'static str,
    /// The folder itself and those of its folders that have something in them.
    pub folders: Vec<PathBuf>,
}

/// Fills a folder with what is visible of the process that starts a program: no
/// environment, and a command line without the paths of this machine.
pub fn make_process_stand_in(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, text) in [(ENVIRONMENT, ""), (COMMAND_LINE, "sandbox\0")] {
        let path = folder.join(name);
        if !path.exists() {
            fs::write(path, text)?;
        }
    }
    Ok(())
}

/// Watches a private home folder and stand-ins while a program runs.
///
/// baton itself looks into a folder for keys only where the record has a trace of
/// the program in it ([`may_look_into`](Self::may_look_into)), so that no look of
/// its own is recorded as one of the program.
#[derive(Debug)]
pub struct HomeWatch {
    home: PathBuf,
    /// What of the startup files was there before, with its time and size.
    before: Vec<Option<(std::time::SystemTime, u64)>>,
    looks: Arc<Looks>,
}

impl HomeWatch {
    /// Makes the stand-ins for keys and begins to watch. `process` is the
    /// stand-in for the process that starts the program.
    pub fn start(home: &Path, stand_ins: &[StandIn], process: Option<&Path>) -> io::Result<Self> {
        for folder in KEYS {
            fs::create_dir_all(home.join(folder))?;
        }
        Ok(Self {
            before: STARTUP.iter().map(|file| stamp(&home.join(file))).collect(),
            looks: Looks::start(home, stand_ins, process)?,
            home: home.to_owned(),
        })
    }

    /// Whether baton may read a folder without being taken for a program: it is no
    /// folder for keys, or the record of every sandbox that shares it has a program
    /// in it already. Where it does not, nothing was put there.
    pub(crate) fn may_look_into(folder: &fs::Metadata) -> bool {
        Looks::may_look_into((folder.dev(), folder.ino()))
    }

    /// What happened since the start.
    pub fn finish(&self) -> BTreeSet<Trace> {
        let mut traces = self.looks.seen();
        for (file, before) in STARTUP.iter().zip(&self.before) {
            let now = stamp(&self.home.join(file));
            if now.is_some() && now != *before {
                traces.insert(Trace::ChangedStartup((*file).to_owned()));
            }
        }
        traces
    }
}

/// `None` for an empty folder as well: it does nothing, and may be what something
/// was mounted on.
fn stamp(path: &Path) -> Option<(std::time::SystemTime, u64)> {
    let facts = fs::symlink_metadata(path).ok()?;
    if facts.is_dir() && fs::read_dir(path).ok()?.next().is_none() {
        return None;
    }
    Some((facts.modified().ok()?, facts.len()))
}

#[cfg(target_os = "linux")]
use linux::Looks;

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{BTreeMap, BTreeSet};
    use std::ffi::CStr;
    use std::fs;
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};

    use super::{ENVIRONMENT, KEYS, StandIn, Trace};

    /// More events than this say nothing new.
    const MAX_EVENTS: usize = 10_000;

    /// Everything that puts something into a folder for keys is among these, so
    /// that a folder without a trace has nothing in it that baton would count.
    const KEY_EVENTS: WatchFlags = WatchFlags::OPEN
        .union(WatchFlags::ACCESS)
        .union(WatchFlags::CREATE)
        .union(WatchFlags::MOVED_TO);

    /// The watches of this process. The sandboxes of a run share their home folder,
    /// and each records what happens there.
    static ACTIVE: Mutex<Vec<Weak<Looks>>> = Mutex::new(Vec::new());

    #[derive(Debug)]
    pub(super) struct Looks {
        events: OwnedFd,
        watched: BTreeMap<i32, Trace>,
        /// The folders for keys by device and number, whatever they are called by
        /// now.
        keys: BTreeMap<(u64, u64), Trace>,
        seen: Mutex<Seen>,
    }

    /// What the kernel has reported so far.
    #[derive(Debug, Default)]
    struct Seen {
        traces: BTreeSet<Trace>,
        /// For each file of the process that was opened, whether it was the
        /// environment.
        opened: Vec<bool>,
        events: usize,
        /// Events were lost, and the record is closed.
        is_full: bool,
    }

    impl Looks {
        pub(super) fn start(
            home: &Path,
            stand_ins: &[StandIn],
            process: Option<&Path>,
        ) -> io::Result<Arc<Self>> {
            let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
            let mut watched = BTreeMap::new();
            let mut keys = BTreeMap::new();
            for folder in KEYS {
                let path = home.join(folder);
                let number = inotify::add_watch(&events, &path, KEY_EVENTS)?;
                let trace = Trace::LookedForKeys((*folder).to_owned());
                let facts = fs::metadata(path)?;
                keys.insert((facts.dev(), facts.ino()), trace.clone());
                watched.insert(number, trace);
            }
            for StandIn { what, folders } in stand_ins {
                for folder in folders {
                    // Another sandbox of the run may be adding to it: not `CREATE`.
                    let flags = WatchFlags::OPEN | WatchFlags::ACCESS;
                    let number = inotify::add_watch(&events, folder, flags)?;
                    watched.insert(number, Trace::LookedInto(what));
                }
            }
            if let Some(folder) = process {
                // With the closing in between, one more look is one more event.
                let flags = WatchFlags::OPEN | WatchFlags::CLOSE_NOWRITE;
                let number = inotify::add_watch(&events, folder, flags)?;
                watched.insert(number, Trace::ReadEnvironment);
            }
            let looks = Arc::new(Self {
                events,
                watched,
                keys,
                seen: Mutex::default(),
            });
            let mut active = ACTIVE.lock().unwrap_or_else(PoisonError::into_inner);
            active.retain(|other| other.strong_count() > 0);
            active.push(Arc::downgrade(&looks));
            Ok(looks)
        }

        pub(super) fn may_look_into(folder: (u64, u64)) -> bool {
            let active = ACTIVE.lock().unwrap_or_else(PoisonError::into_inner);
            let mut active = active.iter().filter_map(Weak::upgrade);
            active.all(|looks| looks.has_trace_in(folder))
        }

        /// Also where it does not watch the folder.
        fn has_trace_in(&self, folder: (u64, u64)) -> bool {
            let Some(trace) = self.keys.get(&folder) else {
                return true;
            };
            let seen = self.read();
            seen.is_full || seen.traces.contains(trace)
        }

        pub(super) fn seen(&self) -> BTreeSet<Trace> {
            let seen = self.read();
            let mut traces = seen.traces.clone();
            if is_more_than_a_list(&seen.opened) {
                traces.insert(Trace::ReadEnvironment);
            }
            traces
        }

        /// All that has happened until now. The lock is held from reading to the
        /// answer, so that two readers cannot miss each other's events.
        fn read(&self) -> MutexGuard<'_, Seen> {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut reader = Reader::new(&self.events, &mut buffer);
            while !seen.is_full {
                let Ok(event) = reader.next() else { break };
                seen.events += 1;
                seen.is_full =
                    seen.events >= MAX_EVENTS || event.events().contains(ReadFlags::QUEUE_OVERFLOW);
                let Some(trace) = self.watched.get(&event.wd()) else {
                    continue;
                };
                if *trace == Trace::ReadEnvironment {
                    if event.events().contains(ReadFlags::OPEN) {
                        let name = event.file_name().map(CStr::to_bytes);
                        seen.opened.push(name == Some(ENVIRONMENT.as_bytes()));
                    }
                    continue;
                }
                // Before Linux 6.5 this is also what the launcher does when it
                // makes the rules for a stand-in. A program that looks into a
                // folder reads it, too.
                let is_touched_only = matches!(trace, Trace::LookedInto(_))
                    && event.file_name().is_none()
                    && !event.events().contains(ReadFlags::ACCESS);
                if !is_touched_only {
                    seen.traces.insert(trace.clone());
                }
            }
            seen
        }
    }

    /// `ps` opens the environment of each process, and then the command line. A
    /// program that opens the environment alone wants to read it.
    fn is_more_than_a_list(opened: &[bool]) -> bool {
        let next = opened.iter().skip(1).copied().chain([true]);
        opened
            .iter()
            .zip(next)
            .any(|(is_environment, next_is)| *is_environment && next_is)
    }
}

#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
struct Looks;

#[cfg(not(target_os = "linux"))]
impl Looks {
    fn start(
        _home: &Path,
        _stand_ins: &[StandIn],
        _process: Option<&Path>,
    ) -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self))
    }

    fn may_look_into(_folder: (u64, u64)) -> bool {
        true
    }

    fn seen(&self) -> BTreeSet<Trace> {
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
        let watch = HomeWatch::start(home.path(), &[], None).unwrap();
        fs::create_dir_all(home.path().join(".cache/x")).unwrap();
        // A launcher mounts something there.
        fs::create_dir_all(home.path().join(".local/bin")).unwrap();
        fs::read(home.path().join(".npmrc")).unwrap();
        assert_eq!(watch.finish(), BTreeSet::new());
    }

    #[test]
    fn looking_for_keys_and_planting_is_noticed() {
        let home = tempfile::tempdir().unwrap();
        let watch = HomeWatch::start(home.path(), &[], None).unwrap();
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

    #[test]
    #[cfg(target_os = "linux")]
    fn looking_into_a_stand_in_is_noticed_and_passing_by_is_not() {
        let home = tempfile::tempdir().unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".git/HEAD")).unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let looks = [
            ("", true),
            (".git", true),
            (".git/HEAD", true),
            ("file", true),
            ("absent", false),
        ];
        for (path, is_noticed) in looks {
            let stand_in = StandIn {
                what: "your checkout",
                folders: vec![folder.path().to_owned(), folder.path().join(".git")],
            };
            let watch = HomeWatch::start(home.path(), &[stand_in], None).unwrap();
            let _ = fs::symlink_metadata(folder.path().join(path));
            let _ = fs::create_dir(folder.path());
            let path = folder.path().join(path);
            let _ = fs::read_dir(&path).map(Iterator::count);
            let _ = fs::read(&path);
            let expected = is_noticed.then_some(Trace::LookedInto("your checkout"));
            assert_eq!(watch.finish(), expected.into_iter().collect(), "{path:?}");
        }
    }
}
