//! The output of `get_failing_tests`, for people.

use baton_protocol::Confidence;
use baton_protocol::tools::get_failing_tests::{
    CiFailure, CiStatus, FailureSource, FailureVerdict, GetFailingTestsOutput, Reproduction,
};
use serde_json::Value;

use super::View;
use super::phrases::{lasting, when};
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style};

/// Of an error. More is behind the link.
const MAX_LINES: usize = 20;

impl View for GetFailingTestsOutput {
    fn show(&self, page: &mut Page) {
        let (style, word) = status(self.status);
        page.line(
            0,
            Line::new()
                .styled(Style::Heading, &self.pr)
                .text("  ")
                .styled(style, word)
                .text(format!("  {}", self.instructions.summary)),
        );
        if let Some(line) = run(self) {
            page.line(0, Line::new().styled(Style::Dim, line));
        }
        if let Some(message) = &self.message
            && *message != self.instructions.summary
        {
            page.line(0, message);
        }
        for failure in &self.failures {
            page.gap();
            show_failure(failure, page);
        }
        show_priority(self, page);
        if let Some(poll) = &self.poll_info {
            page.gap();
            page.line(0, Line::new().styled(Style::Doubtful, &poll.message));
        }
    }

    /// A caller that waits wants to know that all passed, and not that it has not
    /// failed so far.
    fn exit(&self, input: &Value) -> Exit {
        let unfinished = matches!(self.status, CiStatus::Pending | CiStatus::Running);
        let waited = input["wait"] == true;
        if self.status == CiStatus::Failed || !self.failures.is_empty() || (waited && unfinished) {
            Exit::Failed
        } else {
            Exit::Done
        }
    }

    fn next_cursor(&self) -> Option<&str> {
        self.next_cursor.as_deref()
    }
}

fn status(status: CiStatus) -> (Style, &'static str) {
    match status {
        CiStatus::Pending => (Style::Doubtful, "CI is pending"),
        CiStatus::Running => (Style::Doubtful, "CI is running"),
        CiStatus::Failed => (Style::Bad, "CI failed"),
        CiStatus::Passed => (Style::Good, "CI passed"),
        CiStatus::Unknown => (Style::Doubtful, "CI unknown"),
    }
}

fn run(output: &GetFailingTestsOutput) -> Option<String> {
    let info = output.ci_info.as_ref()?;
    let line = format!("{}, started {}", info.workflow_name, when(&info.started_at));
    Some(match info.duration_seconds {
        Some(seconds) => format!("{line}, took {}", lasting(seconds)),
        None => line,
    })
}

fn show_failure(failure: &CiFailure, page: &mut Page) {
    let title = Line::new().link(Style::Heading, &failure.test_name, &failure.log_url);
    page.item(0, Line::new().styled(Style::Bad, "✗ "), title);
    page.line(1, facts(failure));
    page.quote(1, &failure.error_message, MAX_LINES);
    if let Some(evidence) = &failure.evidence {
        page.line(1, evidence);
    }
    if let Some(command) = &failure.command {
        page.command(1, command);
    }
    if let Some(reproduced) = &failure.reproduced {
        page.line(1, reproduction(reproduced));
    }
    page.address(1, &failure.log_url);
}

/// `introduced · required · test (ubuntu), test (macos) · tests/cart.py:12 · read in the log`
fn facts(failure: &CiFailure) -> Line {
    let mut line = Line::new();
    if let Some(verdict) = failure.verdict {
        let (style, word) = verdict_in_words(verdict);
        line = line.styled(style, word).styled(Style::Dim, " · ");
    }
    let mut facts = Vec::new();
    if failure.required == Some(true) {
        facts.push("required".to_owned());
    }
    let checks = failure.checks.as_deref().unwrap_or_default();
    facts.push(if checks.is_empty() {
        failure.check_name.clone()
    } else {
        checks.join(", ")
    });
    match (&failure.file_path, failure.line_number) {
        (Some(file), Some(line)) => facts.push(format!("{file}:{line}")),
        (Some(file), None) => facts.push(file.clone()),
        (None, _) => {}
    }
    facts.extend(failure.source.map(|source| read_in(source).to_owned()));
    if failure.confidence != Confidence::High {
        facts.push("perhaps not the whole truth".to_owned());
    }
    line.styled(Style::Dim, facts.join(" · "))
}

fn verdict_in_words(verdict: FailureVerdict) -> (Style, &'static str) {
    match verdict {
        FailureVerdict::Introduced => (Style::Bad, "introduced here"),
        FailureVerdict::PreExisting => (Style::Doubtful, "fails on the base branch, too"),
        FailureVerdict::Flaky => (Style::Doubtful, "flaky"),
        FailureVerdict::Infrastructure => (Style::Doubtful, "the machines' doing"),
        FailureVerdict::NotRun => (Style::Doubtful, "did not run"),
        FailureVerdict::CiConfiguration => (Style::Bad, "the workflow cannot be run"),
    }
}

fn read_in(source: FailureSource) -> &'static str {
    match source {
        FailureSource::Report => "read in a report",
        FailureSource::Log => "read in the log",
        FailureSource::Annotations => "read in annotations",
        FailureSource::LogTail => "the end of the log",
        FailureSource::Check => "said by the check",
    }
}

fn reproduction(reproduced: &Reproduction) -> Line {
    let took = lasting(reproduced.seconds);
    let line = if reproduced.failed_as_reported {
        Line::new().styled(Style::Bad, format!("fails here, too ({took})"))
    } else if reproduced.ran {
        Line::new().styled(
            Style::Doubtful,
            format!("does not fail here like that ({took})"),
        )
    } else {
        Line::new().styled(Style::Doubtful, "could not be run here")
    };
    match &reproduced.note {
        Some(note) => line.text(format!(": {note}")),
        None => line,
    }
}

/// With one failure there is nothing to choose from.
fn show_priority(output: &GetFailingTestsOutput, page: &mut Page) {
    let priority = &output.instructions.priority;
    let has_news = priority.len() > 1 || priority.iter().any(|p| p.suggested_fix.is_some());
    if !has_news {
        return;
    }
    page.heading("Where to begin");
    for (number, first) in (1..).zip(priority) {
        let line = Line::new()
            .styled(Style::Heading, &first.test)
            .text(format!("  {}", first.reason));
        page.item(0, format!("{number}. "), line);
        if let Some(fix) = &first.suggested_fix {
            page.line(1, Line::new().text(" ").styled(Style::Command, fix));
        }
    }
}
