//! The Agent Client Protocol, version 1: JSON-RPC, a line per message.
//!
//! Of the protocol's some fifty messages, one piece of work takes seven. They
//! are written here rather than taken from the SDK, which would start and end
//! the process by itself and read lines of any length.

mod dialogue;
mod peer;
mod permission;

use std::time::Duration;

use baton_host::Cmd;
use baton_host::cmd::{Finished, Stream};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::lines::Lines;
use super::raw_log::RawLog;
use super::session::Session;
use super::transcript::Transcript;
use super::{AgentError, Assignment};
use crate::steps::StepContext;

use dialogue::Dialogue;
use peer::Peer;

/// Messages that wait to be read. They are read as they come; an agent that sends
/// faster is flooding.
const WAITING: usize = 10_000;

/// How long an agent may take to exit after its final response.
const FAREWELL: Duration = Duration::from_secs(2);

pub(super) async fn run(
    cmd: Cmd,
    assignment: &Assignment<'_>,
    session: Session,
    context: &StepContext,
    log: &mut RawLog,
    transcript: &mut Transcript,
) -> Result<Finished, AgentError> {
    let (to_agent, input) = mpsc::channel(16);
    let (arrived, from_agent) = mpsc::channel(WAITING);
    let stop = CancellationToken::new();
    let mut intake = Intake {
        lines: Lines::default(),
        arrived: Some(arrived),
        flooded: false,
    };
    let mut observer = |chunk: baton_host::cmd::Chunk<'_>| {
        log.push(chunk.bytes);
        context.tick();
        if chunk.stream == Stream::Stdout {
            intake.take(chunk.bytes, &stop);
        }
    };
    let dialogue = Dialogue {
        peer: Peer::new(to_agent, from_agent),
        assignment,
        session,
        context,
        transcript,
    };
    let finished = {
        let mut child = Box::pin(cmd.converse(&stop, input, &mut observer));
        let mut talk = Box::pin(dialogue.hold());
        tokio::select! {
            finished = &mut child => {
                // Its final messages may still be unread.
                drop(child);
                intake.arrived = None;
                talk.await?;
                finished?
            }
            outcome = &mut talk => {
                outcome?;
                // The end of its input asks it to exit; some agents ignore that.
                if let Ok(finished) = timeout(FAREWELL, &mut child).await {
                    finished?
                } else {
                    stop.cancel();
                    child.await?
                }
            }
        }
    };
    if intake.flooded {
        transcript.set_error("it sends more than anyone can read");
    }
    Ok(finished)
}

struct Intake {
    lines: Lines,
    arrived: Option<mpsc::Sender<Vec<u8>>>,
    flooded: bool,
}

impl Intake {
    fn take(&mut self, bytes: &[u8], stop: &CancellationToken) {
        let Self {
            lines,
            arrived,
            flooded,
        } = self;
        lines.push(bytes, |line| {
            let Some(waiting) = arrived.as_ref().filter(|_| !line.is_empty()) else {
                return;
            };
            if let Err(mpsc::error::TrySendError::Full(_)) = waiting.try_send(line.to_vec()) {
                *flooded = true;
                *arrived = None;
                stop.cancel();
            }
        });
    }
}
