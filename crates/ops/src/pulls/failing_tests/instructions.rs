//! What to do about it, and in which order.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use baton_protocol::Repository;
use baton_protocol::tools::get_failing_tests::{
    CiStatus, FailureVerdict, FixInstructions, FixPriority,
};

use super::NO_CI;
use super::clusters::{Cluster, turn};
use super::commands;
use super::found::shape;
use super::survey::Survey;
use crate::command_line::shown;
use crate::pulls::ci_check::{CiCheck, Why};
use crate::pulls::gh;

/// A caller that has done that much asks again.
const MAX_PRIORITIES: usize = 5;

/// Where the repository is.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) web_url: &'a str,
    pub(super) repository: &'a Repository,
}

/// `commands` are those of the page; the rest is about all failures.
pub(super) fn build(
    clusters: &[Cluster],
    survey: &Survey,
    place: Place<'_>,
    commands: Vec<String>,
) -> FixInstructions {
    FixInstructions {
        summary: summary(clusters, survey),
        priority: priority(clusters, survey, place),
        commands,
    }
}

fn summary(clusters: &[Cluster], survey: &Survey) -> String {
    if clusters.is_empty() {
        return without_failures(survey);
    }
    let (whole, named): (Vec<&Cluster>, Vec<&Cluster>) = clusters
        .iter()
        .partition(|cluster| cluster.found.is_whole_check());
    let (errors, tests): (Vec<&Cluster>, Vec<&Cluster>) = named
        .into_iter()
        .partition(|cluster| cluster.found.is_build_failure);
    let mut parts = Vec::new();
    if !tests.is_empty() {
        parts.push(format!(
            "{} failed{}",
            counted(tests.len(), "test", "tests"),
            place(&tests, survey)
        ));
    }
    let (blocking, others): (Vec<&Cluster>, Vec<&Cluster>) = errors
        .into_iter()
        .partition(|cluster| keeps_from_running(cluster, clusters));
    for (errors, words) in [(blocking, "before any test"), (others, "outside of tests")] {
        if !errors.is_empty() {
            let count = counted(errors.len(), "error", "errors");
            parts.push(format!("{count} {words}{}", place(&errors, survey)));
        }
    }
    let (missing, whole): (Vec<&Cluster>, Vec<&Cluster>) = whole
        .into_iter()
        .partition(|cluster| is_missing(cluster, survey));
    if !whole.is_empty() {
        let checks = whole
            .iter()
            .map(|cluster| cluster.names(survey).len())
            .sum();
        parts.push(format!(
            "{} failed without naming a test",
            counted(checks, "check", "checks")
        ));
    }
    parts.extend(survey.told_of_missing().filter(|_| !missing.is_empty()));
    let mut text = parts.join("; ");
    for (verdict, words) in [
        (FailureVerdict::PreExisting, "on the base branch as well"),
        (FailureVerdict::Flaky, "flaky"),
        (FailureVerdict::Infrastructure, "the machines' doing"),
        (FailureVerdict::NotRun, "not run at all"),
    ] {
        let count = clusters
            .iter()
            .filter(|cluster| cluster.verdict() == Some(verdict))
            // Which has been said.
            .filter(|cluster| !is_missing(cluster, survey));
        let count = count.count();
        if count > 0 {
            write!(text, "; {count} of {} {words}", clusters.len())
                .expect("a string takes all text");
        }
    }
    text
}

fn without_failures(survey: &Survey) -> String {
    let total = survey.checks.len();
    let open = survey.checks.iter().filter(|check| check.is_unfinished());
    match survey.status() {
        CiStatus::Unknown if survey.has_no_ci() => NO_CI.to_owned(),
        CiStatus::Unknown => {
            "Not all checks could be read, so it is not known whether they passed".to_owned()
        }
        CiStatus::Passed => match total {
            1 => "The only check passed".to_owned(),
            _ => format!("All {total} checks passed"),
        },
        CiStatus::Pending => "CI has not started".to_owned(),
        _ => format!(
            "Nothing has failed so far; {} still to end",
            counted(open.count(), "check is", "checks are")
        ),
    }
}

