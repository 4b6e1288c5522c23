//! Agents driven by their own command lines: one file each, with how to call the
//! program and how to parse its output.

mod aider;
mod claude;
mod codex;
mod gemini;
mod goose;
mod opencode;

use baton_host::Cmd;
use baton_host::cmd::{Finished, Outcome, Stream};

use super::lines::Lines;
use super::raw_log::RawLog;
use super::session::{Life, Session};
use super::transcript::Transcript;
use super::{AgentError, Assignment, Role};
use crate::random::random;
use crate::steps::StepContext;

/// An agent whose command line is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preset {
    Claude,
    Codex,
    Gemini,
    Goose,
    OpenCode,
    Aider,
}

/// How to call an agent. The prompt goes to its standard input, which has no size
/// limit and is not visible to other processes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Call {
    args: Vec<String>,
    env: Vec<(&'static str, &'static str)>,
    /// The id of the new session, where we may choose it.
    session: Option<String>,
}

impl Call {
    fn new(args: &[&str]) -> Self {
        Self {
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            ..Self::default()
        }
    }

    fn with(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(|&arg| arg.to_owned()));
        self
    }
}

impl Preset {
    /// `is_sandboxed`: the program is restricted from outside already.
    fn call(self, role: Role, earlier: Option<&str>, is_sandboxed: bool) -> Call {
        match self {
            Self::Claude => claude::call(role, earlier),
            Self::Codex => codex::call(role, earlier, is_sandboxed),
            Self::Gemini => gemini::call(role, earlier),
            Self::Goose => goose::call(role),
            Self::OpenCode => opencode::call(role, earlier),
            Self::Aider => aider::call(role),
        }
    }

    /// Whether a session can be resumed by its id.
    pub(super) fn can_resume(self) -> bool {
        match self {
            Self::Claude | Self::Codex | Self::Gemini | Self::OpenCode => true,
            Self::Goose | Self::Aider => false,
        }
    }

    /// Parses one line of the agent's output.
    fn read(self, line: &[u8], transcript: &mut Transcript) {
        if self == Self::Aider {
            return aider::read(&String::from_utf8_lossy(line), transcript);
        }
        // Lines that are not JSON are for people.
        let Ok(event) = serde_json::from_slice(line) else {
            return;
        };
        match self {
            Self::Claude => claude::read(&event, transcript),
            Self::Codex => codex::read(&event, transcript),
            Self::Gemini => gemini::read(&event, transcript),
            Self::Goose => goose::read(&event, transcript),
            Self::OpenCode => opencode::read(&event, transcript),
            Self::Aider => {}
        }
    }
}

pub(super) async fn run(
    preset: Preset,
    cmd: Cmd,
    assignment: &Assignment<'_>,
    session: Session,
    context: &StepContext,
    log: &mut RawLog,
    transcript: &mut Transcript,
) -> Result<Finished, AgentError> {
    let earlier = session.earlier.as_deref();
    let call = preset.call(assignment.role, earlier, cmd.is_sandboxed());
    if let Some(id) = call.session.as_deref().or(session.earlier.as_deref()) {
        session.keep(id, Life::Outlives, context).await?;
        transcript.session = Some(id.to_owned());
    }
    let cmd = call
        .env
        .iter()
        .fold(cmd.args(&call.args), |cmd, (name, value)| {
            cmd.env(*name, *value)
        });
    let cmd = cmd.stdin(assignment.prompt.as_bytes());
    let mut lines = Lines::default();
    let known = transcript.session.clone();
    let finished = cmd
        .run_observed(&context.cancel, &mut |chunk| {
            log.push(chunk.bytes);
            context.tick();
            if chunk.stream == Stream::Stdout {
                lines.push(chunk.bytes, |line| preset.read(line, transcript));
                if let Some(activity) = transcript.activity.take() {
                    context.say(&activity);
                }
            }
        })
        .await?;
    lines.finish(|line| preset.read(line, transcript));
    if assignment.only_resume
        && transcript.usage.turns == 0
        && finished.outcome != Outcome::Exited(0)
    {
        // It exited before it did anything: the session no longer exists.
        session.forget(context).await?;
        return Err(AgentError::SessionLost);
    }
    // Some agents report their session id only once it has started.
    if let Some(id) = transcript
        .session
        .as_deref()
        .filter(|_| transcript.session != known)
    {
        session.keep(id, Life::Outlives, context).await?;
    }
    Ok(finished)
}

