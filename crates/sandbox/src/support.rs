//! What this system offers, found out by trying.

use std::fmt;
use std::io;
use std::path::Path;

use crate::policy::Isolation;

/// What a sandbox can be made of here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Support {
    /// The strongest means that works; `None`: there is none.
    pub isolation: Option<Isolation>,
    /// Whether a folder can be mounted with changes kept elsewhere.
    pub layers: bool,
    /// What does not work.
    pub missing: Vec<Missing>,
}

/// Something that this system does not offer, and what follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Why namespaces cannot be made.
    Namespaces(String),
    /// Why Landlock does not work.
    Landlock(String),
    /// The system has no sandbox that is known here.
    Everything,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Namespaces(why) => write!(
                f,
                "no namespaces ({why}): files are protected by Landlock alone; other processes \
                 can be seen, and the network is not restricted"
            ),
            Self::Landlock(why) => write!(
                f,
                "no Landlock ({why}): files are protected by mounts alone"
            ),
            Self::Everything => write!(f, "this system has no sandbox that baton can use"),
        }
    }
}

impl Support {
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// Restricts a trivial program with each means. `launcher` is a program that
    /// contains the [launcher](crate::LAUNCH_VERB), `scratch` a folder for
    /// temporary files. Blocks for some milliseconds.
    #[cfg(target_os = "linux")]
    pub fn detect(launcher: &Path, scratch: &Path) -> io::Result<Self> {
        linux::detect(launcher, scratch)
    }

    /// Looks for `sandbox-exec`.
    #[cfg(target_os = "macos")]
    pub fn detect(_launcher: &Path, _scratch: &Path) -> io::Result<Self> {
        let is_there = Path::new(crate::macos::PROGRAM).exists();
        Ok(Self {
            isolation: is_there.then_some(Isolation::FilesOnly),
            layers: false,
            missing: if is_there {
                Vec::new()
            } else {
                vec![Missing::Everything]
            },
        })
    }

    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    pub fn detect(_launcher: &Path, _scratch: &Path) -> io::Result<Self> {
        Ok(Self {
            isolation: None,
            layers: false,
            missing: vec![Missing::Everything],
        })
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::io;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};

    use super::{Missing, Support};
    use crate::LAUNCH_VERB;
    use crate::policy::{Access, Isolation, Level, Mount, Network, Policy, Source};
    use crate::report::Report;

    pub(super) fn detect(launcher: &Path, scratch: &Path) -> io::Result<Support> {
        let probe = Probe::new(launcher, scratch)?;
        let with_layers = probe.try_policy(&probe.policy(Isolation::Namespaces, true))?;
        let layers = with_layers.is_ok();
        let namespaces = if layers {
            with_layers
        } else {
            probe.try_policy(&probe.policy(Isolation::Namespaces, false))?
        };
        let landlock = probe.try_policy(&probe.policy(Isolation::FilesOnly, false))?;
        let isolation = match (&namespaces, &landlock) {
            (Ok(()), _) => Some(Isolation::Namespaces),
            (Err(_), Ok(())) => Some(Isolation::FilesOnly),
            (Err(_), Err(_)) => None,
        };
        let mut missing = Vec::new();
        missing.extend(namespaces.err().map(Missing::Namespaces));
        missing.extend(landlock.err().map(Missing::Landlock));
        Ok(Support {
            isolation,
            layers,
            missing,
        })
    }

    struct Probe<'a> {
        launcher: &'a Path,
        folder: PathBuf,
    }

    impl<'a> Probe<'a> {
        fn new(launcher: &'a Path, scratch: &Path) -> io::Result<Self> {
            let folder = scratch.join(format!("sandbox-probe-{}", std::process::id()));
            for name in ["lower", "upper", "work"] {
                fs::create_dir_all(folder.join(name))?;
            }
            Ok(Self { launcher, folder })
        }

        fn policy(&self, isolation: Isolation, layers: bool) -> Policy {
            let mut policy = Policy::new(Level::Standard, Network::None);
            policy.isolation = isolation;
            for path in ["/usr", "/bin", "/lib", "/lib64", "/etc", "/nix"] {
                policy.show(path, Access::Read);
            }
            policy.show(self.launcher, Access::Read);
            policy.show(&self.folder, Access::Write);
            if layers {
                policy.mounts.push(Mount {
                    source: Source::Layers {
                        lower: vec![self.folder.join("lower")],
                        upper: self.folder.join("upper"),
                        work: self.folder.join("work"),
                    },
                    at: "/sandbox-probe".into(),
                    access: Access::Write,
                });
            }
            policy
        }

        /// Why the program could not be started, if so. What the program is
        /// does not matter: the launcher itself, which reports wrong arguments.
        #[expect(
            clippy::disallowed_methods,
            reason = "this crate is below the one that runs all other children"
        )]
        fn try_policy(&self, policy: &Policy) -> io::Result<Result<(), String>> {
            let report = self.folder.join("report");
            fs::write(&report, "")?;
            let status = Command::new(self.launcher)
                .arg(LAUNCH_VERB)
                .args(policy.to_args())
                .arg("--report")
                .arg(&report)
                .arg("--")
                .args([self.launcher, self.launcher])
                .arg("--no-such-flag")
                .current_dir(&self.folder)
                .env_clear()
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()?;
            Ok(match Report::read(&report).failure {
                Some(failure) => Err(failure),
                None if Report::ending(&report).is_some() => Ok(()),
                None => Err(format!("the launcher ended with {status}")),
            })
        }
    }

    impl Drop for Probe<'_> {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}
