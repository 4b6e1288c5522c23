//! What a restricted program may reach, and how that is passed to the launcher.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use crate::FINGERPRINT;

/// The first argument: which version wrote the others.
const BUILT_FROM: &str = "--built-from";

/// How strictly a program is restricted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Not at all.
    Off,
    /// As strict as ordinary tools allow. What the system does not offer is
    /// left out and reported.
    Standard,
    /// What the system does not offer is an error; no debugging, and the
    /// network only where the role cannot do without it.
    Strict,
}

impl Level {
    pub const ALL: [Self; 3] = [Self::Off, Self::Standard, Self::Strict];

    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Standard => "standard",
            Self::Strict => "strict",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// Everything that a program may reach. What is not named does not exist for
/// it, or cannot be opened where the system has no namespaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    pub level: Level,
    pub isolation: Isolation,
    /// What the program sees, in the order in which it is mounted: a later one
    /// covers what an earlier one shows.
    pub mounts: Vec<Mount>,
    pub network: Network,
    pub limits: Limits,
    /// A folder with what is visible of the process that starts the program,
    /// see [`make_process_stand_in`](crate::make_process_stand_in).
    pub process_stand_in: Option<PathBuf>,
    /// Environment variables for systems without mount namespaces, where
    /// folders cannot be mounted under another name.
    pub variables_without_view: Vec<(OsString, OsString)>,
}

/// By which means a program is restricted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// Namespaces for users, processes, mounts and the network, and Landlock.
    Namespaces,
    /// Landlock alone, for systems that do not let users make namespaces.
    FilesOnly,
}

impl Isolation {
    fn name(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::FilesOnly => "files",
        }
    }
}

/// A folder or file, where it is seen, and what may be done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    pub source: Source,
    /// The path that the program uses.
    pub at: PathBuf,
    pub access: Access,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The path itself.
    Same,
    /// Another folder or file.
    Path(PathBuf),
    /// What the program sees at another path, with everything that is mounted
    /// below it.
    View(PathBuf),
    /// Folders that are read, the first one first, below one that takes all
    /// changes. `work` is an empty folder beside `upper`.
    Layers {
        lower: Vec<PathBuf>,
        upper: PathBuf,
        work: PathBuf,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read and execute, also where a folder around it may be changed.
    Read,
    /// Read, execute and change.
    Write,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Network {
    /// A loopback device of its own and nothing else.
    None,
    /// The same, and a proxy with a list of allowed hosts.
    Proxy {
        /// Where the proxy listens.
        socket: PathBuf,
        /// Ports of this machine's loopback device that are passed through.
        ports: Vec<u16>,
    },
    /// The network of this machine.
    All,
}

/// Limits for all processes of the program together, or for each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Processes and threads at a time.
    pub processes: u32,
    /// The largest file, in bytes.
    pub file_size: u64,
}

impl Default for Limits {
    /// A parallel build with a test runner has some hundred threads; a file of
    /// eight gigabytes is no source code and no build result.
    fn default() -> Self {
        Self {
            processes: 2048,
            file_size: 8 << 30,
        }
    }
}

impl Policy {
    pub fn new(level: Level, network: Network) -> Self {
        Self {
            level,
            isolation: Isolation::Namespaces,
            mounts: Vec::new(),
            network,
            limits: Limits::default(),
            process_stand_in: None,
            variables_without_view: Vec::new(),
        }
    }

    /// Shows a path as it is, if it is there.
    pub fn show(&mut self, path: impl Into<PathBuf>, access: Access) {
        let at = path.into();
        let source = Source::Same;
        self.mounts.push(Mount { source, at, access });
    }

    /// Shows a path under another name.
    pub fn show_at(&mut self, path: impl Into<PathBuf>, at: impl Into<PathBuf>, access: Access) {
        self.mounts.push(Mount {
            source: Source::Path(path.into()),
            at: at.into(),
            access,
        });
    }