/// ` in tests/test_auth.py (CI / unit)`
fn place(clusters: &[&Cluster], survey: &Survey) -> String {
    let files = clusters
        .iter()
        .map(|cluster| cluster.found.failure.file.as_deref());
    let files: Option<Vec<&str>> = files.collect();
    let files = files.unwrap_or_default();
    let inside = match common(&files) {
        Some(place) => format!(" in {place}"),
        None => String::new(),
    };
    let mut names: Vec<&str> = clusters
        .iter()
        .flat_map(|cluster| cluster.names(survey))
        .collect();
    names.sort_unstable();
    names.dedup();
    match names[..] {
        [name] => format!("{inside} ({name})"),
        _ => format!("{inside} ({} checks)", names.len()),
    }
}

/// The file that all are in, or else the innermost folder.
fn common<'a>(files: &[&'a str]) -> Option<&'a str> {
    let first = *files.first()?;
    if files.iter().all(|file| *file == first) {
        return Some(first);
    }
    let ends = first.match_indices('/').map(|(end, _)| end);
    let mut folders = ends.filter(|end| *end > 0).map(|end| &first[..=end]);
    let shared = |folder: &&str| files.iter().all(|file| file.starts_with(*folder));
    folders
        .rfind(shared)
        .map(|folder| &folder[..folder.len() - 1])
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// What to look at first: what must pass, what keeps all else from running,
/// what many share, and then the smallest.
fn priority(clusters: &[Cluster], survey: &Survey, place: Place<'_>) -> Vec<FixPriority> {
    let mut alike: BTreeMap<String, Vec<&Cluster>> = BTreeMap::new();
    for cluster in clusters {
        alike
            .entry(shape(&cluster.found.failure.error))
            .or_default()
            .push(cluster);
    }
    let mut leaders: Vec<(&Cluster, usize)> = alike
        .into_values()
        .flat_map(|group| {
            // Without words there is nothing that they share.
            let is_shared = group.iter().all(|cluster| !cluster.found.is_whole_check())
                && !group[0].found.failure.error.trim().is_empty();
            let others = group.len() - 1;
            let take = if is_shared { 1 } else { group.len() };
            let others = if is_shared { others } else { 0 };
            group
                .into_iter()
                .take(take)
                .map(move |cluster| (cluster, others))
        })
        .collect();
    leaders.sort_by_cached_key(|(cluster, others)| {
        let found = &cluster.found;
        (
            (turn(cluster.verdict()), !cluster.required),
            (
                found.is_whole_check(),
                !found.is_build_failure,
                Reverse(*others),
            ),
            Reverse(cluster.checks.len()),
            found.failure.error.lines().count(),
            found.failure.name.clone(),
        )
    });
    let leaders = leaders.into_iter().take(MAX_PRIORITIES);
    leaders
        .map(|(cluster, others)| FixPriority {
            test: cluster.found.label(),
            reason: reason(cluster, others, clusters, survey),
            suggested_fix: suggestion(cluster, survey, place),
        })
        .collect()
}

fn reason(cluster: &Cluster, others: usize, all: &[Cluster], survey: &Survey) -> String {
    let mut reasons = Vec::new();
    if let Some(judged) = &cluster.judged {
        reasons.push(judged.evidence.clone());
    }
    if cluster.required {
        let required = cluster.checks.iter().map(|index| &survey.checks[*index]);
        let required = required.filter(|check| check.required);
        let names: Vec<&str> = required.map(|check| check.shown.as_str()).take(1).collect();
        reasons.push(format!("`{}` has to pass before the merge", names.join("")));
    }
    if keeps_from_running(cluster, all) {
        reasons.push("nothing behind it can run before it is fixed".to_owned());
    }
    if others > 0 {
        let tests = if others == 1 {
            "test fails"
        } else {
            "tests fail"
        };
        reasons.push(format!("{others} other {tests} with the same error"));
    }
    let checks = cluster.names(survey).len();
    if checks > 1 {
        reasons.push(format!("it fails in {checks} checks"));
    }
    if reasons.is_empty() {
        return "It fails by itself, so it can be fixed by itself.".to_owned();
    }
    format!("{}.", sentence(&reasons.join("; ")))
}

