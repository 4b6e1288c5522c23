//! Tests of verdicts on failures.

use baton_protocol::report::ReportedFailure;
use baton_protocol::tools::get_failing_tests::FailureSource;
use baton_remote::github::Fact;
use serde_json::json;

use super::*;
use crate::pulls::ci_check::CiState;
use crate::pulls::failing_tests::base::{Base, BaseCheck, BaseCommit};
use crate::pulls::failing_tests::clusters::{self, tests::found, tests::survey};
use crate::pulls::failing_tests::reading::{Details, OnBase};

fn whole(check: usize, error: &str) -> Found {
    Found {
        source: FailureSource::LogTail,
        failure: ReportedFailure {
            file: None,
            line: None,
            ..found(check, "Run make", error).failure
        },
        ..found(check, "", "")
    }
}

fn on_main(name: &str, state: CiState) -> Base {
    Base {
        branch: "main".to_owned(),
        required: Fact::Known(Vec::new()),
        began_at: None,
        commits: vec![
            BaseCommit {
                id: "9".repeat(40),
                checks: vec![past(name, CiState::Running)],
            },
            BaseCommit {
                id: "2".repeat(40),
                checks: vec![past(name, state)],
            },
        ],
    }
}

fn past(name: &str, state: CiState) -> BaseCheck {
    BaseCheck {
        name: name.to_owned(),
        workflow: None,
        state,
        job: Some(1),
        took: None,
        says: None,
    }
}

fn judged(all: Vec<Found>, survey: &Survey, reading: &Reading) -> String {
    let mut clusters = clusters::group(all, survey);
    judge(&mut clusters, survey, reading);
    let shown = clusters.into_iter().map(|cluster| match cluster.judged {
        Some(Judged { verdict, evidence }) => {
            format!(
                "{}: {evidence}",
                serde_json::to_value(verdict).unwrap().as_str().unwrap()
            )
        }
        None => "unknown".to_owned(),
    });
    shown.collect::<Vec<_>>().join("\n")
}

fn failed() -> CiState {
    CiState::Failed(Why::Failure)
}

#[test]
fn a_check_that_passes_on_the_base_was_broken_here() {
    let mut survey = survey(&["unit"]);
    survey.base = Some(on_main("unit", CiState::Passed));
    let reading = Reading::default();
    insta::assert_snapshot!(judged(vec![found(0, "test_a", "no")], &survey, &reading), @"introduced: `unit` passed on main at 2222222");
}

