//! Whether the commits are a fix: they are there, they touch what the findings
//! are about or make the findings go away, and they weaken nothing that judges
//! them.

use std::collections::BTreeSet;

use baton_host::git::{ChangeKind, FileDiff, LogEntry};
use baton_ops::validation::{self, Others, Since};
use baton_protocol::handoff::{BlockingIssue, Location};
use baton_review::{Finding, Kind, Options, Severity};

use super::note::Note;
use super::work::Work;
use super::{short, tip};
use crate::Errand;
use crate::asked_for::is_asked_for;
use crate::failure::Setback;
use crate::foreign_text::one_line;
use crate::people;
use crate::remark::{FindingMark, Remark};
use crate::validator::kinds;
use crate::workspace::Workspace;

/// What became of a finding.
pub(super) struct Outcome<'a> {
    pub(super) issue: &'a BlockingIssue,
    pub(super) fate: Fate,
}

pub(super) enum Fate {
    Fixed { how: String },
    Declined { reason: String },
}

/// A change so near to the line counts as one of what the finding is about.
const NEAR: u32 = 20;

/// The most that is told of what is wrong.
const MOST_TOLD: usize = 5;

pub(super) async fn check<'a>(
    errand: &Errand<'_>,
    workspace: &Workspace,
    work: &Work<'a>,
    note: &Note,
    made: &[LogEntry],
) -> Result<Vec<Outcome<'a>>, Setback> {
    let (git, start) = (&workspace.git, note.start.as_str());
    if git.find_commit("MERGE_HEAD").await?.is_some() {
        let base = &workspace.base;
        let told = format!("the merge of {base} is not concluded; commit it");
        return Err(Setback::unproven(told));
    }
    if git.tree("HEAD").await? == git.tree(start).await? && !work.has(kinds::CONFLICT) {
        return Err(Setback::unproven("the commits change nothing"));
    }
    // What a merge brings in is the base's own.
    let fork = workspace.fork_point(errand.place).await?;
    let from = if work.has(kinds::CONFLICT) {
        fork.as_str()
    } else {
        start
    };
    let weakened = tampering(errand, workspace, from).await?;
    let acceptance = errand.acceptance();
    if let (false, Some(acceptance)) = (weakened.is_empty(), &acceptance) {
        let told = format!("{}: {acceptance}", weakened.join("; "));
        errand.context.notice(&told);
    } else if !weakened.is_empty() {
        return Err(Setback::objection(format!(
            "the fix weakens what judges it; take that back and fix the cause: {}",
            weakened.join("; ")
        )));
    }
    if work.findings().is_empty() {
        return Ok(Vec::new());
    }
    let left: BTreeSet<FindingMark> = review(errand, workspace, fork.as_str())
        .await?
        .iter()
        .map(|finding| Remark::of(finding, errand.place.settings.threshold).mark())
        .collect();
    let diff = git.diff(start, "HEAD", 0).await?;
    let (mut outcomes, mut open) = (Vec::new(), Vec::new());
    for (index, issue) in work.findings().iter().enumerate() {
        let declined = note.declined.iter().find(|(one, _)| *one == index);
        let is_left = left.contains(&FindingMark::of_issue(issue));
        let is_touched = is_touched(issue.location.as_ref(), &diff);
        let is_fixed = !is_left && (is_touched || is_by_engine(errand, issue));
        let fate = match (is_fixed, declined) {
            (true, _) => Fate::Fixed { how: how(made) },
            (false, Some((_, reason))) => Fate::Declined {
                reason: reason.clone(),
            },
            (false, None) => {
                let Some(acceptance) = &acceptance else {
                    open.push(told(issue, is_left));
                    continue;
                };
                Fate::Declined {
                    reason: format!("It is left as it is, {acceptance}"),
                }
            }
        };
        outcomes.push(Outcome { issue, fate });
    }
    if open.is_empty() {
        return Ok(outcomes);
    }
    open.truncate(MOST_TOLD);
    Err(Setback::objection(format!(
        "not dealt with: {}",
        open.join("; ")
    )))
}

/// What was proven before a crash.
pub(super) fn known<'a>(work: &Work<'a>, note: &Note, made: &[LogEntry]) -> Vec<Outcome<'a>> {
    let findings = work.findings().iter().enumerate();
    let outcomes = findings.map(|(index, issue)| {
        let declined = note.declined.iter().find(|(one, _)| *one == index);
        let fate = match (note.fixes.get(index).cloned().flatten(), declined) {
            (None, Some((_, reason))) => Fate::Declined {
                reason: reason.clone(),
            },
            (how_known, _) => Fate::Fixed {
                how: how_known.unwrap_or_else(|| how(made)),
            },
        };
        Outcome { issue, fate }
    });
    outcomes.collect()
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
pub(super) fn is_by_engine(errand: &Errand<'_>, issue: &BlockingIssue) -> bool {
    let reader = errand.place.reviewer.as_ref();
    people::address(issue).is_none()
        && !reader.is_some_and(|agent| issue.description.contains(&format!("({}/", agent.name)))
}

fn how(made: &[LogEntry]) -> String {
    match made {
        [] => "It is not found any more".to_owned(),
        [only] => {
            let subject = one_line(only.subject(), 200);
            format!("Fixed in {}: {subject}", short(only.commit.as_str()))
        }
        many => {
            let tip = tip(many).map_or("", |tip| short(tip.as_str()));
            format!("Fixed in {} commits up to {tip}", many.len())
        }
    }
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
    errand: &Errand<'_>,
    workspace: &Workspace,
    from: &str,
) -> Result<Vec<Finding>, Setback> {
    let diff = workspace.git.diff(from, "HEAD", 0).await?;
    let paths = diff.iter().filter_map(|file| file.path.to_str());
    let names: Vec<String> = paths.map(str::to_owned).collect();
    let since = Some(Since {
        commit: Some(from),
        environment: &errand.place.environment,
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
        &errand.context.cancel,
    )
    .await;
    // What a cancelled review did not find proves nothing.
    errand.go_on()?;
    Ok(found.findings)
}

/// Tests, rules and gates that are weaker than they were.
async fn tampering(
    errand: &Errand<'_>,
    workspace: &Workspace,
    from: &str,
) -> Result<Vec<String>, Setback> {
    let findings = review(errand, workspace, from).await?;
    let tampered = findings
        .iter()
        .filter(|finding| finding.kind == Kind::Tamper && finding.severity >= Severity::Medium)
        .filter(|finding| !is_asked_for(errand, finding));
    Ok(tampered
        .take(MOST_TOLD)
        .map(|finding| one_line(&finding.to_string(), 300))
        .collect())
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
