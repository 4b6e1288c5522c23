//! A handoff in a line, and what of it is worth a line of its own.

use baton_protocol::handoff::xml::{Element, Node};
use baton_protocol::handoff::{
    ChangesRequested, Choice, Fixed, Handoff, ValidationFailed, ValidationSummary,
};
use baton_protocol::short;

use crate::terminal::{Line, Style};

/// Foreign text; the caller sanitizes it before printing.
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
        Handoff::Fixed(it) => fixed(it),
        Handoff::NothingToFix(it) => match &it.summary {
            Some(summary) => summary.clone(),
            None => "nothing had to change".to_owned(),
        },
        Handoff::Merged(it) => {
            let short = short(it.merge_sha.as_str());
            let how = it.merge_strategy.as_ref().and_then(Choice::word);
            let how = how.map(|how| format!(" ({how})")).unwrap_or_default();
            let coverage = it.validation_summary.as_ref().map(coverage);
            format!("merged{how} as {short}{}", coverage.unwrap_or_default())
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

/// How much of the code the tests run, where that was measured.
fn coverage(validated: &ValidationSummary) -> String {
    let mut elements = validated.other.iter();
    let changed = elements.find(|element| element.name() == "changed_lines_coverage");
    let mut told = String::new();
    if let Some(share) = &validated.coverage {
        told = format!(", coverage {share}");
    }
    if let Some(changed) = changed {
        told = format!("{told}, {} of the changed lines", text(changed));
    }
    told
}

fn text(element: &Element) -> String {
    let texts = element.nodes().iter().filter_map(|node| match node {
        Node::Text(text) => Some(text.as_str()),
        Node::Element(_) => None,
    });
    texts.collect()
}

/// Only what is proven counts as a fix.
fn fixed(fixed: &Fixed) -> String {
    let count = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    };
    let listed = |name: &str| listed(&fixed.other, name).count();
    let parts: Vec<String> = [
        count(fixed.fixes_applied.len(), "fix", "fixes"),
        count(listed(ATTEMPTS), "attempt", "attempts"),
        count(listed(DECLINED), "declined", "declined"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() {
        let summary = fixed.summary.as_deref();
        return summary.unwrap_or("ready for another review").to_owned();
    }
    format!("{}, ready for another review", parts.join(", "))
}

/// The lists of a handoff that stand beside `fixes_applied`: what nothing has
/// proven yet, and what was declined.
const ATTEMPTS: &str = "attempts";
const DECLINED: &str = "declined";

fn listed<'a>(elements: &'a [Element], name: &str) -> impl Iterator<Item = &'a Element> {
    let list = elements.iter().find(|element| element.name() == name);
    list.into_iter().flat_map(Element::elements)
}

fn dealt_with(handoff: &Fixed) -> Vec<Line> {
    let fixes = handoff.fixes_applied.iter().map(|fix| {
        let place = fix.location.as_ref().map(ToString::to_string);
        located(Line::new(), place, &fix.description)
    });
    let attempts = listed(&handoff.other, ATTEMPTS).map(|one| ("tried ", one));
    let declined = listed(&handoff.other, DECLINED).map(|one| ("", one));
    let others = attempts.chain(declined).map(|(word, element)| {
        let place = element.attribute("location").map(str::to_owned);
        let line = Line::new().styled(Style::Dim, word);
        located(line, place, &text(element))
    });
    fixes.chain(others).collect()
}

/// What was found, fixed or failed, one line each.
pub(crate) fn details(handoff: &Handoff) -> Vec<Line> {
    const MAX_LINES: usize = 8;
    let mut lines = match handoff {
        Handoff::ChangesRequested(it) => findings(it),
        Handoff::ValidationFailed(it) => failures(it),
        Handoff::Fixed(it) => dealt_with(it),
        _ => Vec::new(),
    };
    if lines.len() > MAX_LINES {
        let more = lines.len() - MAX_LINES;
        lines.truncate(MAX_LINES);
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