#[test]
fn a_test_that_fails_on_the_base_was_broken_before() {
    let mut survey = survey(&["unit"]);
    survey.base = Some(on_main("unit", failed()));
    let mut reading = Reading::default();
    // Not looked at.
    insta::assert_snapshot!(judged(vec![found(0, "test_a", "no")], &survey, &reading), @"unknown");
    reading.on_base.push(OnBase {
        check: 0,
        found: vec![found(0, "test_a", "also no")],
    });
    let both = vec![found(0, "test_a", "no"), found(0, "test_b", "no")];
    insta::assert_snapshot!(judged(both, &survey, &reading), @"
    pre_existing: the same test fails in `unit` on main at 2222222
    introduced: `unit` fails on main at 2222222 too, but not in this test
    ");
}

#[test]
fn what_the_merge_base_had_and_the_branch_has_mended_is_old() {
    let mut survey = survey(&["unit"]);
    let mut base = on_main("unit", CiState::Passed);
    base.began_at = Some(BaseCommit {
        id: "3".repeat(40),
        checks: vec![past("unit", failed())],
    });
    survey.base = Some(base);
    let mut reading = Reading::default();
    reading.on_base.push(OnBase {
        check: 0,
        found: vec![found(0, "test_a", "also no")],
    });
    let both = vec![found(0, "test_a", "no"), found(0, "test_b", "no")];
    insta::assert_snapshot!(judged(both, &survey, &reading), @"
    pre_existing: the same test fails in `unit` at the merge base 3333333; main is past it, so update the pull request
    introduced: `unit` fails at the merge base 3333333 too, but not in this test
    ");
}

#[test]
fn last_lines_prove_only_that_they_are_the_same() {
    let mut survey = survey(&["unit"]);
    survey.base = Some(on_main("unit", failed()));
    let mut reading = Reading::default();
    reading.on_base.push(OnBase {
        check: 0,
        found: vec![whole(0, "make: *** [all] Error 2")],
    });
    insta::assert_snapshot!(judged(vec![whole(0, "make: *** [all] Error 1")], &survey, &reading), @"pre_existing: `unit` fails in the same way on main at 2222222");
    insta::assert_snapshot!(judged(vec![whole(0, "segmentation fault")], &survey, &reading), @"unknown");
    insta::assert_snapshot!(judged(vec![found(0, "test_a", "no")], &survey, &reading), @"unknown");
}

#[test]
fn what_passed_on_the_same_commit_is_flaky() {
    let mut survey = survey(&["unit"]);
    survey.base = Some(on_main("unit", CiState::Passed));
    let mut reading = Reading::default();
    let details = Details {
        passed_before: true,
        ..Details::default()
    };
    reading.details.insert(0, details);
    insta::assert_snapshot!(judged(vec![found(0, "test_a", "no")], &survey, &reading), @"flaky: an earlier attempt of `unit` passed on the same commit 1111111");
}

#[test]
fn machines_are_blamed_by_their_own_words() {
    let survey = survey(&["unit"]);
    let mut reading = Reading::default();
    let lost = "The self-hosted runner: box lost communication with the server.";
    let details = Details {
        words: vec![lost.to_owned()],
        ..Details::default()
    };
    reading.details.insert(0, details);
    insta::assert_snapshot!(judged(vec![whole(0, "…")], &survey, &reading), @"infrastructure: the runner said: The self-hosted runner: box lost communication with the server.");
    let reading = Reading::default();
    insta::assert_snapshot!(judged(vec![whole(0, "Error: Unable to resolve action `octo/x@v9`")], &survey, &reading), @"ci_configuration: the runner said: Error: Unable to resolve action `octo/x@v9`");
    // A test may speak of anything.
    insta::assert_snapshot!(judged(vec![found(0, "test_a", "No space left on device")], &survey, &reading), @"unknown");
}

#[test]
fn a_job_that_died_in_its_set_up_ran_no_test() {
    let survey = survey(&["unit"]);
    let mut reading = Reading::default();
    let step = |name: &str, conclusion: &str| json!({ "number": 1, "name": name, "status": "COMPLETED", "conclusion": conclusion });
    let steps = json!([
        step("Set up job", "SUCCESS"),
        step("Run actions/setup-node@v4", "FAILURE")
    ]);
    let details = Details {
        steps: serde_json::from_value(steps).unwrap(),
        ..Details::default()
    };
    reading.details.insert(0, details);
    insta::assert_snapshot!(judged(vec![whole(0, "HTTP 503")], &survey, &reading), @"infrastructure: the step `Run actions/setup-node@v4` of `unit` failed before any test");
}

/// A matrix that went on after a failure has not stopped at it.
#[test]
fn a_cancelled_job_is_explained_by_a_failure_only_where_that_stopped_the_rest() {
    let mut survey = survey(&["test (1)", "test (2)", "test (3)"]);
    survey.checks[1].state = CiState::Failed(Why::Cancelled);
    survey.checks[2].state = CiState::Passed;
    let at = |time: &str| Some(format!("2026-01-31T12:{time}:00Z").parse().unwrap());
    let told = |ends: [Option<&str>; 3]| {
        let mut survey = survey.clone();
        for (check, end) in survey.checks.iter_mut().zip(ends) {
            check.completed_at = end.and_then(at);
        }
        judged(vec![whole(1, "cut off")], &survey, &Reading::default())
    };
    let stopped = "not_run: it was cancelled when `test (1)` failed";
    assert_eq!(told([Some("05"), Some("06"), Some("03")]), stopped);
    let alone = "not_run: it was cancelled";
    assert_eq!(told([Some("05"), Some("06"), Some("20")]), alone);
    assert_eq!(told([Some("05"), Some("01"), Some("03")]), alone);
    assert_eq!(told([None, None, None]), alone);
}

#[test]
fn what_never_ran_says_so() {
    let mut survey = survey(&["test (1)", "test (2)", "deploy", "slow"]);
    survey.checks[1].state = CiState::Failed(Why::Cancelled);
    survey.checks[2].state = CiState::Failed(Why::Unstartable);
    survey.checks[3].state = CiState::Failed(Why::NeverReported);
    survey.base = Some(Base {
        commits: Vec::new(),
        ..on_main("slow", CiState::Passed)
    });
    let all = (1..4).map(|n| whole(n, &format!("fate {n}"))).collect();
    insta::assert_snapshot!(judged(all, &survey, &Reading::default()), @"
    ci_configuration: the workflow has no job that could be started; its file is probably invalid
    not_run: `main` requires it, and nothing has reported it for 1111111
    not_run: it was cancelled when `test (1)` failed
    ");
}
