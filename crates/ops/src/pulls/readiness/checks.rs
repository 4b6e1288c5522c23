//! What CI has to say, and whether it can say it at all.

use baton_host::cmd::quote;
use baton_remote::github::Fact;
use baton_remote::github::enums::MergeState;

use super::super::ci_check::{CiCheck, CiState, RunFacts};
use super::facts::Facts;
use super::ledger::{ANYBODY_WHO_MAY_WRITE, Clear, Finding};
use super::workflows::{Change, Reach, Workflow};

/// The app that reports for workflows.
const GITHUB_ACTIONS: u64 = 15368;

/// What makes GitHub start no workflow for a push.
const SKIPS: [&str; 5] = [
    "[skip ci]",
    "[ci skip]",
    "[no ci]",
    "[skip actions]",
    "[actions skip]",
];

/// A check that has to pass.
pub(super) fn required(facts: &Facts, context: &str, app: Option<u64>, has_queue: bool) -> Finding {
    let of_name = || {
        facts
            .checks
            .all
            .iter()
            .filter(|check| check.name == context)
    };
    let reported: Vec<&CiCheck> = of_name()
        .filter(|check| app.is_none() || check.app_id == app)
        .collect();
    if reported.is_empty() {
        return match of_name().next() {
            Some(other) if app.is_some() => Finding::unknown(
                format!(
                    "statusCheckRollup: `{context}` = {}, reported by another app than the required one, as far as GitHub says",
                    other.word
                ),
                Clear::new(
                    "the app that the rule names",
                    "Let the right app report it.",
                ),
            ),
            _ => missing(facts, context, app),
        };
    }
    let worst = reported
        .iter()
        .max_by_key(|check| match check.state {
            CiState::Failed(_) => 2,
            CiState::Waiting | CiState::Running => 1,
            CiState::Passed => 0,
        })
        .expect("there is at least one");
    let evidence = format!("statusCheckRollup: `{context}` = {}", worst.word);
    match worst.state {
        // A check that is withheld may have the same name.
        CiState::Passed if !facts.checks.doubts.is_empty() => {
            let doubt = Finding::unreadable(&facts.checks.doubts[0]);
            Finding {
                evidence: format!("{evidence}, and {}", doubt.evidence),
                ..doubt
            }
        }
        CiState::Passed if has_queue => in_queue(facts, context, evidence),
        CiState::Passed => Finding::satisfied(evidence),
        CiState::Waiting | CiState::Running => Finding::failing(
            evidence,
            Clear::new("CI", "Wait for it.").with(facts.gh_pr("checks", "")),
        ),
        CiState::Failed(_) => failed(facts, worst, evidence),
    }
}

pub(super) fn failed(facts: &Facts, check: &CiCheck, evidence: String) -> Finding {
    let mut clear = Clear::new(
        facts.author_or_writer(),
        "Fix what failed, which get_failing_tests tells; run it again only if nothing is wrong with the change.",
    );
    if let Some(RunFacts { id: run, .. }) = &check.run {
        let repository = quote(facts.repository.to_string());
        clear = clear.with(format!("gh run rerun {run} --failed --repo {repository}"));
    }
    Finding::failing(evidence, clear)
}

/// A queue starts workflows of its own, which need a trigger of their own.
fn in_queue(facts: &Facts, context: &str, evidence: String) -> Finding {
    let workflows = reporting(facts, context);
    let deaf = workflows
        .iter()
        .find(|workflow| !workflow.has_trigger("merge_group"));
    match deaf {
        Some(workflow) if workflows.iter().all(|one| !one.has_trigger("merge_group")) => {
            Finding::failing(
                format!(
                    "{}: `on` has no `merge_group`, so that `{context}` never reports in the merge queue",
                    workflow.path
                ),
                Clear::new(
                    ANYBODY_WHO_MAY_WRITE,
                    format!("Add `merge_group:` to `on` in {}.", workflow.path),
                ),
            )
        }
        _ => Finding::satisfied(evidence),
    }
}

fn reporting<'f>(facts: &'f Facts, context: &str) -> Vec<&'f Workflow> {
    let workflows = facts
        .files
        .iter()
        .filter_map(|files| files.workflows.as_ref());
    let workflows = workflows.flatten();
    workflows
        .filter(|workflow| workflow.reports(context))
        .collect()
}

/// Nothing has reported it: not yet, or never?
fn missing(facts: &Facts, context: &str, app: Option<u64>) -> Finding {
    let evidence = format!("statusCheckRollup: `{context}` is not reported");
    if let Some(doubt) = facts.checks.doubts.first() {
        let doubt = Finding::unreadable(doubt);
        return Finding {
            evidence: format!("{evidence}, and {}", doubt.evidence),
            ..doubt
        };
    }
    if facts.checks.truncated {
        return Finding::unknown(
            format!("{evidence} among the checks that were read, and there are more"),
            Clear::new("CI", "Look at all checks.").with(facts.gh_pr("checks", "")),
        );
    }
    if let Some(run) = facts.checks.to_approve.first() {
        return waits_for_approval(facts, *run, &format!("{evidence}; "));
    }
    if facts.checks.is_under_way() {
        return Finding::failing(
            format!("{evidence} while others are under way"),
            Clear::new("CI", "Wait for it.").with(facts.gh_pr("checks", "")),
        );
    }
    let workflows = reporting(facts, context);
    if workflows.is_empty() {
        return not_reported(facts, evidence, app);
    }
    let said = facts.head_message.to_ascii_lowercase();
    if let Some(word) = SKIPS.iter().find(|word| said.contains(**word)) {
        return Finding::failing(
            format!("{evidence} and never will be: the head commit says `{word}`"),
            Clear::new(
                facts.author_or_writer(),
                "Push a commit that does not say so.",
            )
            .with(facts.gh_pr("checkout", ""))
            .with("git commit --allow-empty --message 'Run the checks'")
            .with("git push"),
        );
    }
    never_or_late(facts, context, &workflows, &evidence)
}