    /// The arguments that make the launcher restrict itself so.
    pub fn to_args(&self) -> Vec<OsString> {
        let mut args = Args::default();
        args.push(BUILT_FROM, &[FINGERPRINT.as_ref()]);
        args.push("--level", &[self.level.name().as_ref()]);
        args.push("--isolation", &[self.isolation.name().as_ref()]);
        for Mount { source, at, access } in &self.mounts {
            let access = OsStr::new(match access {
                Access::Read => "read",
                Access::Write => "write",
            });
            match source {
                Source::Same => args.push("--show", &[access, at.as_os_str()]),
                Source::Path(path) => {
                    args.push("--show-at", &[access, path.as_os_str(), at.as_os_str()]);
                }
                Source::View(path) => {
                    args.push("--view-at", &[access, path.as_os_str(), at.as_os_str()]);
                }
                Source::Layers { lower, upper, work } => {
                    let lower = join(lower);
                    let paths = [lower.as_os_str(), upper.as_os_str(), work.as_os_str()];
                    args.push(
                        "--layers",
                        &[access, paths[0], paths[1], paths[2], at.as_os_str()],
                    );
                }
            }
        }
        match &self.network {
            Network::None => args.push("--network", &["none".as_ref()]),
            Network::All => args.push("--network", &["all".as_ref()]),
            Network::Proxy { socket, ports } => {
                args.push("--proxy", &[socket.as_os_str()]);
                for port in ports {
                    args.push("--port", &[port.to_string().as_ref()]);
                }
            }
        }
        args.push("--processes", &[self.limits.processes.to_string().as_ref()]);
        args.push("--file-size", &[self.limits.file_size.to_string().as_ref()]);
        if let Some(path) = &self.process_stand_in {
            args.push("--process", &[path.as_os_str()]);
        }
        for (name, value) in &self.variables_without_view {
            args.push("--variable", &[name, value]);
        }
        args.0
    }

    /// Reads what [`to_args`](Self::to_args) wrote, up to the first argument
    /// that is not an option of a policy. `None` also where they were written by
    /// another version, whose words may mean something else.
    pub(crate) fn from_args(args: &mut impl Iterator<Item = OsString>) -> Option<(Self, OsString)> {
        if args.next()? != BUILT_FROM || args.next()? != FINGERPRINT {
            return None;
        }
        let mut policy = Self::new(Level::Strict, Network::None);
        loop {
            let name = args.next()?;
            match name.to_str() {
                Some("--level") => policy.level = Level::from_name(args.next()?.to_str()?)?,
                Some("--isolation") => {
                    policy.isolation = match args.next()?.to_str()? {
                        "namespaces" => Isolation::Namespaces,
                        "files" => Isolation::FilesOnly,
                        _ => return None,
                    }
                }
                Some("--show") => {
                    let access = access(&args.next()?)?;
                    policy.show(args.next()?, access);
                }
                Some("--show-at") => {
                    let access = access(&args.next()?)?;
                    let path = args.next()?;
                    policy.show_at(path, args.next()?, access);
                }
                Some("--view-at") => {
                    let access = access(&args.next()?)?;
                    let source = Source::View(args.next()?.into());
                    let at = args.next()?.into();
                    policy.mounts.push(Mount { source, at, access });
                }
                Some("--layers") => {
                    let access = access(&args.next()?)?;
                    let source = Source::Layers {
                        lower: split(&args.next()?),
                        upper: args.next()?.into(),
                        work: args.next()?.into(),
                    };
                    let at = args.next()?.into();
                    policy.mounts.push(Mount { source, at, access });
                }
                Some("--network") => {
                    policy.network = match args.next()?.to_str()? {
                        "none" => Network::None,
                        "all" => Network::All,
                        _ => return None,
                    }
                }
                Some("--proxy") => {
                    policy.network = Network::Proxy {
                        socket: args.next()?.into(),
                        ports: Vec::new(),
                    }
                }
                Some("--port") => match &mut policy.network {
                    Network::Proxy { ports, .. } => ports.push(number(&args.next()?)?),
                    Network::None | Network::All => return None,
                },
                Some("--processes") => policy.limits.processes = number(&args.next()?)?,
                Some("--file-size") => policy.limits.file_size = number(&args.next()?)?,
                Some("--process") => policy.process_stand_in = Some(args.next()?.into()),
                Some("--variable") => {
                    let name = args.next()?;
                    policy.variables_without_view.push((name, args.next()?));
                }
                _ => return Some((policy, name)),
            }
        }
    }
}

