//! Of several runs of one check on a commit, only the newest counts.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::pulls::ci_check::{CiCheck, CiState};

/// Leaves out what a newer run of the same check has replaced. Jobs of one run
/// are never each other's successors, whatever they are called, nor are runs
/// that different events have started: they may have tested different code.
pub(super) fn only(checks: Vec<CiCheck>) -> Vec<CiCheck> {
    let mut newest: BTreeMap<Identity, Age> = BTreeMap::new();
    for check in &checks {
        for identity in Identity::from_check(check)
            .into_iter()
            .chain(workflow(check))
        {
            let age = newest.entry(identity).or_default();
            *age = (*age).max(Age::from_check(check));
        }
    }
    let is_replaced = |check: &CiCheck| {
        let identity = Identity::from_check(check);
        let known = identity.and_then(|identity| newest.get(&identity));
        known.is_some_and(|newest| *newest > Age::from_check(check))
    };
    let (replaced, mut kept): (Vec<_>, Vec<_>) = checks.into_iter().partition(is_replaced);
    let passed: BTreeSet<Identity> = replaced
        .iter()
        .filter(|check| check.state == CiState::Passed)
        .filter_map(Identity::from_check)
        .collect();
    for check in &mut kept {
        check.passed_before =
            Identity::from_check(check).is_some_and(|known| passed.contains(&known));
    }
    kept
}

/// What two runs of one check have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identity {
    Job {
        workflow: String,
        event: Option<String>,
        /// Absent: the workflow itself, which has no job.
        name: Option<String>,
    },
    Of {
        app: Option<String>,
        name: String,
    },
}

impl Identity {
    fn from_check(check: &CiCheck) -> Option<Self> {
        match &check.run {
            Some(run) => Some(Self::Job {
                workflow: run.workflow.clone(),
                event: run.event.clone(),
                name: check.node.is_some().then(|| check.name.clone()),
            }),
            // Of a status there is only the latest.
            None => check.node.is_some().then(|| Self::Of {
                app: check.app.clone(),
                name: check.name.clone(),
            }),
        }
    }
}

/// A job also tells of its workflow.
fn workflow(check: &CiCheck) -> Option<Identity> {
    let run = check.run.as_ref()?;
    Some(Identity::Job {
        workflow: run.workflow.clone(),
        event: run.event.clone(),
        name: None,
    })
}

/// Runs are numbered in their order; other checks only have their time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Age {
    run: Option<u64>,
    started_at: Option<Timestamp>,
}

impl Age {
    fn from_check(check: &CiCheck) -> Self {
        match &check.run {
            Some(run) => Self {
                run: Some(run.id),
                started_at: None,
            },
            None => Self {
                run: None,
                started_at: check.started_at,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use baton_remote::github::NodeId;

    use super::*;
    use crate::pulls::ci_check::{RunFacts, Why};

    fn job(name: &str, run: u64, event: &str, state: CiState) -> CiCheck {
        CiCheck {
            node: Some(NodeId::new(format!("{name}{run}"))),
            run: Some(RunFacts {
                id: run,
                workflow: "CI".to_owned(),
                event: Some(event.to_owned()),
                created_at: None,
            }),
            ..CiCheck::new(name.to_owned(), state)
        }
    }

    fn kept(checks: Vec<CiCheck>) -> Vec<(String, Option<u64>, bool)> {
        let kept = only(checks).into_iter();
        kept.map(|check| (check.name, check.run.map(|run| run.id), check.passed_before))
            .collect()
    }

    #[test]
    fn a_newer_run_of_the_same_job_replaces_it() {
        let failed = || CiState::Failed(Why::Failure);
        let checks = vec![
            job("test", 1, "push", failed()),
            job("lint", 1, "push", CiState::Passed),
            job("test", 2, "push", CiState::Running),
            job("lint", 2, "push", failed()),
            // Of a matrix whose jobs have one name.
            job("lint", 2, "push", CiState::Passed),
            job("test", 1, "pull_request", failed()),
            // It is not in the newer run, so nothing replaces it.
            job("docs", 1, "push", failed()),
        ];
        assert_eq!(
            kept(checks),
            [
                ("test".to_owned(), Some(2), false),
                ("lint".to_owned(), Some(2), true),
                ("lint".to_owned(), Some(2), true),
                ("test".to_owned(), Some(1), false),
                ("docs".to_owned(), Some(1), false),
            ]
        );
    }

    #[test]
    fn a_workflow_that_could_not_start_is_replaced_by_one_that_did() {
        let unstartable = CiCheck {
            node: None,
            ..job("CI", 1, "push", CiState::Failed(Why::Unstartable))
        };
        let checks = vec![unstartable.clone(), job("test", 2, "push", CiState::Passed)];
        assert_eq!(kept(checks), [("test".to_owned(), Some(2), false)]);
        assert_eq!(kept(vec![unstartable]).len(), 1);
    }

    #[test]
    fn checks_of_other_apps_are_told_apart_by_their_time() {
        let check = |app: &str, time: &str| CiCheck {
            node: Some(NodeId::new(format!("{app}{time}"))),
            app: Some(app.to_owned()),
            started_at: Some(time.parse().unwrap()),
            ..CiCheck::new("scan".to_owned(), CiState::Failed(Why::Failure))
        };
        let (early, late) = ("2026-01-31T12:00:00Z", "2026-01-31T13:00:00Z");
        let checks = vec![check("a", late), check("a", early), check("b", early)];
        let kept: Vec<_> = only(checks).into_iter().filter_map(|c| c.app).collect();
        assert_eq!(kept, ["a", "b"]);
    }
}