/// Nothing could run because of it. Tests that failed in the same check did run.
fn keeps_from_running(cluster: &Cluster, all: &[Cluster]) -> bool {
    let found = &cluster.found;
    let is_test_beside = |other: &Cluster| {
        !other.found.is_build_failure
            && !other.found.is_whole_check()
            && other
                .checks
                .iter()
                .any(|check| cluster.checks.contains(check))
    };
    found.is_build_failure
        && !found.is_whole_check()
        && !found.is_of_checker()
        && !all.iter().any(is_test_beside)
}

/// With a large letter at its beginning.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    format!("{}{}", first.collect::<String>(), letters.as_str())
}

/// A required check that nothing reports.
fn is_missing(cluster: &Cluster, survey: &Survey) -> bool {
    let of = |index: &usize| survey.checks[*index].failed() == Some(&Why::NeverReported);
    cluster.checks.iter().all(of)
}

/// Only what is sure to help.
fn suggestion(cluster: &Cluster, survey: &Survey, place: Place<'_>) -> Option<String> {
    let check = &survey.checks[cluster.checks[0]];
    let run = check.run.as_ref().map(|run| run.id);
    let repository = place.repository.to_string();
    match (cluster.verdict(), run) {
        (Some(FailureVerdict::Flaky | FailureVerdict::Infrastructure), Some(run)) => {
            let run = run.to_string();
            let words = ["run", "rerun", &run, "--failed", "--repo", &repository];
            let command = gh::command(place.web_url, &words);
            Some(format!("Run it again: {command}"))
        }
        (Some(FailureVerdict::NotRun), Some(run)) if waits_for_approval(check) => {
            let path = format!("repos/{repository}/actions/runs/{run}/approve");
            let command = gh::command(place.web_url, &["api", "--method", "POST", &path]);
            Some(format!("Approve the run: {command}"))
        }
        _ if is_missing(cluster, survey) => {
            let pull = format!("{repository}#{}", survey.number?);
            let words = ["baton", "pr", "check-merge-readiness", &pull].map(str::to_owned);
            Some(format!(
                "See what asks for it, and whether anything can report it: {}",
                shown(&words)
            ))
        }
        _ => {
            let words = commands::fix(&cluster.found)?;
            Some(format!("Run {}", shown(&words)))
        }
    }
}

