//! Every event in every state: which are legal, and where they lead.

use baton_workflow::{
    Answer, Event, Failure, FailureKind, Key, Policy, Report, State, Usage, apply, next,
};

use crate::samples::{Walk, approved, complete, findings, shown};

/// One state of each shape.
fn states() -> Vec<(&'static str, Walk)> {
    let review = || Walk::to_review(Policy::default());
    let running = || {
        let mut walk = review();
        walk.begins();
        walk
    };
    let with = |mut walk: Walk, change: &dyn Fn(&mut Walk)| {
        change(&mut walk);
        walk
    };
    vec![
        ("ready", review()),
        ("running", running()),
        (
            "running, cancelling",
            with(running(), &|walk| walk.cancels()),
        ),
        (
            "resting",
            with(review(), &|walk| walk.fails(FailureKind::Transient, "503")),
        ),
        (
            "asking",
            with(review(), &|walk| walk.fails(FailureKind::Permanent, "no")),
        ),
        (
            "blocked",
            with(review(), &|walk| walk.fails(FailureKind::Blocked, "no CI")),
        ),
        ("cleaning up", with(review(), &|walk| walk.cancels())),
        (
            "cleaning up, running",
            with(review(), &|walk| {
                walk.cancels();
                walk.begins();
            }),
        ),
        (
            "ended",
            with(review(), &|walk| {
                walk.cancels();
                walk.does(Report::Done);
            }),
        ),
    ]
}

/// One event of each kind, with keys that fit the state, and one of each with a
/// key that does not.
fn events(walk: &Walk) -> Vec<(String, Event)> {
    let at = walk.now();
    let task = walk.state.task().map(|task| task.key.clone());
    let question = walk.state.question().map(|question| question.key.clone());
    let timer = next(&walk.state)
        .into_iter()
        .find_map(|command| match command {
            baton_workflow::Command::Sleep { key, .. } => Some(key),
            _ => None,
        });
    let other: Key = "another/001-run".to_owned().into();
    let mut all = Vec::new();
    for (fits, task, question, timer) in [
        ("", task, question, timer),
        (
            " of another run",
            Some(other.clone()),
            Some(other.clone()),
            Some(other.clone()),
        ),
    ] {
        let task = task.unwrap_or_else(|| other.clone());
        let question = question.unwrap_or_else(|| other.clone());
        let timer = timer.unwrap_or_else(|| other.clone());
        let finished = |report| Event::Finished {
            key: task.clone(),
            at,
            report,
            usage: Usage::default(),
        };
        let failed = |kind| Event::Failed {
            key: task.clone(),
            at,
            failure: Failure::new(kind, "no"),
            usage: Usage::default(),
        };
        let answered = |choice| Event::Answered {
            key: question.clone(),
            at,
            answer: Answer {
                choice,
                comment: None,
            },
        };
        all.push((
            format!("started{fits}"),
            Event::Started {
                key: task.clone(),
                at,
            },
        ));
        all.push((format!("approved{fits}"), finished(approved())));
        all.push((format!("findings{fits}"), finished(findings(&["x"]))));
        all.push((format!("done{fits}"), finished(Report::Done)));
        all.push((format!("complete{fits}"), finished(complete())));
        for kind in FailureKind::ALL {
            all.push((format!("{kind:?}{fits}").to_lowercase(), failed(*kind)));
        }
        all.push((format!("woke{fits}"), Event::Woke { key: timer, at }));
        all.push((
            format!("asked{fits}"),
            Event::Asked {
                key: question.clone(),
                at,
            },
        ));
        all.push((format!("answered r{fits}"), answered('r')));
        all.push((format!("answered s{fits}"), answered('s')));
        all.push((format!("answered x{fits}"), answered('x')));
    }
    all.push((
        "cancel".to_owned(),
        Event::CancelRequested {
            at,
            reason: "no".to_owned(),
        },
    ));
    all.push(("created".to_owned(), walk.events[0].clone()));
    all
}

fn wants(state: &State) -> String {
    let commands: Vec<String> = next(state).iter().map(shown).collect();
    format!("{} | {}", state.status().word(), commands.join(" | "))
}

