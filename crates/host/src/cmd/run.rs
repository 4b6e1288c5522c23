//! Drives a child from its start to its end, within its limits.

use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use baton_sandbox::DiskGuard;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::group::{Ending, Group};
use super::pump::{Chunk, Feeder, Pump};
use super::record::Recorder;
use super::spawn::{Started, spawn};
use super::{Cmd, CmdError, Finished, Limit, Outcome};

/// How long a process that outlives the child may hold its output open before
/// it counts as leaked. Processes of a pipeline end some milliseconds apart; a
/// third of a second is far more than that and still short.
const LINGER: Duration = Duration::from_millis(300);

/// Between two looks at whether a group is gone, for which there is no event.
const FIRST_LOOK: Duration = Duration::from_millis(1);
const MAX_PAUSE: Duration = Duration::from_millis(50);

/// Between two looks at the disk. A fast one takes a gigabyte in a second.
const DISK_INTERVAL: Duration = Duration::from_millis(500);

pub(super) async fn run(
    cmd: &Cmd,
    cancel: &CancellationToken,
    input: Option<mpsc::Receiver<Vec<u8>>>,
    observer: &mut (dyn FnMut(Chunk<'_>) + Send),
) -> Result<Finished, CmdError> {
    if cancel.is_cancelled() {
        return Ok(Finished::never_started());
    }
    let begin = Instant::now();
    let confined = match cmd.environment.sandbox() {
        Some(sandbox) => Some(Box::new(sandbox.confine().map_err(|source| {
            CmdError::Spawn {
                program: cmd.displayed_program(),
                source,
            }
        })?)),
        None => None,
    };
    let Started {
        group,
        stdin,
        stdout,
        stderr,
    } = spawn(cmd, input.is_some(), confined.as_deref())?;
    tracing::debug!(
        program = %cmd.displayed_program(),
        args = %cmd.displayed_args().collect::<Vec<_>>().join(" "),
        cwd = %cmd.cwd.display(),
        "started a child"
    );

    let recorder = || {
        let folder = cmd.spill_folder.clone();
        Recorder::new(
            cmd.capture,
            folder.unwrap_or_else(|| cmd.environment.temporary_folder()),
        )
    };
    let mut driver = Driver {
        group,
        pump: Pump::new(
            Feeder::new(stdin, cmd.stdin.clone(), input),
            (Some(stdout), recorder()),
            (stderr, recorder()),
            observer,
        ),
    };
    let guard = confined.as_ref().map(|confined| &confined.guard);
    let stop = driver.until_stop(cmd, cancel, begin, guard).await;
    let finished = driver.finish(stop, cmd.grace, begin).await;
    tracing::debug!(
        program = %cmd.displayed_program(),
        duration_ms = finished.duration.as_millis(),
        outcome = %finished.outcome,
        leaked = finished.leaked,
        "a child is done"
    );
    if let Some(confined) = confined {
        if let Outcome::TimedOut {
            limit: Limit::Disk, ..
        } = finished.outcome
        {
            confined.add_incident(format!("{} {}", cmd.displayed_program(), finished.outcome));
        }
        confined.conclude(&describe(cmd), finished.outcome)?;
    }
    Ok(finished)
}

/// Why the driver stopped waiting for the child.
enum Stop {
    Exited,
    TimedOut { limit: Limit, after: Duration },
    Cancelled,
}

/// Owns the child for as long as it lives.
struct Driver<'a> {
    group: Group,
    pump: Pump<'a>,
}

impl Driver<'_> {
    async fn until_stop(
        &mut self,
        cmd: &Cmd,
        cancel: &CancellationToken,
        begin: Instant,
        guard: Option<&DiskGuard>,
    ) -> Stop {
        // Boxed: every future that runs a child contains this one.
        let mut disk = Box::pin(fills_disk(guard));
        let wall = async {
            match cmd.wall_limit {
                Some(limit) => {
                    sleep_until(begin + limit).await;
                    limit
                }
                None => std::future::pending().await,
            }
        };
        tokio::pin!(wall);
        let mut last_output = begin;
        let mut idle = cmd.idle_limit.map(|limit| (limit, Box::pin(sleep(limit))));

        loop {
            tokio::select! {
                biased;
                () = self.group.exited() => return Stop::Exited,
                () = cancel.cancelled() => return Stop::Cancelled,
                after = &mut wall => return Stop::TimedOut { limit: Limit::Wall, after },
                () = &mut disk => {
                    let after = begin.elapsed();
                    return Stop::TimedOut { limit: Limit::Disk, after };
                }
                Some(after) = idle_for(&mut idle) => {
                    // The timer is not moved at every chunk; it looks at the
                    // time of the last one when it fires.
                    let deadline = last_output + after;
                    if deadline <= Instant::now() {
                        return Stop::TimedOut { limit: Limit::Idle, after };
                    }
                    idle = Some((after, Box::pin(sleep_until(deadline))));
                }
                arrived = self.pump.arrived() => {
                    self.pump.absorb(arrived).await;
                    last_output = Instant::now();
                }
            }
        }
    }

    async fn finish(mut self, stop: Stop, grace: Duration, begin: Instant) -> Finished {
        let leaked = match stop {
            Stop::Exited => {
                let leaked = !self.until_gone(LINGER).await;
                if leaked {
                    self.end(Ending::Group, grace).await;
                }
                leaked
            }
            Stop::TimedOut { .. } | Stop::Cancelled => {
                self.end(Ending::Everything, grace).await;
                false
            }
        };
        let outcome = match stop {
            Stop::Exited => exit_of(&mut self.group),
            Stop::TimedOut { limit, after } => Outcome::TimedOut { limit, after },
            Stop::Cancelled => Outcome::Cancelled,
        };
        self.group.release();
        let (stdout, stderr) = self.pump.finish();
        Finished {
            outcome,
            duration: begin.elapsed(),
            stdout,
            stderr,
            leaked,
        }
    }

    /// Asks politely, waits, and then does not ask.
    async fn end(&mut self, ending: Ending, grace: Duration) {
        self.group.terminate(ending).await;
        if !self.until_gone(grace).await {
            self.group.kill(ending).await;
            self.until_gone(LINGER).await;
        }
    }

    /// Drains the pipes until they are closed and no process is left, or until
    /// the time is over. Returns whether all are gone.
    async fn until_gone(&mut self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut pause = FIRST_LOOK;
        loop {
            if self.pump.is_drained() && self.group.is_gone().await {
                return true;
            }
            tokio::select! {
                biased;
                () = sleep_until(deadline) => return false,
                arrived = self.pump.arrived() => self.pump.absorb(arrived).await,
                () = sleep(pause) => pause = (pause * 2).min(MAX_PAUSE),
            }
        }
    }
}