/// A workflow of which no job has been started yet.
fn waits_for_approval(check: &CiCheck) -> bool {
    check.failed() == Some(&Why::ActionRequired) && check.job.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pulls::ci_check::{CiState, RunFacts};
    use crate::pulls::failing_tests::clusters::{self, Judged, tests::found, tests::survey};
    use crate::pulls::failing_tests::found::Found;

    fn in_file(check: usize, name: &str, file: &str, error: &str) -> Found {
        let mut found = found(check, name, error);
        found.failure.file = Some(file.to_owned());
        found
    }

    fn told(found: Vec<Found>, survey: &Survey) -> String {
        let mut clusters = clusters::group(found, survey);
        clusters::sort(&mut clusters, survey);
        tell(&clusters, survey)
    }

    fn tell(clusters: &[Cluster], survey: &Survey) -> String {
        let repository = Repository::new("octo", "demo").unwrap();
        let place = Place {
            web_url: "https://github.com",
            repository: &repository,
        };
        let told = build(clusters, survey, place, Vec::new());
        let mut lines = vec![told.summary];
        lines.extend(told.priority.into_iter().map(|priority| {
            let fix = priority.suggested_fix.map(|fix| format!(" → {fix}"));
            format!(
                "{}: {}{}",
                priority.test,
                priority.reason,
                fix.unwrap_or_default()
            )
        }));
        lines.join("\n")
    }

    #[test]
    fn tests_are_placed_by_what_they_have_in_common() {
        let survey = survey(&["CI / unit", "CI / slow"]);
        insta::assert_snapshot!(told(vec![in_file(0, "a", "tests/auth/test_a.py", "x is y")], &survey), @"
        1 test failed in tests/auth/test_a.py (CI / unit)
        a: It fails by itself, so it can be fixed by itself.
        ");
        let all = vec![
            in_file(0, "a", "tests/auth/test_a.py", "x is y"),
            in_file(1, "b", "tests/auth/test_b.py", "y is z"),
        ];
        insta::assert_snapshot!(told(all, &survey), @"
        2 tests failed in tests/auth (2 checks)
        a: It fails by itself, so it can be fixed by itself.
        b: It fails by itself, so it can be fixed by itself.
        ");
    }

    #[test]
    fn what_many_share_comes_before_what_is_small() {
        let mut survey = survey(&["unit", "lint"]);
        survey.checks[1].required = true;
        let refused = "connection refused on port 5432";
        let mut all: Vec<_> = (0..6)
            .map(|n| found(0, &format!("db_{n}"), refused))
            .collect();
        all.push(found(0, "small", "no"));
        all.push(found(1, "must", "a\nb\nc\nlong"));
        insta::assert_snapshot!(told(all, &survey), @"
        8 tests failed in tests/test_a.py (2 checks)
        must: `lint` has to pass before the merge.
        db_0: 5 other tests fail with the same error.
        small: It fails by itself, so it can be fixed by itself.
        ");
    }

    #[test]
    fn what_keeps_others_from_running_is_said() {
        let survey = survey(&["build (1)", "build (2)"]);
        let broken = |check, framework: &str, name: &str| Found {
            is_build_failure: true,
            framework: framework.to_owned(),
            ..in_file(check, name, "src/lib.rs", "it is wrong")
        };
        let compiler = |check| broken(check, "rustc", "E0308");
        insta::assert_snapshot!(told(vec![compiler(0), compiler(1)], &survey), @"
        1 error before any test in src/lib.rs (2 checks)
        E0308: Nothing behind it can run before it is fixed; it fails in 2 checks.
        ");
        let formatter = |check| broken(check, "rustfmt", "rustfmt");
        insta::assert_snapshot!(told(vec![formatter(0), formatter(1)], &survey), @"
        1 error outside of tests in src/lib.rs (2 checks)
        rustfmt: It fails in 2 checks. → Run cargo fmt
        ");
        // A type checker's rule is no test, and the tests beside it ran.
        let both = vec![
            broken(0, "mypy", "assignment"),
            in_file(0, "tests/test_a.py::test_b", "tests/test_a.py", "no"),
        ];
        insta::assert_snapshot!(told(both, &survey), @"
        1 test failed in tests/test_a.py (build (1)); 1 error outside of tests in src/lib.rs (build (1))
        mypy: assignment: It fails by itself, so it can be fixed by itself.
        tests/test_a.py::test_b: It fails by itself, so it can be fixed by itself.
        ");
        let collected = vec![compiler(0), in_file(0, "a", "tests/a.rs", "no")];
        assert!(!told(collected, &survey).contains("Nothing behind it"));
    }

    #[test]
    fn machines_are_asked_to_try_again() {
        let mut survey = survey(&["unit"]);
        survey.checks[0].run = Some(RunFacts {
            id: 42,
            workflow: "CI".to_owned(),
            event: None,
            created_at: None,
        });
        let mut clusters = clusters::group(vec![found(0, "a", "no")], &survey);
        clusters[0].judged = Some(Judged {
            verdict: FailureVerdict::Flaky,
            evidence: "an earlier attempt passed".to_owned(),
        });
        insta::assert_snapshot!(tell(&clusters, &survey), @"
        1 test failed in tests/test_a.py (unit); 1 of 1 flaky
        a: An earlier attempt passed. → Run it again: gh run rerun 42 --failed --repo octo/demo
        ");
    }

    #[test]
    fn without_failures_the_state_is_told() {
        let summary_for = |states: &[CiState]| {
            let mut survey = survey(&["a", "b", "c"][..states.len()]);
            for (check, state) in survey.checks.iter_mut().zip(states) {
                check.state = state.clone();
            }
            summary(&[], &survey)
        };
        insta::assert_snapshot!(summary_for(&[]), @"No CI checks configured");
        insta::assert_snapshot!(summary_for(&[CiState::Passed]), @"The only check passed");
        insta::assert_snapshot!(summary_for(&[CiState::Passed, CiState::Passed]), @"All 2 checks passed");
        insta::assert_snapshot!(summary_for(&[CiState::Waiting, CiState::Waiting]), @"CI has not started");
        insta::assert_snapshot!(summary_for(&[CiState::Passed, CiState::Running]), @"Nothing has failed so far; 1 check is still to end");
    }
}
