//! Any command: the prompt on its standard input, what it says on its output.

use baton_host::Cmd;
use baton_host::cmd::Finished;

use super::heard::Heard;
use super::lines::Lines;
use super::raw_log::RawLog;
use super::{AgentError, Assignment};
use crate::steps::StepContext;

pub(super) async fn run(
    cmd: Cmd,
    assignment: &Assignment<'_>,
    context: &StepContext,
    log: &mut RawLog,
    heard: &mut Heard,
) -> Result<Finished, AgentError> {
    let cmd = cmd
        .env("BATON_KEY", context.key().as_str())
        .stdin(assignment.prompt.as_bytes());
    let mut lines = Lines::default();
    let finished = cmd
        .run_observed(&context.cancel, &mut |chunk| {
            log.push(chunk.bytes);
            context.tick();
            lines.push(chunk.bytes, |line| {
                heard.says_anew(&String::from_utf8_lossy(line));
                if let Some(activity) = heard.activity.take() {
                    context.say(&activity);
                }
            });
        })
        .await?;
    lines.finish(|line| heard.says_anew(&String::from_utf8_lossy(line)));
    Ok(finished)
}
