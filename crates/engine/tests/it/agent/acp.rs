//! Agents that speak the Agent Client Protocol.

use std::sync::Arc;
use std::time::Duration;

use baton_engine::agent::{AgentEnd, Role};

use super::{Workshop, fake};

#[tokio::test]
async fn an_honest_agent_does_its_work() {
    let workshop = Workshop::new();
    let (report, verdict) = workshop.once(fake("honest"), Role::Writer).await;
    assert_eq!(verdict, "done");
    insta::assert_debug_snapshot!(report, @r#"
    AgentReport {
        end: Claimed,
        message: "Done.",
        usage: Usage {
            turns: 2,
            input_tokens: 12,
            output_tokens: 3,
            cost_micros: 250000,
            elapsed_ms: 0,
        },
        session: Some(
            "fake-1",
        ),
        changed: true,
        leaked: false,
    }
    "#);
    assert_eq!(workshop.notes(), ["new", "permission allow", "left"]);
}

#[tokio::test]
async fn a_reader_is_refused_by_the_kind_of_the_option() {
    let workshop = Workshop::new();
    let (_, verdict) = workshop.once(fake("honest"), Role::Reader).await;
    assert_eq!(verdict, "done");
    assert_eq!(workshop.notes(), ["new", "permission deny", "left"]);
    assert!(!workshop.is_changed());
}

#[tokio::test]
async fn a_reader_that_writes_anyway_is_caught() {
    let workshop = Workshop::new();
    let (_, verdict) = workshop.once(fake("disobedient"), Role::Reader).await;
    insta::assert_snapshot!(verdict, @"Unproven: the agent changed files that it was only to read; they are put back");
    assert!(!workshop.is_changed());
}

#[tokio::test]
async fn bad_manners_are_told_apart() {
    let mut verdicts = Vec::new();
    for manner in [
        "liar",
        "logged-out",
        "newer",
        "crashing",
        "stopping",
        "flooding",
    ] {
        let workshop = Workshop::new();
        let (_, verdict) = workshop.once(fake(manner), Role::Writer).await;
        verdicts.push(format!("{manner}: {verdict}"));
    }
    insta::assert_snapshot!(verdicts.join("\n"), @"
    liar: Unproven: the agent says that it is done and has changed nothing; it said: Done.
    logged-out: Permanent: the agent failed: no one is logged in to it (Authentication required); log in once by hand
    newer: Unproven: the agent failed: it speaks version 2 of the protocol, and baton speaks 1
    crashing: Unproven: the agent failed: it left in the middle of the conversation
    stopping: Unproven: the agent failed: it stopped: max_tokens
    flooding: Unproven: the agent failed: it sends more than anyone can read
    ");
}

#[tokio::test]
async fn a_line_that_is_too_long_is_passed_over() {
    let workshop = Workshop::new();
    let (_, verdict) = workshop.once(fake("one-long-line"), Role::Writer).await;
    assert_eq!(verdict, "done");
}

#[tokio::test]
async fn an_agent_that_exits_after_its_final_message_is_done() {
    let workshop = Workshop::new();
    let (report, verdict) = workshop.once(fake("quick"), Role::Writer).await;
    assert_eq!((report.end, verdict.as_str()), (AgentEnd::Claimed, "done"));
}

#[tokio::test]
async fn an_agent_that_hangs_is_ended() {
    let workshop = Workshop::new();
    let mut steps = workshop.steps(fake("hanging"), Role::Writer);
    steps.limits.idle = Duration::from_millis(500);
    let all = workshop.works(steps).await;
    insta::assert_snapshot!(all[0].1, @"Stalled: the agent was ended: it was silent for 500ms");
}

#[tokio::test]
async fn a_session_is_resumed_and_its_history_is_not_counted_twice() {
    let workshop = Workshop::new();
    let mut steps = workshop.steps(fake("honest"), Role::Writer);
    steps.repeats = 1;
    let all = workshop.works(steps).await;
    // The second time nothing is left to change.
    let messages: Vec<_> = all
        .iter()
        .map(|(report, _)| (report.message.as_str(), report.usage.turns))
        .collect();
    assert_eq!(messages[..2], [("Done.", 2), ("Done.", 2)]);
    assert_eq!(
        workshop.notes()[..6],
        [
            "new",
            "permission allow",
            "left",
            "load",
            "permission allow",
            "left"
        ]
    );
}

#[tokio::test]
async fn an_agent_that_cannot_go_back_gets_a_new_session() {
    let workshop = Workshop::new();
    let mut steps = workshop.steps(fake("forgetful"), Role::Writer);
    steps.repeats = 1;
    workshop.works(steps).await;
    assert_eq!(
        workshop.notes()[..4],
        ["new", "permission allow", "left", "new"]
    );
}

#[tokio::test]
async fn work_that_only_a_session_knows_of_is_not_given_to_a_new_one() {
    let lost = "the agent has lost the session in which it was cut off; its work starts again";
    for (manner, refusals, notes) in [
        ("honest", vec![], ["left", "load", "permission allow"]),
        ("forgetful", vec![lost], ["left", "new", "permission allow"]),
        // It fails to load, is ended, and is started again.
        ("amnesic", vec![lost], ["left", "load", "new"]),
    ] {
        let workshop = Workshop::new();
        let mut steps = workshop.steps(fake(manner), Role::Writer);
        steps.repeats = 1;
        steps.only_resumes = true;
        let refused = Arc::clone(&steps.refusals);
        workshop.works(steps).await;
        assert_eq!(*refused.lock().unwrap(), refusals, "{manner}");
        assert_eq!(workshop.notes()[2..5], notes, "{manner}");
    }
}

#[tokio::test]
async fn a_cancellation_is_sent_to_the_agent_first() {
    let workshop = Workshop::new();
    let steps = workshop.steps(fake("cancellable"), Role::Writer);
    let engine = workshop.engine(steps).await;
    let run = engine
        .create(crate::scripted::goal(), baton_workflow::Policy::default())
        .await
        .unwrap();
    let cancelling = async {
        while !workshop.is_changed() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        engine.cancel(&run, "enough").await.unwrap();
    };
    let (driven, ()) = tokio::join!(engine.drive(&run, baton_engine::Until::Ended), cancelling);
    assert!(matches!(
        driven.unwrap(),
        baton_engine::RunOutcome::Ended(baton_workflow::Ending::Cancelled { .. })
    ));
    assert_eq!(workshop.notes()[..2], ["new", "cancelled"]);
}
