//! One run of a formatter, linter or build.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use baton_host::cmd::{CaptureLimits, Cmd, CmdError, Finished, Outcome, ShellVerdict};
use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity};
use baton_protocol::phase::validation_details::{AttemptPurpose, ToolAttempt};
use baton_report::diagnostics::{self, Output};
use tokio_util::sync::CancellationToken;

use super::autofix;
use super::tool::{Invocation, Run};
use super::{Check, Event};
use crate::command_line::{self, exit_code, milliseconds};
use crate::context::Context;

/// What it takes to run a tool.
#[derive(Clone, Copy)]
pub(super) struct Bench<'a> {
    pub(super) check: Check,
    pub(super) folder: &'a Path,
    pub(super) cx: &'a Context,
    pub(super) cancel: &'a CancellationToken,
    pub(super) limit: Duration,
}

pub(super) struct Attempt {
    pub(super) verdict: Verdict,
    /// As they stand in the phase's output.
    pub(super) issues: Vec<String>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) record: ToolAttempt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Passed,
    Failed,
    /// The program, or what it was to run, is not there.
    Missing,
    TimedOut,
    Cancelled,
    NotPermitted,
}

/// Documents for machines are long, and are read whole.
const CAPTURED: CaptureLimits = CaptureLimits {
    head: 4 << 20,
    tail: 16 << 20,
    spill: 0,
};

pub(super) async fn run(
    bench: Bench<'_>,
    invocation: &Invocation,
    what: &Run,
    purpose: AttemptPurpose,
) -> Attempt {
    let (cmd, shown) = match what {
        Run::Shell(command) => (
            Cmd::shell(command, bench.folder, &bench.cx.environment),
            command.clone(),
        ),
        Run::Words(words) => (
            Cmd::new(&words[0], bench.folder, &bench.cx.environment).args(&words[1..]),
            command_line::shown(words),
        ),
        Run::NothingToDo => return nothing_to_do(invocation, purpose, bench.limit),
    };
    let cmd = quiet_variables(&shown)
        .into_iter()
        .fold(cmd, |cmd, (name, value)| cmd.env(name, value))
        .capture(CAPTURED)
        .wall_limit(bench.limit);
    let ran = cmd
        .run_observed(bench.cancel, &mut |chunk| {
            bench.cx.emit(Event::Output {
                check: bench.check,
                bytes: chunk.bytes,
            });
        })
        .await;
    let record = |outcome: String, code, duration| ToolAttempt {
        purpose,
        command: shown.clone(),
        outcome,
        exit_code: code,
        duration_ms: milliseconds(duration),
        timeout_seconds: bench.limit.as_secs(),
        diagnostics: 0,
        output_tail: None,
    };
    match ran {
        Ok(finished) => {
            let outcome = finished.outcome;
            let record = record(outcome.to_string(), exit_code(outcome), finished.duration);
            conclude(bench, invocation, &finished, record)
        }
        Err(error) => {
            // Of a shell, 127 says it; of a program of our own choosing, this.
            let told = error.to_string();
            Attempt {
                verdict: if matches!(error, CmdError::NotFound { .. }) {
                    Verdict::Missing
                } else {
                    Verdict::NotPermitted
                },
                issues: vec![told.clone()],
                diagnostics: Vec::new(),
                record: record(told, None, Duration::ZERO),
            }
        }
    }
}

/// Colours mean nothing here, and nothing is fetched from the network to be
/// run: `npx` would do both.
fn quiet_variables(shown: &str) -> Vec<(&'static str, OsString)> {
    let mut variables = vec![("NO_COLOR", "1".into()), ("CLICOLOR_FORCE", "0".into())];
    if shown.starts_with("npx ") {
        variables.push(("npm_config_offline", "true".into()));
    }
    variables
}

fn nothing_to_do(invocation: &Invocation, purpose: AttemptPurpose, limit: Duration) -> Attempt {
    Attempt {
        verdict: Verdict::Passed,
        issues: Vec::new(),
        diagnostics: Vec::new(),
        record: ToolAttempt {
            purpose,
            command: invocation.command.clone(),
            outcome: "was not run: none of the changed files is its affair".to_owned(),
            exit_code: None,
            duration_ms: 0,
            timeout_seconds: limit.as_secs(),
            diagnostics: 0,
            output_tail: None,
        },
    }
}

