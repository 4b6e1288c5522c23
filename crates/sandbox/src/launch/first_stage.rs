//! The first stage: makes the namespaces, starts the second stage in them and
//! ends as the program ended.

use std::fs;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getgid, getpid, getuid, kill_process, waitpid,
};
use rustix::thread::UnshareFlags;
use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM};

use super::fork::{Fork, fork};
use super::{Doing as _, Invocation, SetupError, enter_namespaces, init, layers};
use crate::policy::{Isolation, Network};
use crate::report::Ending;
use crate::{NOT_STARTED, Report};

pub(super) fn run(invocation: &mut Invocation) -> Result<ExitCode, SetupError> {
    let received = leave_termination_to_the_program()?;
    let ending = match invocation.policy.isolation {
        Isolation::FilesOnly => init::run(invocation, None)?,
        Isolation::Namespaces => match in_namespaces(invocation)? {
            Stage::First(ending) => ending,
            Stage::Second(code) => return Ok(code),
        },
    };
    for (name, flag) in received {
        if flag.load(Ordering::Relaxed) {
            Report::add_outside_signal(&invocation.report, name).doing("write the report")?;
        }
    }
    Ok(match ending {
        Ending::Exit(code) => ExitCode::from(code),
        Ending::Signal(signal) => die_of(signal),
    })
}

/// Which process has come to its end, and how.
enum Stage {
    /// This one, with the program's end.
    First(Ending),
    /// The one inside. The report has more than its code.
    Second(ExitCode),
}

/// A polite signal goes to the whole process group. If this process died of it,
/// the program would be killed before it could tidy up.
fn leave_termination_to_the_program() -> Result<Vec<(&'static str, Arc<AtomicBool>)>, SetupError> {
    let signals = [
        (SIGTERM, "SIGTERM"),
        (SIGINT, "SIGINT"),
        (SIGHUP, "SIGHUP"),
        (SIGQUIT, "SIGQUIT"),
    ];
    let register = |(signal, name)| {
        let flag = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(signal, Arc::clone(&flag)).doing("handle signals")?;
        Ok((name, flag))
    };
    signals.into_iter().map(register).collect()
}

fn in_namespaces(invocation: &mut Invocation) -> Result<Stage, SetupError> {
    let name = invocation.name();
    let layers = layers::hold(&mut invocation.policy, &name)?;
    // The mounts stay ours: the report is outside of the program's view.
    let mut flags = UnshareFlags::NEWUSER | UnshareFlags::NEWPID | UnshareFlags::NEWIPC;
    if invocation.policy.network != Network::All {
        flags |= UnshareFlags::NEWNET;
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    enter_namespaces(flags).doing("make namespaces")?;
    map_user(user, group).doing("map the user into the namespace")?;

    // The second stage sees by the closed pipe that this process is gone.
    let (first_stage, alive) = io::pipe().doing("make a pipe")?;
    let child = match fork().doing("start the second stage")? {
        Fork::Parent { child } => child,
        Fork::Child => {
            drop(alive);
            let ended = init::run(invocation, Some(&first_stage));
            let code = ended.map_or(ExitCode::from(NOT_STARTED), |_| ExitCode::SUCCESS);
            return Ok(Stage::Second(code));
        }
    };
    drop(first_stage);
    let ended = wait_for(child).doing("wait for the second stage")?;
    drop(alive);
    layers.release();
    Ok(Stage::First(match Report::ending(&invocation.report) {
        Some(ending) => ending,
        None if ended.exit_status() == Some(NOT_STARTED.into()) => Ending::Exit(NOT_STARTED),
        // It was killed itself, and the program with it.
        None => Ending::Signal(ended.terminating_signal().unwrap_or(SIGKILL)),
    }))
}

fn wait_for(child: Pid) -> io::Result<WaitStatus> {
    loop {
        match waitpid(Some(child), WaitOptions::empty()) {
            Ok(Some((_, status))) => return Ok(status),
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The program keeps its user and group; all others are mapped to `nobody`.
fn map_user(user: u32, group: u32) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))
}

/// Ends this process by a signal, so that its parent sees how the program
/// ended.
fn die_of(signal: i32) -> ExitCode {
    if let Some(known) = Signal::from_named_raw(signal) {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
        let _ = kill_process(getpid(), known);
    }
    let code = 128_i32.saturating_add(signal);
    ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
}
