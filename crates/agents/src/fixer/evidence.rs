//! Whether the commits are a fix: they are there, they touch what the findings
//! are about or make the findings go away, and they weaken nothing that judges
//! them.

use std::collections::BTreeSet;
use std::path::Path;

use baton_host::git::{ChangeKind, FileDiff, LogEntry};
use baton_ops::validation::{self, Others, Since};
use baton_protocol::handoff::{BlockingIssue, Location};
use baton_review::{Finding, Kind, Options, Severity};
use baton_workflow::Objection;

use super::fate::{Fate, Named};
use super::flagged::Changes;
use super::note::Note;
use super::work::Work;
use crate::AgentStep;
use crate::acceptance::objection_to;
use crate::asked_for::is_asked_for;
use crate::step_error::StepError;
use crate::foreign_text::one_line;
use crate::people;
use crate::review_comment::{FindingMark, ReviewComment};
use crate::validator::kinds;
use crate::workspace::Workspace;

/// What became of a finding.
pub(super) struct Outcome<'a> {
    pub(super) issue: &'a BlockingIssue,
    pub(super) fate: Fate,
}

/// A change so near to the line counts as one of what the finding is about.
const NEAR: u32 = 20;

/// The most that is told of what is wrong.
const MAX_TOLD: usize = 5;

pub(super) async fn check<'a>(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    work: &Work<'a>,
    note: &Note,
    made: &[LogEntry],
) -> Result<Vec<Outcome<'a>>, StepError> {
    let (git, start) = (&workspace.git, note.start.as_str());
    if git.find_commit("MERGE_HEAD").await?.is_some() {
        let base = &workspace.base;
        let told = format!("the merge of {base} is not concluded; commit it");
        return Err(StepError::unproven(told));
    }
    if git.tree("HEAD").await? == git.tree(start).await? && !work.has(kinds::CONFLICT) {
        return Err(StepError::unproven("the commits change nothing"));
    }
    // What a merge brings in is the base's own.
    let fork = workspace.fork_point(step.place).await?;
    let from = if work.has(kinds::CONFLICT) {
        fork.as_str()
    } else {
        start
    };
    let weakened = tampering(step, workspace, from).await?;
    if !weakened.is_empty() {
        let first = weakened.iter().take(MAX_TOLD);
        let first: Vec<String> = first.map(|objection| step.told(objection)).collect();
        let message = format!(
            "the fix weakens what judges it; take that back and fix the cause: {}",
            first.join("; ")
        );
        return Err(StepError::objections(message, weakened));
    }
    if work.findings().is_empty() {
        return Ok(Vec::new());
    }
    let threshold = step.place.settings.threshold;
    let findings = review(step, workspace, fork.as_str()).await?;
    let left: Vec<ReviewComment> = findings
        .iter()
        .map(|finding| ReviewComment::from_finding(finding, threshold))
        .collect();
    let diff = git.diff(start, "HEAD", 0).await?;
    let changes = Changes::read(git, &note.start, made).await?;
    let (mut outcomes, mut open) = (Vec::new(), Vec::new());
    let mut not_accepted = Vec::new();
    let issues = work.findings().iter().zip(work.objections());
    for (index, (issue, objection)) in issues.enumerate() {
        let declined = note.declined.iter().find(|(one, _)| *one == index);
        let is_left = is_still_reported(issue, work.findings(), &left, &changes);
        let is_touched = is_touched(issue.location.as_ref(), &diff);
        let is_fixed = !is_left && (is_touched || is_by_engine(step, issue));
        let fate = match (is_fixed, declined) {
            (true, _) => fate(step, issue, made, &changes),
            (false, Some((_, reason))) => Fate::Declined {
                reason: reason.clone(),
            },
            (false, None) if step.is_accepted(&objection) => Fate::Declined {
                reason: "It is left as it is: a person has accepted it".to_owned(),
            },
            (false, None) => {
                open.push(told(issue, is_left));
                not_accepted.push(objection);
                continue;
            }
        };
        outcomes.push(Outcome { issue, fate });
    }
    if open.is_empty() {
        return Ok(outcomes);
    }
    open.truncate(MAX_TOLD);
    let message = format!("not dealt with: {}", open.join("; "));
    Err(StepError::objections(message, not_accepted))
}

/// What a finding that is dealt with owes to which commits.
fn fate(
    step: &AgentStep<'_>,
    issue: &BlockingIssue,
    made: &[LogEntry],
    changes: &Changes<'_>,
) -> Fate {
    let named = |entries: Vec<&LogEntry>| entries.into_iter().map(Named::new).collect();
    let location = issue.location.as_ref();
    let exact = changes.touching(location, 0);
    let check = Some(rule(issue).replace('`', "'")).filter(|_| is_by_engine(step, issue));
    match (check, made.last()) {
        (Some(check), Some(_)) if !exact.is_empty() => Fate::Fixed {
            commits: named(exact),
            check,
        },
        (Some(check), Some(tip)) => Fate::Gone {
            after: Named::new(tip),
            // The finding was there before the only commit, and is not after it.
            is_proven: made.len() == 1,
            check,
        },
        _ if exact.is_empty() => Fate::Changed {
            commits: named(changes.touching(location, NEAR)),
            is_exact: false,
        },
        _ => Fate::Changed {
            commits: named(exact),
            is_exact: true,
        },
    }
}

