//! The same failure in several checks, such as the jobs of a matrix, is one.

use std::collections::BTreeMap;

use baton_protocol::tools::get_failing_tests::FailureVerdict;

use super::found::{Found, shape};
use super::survey::Survey;

/// Checks whose names stand in an entry; the others are counted.
const MAX_NAMES: usize = 3;

#[derive(Clone, Debug)]
pub(super) struct Cluster {
    /// The one that is told best.
    pub(super) found: Found,
    /// Places of all its checks in the survey, in the order of their names.
    pub(super) checks: Vec<usize>,
    /// One of the checks has to pass.
    pub(super) required: bool,
    pub(super) judged: Option<Judged>,
}

/// Fault failure it is, and what proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) verdict: FailureVerdict,
    pub(super) evidence: String,
}

impl Cluster {
    pub(super) fn verdict(&self) -> Option<FailureVerdict> {
        self.judged.as_ref().map(|judged| judged.verdict)
    }

    /// `a, b, c and 9 more`
    pub(super) fn check_name(&self, survey: &Survey) -> String {
        let names = self.names(survey);
        let shown = names[..names.len().min(MAX_NAMES)].join(", ");
        match names.len().checked_sub(MAX_NAMES) {
            None | Some(0) => shown,
            Some(more) => format!("{shown} and {more} more"),
        }
    }

    /// `None`: that could not be read of all its checks.
    pub(super) fn is_required(&self, survey: &Survey) -> Option<bool> {
        let mut checks = self.checks.iter().map(|index| &survey.checks[*index]);
        let is_known = checks.all(|check| check.is_requirement_known);
        (self.required || is_known).then_some(self.required)
    }

    /// The names of its checks, each once: a push and a pull request may both
    /// have run the same one.
    pub(super) fn names<'a>(&self, survey: &'a Survey) -> Vec<&'a str> {
        let names = self.checks.iter();
        let mut names: Vec<&str> = names
            .map(|index| survey.checks[*index].shown.as_str())
            .collect();
        names.dedup();
        names
    }
}

/// What makes two failures the same one.
type Key = (String, Option<String>, Option<u64>, String, bool);

pub(super) fn group(found: Vec<Found>, survey: &Survey) -> Vec<Cluster> {
    let mut clusters: BTreeMap<Key, Cluster> = BTreeMap::new();
    for found in found {
        let required = survey.checks[found.check].required;
        let check = found.check;
        let cluster = clusters
            .entry(key(&found, survey))
            .or_insert_with(|| Cluster {
                found: found.clone(),
                checks: Vec::new(),
                required: false,
                judged: None,
            });
        cluster.required |= required;
        if let Err(place) = cluster.checks.binary_search(&check) {
            cluster.checks.insert(place, check);
        }
        if is_told_better(&found, &cluster.found) {
            cluster.found = found;
        }
    }
    clusters.into_values().collect()
}

fn key(found: &Found, survey: &Survey) -> Key {
    let failure = &found.failure;
    let check = &survey.checks[found.check];
    // The name of a whole check is that of its job, and differs in a matrix
    // where the failure does not.
    let name = if found.is_whole_check() {
        let (workflow, name) = check.matrix();
        format!("{}/{name}", workflow.unwrap_or_default())
    } else {
        failure.name.clone()
    };
    (
        name,
        failure.file.clone(),
        failure.line,
        shape(&failure.error),
        found.is_whole_check(),
    )
}

fn is_told_better(one: &Found, other: &Found) -> bool {
    let worth = |found: &Found| (found.failure.confidence, found.failure.error.len());
    worth(one) > worth(other)
}

/// The order of the answer: what is this pull request's own and must pass
/// first; then by name, so that pages follow each other.
pub(super) fn sort(clusters: &mut [Cluster], survey: &Survey) {
    clusters.sort_by_cached_key(|cluster| {
        let failure = &cluster.found.failure;
        (
            (turn(cluster.verdict()), !cluster.required),
            survey.checks[cluster.checks[0]].shown.clone(),
            (cluster.found.is_whole_check(), failure.name.clone()),
            (failure.file.clone(), failure.line),
            failure.error.clone(),
        )
    });
}