#[derive(Default)]
struct Args(Vec<OsString>);

impl Args {
    fn push(&mut self, name: &str, values: &[&OsStr]) {
        self.0.push(name.into());
        self.0.extend(values.iter().map(OsString::from));
    }
}

/// No path contains a zero byte, but neither may an argument; a line break is
/// escaped with the backslash that escapes itself.
fn join(paths: &[PathBuf]) -> OsString {
    let mut joined = Vec::new();
    for path in paths {
        for &byte in path.as_os_str().as_bytes() {
            if matches!(byte, b'\\' | b':') {
                joined.push(b'\\');
            }
            joined.push(byte);
        }
        joined.push(b':');
    }
    OsString::from_vec(joined)
}

fn split(joined: &OsStr) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut path = Vec::new();
    let mut bytes = joined.as_bytes().iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\\' => path.extend(bytes.next()),
            b':' => paths.push(Path::new(OsStr::from_bytes(&std::mem::take(&mut path))).into()),
            _ => path.push(byte),
        }
    }
    paths
}

fn access(word: &OsStr) -> Option<Access> {
    match word.to_str()? {
        "read" => Some(Access::Read),
        "write" => Some(Access::Write),
        _ => None,
    }
}

fn number<N: std::str::FromStr>(text: &OsStr) -> Option<N> {
    text.to_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn path() -> impl Strategy<Value = PathBuf> {
        prop::collection::vec(1u8..=255, 1..20).prop_map(|bytes| OsString::from_vec(bytes).into())
    }

    fn mount() -> impl Strategy<Value = Mount> {
        let source = prop_oneof![
            Just(Source::Same),
            path().prop_map(Source::Path),
            path().prop_map(Source::View),
            (prop::collection::vec(path(), 0..3), path(), path())
                .prop_map(|(lower, upper, work)| Source::Layers { lower, upper, work }),
        ];
        let access = prop_oneof![Just(Access::Read), Just(Access::Write)];
        (source, path(), access).prop_map(|(source, at, access)| Mount { source, at, access })
    }

    fn network() -> impl Strategy<Value = Network> {
        prop_oneof![
            Just(Network::None),
            Just(Network::All),
            (path(), prop::collection::vec(any::<u16>(), 0..3))
                .prop_map(|(socket, ports)| Network::Proxy { socket, ports }),
        ]
    }

    proptest! {
        #[test]
        fn a_policy_survives_the_way_through_arguments(
            mounts in prop::collection::vec(mount(), 0..5),
            network in network(),
            processes: u32,
            file_size: u64,
            process in prop::option::of(path()),
        ) {
            let mut policy = Policy::new(Level::Standard, network);
            policy.mounts = mounts;
            policy.limits = Limits { processes, file_size };
            policy.process_stand_in = process;
            policy.variables_without_view = vec![("A".into(), "--level".into())];
            let mut args = policy.to_args();
            args.extend(["--".into(), "--level".into()]);
            let mut args = args.into_iter();
            let (read, end) = Policy::from_args(&mut args).unwrap();
            prop_assert_eq!(read, policy);
            prop_assert_eq!(end, "--");
            prop_assert_eq!(args.next().unwrap(), "--level");
        }
    }

    #[test]
    fn half_an_option_is_no_policy() {
        for args in [
            &["--show"][..],
            &["--show", "all", "/"],
            &["--port", "1"],
            &["--level", "x"],
            &[],
        ] {
            let ours = [BUILT_FROM, FINGERPRINT].iter();
            let mut args = ours.chain(args).map(OsString::from);
            assert_eq!(Policy::from_args(&mut args), None);
        }
    }

    #[test]
    fn another_version_writes_no_policy_for_us() {
        let policy = Policy::new(Level::Standard, Network::None);
        let mut args = policy.to_args();
        args.push("--".into());
        assert!(Policy::from_args(&mut args.clone().into_iter()).is_some());
        args[1] = "0123456789abcdef".into();
        assert_eq!(Policy::from_args(&mut args.clone().into_iter()), None);
        assert_eq!(Policy::from_args(&mut args.into_iter().skip(2)), None);
    }
}