fn conclude(
    bench: Bench<'_>,
    invocation: &Invocation,
    finished: &Finished,
    mut record: ToolAttempt,
) -> Attempt {
    let (stdout, stderr) = (finished.stdout.text(), finished.stderr.text());
    let output = Output::new(stdout.as_bytes(), stderr.as_bytes());
    let mut diagnostics = diagnostics::read(invocation.tool, &output);
    for diagnostic in &mut diagnostics {
        relate(diagnostic, bench.folder);
    }
    record.diagnostics = diagnostics.len() as u64;
    let tail = command_line::tail(&both(&stdout, &stderr));
    let verdict = judge(finished.outcome, &tail, &diagnostics);
    if verdict != Verdict::Passed && diagnostics.is_empty() {
        record.output_tail = Some(tail.clone());
    }
    let issues = match verdict {
        Verdict::Passed => Vec::new(),
        Verdict::Failed => issues(&diagnostics, invocation, finished.outcome, &tail),
        Verdict::Missing | Verdict::TimedOut | Verdict::Cancelled | Verdict::NotPermitted => {
            let next = match verdict {
                Verdict::TimedOut => format!(
                    "; raise it with `--timeout SECONDS`, or give a quicker `{}`",
                    autofix::field_of(bench.check)
                ),
                _ => String::new(),
            };
            vec![format!(
                "`{}` {}{next}{}",
                invocation.command,
                finished.outcome,
                last_words(&tail)
            )]
        }
    };
    Attempt {
        verdict,
        issues,
        diagnostics,
        record,
    }
}

fn both(stdout: &str, stderr: &str) -> String {
    match (stdout.trim(), stderr.trim()) {
        ("", stderr) => stderr.to_owned(),
        (stdout, "") => stdout.to_owned(),
        (stdout, stderr) => format!("{stdout}\n{stderr}"),
    }
}

fn judge(outcome: Outcome, tail: &str, diagnostics: &[Diagnostic]) -> Verdict {
    match outcome {
        Outcome::Exited(0) => return Verdict::Passed,
        Outcome::TimedOut { .. } => return Verdict::TimedOut,
        Outcome::Cancelled => return Verdict::Cancelled,
        Outcome::Exited(_) | Outcome::Signalled(_) => {}
    }
    match outcome.shell_verdict() {
        Some(ShellVerdict::NotFound) => Verdict::Missing,
        Some(ShellVerdict::NotExecutable) => Verdict::NotPermitted,
        _ if diagnostics.iter().all(|told| told.file.is_none()) && is_missing_within(tail) => {
            Verdict::Missing
        }
        _ => Verdict::Failed,
    }
}

/// The program is there, but what it was to run is not.
fn is_missing_within(tail: &str) -> bool {
    tail.lines().any(|line| {
        let line = line.trim();
        line.contains(": No module named ")
            || line.starts_with("error: no such command: `")
            || line.contains("is not installed for the toolchain")
            || line.contains("npm error code ENOTCACHED")
            || line.contains("npm error could not determine executable")
            || line.contains("npm error Missing script: ")
            || line.contains("npx canceled due to missing packages")
            || line.starts_with("bundler: command not found: ")
            || line.starts_with("Could not find command \"")
            || line.starts_with("[ERROR] No plugin found for prefix '")
            || (line.starts_with("Task '") && line.contains("' not found in "))
    })
}

/// The errors; the warnings where nothing worse failed it; and what was said
/// last where nothing was understood.
fn issues(
    diagnostics: &[Diagnostic],
    invocation: &Invocation,
    outcome: Outcome,
    tail: &str,
) -> Vec<String> {
    let blamed = blamed(diagnostics);
    if blamed.is_empty() {
        return vec![format!(
            "`{}` {outcome}{}",
            invocation.command,
            last_words(tail)
        )];
    }
    blamed.into_iter().map(ToString::to_string).collect()
}

/// What a failed run failed for.
pub(super) fn blamed(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let worst = diagnostics
        .iter()
        .map(|diagnostic| diagnostic.severity)
        .max();
    let enough = match worst {
        Some(DiagnosticSeverity::Error) => DiagnosticSeverity::Error,
        _ => DiagnosticSeverity::Note,
    };
    diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity >= enough)
        .collect()
}

fn last_words(tail: &str) -> String {
    const LINES: usize = 12;
    let lines: Vec<&str> = tail
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let start = lines.len().saturating_sub(LINES);
    format!(": {}", lines[start..].join("\n"))
}

/// Names files as the project's own people do.
fn relate(diagnostic: &mut Diagnostic, folder: &Path) {
    let Some(file) = &diagnostic.file else {
        return;
    };
    let path = Path::new(file);
    let real = folder.canonicalize();
    let inner = path
        .strip_prefix(folder)
        .ok()
        .or_else(|| path.strip_prefix(real.as_ref().ok()?).ok());
    diagnostic.file = Some(match inner {
        Some(inner) => inner.to_string_lossy().into_owned(),
        None => file.strip_prefix("./").unwrap_or(file).to_owned(),
    });
}