/// Ends when the child has filled the disk.
async fn fills_disk(guard: Option<&DiskGuard>) {
    let Some(guard) = guard else {
        return std::future::pending().await;
    };
    loop {
        sleep(DISK_INTERVAL).await;
        let guard = guard.clone();
        let excess = tokio::task::spawn_blocking(move || guard.excess()).await;
        if excess.is_ok_and(|excess| excess.is_some()) {
            return;
        }
    }
}

/// A short name of a command, for messages about it.
fn describe(cmd: &Cmd) -> String {
    const MAX_LEN: usize = 80;
    let line = match cmd.args.as_slice() {
        // The shell is less helpful than its command.
        [flag, command] if flag.value == "-c" => {
            let command = command.value.to_string_lossy();
            cmd.redactor.redact(&command).into_owned()
        }
        _ => cmd.displayed_program(),
    };
    format!("`{}`", &line[..line.floor_char_boundary(MAX_LEN)])
}

async fn idle_for(
    idle: &mut Option<(Duration, std::pin::Pin<Box<tokio::time::Sleep>>)>,
) -> Option<Duration> {
    match idle {
        Some((limit, timer)) => {
            timer.await;
            Some(*limit)
        }
        None => None,
    }
}

pub(super) fn exit_of(group: &mut Group) -> Outcome {
    let status = group.status();
    match (status.code(), status.signal()) {
        (Some(code), _) => Outcome::Exited(code),
        (None, Some(signal)) => Outcome::Signalled(signal),
        (None, None) => unreachable!("a process that is done either exited or was signalled"),
    }
}
