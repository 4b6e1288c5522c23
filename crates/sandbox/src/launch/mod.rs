//! The launcher: restricts itself, then executes the program.
//!
//! It runs in two stages, since a process cannot move itself into a new process
//! namespace. The first makes the namespaces and waits; the second is the first
//! process inside. It builds the view, gives up all rights, starts the program
//! and reaps the processes that the program leaves. When it exits, the kernel
//! ends every process of the namespace; and it is ended when the first stage
//! dies.
//!
//! Without namespaces there is one stage, which collects orphans as a
//! subreaper and ends all its descendants.

mod first_stage;
mod fork;
mod init;
mod landlock;
mod layers;
mod loopback;
mod notify;
mod ports;
mod privileges;
mod relay;
mod seccomp;
mod view;

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use rustix::thread::UnshareFlags;

use crate::policy::Policy;
use crate::{FINGERPRINT, LAUNCH_VERB, NOT_STARTED, Report, launcher};

/// What the launcher was asked for.
struct Invocation {
    policy: Policy,
    /// Where the report goes: a file that the program does not see.
    report: PathBuf,
    arg0: OsString,
    program: PathBuf,
    args: Vec<OsString>,
}

/// Runs the launcher if the arguments of this process ask for it. Call it first
/// in `main`: nothing may have started a thread.
pub fn run_if_called(args: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let mut args = args.skip(1).peekable();
    if args.next()? != LAUNCH_VERB {
        return None;
    }
    if args.peek().is_some_and(|first| first == launcher::ASK) {
        let written = io::stdout().write_all(FINGERPRINT.as_bytes());
        return Some(written.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS));
    }
    let Some(mut invocation) = Invocation::parse(&mut args) else {
        return Some(ExitCode::from(NOT_STARTED));
    };
    let ended = first_stage::run(&mut invocation).inspect_err(|error| {
        // Without it, the exit code still shows that nothing was started.
        let _ = Report::write_failure(&invocation.report, error);
    });
    Some(ended.unwrap_or(ExitCode::from(NOT_STARTED)))
}

impl Invocation {
    /// Distinguishes this child from others of the same sandbox: each has a report.
    fn name(&self) -> OsString {
        self.report.file_name().unwrap_or_default().to_owned()
    }

    fn parse(args: &mut impl Iterator<Item = OsString>) -> Option<Self> {
        let (policy, next) = Policy::from_args(args)?;
        if next != "--report" {
            return None;
        }
        let report = args.next()?.into();
        if args.next()? != "--" {
            return None;
        }
        Some(Self {
            policy,
            report,
            arg0: args.next()?,
            program: args.next()?.into(),
            args: args.collect(),
        })
    }
}

#[expect(
    deprecated,
    reason = "its successor is unsafe for the sake of `FILES`, which is not used here"
)]
fn enter_namespaces(flags: UnshareFlags) -> io::Result<()> {
    Ok(rustix::thread::unshare(flags)?)
}

/// What could not be set up.
#[derive(Debug)]
struct SetupError {
    doing: String,
    source: io::Error,
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {}: {}", self.doing, self.source)
    }
}

impl std::error::Error for SetupError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// Adds what was being done when a call failed.
trait Doing<T> {
    fn doing(self, what: impl fmt::Display) -> Result<T, SetupError>;
}

impl<T, E: Into<io::Error>> Doing<T> for Result<T, E> {
    fn doing(self, what: impl fmt::Display) -> Result<T, SetupError> {
        self.map_err(|source| SetupError {
            doing: what.to_string(),
            source: source.into(),
        })
    }
}
