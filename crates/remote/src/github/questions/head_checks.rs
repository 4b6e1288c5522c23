//! The CI results of a commit, and which of them could not be read.

use serde::Deserialize;

use super::pull_request_checks::{Check, Suite};
use crate::github::enums::{CheckConclusion, CheckStatus, StatusState};
use crate::github::fact::{Fact, Unreadable};
use crate::github::graphql::Connection;

#[derive(Clone, Debug)]
pub struct HeadChecks {
    /// GitHub's summary of all checks; `None` when there are none.
    pub rollup: Fact<Option<StatusState>>,
    pub checks: Vec<Fact<Check>>,
    /// Suites include runs that have no check yet: those that wait for a runner
    /// or for approval.
    pub suites: Vec<Fact<Suite>>,
    /// There are more checks or suites than were read.
    pub truncated: bool,
}

impl HeadChecks {
    /// Those that could be read.
    pub fn readable(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter_map(Fact::known)
    }

    pub fn readable_suites(&self) -> impl Iterator<Item = &Suite> {
        self.suites.iter().filter_map(Fact::known)
    }

    /// The parts that could not be read, with one reason for each kind.
    pub fn withheld(&self) -> Vec<Unreadable> {
        let mut doubts = Vec::new();
        let withheld = |what: &str, parts: Vec<&Unreadable>, all: usize| {
            let first = *parts.first()?;
            Some(first.about(format!("{} of {all} {what} of the head", parts.len())))
        };
        let checks = self.checks.iter().filter_map(Fact::unreadable).collect();
        doubts.extend(withheld("checks", checks, self.checks.len()));
        let suites = self.suites.iter().filter_map(Fact::unreadable).collect();
        doubts.extend(withheld("check suites", suites, self.suites.len()));
        let rollup = self.rollup.unreadable();
        doubts.extend(rollup.map(|rollup| rollup.about("the summary of the head's checks")));
        doubts
    }

    /// GitHub's summary reports a failure, though everything that is listed
    /// passed.
    pub fn contradiction(&self) -> Option<Unreadable> {
        let state = match &self.rollup {
            Fact::Known(None | Some(StatusState::Success)) | Fact::Unreadable(_) => return None,
            Fact::Known(Some(state)) => state,
        };
        // One that is withheld, failed or running explains the summary.
        let passed = |check: &Fact<Check>| check.known().is_some_and(Check::lets_through);
        self.checks.iter().all(passed).then(|| Unreadable {
            what: "a check of the head".to_owned(),
            reason: format!(
                "GitHub's summary of all checks is {}, though every check that it lists passed",
                state.as_str().to_uppercase()
            ),
            remedy: "Ask again in a moment; if it stays so, look at the checks on the pull \
                     request's page."
                .to_owned(),
        })
    }

    /// Adds a later page of the checks.
    pub(super) fn extend(&mut self, page: Self) {
        self.checks.extend(page.checks);
        // Without a summary there are no checks in it either.
        if let Fact::Unreadable(unreadable) = page.rollup {
            self.checks.push(Fact::Unreadable(unreadable));
        }
    }

    /// Nothing of it could be read.
    pub fn unreadable(cause: Unreadable) -> Self {
        Self {
            rollup: Fact::Unreadable(cause),
            ..Self::none()
        }
    }

    pub(super) fn none() -> Self {
        Self {
            rollup: Fact::Known(None),
            checks: Vec::new(),
            suites: Vec::new(),
            truncated: false,
        }
    }
}

/// A page of the CI results of a commit.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Head {
    status_check_rollup: Option<Rollup>,
    check_suites: Option<Connection<Suite>>,
}

#[derive(Deserialize)]
struct Rollup {
    state: Option<StatusState>,
    contexts: Option<Connection<Check>>,
}

impl Head {
    /// With where the next page of checks begins. `path` is that of the commit in the answer.
    pub(super) fn read(
        self,
        path: &str,
        unreadable: &[Unreadable],
    ) -> (HeadChecks, Option<String>) {
        let mut head = HeadChecks::none();
        let mut next = None;
        let rollup_path = format!("{path}.statusCheckRollup");
        match self.status_check_rollup {
            None => head.rollup = Fact::at(&rollup_path, None, unreadable),
            Some(Rollup { state, contexts }) => {
                head.rollup = match state {
                    Some(state) => Fact::Known(Some(state)),
                    None => Fact::Unreadable(Unreadable::at(&rollup_path, unreadable)),
                };
                let contexts = contexts.unwrap_or_default();
                next = contexts.next_page();
                head.checks = contexts.into_facts(&format!("{rollup_path}.contexts"), unreadable);
            }
        }
        let suites_path = format!("{path}.checkSuites");
        match (
            self.check_suites,
            Unreadable::cause(unreadable, &suites_path),
        ) {
            (Some(suites), _) => {
                head.truncated = suites.has_next_page();
                let suites = suites.into_facts(&suites_path, unreadable).into_iter();
                head.suites = suites
                    .enumerate()
                    .map(|(index, suite)| {
                        let path = format!("{suites_path}.nodes.{index}");
                        known_run(suite, Unreadable::cause(unreadable, &path))
                    })
                    .collect();
            }
            (None, Some(cause)) => head.suites.push(Fact::Unreadable(cause.clone())),
            // Later pages do not ask for them.
            (None, None) => {}
        }
        (head, next)
    }
}

/// Only suites of workflows count, since many apps have one that never reports. So a suite that has
/// not passed and whose workflow is withheld may be one that counts.
fn known_run(suite: Fact<Suite>, cause: Option<&Unreadable>) -> Fact<Suite> {
    match (suite, cause) {
        (Fact::Known(suite), Some(cause)) if suite.workflow_run.is_none() && !is_over(&suite) => {
            Fact::Unreadable(cause.clone())
        }
        (suite, _) => suite,
    }
}

fn is_over(suite: &Suite) -> bool {
    let conclusion = suite.conclusion.as_ref();
    suite.status == CheckStatus::Completed && conclusion.is_some_and(CheckConclusion::lets_through)
}