pub(super) fn waits_for_approval(facts: &Facts, run: u64, evidence: &str) -> Finding {
    let repository = &facts.repository;
    let path = quote(format!("repos/{repository}/actions/runs/{run}/approve"));
    Finding::failing(
        format!("{evidence}run {run} waits: action_required"),
        Clear::new(
            ANYBODY_WHO_MAY_WRITE,
            "Look at the change, then allow its workflows to run.",
        )
        .with(format!("gh api --method POST {path}")),
    )
}

fn not_reported(facts: &Facts, evidence: String, app: Option<u64>) -> Finding {
    let maintainer = "the maintainers of CI or the rules";
    let workflows = facts.files.as_ref().map(|files| &files.workflows);
    if workflows.is_none_or(Option::is_none) {
        return Finding::failing(
            evidence,
            Clear::new(maintainer, "See who has to report it.").with(facts.gh_pr("checks", "")),
        );
    }
    let who = if app == Some(GITHUB_ACTIONS) {
        "and never will be: no workflow of the head has a job of this name"
    } else {
        "and no workflow of the head has a job of this name: another service has to report it"
    };
    Finding::failing(
        format!("{evidence} {who}"),
        Clear::new(maintainer, "Have it reported, or no longer ask for it."),
    )
}

fn never_or_late(facts: &Facts, context: &str, workflows: &[&Workflow], evidence: &str) -> Finding {
    let empty = Vec::new();
    let paths = facts.files.as_ref().map(|files| &files.paths);
    let change = Change {
        base: &facts.base,
        head_branch: &facts.head_branch,
        is_from_fork: facts.is_from_fork,
        paths: paths.map_or(&empty, |paths| &paths.items),
        truncated: paths.is_some_and(|paths| paths.truncated),
    };
    let reach = |workflow: &&Workflow| match workflow.reach(change) {
        Reach::Runs if !workflow.certainly_reports(context) => Reach::Unknown(format!(
            "{}: a job's name depends on a matrix or an expression, so that it may or may not be this one",
            workflow.path
        )),
        reach => reach,
    };
    let reaches: Vec<Reach> = workflows.iter().map(reach).collect();
    let unclear = reaches.iter().find_map(|reach| match reach {
        Reach::Runs => Some("its workflow should have run"),
        Reach::Unknown(reason) => Some(reason.as_str()),
        Reach::Never(_) => None,
    });
    let never = reaches.iter().find_map(|reach| match reach {
        Reach::Never(reason) => Some(reason.as_str()),
        _ => None,
    });
    let (evidence, action) = match (unclear, never) {
        (None, Some(reason)) => (
            format!("{evidence} and never will be: {reason}"),
            "Let the workflow always run and skip its jobs with `if`, which counts as passed; or no longer ask for it.",
        ),
        (unclear, _) => (
            format!("{evidence}; {}", unclear.unwrap_or("nothing is under way")),
            "See whether the workflow was started.",
        ),
    };
    let mut clear = Clear::new("the maintainers of CI or the rules", action);
    let by_hand = workflows
        .iter()
        .find(|workflow| !facts.is_from_fork && workflow.has_trigger("workflow_dispatch"));
    if let Some(workflow) = by_hand {
        let file = workflow.path.rsplit('/').next().unwrap_or(&workflow.path);
        clear = clear.with(format!(
            "gh workflow run {} --ref {} --repo {}",
            quote(file),
            quote(&facts.head_branch),
            quote(facts.repository.to_string())
        ));
    } else {
        clear = clear.with(facts.gh_pr("checks", ""));
    }
    Finding::failing(evidence, clear)
}

pub(super) fn up_to_date(facts: &Facts) -> Finding {
    let path = format!(
        "repos/{}/pulls/{}/update-branch",
        facts.repository, facts.number
    );
    let update = Clear::new(facts.author_or_writer(), "Bring the base branch in.").with(format!(
        "gh api --method PUT {} -f expected_head_sha={}",
        quote(path),
        facts.head
    ));
    match &facts.behind_by {
        Fact::Known(0) => Finding::satisfied("compare: behind_by = 0"),
        Fact::Known(behind) => Finding::failing(format!("compare: behind_by = {behind}"), update),
        Fact::Unreadable(_) if facts.state == MergeState::Behind => {
            Finding::failing("mergeStateStatus: BEHIND", update)
        }
        Fact::Unreadable(unreadable) => Finding::unreadable(unreadable),
    }
}

/// Something reports, all of it has ended, and nothing has failed.
pub(super) fn is_ci_passing(facts: &Facts) -> bool {
    let checks = &facts.checks;
    !checks.truncated
        && checks.doubts.is_empty()
        && checks.to_approve.is_empty()
        && !checks.is_under_way()
        && !checks.all.is_empty()
        && checks
            .all
            .iter()
            .all(|check| check.state == CiState::Passed)
}
