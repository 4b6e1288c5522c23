//! The sandbox that the children of an environment run in.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(target_os = "linux")]
use baton_sandbox::NOT_STARTED;
use baton_sandbox::{
    Access, Contained, DiskGuard, Engine, Isolation, LAUNCH_VERB, Mount, Policy, Report, Source,
};
use tempfile::NamedTempFile;

use super::{CmdError, Environment, Outcome};

/// More remarks than anyone reads, from a program that provokes them.
const MAX_INCIDENTS: usize = 100;

/// How the children of an environment are restricted. Cloning is cheap, and
/// clones share their incidents.
#[derive(Clone, Debug)]
pub struct Sandbox {
    means: Means,
    policy: Arc<Policy>,
    /// For reports of the launcher; children must not see it.
    folder: Arc<Path>,
    disk: DiskLimits,
    incidents: Incidents,
}

/// By what a sandbox is made.
#[derive(Clone, Debug)]
pub enum Means {
    /// A program that contains the launcher.
    Launcher(PathBuf),
    Container {
        engine: Engine,
        image: String,
    },
}

/// How much of the disk children may fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskLimits {
    /// Bytes that they may have in all folders that they may write to.
    pub used: u64,
    /// Bytes that have to stay free on the disk.
    pub reserve: u64,
}

impl Default for DiskLimits {
    /// A large project with its dependencies and builds has some gigabytes.
    fn default() -> Self {
        Self {
            used: 30 << 30,
            reserve: 1 << 30,
        }
    }
}

/// What programs in a sandbox did or tried that they were not to do.
#[derive(Clone, Debug, Default)]
pub struct Incidents(Arc<Mutex<Vec<String>>>);

impl Incidents {
    /// Foreign text; not to be printed as it is.
    pub fn add(&self, incident: impl Into<String>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let incident = incident.into();
        if all.len() < MAX_INCIDENTS && !all.contains(&incident) {
            all.push(incident);
        }
    }

    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Sandbox {
    pub fn new(means: Means, policy: Policy, folder: &Path, disk: DiskLimits) -> Self {
        Self {
            means,
            policy: Arc::new(policy),
            folder: folder.into(),
            disk,
            incidents: Incidents::default(),
        }
    }

    #[must_use]
    pub fn with_incidents(mut self, incidents: Incidents) -> Self {
        self.incidents = incidents;
        self
    }

    /// The same, with a further folder that may be changed.
    #[must_use]
    pub(super) fn showing(&self, folder: &Path) -> Self {
        let mut policy = Policy::clone(&self.policy);
        policy.show(folder, Access::Write);
        Self {
            policy: Arc::new(policy),
            ..self.clone()
        }
    }

    /// The same, where one folder is seen in place of another one, with what is
    /// mounted in the other, and is also seen at its own path. `None` where
    /// nothing can be mounted, or the other one is not shown.
    pub(super) fn replacing(&self, other: &Path, by: &Path) -> Option<Self> {
        let mut policy = Policy::clone(&self.policy);
        let can_mount =
            matches!(self.means, Means::Launcher(_)) && policy.isolation == Isolation::Namespaces;
        let mut mounts = policy.mounts.iter_mut().filter(|_| can_mount);
        let shown = mounts.find(|mount| mount.at == other && mount.source == Source::Same)?;
        shown.source = Source::Path(by.to_owned());
        policy.mounts.push(Mount {
            source: Source::View(other.to_owned()),
            at: by.to_owned(),
            access: Access::Write,
        });
        Some(Self {
            policy: Arc::new(policy),
            ..self.clone()
        })
    }

    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Prepares for one child.
    pub(super) fn confine(&self) -> io::Result<Confined<'_>> {
        let report = tempfile::Builder::new()
            .prefix("report-")
            .tempfile_in(&self.folder)?;
        let name = report.path().file_name().unwrap_or_default();
        let name = name.to_string_lossy().replace(['.', '/'], "-");
        Ok(Confined {
            sandbox: self,
            name: format!("baton-{}-{name}", std::process::id()),
            report,
            guard: self.guard(),
        })
    }

    fn guard(&self) -> DiskGuard {
        let written = self.policy.mounts.iter();
        let written = written.filter(|mount| mount.access == Access::Write);
        let roots = written.map(|mount| match &mount.source {
            Source::Same | Source::View(_) => mount.at.clone(),
            Source::Path(path) => path.clone(),
            Source::Layers { upper, .. } => upper.clone(),
        });
        DiskGuard::new(roots.collect(), self.disk.used, self.disk.reserve)
    }
}

/// One child of a sandbox.
pub(super) struct Confined<'a> {
    sandbox: &'a Sandbox,
    /// Of a container.
    name: String,
    report: NamedTempFile,
    pub(super) guard: DiskGuard,
}

/// A program to be started.
pub(super) struct Target<'a> {
    pub(super) arg0: &'a OsStr,
    pub(super) program: &'a Path,
    pub(super) args: Vec<OsString>,
    pub(super) cwd: &'a Path,
    pub(super) environment: &'a Environment,
}