/// An id in the form of a random UUID.
fn new_session() -> String {
    let (one, two) = (random(), random());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        one >> 32,
        (one >> 16) & 0xffff,
        one & 0xfff,
        0x8000 | ((two >> 48) & 0x3fff),
        two & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &[Preset] = &[
        Preset::Claude,
        Preset::Codex,
        Preset::Gemini,
        Preset::Goose,
        Preset::OpenCode,
        Preset::Aider,
    ];

    #[test]
    fn each_is_called_without_a_person_and_by_role() {
        let mut lines = Vec::new();
        for preset in ALL {
            for (role, earlier) in [
                (Role::Writer, None),
                (Role::Writer, Some("s-1")),
                (Role::Reader, None),
            ] {
                let mut call = preset.call(role, earlier, false);
                if let Some(id) = call.session.take() {
                    for arg in call.args.iter_mut().filter(|arg| **arg == id) {
                        "NEW".clone_into(arg);
                    }
                }
                let env = call
                    .env
                    .iter()
                    .map(|(name, value)| format!("{name}={value} "));
                let env: String = env.collect();
                lines.push(format!("{preset:?}: {env}{}", call.args.join(" ")));
            }
        }
        insta::assert_snapshot!(lines.join("\n"), @"
        Claude: -p --output-format stream-json --verbose --permission-mode acceptEdits --session-id NEW
        Claude: -p --output-format stream-json --verbose --permission-mode acceptEdits --resume s-1
        Claude: -p --output-format stream-json --verbose --permission-mode plan --session-id NEW
        Codex: exec --json -s workspace-write -
        Codex: exec --json -s workspace-write resume s-1 -
        Codex: exec --json -s read-only -
        Gemini: -o stream-json --skip-trust --approval-mode yolo
        Gemini: -o stream-json --skip-trust --approval-mode yolo --resume s-1
        Gemini: -o stream-json --skip-trust --approval-mode plan
        Goose: GOOSE_MODE=auto run --no-session --output-format stream-json -i -
        Goose: GOOSE_MODE=auto run --no-session --output-format stream-json -i -
        Goose: GOOSE_MODE=chat run --no-session --output-format stream-json -i -
        OpenCode: run --format json --agent build
        OpenCode: run --format json --agent build --session s-1
        OpenCode: run --format json --agent plan
        Aider: --yes-always --no-stream --no-pretty --no-check-update --no-analytics --message-file /dev/stdin --no-auto-commits
        Aider: --yes-always --no-stream --no-pretty --no-check-update --no-analytics --message-file /dev/stdin --no-auto-commits
        Aider: --yes-always --no-stream --no-pretty --no-check-update --no-analytics --message-file /dev/stdin --dry-run --chat-mode ask
        ");
    }

    #[test]
    fn codex_brings_no_sandbox_into_one() {
        let call = Preset::Codex.call(Role::Reader, None, true);
        assert_eq!(call.args.join(" "), "exec --json -s danger-full-access -");
    }

    #[test]
    fn whatever_they_print_is_read_without_harm() {
        for preset in ALL {
            let mut transcript = Transcript::default();
            for line in [
                &b"not json"[..],
                b"{",
                b"null",
                b"[]",
                b"{\"type\":\"result\"}",
                b"{\"type\":7,\"usage\":{\"input_tokens\":-1}}",
                b"{\"type\":\"message\",\"message\":{\"content\":[{\"type\":\"text\"}]}}",
                b"\xff\xfe",
            ] {
                preset.read(line, &mut transcript);
            }
        }
    }

    fn transcript(preset: Preset, lines: &[&str]) -> String {
        let mut transcript = Transcript::default();
        for line in lines {
            preset.read(line.as_bytes(), &mut transcript);
        }
        let usage = transcript.usage;
        format!(
            "{preset:?}: session {:?}, {} turns, {} in, {} out, {} µ$, done {}, error {:?}, said {:?}",
            transcript.session,
            usage.turns,
            usage.input_tokens,
            usage.output_tokens,
            usage.cost_micros,
            transcript.is_done,
            transcript.error,
            transcript.message
        )
    }

    #[test]
    fn usage_cost_and_session_are_taken_from_what_they_print() {
        let all = [
            transcript(
                Preset::Claude,
                &[
                    r#"{"type":"system","subtype":"init","session_id":"s-1"}"#,
                    r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Working"}]}}"#,
                    r#"{"type":"result","is_error":false,"num_turns":3,"total_cost_usd":0.0123,"usage":{"input_tokens":100,"output_tokens":20},"result":"Done","session_id":"s-1"}"#,
                ],
            ),
            transcript(
                Preset::Codex,
                &[
                    r#"{"type":"thread.started","thread_id":"t-1"}"#,
                    r#"{"type":"item.completed","item":{"type":"agent_message","text":"Done"}}"#,
                    r#"{"type":"turn.completed","usage":{"input_tokens":50,"output_tokens":5}}"#,
                ],
            ),
            transcript(
                Preset::Codex,
                &[r#"{"type":"turn.failed","error":{"message":"401 Unauthorized"}}"#],
            ),
            transcript(
                Preset::Gemini,
                &[
                    r#"{"type":"init","session_id":"g-1","model":"m"}"#,
                    r#"{"type":"message","role":"assistant","content":"Do","delta":true}"#,
                    r#"{"type":"message","role":"assistant","content":"ne","delta":true}"#,
                    r#"{"type":"result","status":"success","stats":{"input_tokens":7,"output_tokens":2}}"#,
                ],
            ),
            transcript(
                Preset::Goose,
                &[
                    r#"{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"Done"}]}}"#,
                    r#"{"type":"complete","total_tokens":120}"#,
                ],
            ),
            transcript(
                Preset::OpenCode,
                &[
                    r#"{"type":"step_start","sessionID":"o-1"}"#,
                    r#"{"type":"text","part":{"text":"Done"}}"#,
                    r#"{"type":"step_finish","part":{"cost":0.5,"tokens":{"input":9,"output":1}}}"#,
                    r#"{"type":"step_finish","part":{"cost":0.25,"tokens":{"input":1,"output":1}}}"#,
                ],
            ),
            transcript(
                Preset::Aider,
                &[
                    "Applied edit to src/login.rs",
                    "Tokens: 1.2k sent, 300 received. Cost: $0.01 message, $0.02 session.",
                ],
            ),
        ];
        insta::assert_snapshot!(all.join("\n"), @r#"
        Claude: session Some("s-1"), 3 turns, 100 in, 20 out, 12300 µ$, done true, error None, said "Working\nDone"
        Codex: session Some("t-1"), 1 turns, 50 in, 5 out, 0 µ$, done true, error None, said "Done"
        Codex: session None, 0 turns, 0 in, 0 out, 0 µ$, done false, error Some("401 Unauthorized"), said ""
        Gemini: session Some("g-1"), 1 turns, 7 in, 2 out, 0 µ$, done true, error None, said "Done"
        Goose: session None, 1 turns, 0 in, 120 out, 0 µ$, done true, error None, said "Done"
        OpenCode: session Some("o-1"), 2 turns, 10 in, 2 out, 750000 µ$, done true, error None, said "Done"
        Aider: session None, 1 turns, 1200 in, 300 out, 20000 µ$, done false, error None, said "Applied edit to src/login.rs\nTokens: 1.2k sent, 300 received. Cost: $0.01 message, $0.02 session."
        "#);
    }

    #[test]
    fn a_session_of_ours_looks_like_a_uuid() {
        let id = new_session();
        let parts: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12], "{id}");
        assert_ne!(id, new_session());
    }
}
