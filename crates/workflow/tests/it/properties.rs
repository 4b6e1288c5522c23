//! Properties that hold for every history.

use std::collections::BTreeSet;

use baton_protocol::handoff::HandoffKind;
use baton_workflow::{
    Answer, Budget, Choice, Command, Event, Failure, FailureKind, Mode, Policy, Report, State,
    Step, StepQuestion, Until, Usage, apply, next, replay,
};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use crate::samples::{
    Walk, agent_failed, approved, complete, findings, fixed, implemented, issue_ready, merged,
    not_valid, nothing_to_fix, workspace,
};

/// Everything that a step may end with.
fn reports(step: Step) -> Vec<Report> {
    let ask = Report::Asks {
        question: StepQuestion {
            text: "Which?".to_owned(),
            options: vec![Choice::new('1', "this")],
            objections: Vec::new(),
        },
    };
    let mut all = match step {
        Step::Issue => vec![
            issue_ready(),
            agent_failed("issue-manager", "failure", true),
        ],
        Step::Prepare => vec![
            workspace("ready"),
            workspace("blocked"),
            workspace("failure"),
        ],
        Step::Implement | Step::CleanUp => vec![Report::Done],
        Step::Publish => vec![implemented()],
        Step::Review => vec![approved(), findings(&["a"]), findings(&["b", "c"])],
        Step::Fix => vec![fixed(), nothing_to_fix()],
        Step::Validate => vec![Report::Done, not_valid("a"), not_valid("b")],
        Step::Merge => vec![merged(), not_valid("conflict")],
        Step::Close => vec![complete()],
    };
    if step != Step::CleanUp {
        all.push(ask);
    }
    all
}

/// Every event that a driver could write next.
fn possible(state: &State, at: Timestamp) -> Vec<Event> {
    let mut all = Vec::new();
    for command in next(state) {
        match command {
            Command::RunStep {
                key, begun: false, ..
            } => all.push(Event::Started { key, at }),
            Command::RunStep {
                key,
                step,
                begun: true,
                ..
            } => {
                let usage = Usage {
                    turns: 1,
                    ..Usage::default()
                };
                for report in reports(step) {
                    all.push(Event::Finished {
                        key: key.clone(),
                        at,
                        report,
                        usage,
                    });
                }
                for kind in FailureKind::ALL
                    .iter()
                    .filter(|kind| **kind != FailureKind::Cancelled)
                {
                    let failure = Failure::new(*kind, "trouble");
                    all.push(Event::Failed {
                        key: key.clone(),
                        at,
                        failure,
                        usage,
                    });
                }
                all.push(Event::Started { key, at });
            }
            Command::Stop { key } => {
                let failure = Failure::new(FailureKind::Cancelled, "ended");
                all.push(Event::Failed {
                    key,
                    at,
                    failure,
                    usage: Usage::default(),
                });
            }
            Command::Sleep { key, .. } => all.push(Event::Woke { key, at }),
            Command::Ask {
                key,
                question,
                known,
            } => {
                if !known {
                    all.push(Event::Asked {
                        key: key.clone(),
                        at,
                    });
                }
                for option in question.options {
                    let answer = Answer {
                        choice: option.key,
                        comment: None,
                    };
                    all.push(Event::Answered {
                        key: key.clone(),
                        at,
                        answer,
                    });
                }
            }
            Command::Complete { .. } => {}
        }
    }
    all
}

fn policies() -> impl Strategy<Value = Policy> {
    let mode = prop_oneof![
        Just(Mode::Autonomous),
        Just(Mode::Semi),
        Just(Mode::Supervised)
    ];
    (
        mode,
        any::<bool>(),
        proptest::option::of(1u64..20),
        10u32..40,
        proptest::sample::select(Until::ALL),
    )
        .prop_map(|(mode, unattended, turns, max_commands, until)| Policy {
            mode,
            until,
            unattended,
            budget: Budget {
                turns,
                ..Budget::default()
            },
            max_commands,
            ..Policy::default()
        })
}

/// A key may take this many events: five starts, five tries without evidence,
/// three retries with their pauses, a second start after a stall, and its own
/// end.
const EVENTS_PER_COMMAND: usize = 40;