#[test]
fn legal_events_and_where_they_lead() {
    let mut lines = Vec::new();
    for (name, walk) in states() {
        lines.push(format!("{name}: {}", wants(&walk.state)));
        for (event_name, event) in events(&walk) {
            match apply(walk.state.clone(), &event) {
                Ok(after) => lines.push(format!("  {event_name} → {}", wants(&after))),
                Err(error) => assert_eq!(error.event, event.word()),
            }
        }
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    ready: in_review | run 005-review try 1
      started → in_review | run 005-review try 1 begun
      cancel → in_review | run 006-clean-up try 1
    running: in_review | run 005-review try 1 begun
      started → in_review | run 005-review try 1 begun
      approved → validating | run 006-validate try 1
      findings → fixing | run 006-fix try 1
      transient → in_review | sleep 005-review/wait-1 until 00:10
      stalled → in_review | run 005-review try 2
      unproven → in_review | run 005-review try 2
      blocked → blocked | ask 006-ask [rs] the step `review` has to wait for something outside: no | sleep 006-ask/recheck until 05:09
      rejected → waiting | ask 007-ask [rs] the step `review` rejects what it was handed: no
      permanent → waiting | ask 006-ask [rs] the step `review` failed: no
      cancel → in_review | stop 005-review
    running, cancelling: in_review | stop 005-review
      started → in_review | stop 005-review
      approved → in_review | run 006-clean-up try 1
      findings → in_review | run 006-clean-up try 1
      transient → in_review | run 006-clean-up try 1
      stalled → in_review | run 006-clean-up try 1
      unproven → in_review | run 006-clean-up try 1
      blocked → in_review | run 006-clean-up try 1
      rejected → in_review | run 006-clean-up try 1
      permanent → in_review | run 006-clean-up try 1
      cancelled → in_review | run 006-clean-up try 1
    resting: in_review | sleep 005-review/wait-1 until 00:11
      woke → in_review | run 005-review try 2
      cancel → in_review | run 006-clean-up try 1
    asking: waiting | ask 006-ask [rs] the step `review` failed: no
      asked → waiting | ask 006-ask [rs] the step `review` failed: no
      answered r → in_review | run 005-review try 2
      answered s → in_review | run 007-clean-up try 1
      cancel → in_review | run 007-clean-up try 1
    blocked: blocked | ask 006-ask [rs] the step `review` has to wait for something outside: no CI | sleep 006-ask/recheck until 05:10
      woke → in_review | run 005-review try 2
      asked → blocked | ask 006-ask [rs] the step `review` has to wait for something outside: no CI | sleep 006-ask/recheck until 05:10
      answered r → in_review | run 005-review try 2
      answered s → in_review | run 007-clean-up try 1
      cancel → in_review | run 007-clean-up try 1
    cleaning up: in_review | run 006-clean-up try 1
      started → in_review | run 006-clean-up try 1 begun
    cleaning up, running: in_review | run 006-clean-up try 1 begun
      started → in_review | run 006-clean-up try 1 begun
      done → cancelled | complete Cancelled { reason: "changed my mind", left_behind: None }
      transient → in_review | sleep 006-clean-up/wait-1 until 00:11
      stalled → in_review | run 006-clean-up try 2
      unproven → cancelled | complete Cancelled { reason: "changed my mind", left_behind: Some("no") }
      blocked → cancelled | complete Cancelled { reason: "changed my mind", left_behind: Some("no") }
      rejected → cancelled | complete Cancelled { reason: "changed my mind", left_behind: Some("no") }
      permanent → cancelled | complete Cancelled { reason: "changed my mind", left_behind: Some("no") }
      cancelled → cancelled | complete Cancelled { reason: "changed my mind", left_behind: Some("no") }
    ended: cancelled | complete Cancelled { reason: "changed my mind", left_behind: None }
    "#);
}

#[test]
fn an_illegal_event_is_named_with_the_state() {
    let walk = Walk::to_review(Policy::default());
    let event = Event::Woke {
        key: "another/001-run".to_owned().into(),
        at: walk.now(),
    };
    insta::assert_snapshot!(apply(walk.state, &event).unwrap_err(), @"the event `woke` cannot happen while the run is in_review");
    let mut walk = Walk::to_review(Policy::default());
    walk.begins();
    let key = walk.key();
    let finished = |report| Event::Finished {
        key: key.clone(),
        at: walk.now(),
        report,
        usage: Usage::default(),
    };
    insta::assert_snapshot!(apply(walk.state.clone(), &finished(Report::Done)).unwrap_err(), @"the event `finished` cannot happen while the run is in_review: the step `review` is done without a handoff, and someone waits for one");
    insta::assert_snapshot!(apply(walk.state.clone(), &finished(complete())).unwrap_err(), @"the event `finished` cannot happen while the run is in_review: the step `review` ended with a `workflow-complete` handoff, which is not for it to give");
}

#[test]
fn a_run_begins_with_its_creation_and_nothing_else() {
    let walk = Walk::to_review(Policy::default());
    insta::assert_snapshot!(baton_workflow::replay(&walk.events[1..]).unwrap_err(), @"the event `started` cannot happen while the run is not created");
    insta::assert_snapshot!(baton_workflow::replay([]).unwrap_err(), @"the event `nothing` cannot happen while the run is not created");
}
