//! The first stage: makes the namespaces, starts the second stage in them and
//! ends as the program ended.

use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Signal, getgid, getpid, getuid, kill_process};
use rustix::thread::UnshareFlags;
use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM};

use super::{Doing as _, INIT_VERB, Invocation, NOT_STARTED, SetupError, enter_namespaces, init};
use crate::Report;
use crate::policy::{Isolation, Network};
use crate::report::Ending;

pub(super) fn run(invocation: &Invocation) -> Result<ExitCode, SetupError> {
    let received = leave_termination_to_the_program()?;
    let ending = match invocation.policy.isolation {
        Isolation::FilesOnly => init::run(invocation)?,
        Isolation::Namespaces => in_namespaces(invocation)?,
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

fn in_namespaces(invocation: &Invocation) -> Result<Ending, SetupError> {
    // The mounts stay ours: the report is outside of the program's view.
    let mut flags = UnshareFlags::NEWUSER | UnshareFlags::NEWPID | UnshareFlags::NEWIPC;
    if invocation.policy.network != Network::All {
        flags |= UnshareFlags::NEWNET;
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    enter_namespaces(flags).doing("make namespaces")?;
    map_user(user, group).doing("map the user into the namespace")?;

    // Held as long as this process lives: the second stage looks whether it does.
    // Where files cannot be held, it cannot hold this one either.
    let report = fs::File::create(&invocation.report).doing("open the report")?;
    let _ = report.lock();
    let mut child = second_stage(invocation)
        .spawn()
        .doing("start the second stage")?;
    let ended = child.wait().doing("wait for the second stage")?;
    Ok(match Report::ending(&invocation.report) {
        Some(ending) => ending,
        None if ended.code() == Some(NOT_STARTED.into()) => Ending::Exit(NOT_STARTED),
        // It was killed itself, and the program with it.
        None => Ending::Signal(ended.signal().unwrap_or(SIGKILL)),
    })
}

/// The program keeps its user and group; all others are nobody to it.
fn map_user(user: u32, group: u32) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the launcher is what every restricted child is started by"
)]
fn second_stage(invocation: &Invocation) -> Command {
    let Invocation {
        policy,
        report,
        arg0,
        program,
        args,
    } = invocation;
    let mut command = Command::new(Path::new("/proc/self/exe"));
    command
        .arg(INIT_VERB)
        .args(policy.to_args())
        .arg("--report")
        .arg(report)
        .arg("--")
        .arg(arg0)
        .arg(program)
        .args(args)
        .stdin(Stdio::inherit())
        .stdout(Stdio::inherit())
        .stderr(Stdio::inherit());
    command
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