/// Whether a finding is there still, in whatever words: other names in the same
/// lines do not make it another one.
fn is_still_reported(
    issue: &BlockingIssue,
    known: &[BlockingIssue],
    left: &[ReviewComment],
    changes: &Changes<'_>,
) -> bool {
    let mark = FindingMark::from_issue(issue);
    let known: BTreeSet<FindingMark> = known.iter().map(FindingMark::from_issue).collect();
    let place = issue.location.as_ref();
    let place = place.and_then(|location| changes.moved(location));
    left.iter().any(|comment| {
        let is_new = !known.contains(&comment.mark());
        let is_here = place
            .as_ref()
            .is_some_and(|place| place.is_near(Path::new(&comment.path), comment.lines, NEAR));
        comment.mark() == mark
            || is_new && is_here && comment.is_blocking() && comment.rule == rule(issue)
    })
}

/// What found it, as the end of its description says.
fn rule(issue: &BlockingIssue) -> &str {
    let last = issue.description.trim_end().rsplit_once('(');
    last.and_then(|(_, rule)| rule.strip_suffix(')'))
        .unwrap_or("the review")
}

/// What was proven before a crash.
pub(super) fn known<'a>(work: &Work<'a>, note: &Note) -> Vec<Outcome<'a>> {
    let findings = work.findings().iter().zip(&note.fates);
    findings
        .map(|(issue, fate)| Outcome {
            issue,
            fate: fate.clone(),
        })
        .collect()
}

pub(super) fn all_declined<'a>(work: &Work<'a>, note: &Note) -> Vec<Outcome<'a>> {
    let declined = note.declined.iter().filter_map(|(index, reason)| {
        let fate = Fate::Declined {
            reason: reason.clone(),
        };
        Some(Outcome {
            issue: work.findings().get(*index)?,
            fate,
        })
    });
    declined.collect()
}

/// What the engine found it finds again, or does not; what an agent claimed or a
/// person asked for is not known to be gone.
pub(super) fn is_by_engine(step: &AgentStep<'_>, issue: &BlockingIssue) -> bool {
    let reader = step.place.reviewer.as_ref();
    people::address(issue).is_none()
        && !reader.is_some_and(|agent| issue.description.contains(&format!("({}/", agent.name)))
}

fn told(issue: &BlockingIssue, is_left: bool) -> String {
    let place = issue.location.as_ref().map_or("", Location::as_str);
    let what = one_line(&issue.description, 200);
    if is_left {
        format!("{place} is still found: {what}")
    } else {
        format!("{place} was not touched: {what}")
    }
}

/// The engine over all that differs from a commit.
async fn review(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    from: &str,
) -> Result<Vec<Finding>, StepError> {
    let diff = workspace.git.diff(from, "HEAD", 0).await?;
    let paths = diff.iter().filter_map(|file| file.path.to_str());
    let names: Vec<String> = paths.map(str::to_owned).collect();
    let since = Some(Since {
        commit: Some(from),
        environment: &step.place.environment,
    });
    let options = Options {
        threshold: Severity::Low,
        everywhere: false,
        threads: 1,
        ..Options::default()
    };
    let found = validation::review_files(
        &workspace.path,
        &names,
        since,
        options,
        Others::default(),
        &step.context.cancel,
    )
    .await;
    // What a cancelled review did not find proves nothing.
    step.go_on()?;
    Ok(found.findings)
}

/// Tests, rules and gates that are weaker than they were, as far as no person
/// has accepted that.
async fn tampering(
    step: &AgentStep<'_>,
    workspace: &Workspace,
    from: &str,
) -> Result<Vec<Objection>, StepError> {
    let findings = review(step, workspace, from).await?;
    let tampered = findings
        .iter()
        .filter(|finding| finding.kind == Kind::Tamper && finding.severity >= Severity::Medium)
        .filter(|finding| !is_asked_for(step, finding));
    Ok(step.unaccepted(tampered.map(objection_to).collect()))
}

fn is_touched(location: Option<&Location>, diff: &[FileDiff]) -> bool {
    let Some(location) = location else {
        return !diff.is_empty();
    };
    let path = location.path();
    let file = diff.iter().find(|file| match &file.kind {
        ChangeKind::Renamed { from, .. } => from.to_str() == Some(path),
        _ => file.path.to_str() == Some(path),
    });
    let Some(file) = file else {
        return false;
    };
    let line = location
        .line()
        .and_then(|line| u32::try_from(line.get()).ok());
    let Some(line) = line.filter(|_| file.kind != ChangeKind::Deleted) else {
        return true;
    };
    file.hunks.iter().any(|hunk| {
        let last = hunk.old_start.saturating_add(hunk.old_lines);
        hunk.old_start <= line.saturating_add(NEAR) && last.saturating_add(NEAR) >= line
    })
}
