//! Retries, stalls, budgets and everything else that is counted.

use std::time::Duration;

use baton_workflow::{
    Budget, Command, Event, Failure, FailureKind, Objection, Policy, Report, Usage, next,
};

use crate::samples::{Walk, issue_ready, workspace};

fn unattended() -> Policy {
    Policy {
        unattended: true,
        ..Policy::default()
    }
}

#[test]
fn transient_failures_are_retried_for_half_an_hour() {
    let mut walk = Walk::new(Policy::default());
    let mut pauses = Vec::new();
    for _ in 0..12 {
        walk.fails(FailureKind::Transient, "503");
        let [Command::Sleep { until, .. }] = &next(&walk.state)[..] else {
            panic!("not resting");
        };
        pauses.push((*until - walk.now()).get_seconds());
        walk.wakes();
    }
    assert_eq!(pauses, [1, 2, 5, 15, 30, 60, 120, 240, 300, 300, 300, 300]);
    walk.fails(FailureKind::Transient, "503");
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 002-ask [rs] the step `issue` failed: 503");
    walk.answers('r');
    insta::assert_snapshot!(walk.wants(), @"created | run 001-issue try 14");
}

#[test]
fn a_server_may_ask_for_a_longer_pause_within_reason() {
    let failed = |seconds| {
        let mut walk = Walk::new(Policy::default());
        walk.fails_as(Failure {
            retry_after: Some(Duration::from_secs(seconds)),
            ..Failure::new(FailureKind::Transient, "rate limit")
        });
        walk.wants()
    };
    insta::assert_snapshot!(failed(90), @"created | sleep 001-issue/wait-1 until 01:32");
    insta::assert_snapshot!(failed(7200), @"waiting | ask 002-ask [rs] the step `issue` failed: rate limit");
}

#[test]
fn only_transient_failures_are_retried_automatically() {
    for kind in [
        FailureKind::Permanent,
        FailureKind::Rejected,
        FailureKind::Blocked,
    ] {
        let mut walk = Walk::new(Policy::default());
        walk.fails(kind, "no");
        assert!(walk.state.question().is_some(), "{kind:?}");
    }
}

#[test]
fn a_stalled_step_gets_one_more_try() {
    let mut walk = Walk::new(Policy::default());
    walk.fails(FailureKind::Stalled, "silent for ten minutes");
    insta::assert_snapshot!(walk.wants(), @"created | run 001-issue try 2");
    walk.fails(FailureKind::Stalled, "silent for ten minutes");
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 002-ask [rs] the step `issue` failed: silent for ten minutes");
}

#[test]
fn the_same_excuse_three_times_is_a_question() {
    let mut walk = Walk::new(Policy::default());
    walk.fails(FailureKind::Unproven, "the diff is empty");
    walk.fails(FailureKind::Unproven, "the diff is empty");
    insta::assert_snapshot!(walk.wants(), @"created | run 001-issue try 3");
    walk.fails(FailureKind::Unproven, "the diff is empty");
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 002-ask [rs] the same failure came 3 times: the diff is empty");
}

/// A person may accept what the evidence speaks against.
#[test]
fn an_objection_can_be_accepted() {
    let mut walk = Walk::new(Policy::default());
    let objection = Objection {
        rule: "tamper/test-deleted".to_owned(),
        fingerprint: "1a".to_owned(),
        text: "a test was deleted".to_owned(),
    };
    let failure = Failure {
        acceptable: true,
        objections: vec![objection.clone()],
        ..Failure::new(FailureKind::Unproven, "a test was deleted")
    };
    for _ in 0..3 {
        walk.fails_as(failure.clone());
    }
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 002-ask [ras] the same failure came 3 times: a test was deleted");
    let mut again = walk.clone();
    again.answers('r');
    assert_eq!(again.state.accepted(), []);
    walk.answers('a');
    let accepted = walk.state.accepted();
    assert_eq!(accepted.len(), 1);
    assert_eq!(accepted[0].objection, objection);
}

#[test]
fn new_excuses_are_counted_too() {
    let mut walk = Walk::new(Policy::default());
    for excuse in ["a", "b", "c", "d"] {
        walk.fails(FailureKind::Unproven, excuse);
        assert!(walk.state.question().is_none());
    }
    walk.fails(FailureKind::Unproven, "e");
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 002-ask [rs] the step `issue` failed: e");
}

#[test]
fn a_step_that_kills_its_driver_is_not_started_for_ever() {
    let mut walk = Walk::new(Policy::default());
    walk.begins();
    for _ in 0..5 {
        walk.begins();
        assert!(walk.state.is_running());
    }
    walk.begins();
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 002-ask [rs] the process that runs the step `issue` died 6 times");
}

#[test]
fn a_blocked_run_looks_again_by_itself_and_then_waits() {
    let mut walk = Walk::new(Policy::default());
    for _ in 0..6 {
        walk.fails(FailureKind::Blocked, "CI does not report");
        walk.wakes();
    }
    walk.fails(FailureKind::Blocked, "CI does not report");
    insta::assert_snapshot!(walk.wants(), @"blocked | ask 008-ask [rs] the step `issue` has to wait for something outside: CI does not report");
    walk.answers('r');
    insta::assert_snapshot!(walk.wants(), @"created | run 001-issue try 8");
}