impl Confined<'_> {
    /// The program that restricts itself and then starts the target.
    pub(super) fn wrap(&self, target: Target<'_>) -> (PathBuf, Vec<OsString>) {
        match &self.sandbox.means {
            Means::Launcher(launcher) => self.launched(launcher, target),
            Means::Container { engine, image } => {
                let environment: Vec<_> = target
                    .environment
                    .iter()
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .collect();
                let contained = Contained {
                    image,
                    name: &self.name,
                    folder: target.cwd,
                    user: (
                        rustix::process::getuid().as_raw(),
                        rustix::process::getgid().as_raw(),
                    ),
                    program: target.arg0,
                    args: &target.args,
                    environment: &environment,
                };
                let args = baton_sandbox::container_command(&self.sandbox.policy, &contained);
                (engine.program().into(), args)
            }
        }
    }

    #[cfg(not(target_os = "macos"))]
    fn launched(&self, launcher: &Path, target: Target<'_>) -> (PathBuf, Vec<OsString>) {
        let mut args: Vec<OsString> = vec![LAUNCH_VERB.into()];
        args.extend(self.sandbox.policy.to_args());
        args.extend(["--report".into(), self.report.path().into()]);
        args.extend(["--".into(), target.arg0.into(), target.program.into()]);
        args.extend(target.args);
        (launcher.into(), args)
    }

    #[cfg(target_os = "macos")]
    fn launched(&self, _launcher: &Path, target: Target<'_>) -> (PathBuf, Vec<OsString>) {
        let profile = baton_sandbox::macos::profile(&self.sandbox.policy);
        let mut args: Vec<OsString> = vec!["-p".into(), profile.into()];
        args.push(target.program.into());
        args.extend(target.args);
        (baton_sandbox::macos::PROGRAM.into(), args)
    }

    pub(super) fn add_incident(&self, incident: impl Into<String>) {
        self.sandbox.incidents.add(incident);
    }

    /// Reads the report of a child that has ended.
    pub(super) fn conclude(self, program: &str, outcome: Outcome) -> Result<(), CmdError> {
        match &self.sandbox.means {
            Means::Container { engine, .. } => end_container(*engine, &self.name),
            Means::Launcher(launcher) => self.check_version(launcher, program, outcome)?,
        }
        let report = Report::read(self.report.path());
        if let Some(reason) = report.failure {
            return Err(CmdError::Sandbox {
                program: program.to_owned(),
                reason,
            });
        }
        // What is alive when we end a program was not left behind by it.
        let is_ended_by_us = outcome == Outcome::Cancelled;
        if !report.left_behind.is_empty() && !is_ended_by_us {
            let processes = named(&report.left_behind);
            self.add_incident(format!(
                "{program} left processes behind, which were ended: {processes}"
            ));
        }
        if !report.listening.is_empty() && !is_ended_by_us {
            let addresses = named(&report.listening);
            self.add_incident(format!(
                "{program} left ports open, which were closed: {addresses}"
            ));
        }
        if !report.refused.is_empty() {
            let calls = report.refused.join(", ");
            self.add_incident(format!(
                "{program} tried system calls that are refused: {calls}"
            ));
        }
        if !report.signals.is_empty() {
            let signals = report.signals.join(", ");
            self.add_incident(format!(
                "{program} sent {signals} to the process that started it"
            ));
        }
        Ok(())
    }

    /// A launcher that was replaced while this process ran does not understand
    /// its arguments, and cannot say so in the report that they name.
    #[cfg(target_os = "linux")]
    fn check_version(
        &self,
        launcher: &Path,
        program: &str,
        outcome: Outcome,
    ) -> Result<(), CmdError> {
        let not_started = outcome == Outcome::Exited(NOT_STARTED.into());
        if not_started && Report::is_empty(self.report.path()) {
            return Err(CmdError::Sandbox {
                program: program.to_owned(),
                reason: format!(
                    "{} is of another version; start baton again",
                    launcher.display()
                ),
            });
        }
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "the same shape as on Linux")]
    fn check_version(&self, _: &Path, _: &str, _: Outcome) -> Result<(), CmdError> {
        Ok(())
    }
}

/// Names, the first of many.
fn named(names: &[String]) -> String {
    const MAX_LISTED: usize = 5;
    let mut unique: Vec<&str> = names.iter().map(String::as_str).collect();
    unique.sort_unstable();
    unique.dedup();
    let listed = unique.iter().take(MAX_LISTED).copied().collect::<Vec<_>>();
    format!("{} ({} in all)", listed.join(", "), names.len())
}

/// A client that is killed leaves its container running.
#[expect(
    clippy::disallowed_methods,
    reason = "it ends what was started here; the container has a name of our own"
)]
fn end_container(engine: Engine, name: &str) {
    let ended = Command::new(engine.program())
        .args(["rm", "--force", name])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if let Err(error) = ended {
        tracing::debug!(%error, "cannot remove a container");
    }
}

impl fmt::Display for Means {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Launcher(_) => f.write_str("launcher"),
            Self::Container { engine, image } => write!(f, "{} with {image}", engine.program()),
        }
    }
}
