//! Fault failure is it? Only what the evidence proves is said.

use baton_protocol::short;
use baton_protocol::tools::get_failing_tests::FailureVerdict;

use super::base::Counterpart;
use super::clusters::{Cluster, Judged};
use super::found::{Found, shape, shortened};
use super::reading::Reading;
use super::survey::Survey;
use super::whole_check::failed_step;
use crate::pulls::ci_check::{CiCheck, CiState, Why};

/// What is said when the machine failed. Lower case.
const LOST: &[&str] = &[
    "lost communication with the server",
    "the runner has received a shutdown signal",
    "the hosted runner encountered an error",
    "the job was not acquired by runner",
    "no space left on device",
    "the self-hosted runner: ",
];
/// What is said when the workflow asks for what there is not. Lower case.
const MISCONFIGURED: &[&str] = &[
    "unable to resolve action",
    "can't find 'action.yml'",
    "invalid workflow file",
    "the workflow is not valid",
    "unexpected value '",
    "unable to find image '",
];
/// Steps before any of the project's own commands. Lower case; the first words
/// of their names.
const SET_UP: &[&str] = &[
    "set up job",
    "set up runner",
    "initialize containers",
    "build container for action use",
    "build actions/",
    "pull ",
    "run actions/checkout",
    "run actions/setup-",
    "run actions/cache",
    "checkout",
];

pub(super) fn judge(clusters: &mut [Cluster], survey: &Survey, reading: &Reading) {
    for cluster in clusters {
        let facts = Facts { survey, reading };
        cluster.judged = facts
            .never_ran(cluster)
            .or_else(|| facts.machines(cluster))
            .or_else(|| facts.flaky(cluster))
            .or_else(|| facts.base(cluster))
            .map(|(verdict, evidence)| Judged { verdict, evidence });
    }
}

struct Facts<'a> {
    survey: &'a Survey,
    reading: &'a Reading,
}

type Proven = Option<(FailureVerdict, String)>;