#[test]
fn an_unattended_run_ends_with_its_first_question() {
    let mut walk = Walk::new(unattended());
    walk.fails(
        FailureKind::Permanent,
        "the token is not valid; set GH_TOKEN",
    );
    insta::assert_snapshot!(walk.wants(), @"created | run 002-clean-up try 1");
    walk.does(Report::Done);
    insta::assert_snapshot!(walk.wants(), @r#"failed | complete Failed { reason: "the step `issue` failed: the token is not valid; set GH_TOKEN", left_behind: None }"#);
}

#[test]
fn an_unattended_run_still_waits_while_it_is_blocked() {
    let mut walk = Walk::new(unattended());
    for _ in 0..6 {
        walk.fails(FailureKind::Blocked, "CI does not report");
        assert_eq!(walk.state.status().word(), "blocked");
        walk.wakes();
    }
    walk.fails(FailureKind::Blocked, "CI does not report");
    insta::assert_snapshot!(walk.wants(), @"created | run 002-clean-up try 1");
}

#[test]
fn a_spent_budget_pauses_the_run_and_can_be_extended() {
    let policy = Policy {
        budget: Budget {
            turns: Some(10),
            ..Budget::default()
        },
        ..Policy::default()
    };
    let mut walk = Walk::new(policy);
    walk.begins();
    let usage = Usage {
        turns: 25,
        ..Usage::default()
    };
    walk.finishes(issue_ready(), usage);
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 003-ask [ms] the budget of the run (turns) is spent");
    walk.answers('m');
    insta::assert_snapshot!(walk.wants(), @"preparing | run 002-prepare try 1");
    assert_eq!(walk.state.budget().turns, Some(35));
}

#[test]
fn money_counts_as_well() {
    let policy = Policy {
        budget: Budget {
            cost_micros: Some(2_000_000),
            ..Budget::default()
        },
        ..Policy::default()
    };
    let mut walk = Walk::new(policy);
    walk.begins();
    let usage = Usage {
        cost_micros: 2_000_000,
        ..Usage::default()
    };
    walk.finishes(issue_ready(), usage);
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 003-ask [ms] the budget of the run (money) is spent");
}

#[test]
fn time_is_counted_in_steps_only_and_limits_each_step() {
    let policy = Policy {
        budget: Budget {
            time: Some(Duration::from_mins(10)),
            ..Budget::default()
        },
        ..Policy::default()
    };
    let time_limit = |walk: &Walk| match &next(&walk.state)[..] {
        [Command::RunStep { limits, .. }] => limits.wall,
        other => panic!("{other:?}"),
    };
    let mut walk = Walk::new(policy);
    assert_eq!(time_limit(&walk), Duration::from_mins(10));
    walk.begins();
    walk.pass_time(239);
    walk.finishes(issue_ready(), Usage::default());
    walk.pass_time(86_400);
    assert_eq!(time_limit(&walk), Duration::from_mins(6));
    walk.begins();
    walk.pass_time(359);
    walk.finishes(workspace("ready"), Usage::default());
    insta::assert_snapshot!(walk.wants(), @"waiting | ask 004-ask [ms] the budget of the run (time) is spent");
}

#[test]
fn a_clock_that_is_set_back_gives_no_time_back() {
    let mut walk = Walk::new(Policy::default());
    walk.begins();
    walk.pass_time(-3600);
    walk.finishes(issue_ready(), Usage::default());
    assert_eq!(walk.state.active(), Duration::ZERO);
}

#[test]
fn the_time_of_steps_is_measured_and_clock_changes_are_detected() {
    let took = |seconds: u64| Usage {
        elapsed_ms: seconds * 1000,
        ..Usage::default()
    };
    let mut walk = Walk::new(Policy::default());
    walk.begins();
    walk.pass_time(-3600);
    walk.finishes(issue_ready(), took(60));
    assert_eq!(walk.state.active(), Duration::from_mins(1));
    // Each event happens a second after the one before.
    assert_eq!(walk.state.clock_set().as_secs(), -3600 + 1 - 60);
    walk.begins();
    walk.pass_time(86_400 + 29);
    walk.finishes(workspace("ready"), took(30));
    assert_eq!(walk.state.active(), Duration::from_secs(90));
    assert_eq!(walk.state.clock_set().as_secs(), -3659 + 86_400);
    walk.begins();
    walk.pass_time(9);
    walk.finishes(Report::Done, took(9));
    assert_eq!(walk.state.clock_set().as_secs(), -3659 + 86_400);
}

#[test]
fn a_run_gives_up_after_so_many_commands() {
    let policy = Policy {
        max_commands: 6,
        ..Policy::default()
    };
    let mut walk = Walk::new(policy);
    for _ in 0..5 {
        walk.fails(FailureKind::Permanent, "no");
        walk.answers('r');
    }
    walk.fails(FailureKind::Permanent, "no");
    insta::assert_snapshot!(walk.wants(), @"created | run 007-clean-up try 1");
    walk.does(Report::Done);
    insta::assert_snapshot!(walk.wants(), @r#"failed | complete Failed { reason: "gave up after 6 steps and questions", left_behind: None }"#);
}

#[test]
fn cleaning_up_is_retried_and_then_left() {
    let mut walk = Walk::new(Policy::default());
    walk.cancels();
    for _ in 0..3 {
        walk.fails(FailureKind::Transient, "busy");
        walk.wakes();
    }
    walk.fails(FailureKind::Transient, "busy");
    insta::assert_snapshot!(walk.wants(), @r#"cancelled | complete Cancelled { reason: "changed my mind", left_behind: Some("busy") }"#);
    let again = Event::CancelRequested {
        at: walk.now(),
        reason: String::new(),
    };
    insta::assert_snapshot!(walk.try_event(again).unwrap_err(), @"the event `cancel_requested` cannot happen while the run is cancelled");
}
