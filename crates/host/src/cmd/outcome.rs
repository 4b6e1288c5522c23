//! How a child ended.

use std::fmt;
use std::time::Duration;

use super::Capture;

/// A child that ran and is gone, with everything it started in its group.
#[derive(Debug)]
pub struct Finished {
    pub outcome: Outcome,
    pub duration: Duration,
    /// Standard output; with [`merged`](super::Cmd::merged), both streams.
    pub stdout: Capture,
    /// Standard error; with [`merged`](super::Cmd::merged), empty.
    pub stderr: Capture,
    /// The child was done, but a process it had started was not, and was ended.
    pub leaked: bool,
}

impl Finished {
    pub fn success(&self) -> bool {
        self.outcome == Outcome::Exited(0)
    }

    /// What is left of a child that was cancelled before it was started.
    pub(super) fn never_started() -> Self {
        Self {
            outcome: Outcome::Cancelled,
            duration: Duration::ZERO,
            stdout: Capture::default(),
            stderr: Capture::default(),
            leaked: false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Exited(i32),
    /// Ended by a signal that was not ours.
    Signalled(i32),
    TimedOut {
        limit: Limit,
        after: Duration,
    },
    Cancelled,
}

/// Which limit was exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    Wall,
    Idle,
    /// Of the room on the disk; only children of a sandbox have it.
    Disk,
}

/// What a shell's exit code means for the command it was given. It is a
/// convention, not a proof: a program may use these codes for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellVerdict {
    /// 127: there is no such command.
    NotFound,
    /// 126: the command is there and cannot be executed.
    NotExecutable,
    /// 128 + n: the command was ended by signal n.
    Signalled(i32),
}

impl Outcome {
    /// The signal that ended the program itself, or the command of a shell.
    pub fn signal(self) -> Option<&'static str> {
        match (self, self.shell_verdict()) {
            (Self::Signalled(signal), _) | (_, Some(ShellVerdict::Signalled(signal))) => {
                signal_name(signal)
            }
            _ => None,
        }
    }

    /// Reads the exit code of a [`Cmd::shell`](super::Cmd::shell).
    pub fn shell_verdict(self) -> Option<ShellVerdict> {
        match self {
            Self::Exited(127) => Some(ShellVerdict::NotFound),
            Self::Exited(126) => Some(ShellVerdict::NotExecutable),
            // Linux has 64 signals.
            Self::Exited(code @ 129..=192) => Some(ShellVerdict::Signalled(code - 128)),
            Self::Exited(_) | Self::Signalled(_) | Self::TimedOut { .. } | Self::Cancelled => None,
        }
    }
}

/// The name of a signal that ends a program which did not ask for it.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return None,
    })
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exited with code {code}"),
            Self::Signalled(signal) => match signal_name(*signal) {
                Some(name) => write!(f, "was ended by {name} (signal {signal})"),
                None => write!(f, "was ended by signal {signal}"),
            },
            Self::TimedOut {
                limit: Limit::Wall,
                after,
            } => write!(f, "was ended after {after:?}, its time limit"),
            Self::TimedOut {
                limit: Limit::Idle,
                after,
            } => write!(f, "was ended after {after:?} without output"),
            Self::TimedOut {
                limit: Limit::Disk, ..
            } => write!(f, "was ended because it filled the disk"),
            Self::Cancelled => write!(f, "was cancelled"),
        }
    }
}
