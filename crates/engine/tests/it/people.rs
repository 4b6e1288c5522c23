//! Only people steer a run: unsigned messages are refused and recorded.

use baton_engine::{EngineError, PEOPLE_KEY_NAME, RunOutcome, Until};
use baton_state::State;
use baton_state::journal::Posted;
use baton_workflow::{Answer, Ending, Key, Mode, Policy, RunId};
use jiff::Timestamp;

use crate::driving::Bench;
use crate::scripted::{Scripted, goal, success};

fn scripted(bench: &Bench) -> Scripted {
    Scripted::new(&bench.folder.path().join("world"), |call| {
        Ok(success(call.step))
    })
}

fn semi() -> Policy {
    Policy {
        mode: Mode::Semi,
        retry_pauses_ms: vec![1],
        ..Policy::default()
    }
}

/// What a process can do that writes to the database and has no key.
fn forge(bench: &Bench, run: &RunId, body: &str) {
    let mut state = State::open(&bench.options().state_folder).unwrap();
    let posted = state
        .change_journal(|journal| journal.post(run.as_str(), Timestamp::now(), body.as_bytes()));
    assert_eq!(posted.unwrap(), Posted::Yes);
}

fn asks(driven: &RunOutcome) -> Key {
    let RunOutcome::Waiting(state) = driven else {
        panic!("{driven:?}");
    };
    state.question().unwrap().key.clone()
}

#[tokio::test]
async fn unsigned_messages_are_refused_and_recorded_and_signed_ones_are_accepted() {
    let bench = Bench::new();
    let engine = bench.engine(scripted(&bench)).await;
    let run = engine.create(goal(), semi()).await.unwrap();
    let question = asks(&engine.drive(&run, Until::Question).await.unwrap());
    let answer = format!(r#"{{"answer":"y","comment":null,"question":"{question}"}}"#);
    forge(&bench, &run, &answer);
    forge(&bench, &run, r#"{"cancel":"changed my mind"}"#);
    forge(
        &bench,
        &run,
        r#"{"cancel":"x","at":"","nonce":"","signature":"00"}"#,
    );
    forge(&bench, &run, "no message at all");

    let mut activity = engine.activity();
    let still = asks(&engine.drive(&run, Until::Question).await.unwrap());
    assert_eq!(still, question);
    let mut lines = Vec::new();
    while let Ok(said) = activity.try_recv() {
        assert_eq!(said.run, run);
        lines.push(format!("{}: {}", said.key.within_run(), said.text));
    }
    insta::assert_snapshot!(lines.join("\n"), @"
    inbox: refused the answer `y` to 005-ask: no person signed it; answer with `baton answer`
    inbox: refused to cancel the run: no person signed that; cancel with `baton cancel`
    inbox: refused to cancel the run: no person signed that; cancel with `baton cancel`
    ");

    let yes = Answer {
        choice: 'y',
        comment: Some("fine".to_owned()),
    };
    engine.answer(&run, yes).await.unwrap();
    let next = asks(&engine.drive(&run, Until::Question).await.unwrap());
    assert_ne!(next, question, "a person's answer counts");
    engine.cancel(&run, "enough").await.unwrap();
    let driven = engine.drive(&run, Until::Ended).await.unwrap();
    assert!(
        matches!(driven, RunOutcome::Ended(Ending::Cancelled { .. })),
        "{driven:?}"
    );
}

#[tokio::test]
async fn without_the_key_no_message_counts() {
    let bench = Bench::new();
    let engine = bench.engine(scripted(&bench)).await;
    let refused = engine.require_person().await;
    assert!(
        matches!(refused, Err(EngineError::OnlyPeople { .. })),
        "there are no runs: {refused:?}"
    );
    let run = engine.create(goal(), semi()).await.unwrap();
    engine.require_person().await.unwrap();
    engine.drive(&run, Until::Question).await.unwrap();
    let key = bench.options().state_folder.join(PEOPLE_KEY_NAME);
    std::fs::remove_file(&key).unwrap();
    let yes = Answer {
        choice: 'y',
        comment: None,
    };
    let refused = engine.answer(&run, yes.clone()).await;
    assert!(
        matches!(refused, Err(EngineError::OnlyPeople { .. })),
        "{refused:?}"
    );
    let refused = engine.cancel(&run, "").await;
    assert!(
        matches!(refused, Err(EngineError::OnlyPeople { .. })),
        "{refused:?}"
    );

    // As with a database of an older baton: it has runs and no key.
    let later = bench.engine(scripted(&bench)).await;
    later.answer(&run, yes).await.unwrap();
    let driven = later.drive(&run, Until::Question).await.unwrap();
    assert!(matches!(driven, RunOutcome::Waiting(_)), "{driven:?}");
}
