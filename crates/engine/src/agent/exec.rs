//! Runs any command as an agent: the prompt on its standard input, its answer on
//! its output.

use baton_host::Cmd;
use baton_host::cmd::Finished;

use super::raw_log::RawLog;
use super::{AgentError, Assignment};
use crate::steps::StepContext;

pub(super) async fn run(
    cmd: Cmd,
    assignment: &Assignment<'_>,
    context: &StepContext,
    log: &mut RawLog,
) -> Result<Finished, AgentError> {
    let cmd = cmd
        .env("BATON_KEY", context.key().as_str())
        .stdin(assignment.prompt.as_bytes());
    let finished = cmd
        .run_observed(&context.cancel, &mut |chunk| {
            log.push(chunk.bytes);
            context.tick();
            if let Some(line) = last_line(chunk.bytes) {
                context.say(&line);
            }
        })
        .await?;
    Ok(finished)
}

/// The last non-empty line: what the command does now.
fn last_line(bytes: &[u8]) -> Option<String> {
    let mut lines = bytes.rsplit(|&byte| byte == b'\n');
    let line = lines.find(|line| !line.trim_ascii().is_empty())?;
    Some(String::from_utf8_lossy(line.trim_ascii()).into_owned())
}
