//! A handoff in a line, and what of it is worth a line of its own.

use baton_protocol::handoff::{ChangesRequested, Choice, Handoff, ValidationFailed};

use crate::terminal::{Line, Style};

/// Foreign text; whoever prints it takes care.
pub(crate) fn summary(handoff: &Handoff) -> String {
    let own = match handoff {
        Handoff::IssueReady(it) => {
            format!("issue #{}: {}", it.issue_number, it.issue_title)
        }
        Handoff::WorkspaceReady(it) => {
            let kind = it.workspace_type.word().map(|word| word.to_string());
            format!("{} on {}", kind.unwrap_or_default(), it.branch)
        }
        Handoff::Implemented(it) => {
            let count = |count: Option<u64>, one: &str, many: &str| match count {
                Some(1) => format!(", 1 {one}"),
                Some(count) => format!(", {count} {many}"),
                None => String::new(),
            };
            format!(
                "pull request #{}{}{}",
                it.pr_number,
                count(it.files_changed, "file", "files"),
                count(it.tests_added.filter(|&n| n > 0), "new test", "new tests"),
            )
        }
        Handoff::ChangesRequested(it) => counts(it),
        Handoff::Approved(it) => match it.suggestion_count {
            Some(0) | None => "approved: nothing to complain about".to_owned(),
            Some(1) => "approved, with 1 suggestion".to_owned(),
            Some(count) => format!("approved, with {count} suggestions"),
        },
        Handoff::Fixed(it) => match it.fixes_applied.len() {
            1 => "1 fix, ready for another review".to_owned(),
            count => format!("{count} fixes, ready for another review"),
        },
        Handoff::NothingToFix(it) => match &it.summary {
            Some(summary) => summary.clone(),
            None => "nothing had to change".to_owned(),
        },
        Handoff::Merged(it) => {
            let sha = it.merge_sha.to_string();
            let short = &sha[..sha.len().min(10)];
            match it.merge_strategy.as_ref().and_then(Choice::word) {
                Some(how) => format!("merged ({how}) as {short}"),
                None => format!("merged as {short}"),
            }
        }
        Handoff::ValidationFailed(it) => match it.failures.len() {
            1 => "1 check fails".to_owned(),
            count => format!("{count} checks fail"),
        },
        Handoff::AgentFailed(it) => it.error.message.clone(),
        Handoff::WorkflowComplete(it) => format!(
            "issue #{} closed{}",
            it.issue_number,
            it.cycle_time
                .as_ref()
                .map(|time| format!(", {time} after it began"))
                .unwrap_or_default()
        ),
        Handoff::Envelope(it) => it.summary.clone().unwrap_or_default(),
    };
    own.replace('\n', " ")
}

fn counts(review: &ChangesRequested) -> String {
    let mut parts = Vec::new();
    for (count, word) in [
        (review.critical_count, "critical"),
        (review.important_count, "important"),
        (review.suggestion_count.unwrap_or_default(), "suggested"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    }
    format!("changes requested: {}", parts.join(", "))
}

/// What was found, fixed or failed, one line each.
pub(crate) fn details(handoff: &Handoff) -> Vec<Line> {
    const MOST: usize = 8;
    let mut lines = match handoff {
        Handoff::ChangesRequested(it) => findings(it),
        Handoff::ValidationFailed(it) => failures(it),
        Handoff::Fixed(it) => it
            .fixes_applied
            .iter()
            .map(|fix| {
                let place = fix.location.as_ref().map(ToString::to_string);
                located(Line::new(), place, &fix.description)
            })
            .collect(),
        _ => Vec::new(),
    };
    if lines.len() > MOST {
        let more = lines.len() - MOST;
        lines.truncate(MOST);
        lines.push(Line::new().styled(Style::Dim, format!("… and {more} more")));
    }
    lines
}

fn findings(review: &ChangesRequested) -> Vec<Line> {
    let issues = review.blocking_issues.iter();
    issues
        .map(|issue| {
            let severity = issue.severity.word().map(|word| word.to_string());
            let severity = severity.unwrap_or_default();
            let style = match severity.as_str() {
                "critical" => Style::Bad,
                _ => Style::Doubtful,
            };
            let place = issue.location.as_ref().map(ToString::to_string);
            let line = Line::new().styled(style, severity).text(" ");
            located(line, place, &issue.description)
        })
        .collect()
}

fn failures(validation: &ValidationFailed) -> Vec<Line> {
    let failures = validation.failures.iter();
    failures
        .map(|failure| {
            Line::new()
                .styled(Style::Bad, failure.failure_type.to_string())
                .text(" ")
                .text(&failure.description)
        })
        .collect()
}

fn located(line: Line, place: Option<String>, text: &str) -> Line {
    match place {
        Some(place) => line.styled(Style::Command, place).text(" ").text(text),
        None => line.text(text),
    }
}
