//! Ways through the workflow, with the commands after each event.

use baton_workflow::{Choice, FailureKind, Guidance, Mode, Policy, Report, StepQuestion, Until};

use crate::samples::{
    Walk, agent_failed, approved, complete, conflict, findings, fixed, implemented, issue_ready,
    merged, not_valid, nothing_to_fix, workspace,
};

fn snapshot(mut walk: Walk, reports: Vec<Report>) -> String {
    let mut lines = vec![walk.wants()];
    for report in reports {
        walk.does(report);
        lines.push(walk.wants());
    }
    lines.join("\n")
}

#[test]
fn from_an_issue_to_a_merged_pull_request() {
    let reports = vec![
        issue_ready(),
        workspace("ready"),
        Report::Done,
        implemented(),
        findings(&["SQL injection"]),
        fixed(),
        approved(),
        not_valid("login_test"),
        fixed(),
        approved(),
        Report::Done,
        merged(),
        complete(),
    ];
    insta::assert_snapshot!(snapshot(Walk::new(Policy::default()), reports), @"
    created | run 001-issue try 1
    preparing | run 002-prepare try 1
    implementing | run 003-implement try 1
    implementing | run 004-publish try 1
    in_review | run 005-review try 1
    fixing | run 006-fix try 1
    in_review | run 007-review try 1
    validating | run 008-validate try 1
    fixing | run 009-fix try 1
    in_review | run 010-review try 1
    validating | run 011-validate try 1
    merging | run 012-merge try 1
    merging | run 013-close try 1
    closed | complete Closed
    ");
}

fn going(until: Until) -> Policy {
    Policy {
        until,
        ..Policy::default()
    }
}

#[test]
fn a_run_ends_where_it_is_to_end_and_cleans_up_first() {
    let mut to_pr = Walk::new(going(Until::Pr));
    for report in [
        issue_ready(),
        workspace("ready"),
        Report::Done,
        implemented(),
    ] {
        to_pr.does(report);
    }
    insta::assert_snapshot!(to_pr.wants(), @"implementing | run 005-clean-up try 1");
    to_pr.does(Report::Done);
    insta::assert_snapshot!(to_pr.wants(), @"done | complete Reached { until: Pr, left_behind: None }");
    let reports = vec![
        not_valid("login_test"),
        fixed(),
        approved(),
        Report::Done,
        Report::Done,
    ];
    let mut to_ready = Walk::to_review(going(Until::Ready));
    to_ready.does(approved());
    insta::assert_snapshot!(snapshot(to_ready, reports), @"
    validating | run 006-validate try 1
    fixing | run 007-fix try 1
    in_review | run 008-review try 1
    validating | run 009-validate try 1
    validating | run 010-clean-up try 1
    done | complete Reached { until: Ready, left_behind: None }
    ");
}

#[test]
fn a_pull_request_that_someone_opened_is_brought_forward() {
    let reports = vec![
        issue_ready(),
        workspace("ready"),
        findings(&["rename it"]),
        fixed(),
        Report::Done,
        not_valid("login_test"),
        fixed(),
        Report::Done,
        Report::Done,
        Report::Done,
    ];
    insta::assert_snapshot!(snapshot(Walk::tending(going(Until::Ready)), reports), @"
    created | run 001-issue try 1
    preparing | run 002-prepare try 1
    in_review | run 003-review try 1
    fixing | run 004-fix try 1
    in_review | run 005-review try 1
    validating | run 006-validate try 1
    fixing | run 007-fix try 1
    in_review | run 008-review try 1
    validating | run 009-validate try 1
    validating | run 010-clean-up try 1
    done | complete Reached { until: Ready, left_behind: None }
    ");
}

#[test]
fn what_others_merge_is_closed_wherever_the_run_was_to_end() {
    let mut walk = Walk::to_review(going(Until::Ready));
    walk.does(approved());
    walk.does(merged());
    insta::assert_snapshot!(walk.wants(), @"merging | run 007-close try 1");
}

#[test]
fn a_review_of_our_own_work_never_ends_without_a_verdict() {
    let mut walk = Walk::to_review(Policy::default());
    walk.begins();
    assert!(walk.state.check_report(&Report::Done).is_err());
}

#[test]
fn nothing_to_fix_goes_on_to_the_validator() {
    let reports = vec![findings(&["a nit"]), nothing_to_fix()];
    insta::assert_snapshot!(snapshot(Walk::to_review(Policy::default()), reports), @"
    in_review | run 005-review try 1
    fixing | run 006-fix try 1
    validating | run 007-validate try 1
    ");
}

#[test]
fn a_merge_that_fails_goes_to_the_fixer() {
    let reports = vec![
        approved(),
        Report::Done,
        not_valid("conflict in src/login.rs"),
    ];
    insta::assert_snapshot!(snapshot(Walk::to_review(Policy::default()), reports), @"
    in_review | run 005-review try 1
    validating | run 006-validate try 1
    merging | run 007-merge try 1
    fixing | run 008-fix try 1
    ");
}

#[test]
fn the_same_findings_twice_are_a_question_at_once() {
    let reports = vec![
        findings(&["SQL injection"]),
        fixed(),
        findings(&["SQL injection"]),
    ];
    let mut walk = Walk::to_review(Policy::default());
    for report in reports {
        walk.does(report);
    }
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 009-ask [mas] two reviews in a row found the same, so the fix in between did not help");
    let mut accepted = walk.clone();
    accepted.answers('a');
    insta::assert_snapshot!(accepted.wants(), @"validating | run 010-validate try 1");
    walk.answers_with('m', Some("bind the parameter"));
    insta::assert_snapshot!(walk.wants(), @"fixing | run 008-fix try 1");
    insta::assert_debug_snapshot!(walk.state.task().unwrap().guidance, @r#"
    [
        Answer(
            Answer {
                choice: 'm',
                comment: Some(
                    "bind the parameter",
                ),
            },
        ),
    ]
    "#);
}

#[test]
fn three_rounds_of_review_then_a_question() {
    let mut walk = Walk::to_review(Policy::default());
    for finding in ["one", "two", "three"] {
        walk.does(findings(&[finding]));
        walk.does(fixed());
    }
    walk.does(findings(&["four"]));
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 013-ask [mas] 4 reviews asked for changes, and there are findings left");
    walk.answers('m');
    for finding in ["five", "six", "seven"] {
        walk.does(fixed());
        walk.does(findings(&[finding]));
    }
    insta::assert_snapshot!(walk.wants(), @"fixing | run 019-fix try 1");
}

#[test]
fn the_same_validation_failure_three_times_is_a_question() {
    let mut walk = Walk::to_review(Policy::default());
    for _ in 0..2 {
        walk.does(approved());
        walk.does(not_valid("login_test"));
        walk.does(fixed());
    }
    walk.does(approved());
    walk.does(not_valid("login_test"));
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 014-ask [rs] the same failure came 3 times: test: login_test");
}

/// The commands of a run that conflicted with each of these commits of the base.
fn after_conflicts(bases: &[&str]) -> String {
    let mut walk = Walk::to_review(Policy::default());
    walk.does(approved());
    for (index, base) in bases.iter().enumerate() {
        if index > 0 {
            walk.does(nothing_to_fix());
        }
        walk.does(conflict(base));
    }
    walk.wants()
}

#[test]
fn a_conflict_with_a_base_that_moved_is_another_one() {
    insta::assert_snapshot!(after_conflicts(&["aaaa1111", "aaaa1111", "aaaa1111"]), @"waiting | ask 012-ask [rs] the same failure came 3 times: conflict: feature and main conflict in a.rs");
    insta::assert_snapshot!(after_conflicts(&["aaaa1111", "bbbb2222", "cccc3333"]), @"fixing | run 011-fix try 1");
}

#[test]
fn validations_that_fail_differently_each_time_are_bounded_as_well() {
    let mut walk = Walk::to_review(Policy::default());
    for failure in ["one", "two", "three"] {
        walk.does(approved());
        walk.does(not_valid(failure));
        walk.does(fixed());
    }
    walk.does(approved());
    walk.does(not_valid("four"));
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 017-ask [ms] the validation failed 4 times");
}

#[test]
fn a_semi_autonomous_run_asks_before_the_pull_request_and_the_merge() {
    let policy = Policy {
        mode: Mode::Semi,
        ..Policy::default()
    };
    let mut walk = Walk::new(policy);
    walk.does(issue_ready());
    walk.does(workspace("ready"));
    walk.does(Report::Done);
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 005-ask [ys] ready for the step `publish`");
    walk.answers('y');
    walk.does(implemented());
    walk.does(approved());
    walk.does(Report::Done);
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 009-ask [ys] ready for the step `merge`");
    walk.answers('s');
    insta::assert_snapshot!(walk.wants(), @"validating | run 010-clean-up try 1");
    walk.does(Report::Done);
    insta::assert_snapshot!(walk.wants(), @r#"cancelled | complete Cancelled { reason: "stopped at a question: ready for the step `merge`", left_behind: None }"#);
}

#[test]
fn a_supervised_run_asks_at_every_pass() {
    let policy = Policy {
        mode: Mode::Supervised,
        ..Policy::default()
    };
    let mut walk = Walk::new(policy);
    let mut asked = Vec::new();
    for report in [
        issue_ready(),
        workspace("ready"),
        Report::Done,
        implemented(),
        approved(),
        Report::Done,
        merged(),
        complete(),
    ] {
        walk.does(report);
        if let Some(question) = walk.state.question() {
            asked.push(question.reason.to_string());
            walk.answers('y');
        }
    }
    insta::assert_snapshot!(asked.join("\n"), @"
    ready for the step `prepare`
    ready for the step `implement`
    ready for the step `publish`
    ready for the step `review`
    ready for the step `validate`
    ready for the step `merge`
    ready for the step `close`
    ");
    insta::assert_snapshot!(walk.wants(), @"closed | complete Closed");
}

#[test]
fn a_step_may_ask_and_is_run_again_with_the_answer() {
    let mut walk = Walk::new(Policy::default());
    let question = StepQuestion {
        text: "Which endpoint?".to_owned(),
        options: vec![Choice::new('1', "/login"), Choice::new('2', "/token")],
        objections: Vec::new(),
    };
    walk.does(Report::Asks {
        question: question.clone(),
    });
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 002-ask [12s] Which endpoint?");
    walk.answers('2');
    insta::assert_snapshot!(walk.wants(), @"created | run 001-issue try 1");
    assert!(
        matches!(&walk.state.task().unwrap().guidance[..], [Guidance::Answer(answer)] if answer.choice == '2')
    );
    for _ in 0..2 {
        walk.does(Report::Asks {
            question: question.clone(),
        });
        walk.answers('1');
    }
    walk.does(Report::Asks { question });
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 005-ask [rs] the step `issue` failed: it keeps asking questions");
}

#[test]
fn the_failure_that_an_agent_reports_decides_what_follows() {
    for (status, recoverable, expected) in [
        ("failure", true, "created | run 001-issue try 2"),
        (
            "failure",
            false,
            "waiting | ask 002-ask [rs] the step `issue` failed: BuildError: it does not compile",
        ),
        (
            "blocked",
            true,
            "blocked | ask 002-ask [rs] the step `issue` has to wait for something outside: BuildError: it does not compile | sleep 002-ask/recheck until 05:02",
        ),
    ] {
        let mut walk = Walk::new(Policy::default());
        walk.does(agent_failed("issue-manager", status, recoverable));
        assert_eq!(walk.wants(), expected);
    }
}

#[test]
fn the_outcome_of_a_handoff_counts() {
    let mut walk = Walk::new(Policy::default());
    walk.does(issue_ready());
    walk.does(workspace("blocked"));
    insta::assert_snapshot!(walk.wants(), @"blocked | ask 003-ask [rs] the step `prepare` has to wait for something outside: no reason was given | sleep 003-ask/recheck until 05:04");
    walk.wakes();
    insta::assert_snapshot!(walk.wants(), @"preparing | run 002-prepare try 2");
    assert_eq!(walk.state.passed().len(), 1, "a failed pass is none");
}

#[test]
fn a_rejected_handoff_goes_back_to_its_sender() {
    let mut walk = Walk::to_review(Policy::default());
    walk.fails(
        FailureKind::Rejected,
        "the pull request's head is another commit",
    );
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 007-ask [rs] the step `review` rejects what it was handed: the pull request's head is another commit");
    walk.answers('r');
    insta::assert_snapshot!(walk.wants(), @"implementing | run 006-publish try 1");
}

#[test]
fn cancelling_stops_the_step_and_cleans_up() {
    let mut walk = Walk::to_review(Policy::default());
    walk.begins();
    walk.cancels();
    insta::assert_snapshot!(walk.wants(), @"in_review | stop 005-review");
    let key = walk.key();
    let at = walk.now();
    let failure = crate::samples::failure(FailureKind::Cancelled, "ended");
    walk.try_event(baton_workflow::Event::Failed {
        key,
        at,
        failure,
        usage: baton_workflow::Usage::default(),
    })
    .unwrap();
    insta::assert_snapshot!(walk.wants(), @"in_review | run 006-clean-up try 1");
    walk.fails(FailureKind::Permanent, "the worktree is in use");
    insta::assert_snapshot!(walk.wants(), @r#"cancelled | complete Cancelled { reason: "changed my mind", left_behind: Some("the worktree is in use") }"#);
}

#[test]
fn cancelling_is_too_late_once_the_merge_is_done() {
    let mut walk = Walk::to_review(Policy::default());
    walk.does(approved());
    walk.does(Report::Done);
    walk.begins();
    walk.cancels();
    walk.finishes(merged(), baton_workflow::Usage::default());
    insta::assert_snapshot!(walk.wants(), @"merging | run 008-close try 1");
}