impl Facts<'_> {
    fn checks(&self, cluster: &Cluster) -> impl Iterator<Item = (usize, &CiCheck)> {
        let places = cluster.checks.clone();
        places
            .into_iter()
            .map(|index| (index, &self.survey.checks[index]))
    }

    fn never_ran(&self, cluster: &Cluster) -> Proven {
        let (_, check) = self.checks(cluster).next()?;
        let (verdict, evidence) = match check.failed()? {
            Why::Failure | Why::TimedOut | Why::Other(_) => return None,
            Why::Unstartable => (
                FailureVerdict::CiConfiguration,
                "the workflow has no job that could be started; its file is probably invalid"
                    .to_owned(),
            ),
            Why::Cancelled => (FailureVerdict::NotRun, self.cancelled(check)),
            Why::ActionRequired => (
                FailureVerdict::NotRun,
                "it waits for someone to approve it or to act elsewhere".to_owned(),
            ),
            Why::Stale => (
                FailureVerdict::NotRun,
                "GitHub gave up on it because it was never finished".to_owned(),
            ),
            Why::NeverReported => {
                let branch = self.survey.base.as_ref().map(|base| base.branch.as_str());
                let branch = branch.map(|branch| format!("`{branch}`"));
                let branch = branch.unwrap_or_else(|| "the base branch".to_owned());
                let head = &self.survey.head;
                let evidence = format!(
                    "{branch} requires it, and nothing has reported it for {}",
                    short(head)
                );
                (FailureVerdict::NotRun, evidence)
            }
        };
        Some((verdict, evidence))
    }

    /// A matrix that stops at the first failure cancels its other jobs. One that lets another job
    /// end well afterwards has not done that.
    fn cancelled(&self, check: &CiCheck) -> String {
        let siblings = || {
            let all = self.survey.checks.iter();
            all.filter(|other| other.matrix() == check.matrix() && other.run == check.run)
        };
        let failed = siblings().filter(|other| other.failed() == Some(&Why::Failure));
        let first = failed.min_by_key(|other| other.completed_at);
        let went_on = |failure: &CiCheck| {
            let mut passed = siblings().filter(|other| other.state == CiState::Passed);
            passed.any(|other| match (other.completed_at, failure.completed_at) {
                (Some(passed), Some(failed)) => passed > failed,
                _ => true,
            })
        };
        match first {
            Some(failure) if !went_on(failure) && !ended_before(check, failure) => {
                format!("it was cancelled when `{}` failed", failure.shown)
            }
            _ => "it was cancelled".to_owned(),
        }
    }

    /// The machine or the workflow is to blame. A test that failed proves that
    /// both were good enough.
    fn machines(&self, cluster: &Cluster) -> Proven {
        let is_test = !cluster.found.is_whole_check();
        let (index, check) = self.checks(cluster).next()?;
        let details = self.reading.details.get(&index);
        let words = details.map(|details| details.words.as_slice());
        let mut words: Vec<&str> = words
            .unwrap_or_default()
            .iter()
            .map(String::as_str)
            .collect();
        if !is_test {
            words.push(&cluster.found.failure.error);
        }
        for (known, verdict) in [
            (LOST, FailureVerdict::Infrastructure),
            (MISCONFIGURED, FailureVerdict::CiConfiguration),
        ] {
            if let Some(line) = words.iter().find_map(|text| line_with(text, known)) {
                return Some((verdict, format!("the runner said: {line}")));
            }
        }
        let step = details.and_then(|details| failed_step(&details.steps))?;
        let name = step.name.to_lowercase();
        let is_set_up = SET_UP.iter().any(|known| name.starts_with(known));
        (is_set_up && !is_test).then(|| {
            let evidence = format!(
                "the step `{}` of `{}` failed before any test",
                shortened(&step.name, 80),
                check.shown
            );
            (FailureVerdict::Infrastructure, evidence)
        })
    }

    fn flaky(&self, cluster: &Cluster) -> Proven {
        let passed = self.checks(cluster).find(|(index, _)| {
            let details = self.reading.details.get(index);
            details.is_some_and(|details| details.passed_before)
        });
        let (_, check) = passed?;
        let evidence = format!(
            "an earlier attempt of `{}` passed on the same commit {}",
            check.shown,
            short(&self.survey.head)
        );
        Some((FailureVerdict::Flaky, evidence))
    }

    /// It fails on the base branch in the same way, or does not.
    fn base(&self, cluster: &Cluster) -> Proven {
        let base = self.survey.base.as_ref()?;
        let branch = &base.branch;
        let compared: Vec<_> = self
            .checks(cluster)
            .filter_map(|(index, check)| {
                let counterpart = base.counterpart(check)?;
                let same = self.same_on_base(index, &counterpart, &cluster.found)?;
                Some((check, counterpart, same))
            })
            .collect();
        if let Some((check, there, _)) = compared.iter().find(|(_, _, same)| *same) {
            let what = if cluster.found.is_whole_check() {
                format!("`{}` fails in the same way", check.shown)
            } else {
                format!("the same test fails in `{}`", check.shown)
            };
            let commit = short(there.commit);
            let evidence = if there.is_mended {
                format!(
                    "{what} at the merge base {commit}; {branch} is past it, so update the pull request"
                )
            } else {
                format!("{what} on {branch} at {commit}")
            };
            return Some((FailureVerdict::PreExisting, evidence));
        }
        let (check, there, _) = compared.first()?;
        let commit = short(there.commit);
        let evidence = if there.is_mended {
            format!(
                "`{}` fails at the merge base {commit} too, but not in this test",
                check.shown
            )
        } else if there.failed() {
            format!(
                "`{}` fails on {branch} at {commit} too, but not in this test",
                check.shown
            )
        } else {
            format!("`{}` passed on {branch} at {commit}", check.shown)
        };
        Some((FailureVerdict::Introduced, evidence))
    }

    /// Whether the failure is also on the base branch; `None` when that is not
    /// known.
    fn same_on_base(&self, index: usize, there: &Counterpart<'_>, found: &Found) -> Option<bool> {
        if !there.failed() {
            return Some(false);
        }
        let read = self.reading.on_base.iter().find(|read| read.check == index);
        if let Some(read) = read {
            let same = read.found.iter().any(|other| other.is_like(found));
            // Where one side names tests and the other does not, they cannot
            // be compared.
            let comparable = read
                .found
                .iter()
                .any(|other| other.is_whole_check() == found.is_whole_check());
            // Two whole checks that differ may still fail for one reason.
            return match (same, comparable, found.is_whole_check()) {
                (true, _, _) => Some(true),
                (false, true, false) => Some(false),
                _ => None,
            };
        }
        // A status has only its words.
        let said = there.check.says.as_deref()?;
        let same = shape(said) == shape(&found.failure.error);
        (found.is_whole_check() && same).then_some(true)
    }
}

fn ended_before(one: &CiCheck, other: &CiCheck) -> bool {
    let ends = one.completed_at.zip(other.completed_at);
    ends.is_some_and(|(one, other)| one < other)
}

fn line_with(text: &str, known: &[&str]) -> Option<String> {
    let line = text.lines().find(|line| {
        let line = line.to_lowercase();
        known.iter().any(|known| line.contains(known))
    })?;
    Some(shortened(line.trim(), 200))
}

#[cfg(test)]
mod tests;
