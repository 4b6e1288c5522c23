//! The process that starts the program, collects orphans, and sees what is left
//! when the program has ended.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, PipeReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    DumpableBehavior, Pid, Signal, WaitOptions, kill_process, set_child_subreaper,
    set_dumpable_behavior, set_parent_process_death_signal, wait,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};

use super::seccomp::Refused;
use super::{
    Doing as _, Invocation, SetupError, landlock, loopback, ports, privileges, relay, seccomp, view,
};
use crate::policy::{Isolation, Network, Policy};
use crate::report::{self, Ending};

/// Runs the program to its end. The report has how it ended, since the exit
/// code of the first process of a namespace cannot express a signal.
/// `first_stage` is a pipe that the first stage holds open, where there is one.
pub(super) fn run(
    invocation: &Invocation,
    first_stage: Option<&PipeReader>,
) -> Result<Ending, SetupError> {
    let mut status = Status::open(&invocation.report)?;
    let ended = play(invocation, first_stage, &mut status);
    if let Err(error) = &ended {
        status.line(report::FAILURE, &error.to_string());
    }
    ended
}

fn play(
    invocation: &Invocation,
    first_stage: Option<&PipeReader>,
    status: &mut Status,
) -> Result<Ending, SetupError> {
    let policy = &invocation.policy;
    // When the first stage is gone, no one waits for the program any more.
    set_parent_process_death_signal(Some(Signal::KILL)).doing("bind to the first stage")?;
    if first_stage.is_some_and(is_closed) {
        // It was gone before the signal could be asked for.
        return Err(io::Error::from(io::ErrorKind::BrokenPipe)).doing("find the first stage");
    }
    let signals = Signals::register(policy.isolation)?;
    let refused = restrict(policy)?;
    let own = set_up_program(invocation)
        .spawn()
        .doing(format_args!("start {}", invocation.program.display()))?;
    let id = Pid::from_child(&own);
    let ending = wait_for(id)?;
    let left = others(policy.isolation);
    for address in ports::held_by(left.iter().map(|(pid, _)| *pid)) {
        status.line(report::LISTENING, &address.to_string());
    }
    for (pid, name) in left {
        status.line(report::LEFT, &name);
        if policy.isolation == Isolation::FilesOnly
            && let Some(pid) = Pid::from_raw(pid)
        {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
    for name in refused.names() {
        status.line(report::REFUSED, name);
    }
    for name in signals.received() {
        status.line(report::SIGNAL, name);
    }
    match ending {
        Ending::Exit(code) => status.line(report::EXIT, &code.to_string()),
        Ending::Signal(signal) => status.line(report::KILLED, &signal.to_string()),
    }
    Ok(ending)
}

fn is_closed(pipe: &PipeReader) -> bool {
    let mut polled = [PollFd::new(pipe, PollFlags::empty())];
    // Nothing is ever written to it.
    poll(&mut polled, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

/// Gives up everything that the policy does not grant. What this process may
/// do from here on is what the program may do.
fn restrict(policy: &Policy) -> Result<Refused, SetupError> {
    // It holds the report, and answers for the filter of system calls.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).doing("hide this process")?;
    match policy.isolation {
        Isolation::Namespaces => {
            view::build(policy)?;
            if policy.network != Network::All {
                loopback::bring_up().doing("bring up the loopback device")?;
            }
            relay::start(&policy.network)?;
        }
        Isolation::FilesOnly => {
            let own = rustix::process::getpid();
            set_child_subreaper(Some(own)).doing("adopt orphans")?;
        }
    }
    privileges::drop_all(policy)?;
    landlock::restrict(policy)?;
    seccomp::restrict(policy)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the launcher is what every restricted child is started by"
)]
fn set_up_program(invocation: &Invocation) -> Command {
    let mut command = Command::new(&invocation.program);
    command.arg0(&invocation.arg0).args(&invocation.args);
    if invocation.policy.isolation == Isolation::FilesOnly {
        let variables = &invocation.policy.variables_without_view;
        command.envs(variables.iter().map(|(name, value)| (name, value)));
    }
    command
}

/// Waits for the program, and for adopted orphans.
fn wait_for(id: Pid) -> Result<Ending, SetupError> {
    loop {
        let waited = match wait(WaitOptions::empty()) {
            Err(rustix::io::Errno::INTR) => continue,
            waited => waited.doing("wait for the program")?,
        };
        let Some((pid, status)) = waited else {
            continue;
        };
        if pid != id {
            continue;
        }
        if let Some(code) = status.exit_status() {
            return Ok(Ending::Exit(u8::try_from(code).unwrap_or(u8::MAX)));
        }
        if let Some(signal) = status.terminating_signal() {
            return Ok(Ending::Signal(signal));
        }
    }
}

/// The processes that are left: all of the namespace, or all descendants.
fn others(isolation: Isolation) -> Vec<(i32, String)> {
    let processes = processes();
    let own = i32::try_from(std::process::id()).unwrap_or(0);
    let is_left = |pid: i32| match isolation {
        Isolation::Namespaces => pid != own,
        Isolation::FilesOnly => is_descendant(pid, own, &processes),
    };
    processes
        .iter()
        .filter(|process| process.is_alive && is_left(process.pid))
        .map(|process| (process.pid, process.name.clone()))
        .collect()
}

struct Process {
    pid: i32,
    parent: i32,
    name: String,
    is_alive: bool,
}

fn processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| {
            let pid: i32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // The name is in parentheses and may contain parentheses.
            let (open, close) = (stat.find('(')?, stat.rfind(')')?);
            let mut fields = stat[close + 1..].split_ascii_whitespace();
            let is_alive = !matches!(fields.next()?, "Z" | "X");
            Some(Process {
                pid,
                parent: fields.next()?.parse().ok()?,
                name: stat[open + 1..close].to_owned(),
                is_alive,
            })
        })
        .collect()
}

fn is_descendant(pid: i32, ancestor: i32, processes: &[Process]) -> bool {
    let mut seen = BTreeSet::new();
    let mut current = pid;
    while seen.insert(current) {
        let Some(process) = processes.iter().find(|process| process.pid == current) else {
            return false;
        };
        if process.parent == ancestor {
            return true;
        }
        current = process.parent;
    }
    false
}

/// Notes the signals that a program sends to the process that started it.
struct Signals(Vec<(&'static str, Arc<AtomicBool>)>);

impl Signals {
    fn register(isolation: Isolation) -> Result<Self, SetupError> {
        // Without a namespace of its own, this process gets what its group gets.
        let known: &[(i32, &'static str)] = match isolation {
            Isolation::Namespaces => &[
                (SIGTERM, "SIGTERM"),
                (SIGINT, "SIGINT"),
                (SIGHUP, "SIGHUP"),
                (SIGUSR1, "SIGUSR1"),
                (SIGUSR2, "SIGUSR2"),
            ],
            Isolation::FilesOnly => &[],
        };
        let mut flags = Vec::new();
        for &(signal, name) in known {
            let flag = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(signal, Arc::clone(&flag)).doing("handle signals")?;
            flags.push((name, flag));
        }
        Ok(Self(flags))
    }

    fn received(&self) -> impl Iterator<Item = &'static str> {
        let flags = self.0.iter();
        flags
            .filter(|(_, flag)| flag.load(Ordering::Relaxed))
            .map(|(name, _)| *name)
    }
}

/// The report, opened before the rights to it are given up. It is closed in the
/// program, which therefore cannot write to it.
struct Status(fs::File);

impl Status {
    fn open(path: &Path) -> Result<Self, SetupError> {
        let file = fs::File::create(path).doing("open the report")?;
        Ok(Self(file))
    }

    /// Values may come from the program: a line break would be another line.
    fn line(&mut self, name: &str, value: &str) {
        let value: String = value.chars().filter(|one| !one.is_control()).collect();
        // On a full disk the exit code alone reports the end of the program.
        let _: io::Result<()> = writeln!(self.0, "{name} {value}");
    }
}
