//! A child whose input and output are streamed.

use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::group::{Ending, Group};
use super::run::exit_of;
use super::spawn::{Started, spawn};
use super::{Cmd, CmdError, Outcome};

/// As much of standard error as explains a failure.
const KEPT_COMPLAINTS: u64 = 64 * 1024;

/// A process that left the group may keep the pipe open for long; its later
/// output is not about this child.
const LINGER: Duration = Duration::from_millis(300);

/// A child whose input and output are passed on while it runs, so that neither
/// has to fit into memory. Dropping it ends the child and its group.
///
/// Limits and captures of the [`Cmd`] do not apply: the caller that moves the
/// bytes decides how long that may take.
pub struct Streamed {
    /// Dropped by the caller at the end of the input.
    pub stdin: Option<Sender>,
    pub stdout: Receiver,
    pub ending: StreamedEnding,
}

/// The rest of a [`Streamed`] child: its end.
pub struct StreamedEnding {
    group: Group,
    stderr: JoinHandle<String>,
}

impl Cmd {
    /// Starts the child and hands out its pipes.
    pub fn start_streamed(&self) -> Result<Streamed, CmdError> {
        let mut cmd = self.clone();
        cmd.merged = false;
        let Started {
            group,
            stdin,
            stdout,
            stderr,
        } = spawn(&cmd, true, None)?;
        tracing::debug!(command = %self, cwd = %self.cwd.display(), "started a streamed child");
        Ok(Streamed {
            stdin,
            stdout,
            ending: StreamedEnding {
                group,
                stderr: tokio::spawn(read_stderr(stderr)),
            },
        })
    }
}

impl StreamedEnding {
    /// Waits for the child, ends what is left of its group, and returns its
    /// standard error.
    pub async fn wait(mut self) -> (Outcome, String) {
        self.group.exited().await;
        let outcome = exit_of(&mut self.group);
        if !self.group.is_gone().await {
            self.group.kill(Ending::Group).await;
        }
        self.group.release();
        let Ok(stderr) = timeout(LINGER, &mut self.stderr).await else {
            self.stderr.abort();
            return (outcome, String::new());
        };
        (outcome, stderr.unwrap_or_default())
    }
}

/// Reads all of it, so that the child never waits, and keeps the beginning.
async fn read_stderr(pipe: Option<Receiver>) -> String {
    let Some(mut pipe) = pipe else {
        return String::new();
    };
    let mut kept = Vec::new();
    let mut head = (&mut pipe).take(KEPT_COMPLAINTS);
    // Output that cannot be read is left out.
    let _ = head.read_to_end(&mut kept).await;
    let _ = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&kept).into_owned()
}