/// Follows `choices` until the run ends, and then the first possibility.
fn walk(policy: Policy, choices: &[u16], cancel_at: Option<usize>) -> Walk {
    let bound = EVENTS_PER_COMMAND * (policy.max_commands as usize + 2);
    let mut walk = Walk::new(policy);
    let mut now = walk.now();
    for step in 0.. {
        assert!(step <= bound, "the run does not end: {}", walk.wants());
        now += SignedDuration::from_secs(1);
        if cancel_at == Some(step) {
            let cancel = Event::CancelRequested {
                at: now,
                reason: "no".to_owned(),
            };
            // If it is too late, nothing happens.
            let _ = walk.try_event(cancel);
        }
        let possible = possible(&walk.state, now);
        if possible.is_empty() {
            break;
        }
        let choice = usize::from(choices.get(step).copied().unwrap_or_default()) % possible.len();
        walk.try_event(possible[choice].clone())
            .expect("what the commands ask for is legal");
    }
    walk
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_history_ends_and_every_prefix_replays(
        policy in policies(),
        choices in proptest::collection::vec(any::<u16>(), 0..300),
        cancel_at in proptest::option::of(0usize..60),
    ) {
        let walk = walk(policy, &choices, cancel_at);
        prop_assert!(walk.state.ending().is_some());
        let mut state = replay(&walk.events[..1]).unwrap();
        for length in 1..walk.events.len() {
            let replayed = replay(&walk.events[..length]).unwrap();
            prop_assert_eq!(&replayed, &state);
            prop_assert_eq!(next(&replayed), next(&state));
            state = apply(state, &walk.events[length]).unwrap();
        }
        prop_assert_eq!(state, walk.state);
    }

    #[test]
    fn a_key_names_one_thing_for_ever(
        policy in policies(),
        choices in proptest::collection::vec(any::<u16>(), 0..300),
    ) {
        let walk = walk(policy, &choices, None);
        let mut done = BTreeSet::new();
        for event in &walk.events {
            let key = match event {
                Event::Started { key, .. } => {
                    prop_assert!(!done.contains(key), "{} began after its end", key);
                    continue;
                }
                Event::Finished { key, report: Report::Passed { .. } | Report::Done, .. }
                | Event::Answered { key, .. } => key,
                _ => continue,
            };
            // An agent may report its failure in a handoff, and try again.
            let mut passed = walk.state.passed().iter();
            if passed.any(|passed| passed.key == *key && passed.at == event.at()) {
                prop_assert!(done.insert(key.clone()), "{} ended twice", key);
            }
        }
    }

    #[test]
    fn a_merge_is_never_undone_or_repeated(
        policy in policies(),
        choices in proptest::collection::vec(any::<u16>(), 0..300),
        cancel_at in proptest::option::of(0usize..60),
    ) {
        let walk = walk(policy, &choices, cancel_at);
        let passed = walk.state.passed().iter();
        let merges = passed.filter(|passed| passed.handoff.kind() == HandoffKind::Merged);
        // Only the closing step may report that a merge did not happen.
        let is_rejected = |event: &Event| match event {
            Event::Failed { failure, .. } => failure.kind == FailureKind::Rejected,
            _ => false,
        };
        let rejected = walk.events.iter().any(is_rejected);
        let count = merges.count();
        prop_assert!(count <= 1 || rejected, "{} merges", count);
    }

    #[test]
    fn any_event_in_any_order_is_taken_or_refused(
        policy in policies(),
        choices in proptest::collection::vec(any::<u16>(), 0..60),
        strangers in proptest::collection::vec((any::<u16>(), any::<u16>()), 0..30),
    ) {
        let one = walk(policy.clone(), &choices, None);
        let other = walk(policy, &strangers.iter().map(|(_, choice)| *choice).collect::<Vec<_>>(), None);
        let mut state = one.state.clone();
        for (length, stranger) in strangers {
            let length = 1 + usize::from(length) % one.events.len();
            let mut at = replay(&one.events[..length]).unwrap();
            let event = &other.events[usize::from(stranger) % other.events.len()];
            if let Ok(after) = apply(at.clone(), event) {
                at = after;
            }
            state = at;
        }
        let _ = next(&state);
    }
}