/// When it is a failure's turn, by whose it is.
pub(super) fn turn(verdict: Option<FailureVerdict>) -> u8 {
    match verdict {
        Some(FailureVerdict::Introduced) | None => 0,
        Some(FailureVerdict::CiConfiguration) => 1,
        Some(FailureVerdict::Infrastructure) => 2,
        Some(FailureVerdict::Flaky) => 3,
        Some(FailureVerdict::PreExisting) => 4,
        Some(FailureVerdict::NotRun) => 5,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use baton_protocol::Confidence;
    use baton_protocol::report::ReportedFailure;
    use baton_protocol::tools::get_failing_tests::FailureSource;

    use super::*;
    use crate::pulls::ci_check::{CiCheck, CiState, Why};

    pub(in super::super) fn survey(names: &[&str]) -> Survey {
        let checks = names
            .iter()
            .map(|name| CiCheck::new((*name).to_owned(), CiState::Failed(Why::Failure)));
        Survey {
            head: "1".repeat(40),
            checks: checks.collect(),
            ..Survey::default()
        }
    }

    pub(in super::super) fn found(check: usize, name: &str, error: &str) -> Found {
        Found {
            check,
            failure: ReportedFailure {
                name: name.to_owned(),
                file: Some("tests/test_a.py".to_owned()),
                line: Some(7),
                error: error.to_owned(),
                confidence: Confidence::High,
            },
            framework: "pytest".to_owned(),
            is_build_failure: false,
            source: FailureSource::Log,
            step: None,
        }
    }

    fn outline(clusters: &[Cluster], survey: &Survey) -> Vec<String> {
        let line = |cluster: &Cluster| {
            let (name, error) = (&cluster.found.failure.name, &cluster.found.failure.error);
            format!("{name}: {error} [{}]", cluster.check_name(survey))
        };
        clusters.iter().map(line).collect()
    }

    #[test]
    fn a_matrix_that_fails_alike_is_one_failure() {
        let names = ["test (1)", "test (2)", "test (3)", "test (4)", "test (5)"];
        let survey = survey(&names);
        let alike = (0..5).map(|n| found(n, "test_a", &format!("assert 1 == {n}")));
        let mut clusters = group(alike.collect(), &survey);
        sort(&mut clusters, &survey);
        assert_eq!(
            outline(&clusters, &survey),
            ["test_a: assert 1 == 0 [test (1), test (2), test (3) and 2 more]"]
        );
        assert_eq!(clusters[0].names(&survey).len(), 5);
    }

    #[test]
    fn the_same_test_may_fail_for_two_reasons() {
        let survey = survey(&["linux", "windows"]);
        let all = vec![
            found(1, "test_a", "a lock is held"),
            found(0, "test_a", "assert 1 == 2"),
        ];
        let mut clusters = group(all, &survey);
        sort(&mut clusters, &survey);
        assert_eq!(
            outline(&clusters, &survey),
            [
                "test_a: assert 1 == 2 [linux]",
                "test_a: a lock is held [windows]"
            ]
        );
    }

    #[test]
    fn one_check_fails_once_for_one_reason() {
        let survey = survey(&["test"]);
        let twice = vec![found(0, "test_a", "no"), found(0, "test_a", "no")];
        assert_eq!(
            outline(&group(twice, &survey), &survey),
            ["test_a: no [test]"]
        );
    }

    #[test]
    fn cancelled_jobs_of_a_matrix_are_one_entry() {
        let survey = survey(&["test (1)", "test (2)", "lint"]);
        let cancelled = |check| Found {
            source: FailureSource::Check,
            failure: ReportedFailure {
                file: None,
                line: None,
                ..found(check, &survey.checks[check].name, "cancelled").failure
            },
            ..found(check, "", "")
        };
        let clusters = group((0..3).map(cancelled).collect(), &survey);
        assert_eq!(clusters.len(), 2);
    }

    #[test]
    fn what_must_pass_and_is_new_comes_first() {
        let mut survey = survey(&["a", "b", "c"]);
        survey.checks[2].required = true;
        let all = vec![found(0, "x", "1"), found(1, "y", "2"), found(2, "z", "3")];
        let mut clusters = group(all, &survey);
        let judged = Judged {
            verdict: FailureVerdict::PreExisting,
            evidence: String::new(),
        };
        for cluster in &mut clusters {
            if cluster.found.failure.name == "x" {
                cluster.judged = Some(judged.clone());
            }
        }
        sort(&mut clusters, &survey);
        assert_eq!(
            outline(&clusters, &survey),
            ["z: 3 [c]", "y: 2 [b]", "x: 1 [a]"]
        );
    }
}
