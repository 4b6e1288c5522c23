//! One run of the test command, read as it goes by.

use std::path::Path;
use std::time::Duration;

use baton_host::cmd::{Cmd, CmdError, Finished, Outcome};
use baton_protocol::Language;
use baton_protocol::phase::testing_details::{AttemptScope, FactSource, TestAttempt};
use baton_protocol::report::{TestReport, UNKNOWN_FRAMEWORK};
use baton_report::Reader;
use baton_report::cases::{Case, CaseReader};

use super::Event;
use super::consistency;
use super::machine_report::MachineReport;
use super::selection;
use super::verbosity;
use super::verdict::{self, Verdict};
use crate::command_line::{self, exit_code, milliseconds};
use crate::context::Context;

pub(super) struct Task<'a> {
    pub(super) number: u64,
    pub(super) command: &'a str,
    pub(super) shown: String,
    pub(super) scope: AttemptScope,
    /// The whole argument list, where only some tests are run.
    pub(super) arguments: Option<Vec<String>>,
    /// Have the runner name every test, where it can be asked to.
    pub(super) lists_cases: bool,
    pub(super) limit_seconds: u64,
    pub(super) language: Option<Language>,
    pub(super) folder: &'a Path,
    pub(super) cx: &'a Context,
}

pub(super) struct Attempt {
    pub(super) verdict: Verdict,
    pub(super) exit_code: Option<i32>,
    pub(super) signal: Option<&'static str>,
    pub(super) framework: String,
    pub(super) timeout_seconds: u64,
    /// What was kept of the output.
    pub(super) output: String,
    /// The end of it.
    pub(super) tail: String,
    pub(super) record: TestAttempt,
    /// The tests that the runner named.
    pub(super) cases: Vec<Case>,
}

impl Attempt {
    /// It says that it counted nothing; Python's unittest may end with 5 then.
    pub(super) fn found_no_tests(&self) -> bool {
        let counts = self.record.counts;
        // Not known of a runner whose words are not understood.
        self.record.source != FactSource::ExitCode
            && matches!(self.exit_code, Some(0 | 5))
            && counts.run + counts.skipped + counts.failed + counts.errors == 0
    }

    /// Whether it can have run this many tests. A runner that does not find
    /// one of the names that it was given says nothing about that test, and
    /// some do not even complain.
    pub(super) fn ran_at_least(&self, count: usize) -> bool {
        self.record.counts.run >= count as u64 || self.verdict == Verdict::TimedOut
    }
}

pub(super) async fn run(task: Task<'_>) -> Result<Attempt, CmdError> {
    let machine = MachineReport::prepare(
        task.command,
        task.folder,
        &task.cx.environment,
        task.lists_cases,
    );
    let arguments = task.arguments.as_ref().or(machine.arguments());
    let environment = machine.shown_in(&task.cx.environment);
    let cmd = match arguments {
        // Names of tests come out of the runner's output, so they are
        // arguments and never part of a shell command.
        Some(words) => Cmd::new(&words[0], task.folder, &environment).args(&words[1..]),
        None => Cmd::shell(task.command, task.folder, &environment),
    };
    let verbose = verbosity::variables(task.language, &task.cx.environment);
    let cmd = machine
        .environment()
        .chain(&verbose)
        .fold(cmd, |cmd, (name, value)| cmd.env(name, value))
        .merged()
        .wall_limit(Duration::from_secs(task.limit_seconds));
    let mut reader = match selection::framework(task.command, task.folder) {
        Some(framework) => Reader::new().expecting(framework),
        None => Reader::new(),
    };
    let mut named = CaseReader::default();
    let finished = cmd
        .run_observed(&task.cx.cancel, &mut |chunk| {
            reader.feed(chunk.bytes);
            named.feed(chunk.bytes);
            task.cx.emit(Event::Output(chunk.bytes));
        })
        .await?;
    let text = reader.finish();
    let (report, source) = match machine.read(&text) {
        Some(report) => (report, FactSource::MachineReport),
        None if text.framework == UNKNOWN_FRAMEWORK => (text, FactSource::ExitCode),
        None => (text, FactSource::Text),
    };
    let is_unfinished = machine.is_missing();
    let listed = machine.cases();
    let cases = if listed.is_empty() {
        named.finish()
    } else {
        listed
    };
    let attempt = conclude(task, &finished, report, source, is_unfinished);
    Ok(Attempt { cases, ..attempt })
}

fn conclude(
    task: Task<'_>,
    finished: &Finished,
    mut report: TestReport,
    source: FactSource,
    is_unfinished: bool,
) -> Attempt {
    let output = finished.stdout.text();
    if finished.outcome == Outcome::Exited(0) && report.failures.is_empty() {
        consistency::add_contradictions(&mut report, &output, is_unfinished);
    }
    let tail = command_line::tail(&output);
    let verdict = verdict::judge(finished.outcome, &report, &tail, task.language);
    let is_silent = report
        .failures
        .iter()
        .all(|failure| failure.error.is_empty());
    Attempt {
        verdict,
        exit_code: exit_code(finished.outcome),
        signal: finished.outcome.signal(),
        framework: report.framework.clone(),
        timeout_seconds: task.limit_seconds,
        record: TestAttempt {
            number: task.number,
            scope: task.scope,
            command: task.shown,
            outcome: finished.outcome.to_string(),
            exit_code: exit_code(finished.outcome),
            duration_ms: milliseconds(finished.duration),
            timeout_seconds: task.limit_seconds,
            source,
            counts: report.counts,
            failures: report.failures,
            leaked: finished.leaked,
            output_tail: (verdict != Verdict::Passed && is_silent).then(|| tail.clone()),
        },
        output,
        tail,
        cases: Vec::new(),
    }
}
