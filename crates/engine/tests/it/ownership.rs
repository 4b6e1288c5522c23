//! Several drivers and one run.

use std::sync::Arc;
use std::time::Duration;

use baton_engine::{Engine, EngineError, RunOutcome, Until};
use baton_host::cmd::Outcome;
use baton_workflow::{Ending, Policy};
use rustix::process::{Pid, Signal, kill_process};
use tokio_util::sync::CancellationToken;

use crate::crashes::Ground;
use crate::driving::Bench;
use crate::scripted::{Scripted, goal, with_setbacks};

#[tokio::test]
async fn a_run_has_one_driver_at_a_time() {
    let bench = Bench::new();
    let steps = || Scripted::new(&bench.folder.path().join("world"), with_setbacks);
    let one = bench.engine(steps()).await;
    let other = bench.engine(steps()).await;
    let run = one.create(goal(), Policy::default()).await.unwrap();
    // A pause of a second: the first driver is at work meanwhile.
    let driving = {
        let (one, run) = (one.clone(), run.clone());
        tokio::spawn(async move { one.drive(&run, Until::Ended).await })
    };
    let mut follower = one.follow(&run, 1);
    follower.next().await.unwrap();
    for engine in [&one, &other] {
        let busy = engine.drive(&run, Until::Ended).await.unwrap_err();
        assert!(matches!(busy, EngineError::Busy { .. }), "{busy}");
    }
    assert!(other.runs(1).await.unwrap()[0].driven);
    assert_eq!(
        driving.await.unwrap().unwrap(),
        RunOutcome::Ended(Ending::Closed)
    );
}

#[tokio::test]
async fn a_driver_that_is_dropped_leaves_the_run_to_others() {
    let bench = Bench::new();
    let steps = || Scripted::new(&bench.folder.path().join("world"), with_setbacks);
    let one = bench.engine(steps()).await;
    let run = one.create(goal(), Policy::default()).await.unwrap();
    let mut follower = one.follow(&run, 4);
    tokio::select! {
        _ = one.drive(&run, Until::Ended) => panic!("it has a pause of a second in it"),
        _ = follower.next() => {}
    }
    let other = bench.engine(steps()).await;
    let driven = until_free(&other, &run).await;
    assert_eq!(driven, RunOutcome::Ended(Ending::Closed));
}

async fn until_free(engine: &Engine, run: &baton_workflow::RunId) -> RunOutcome {
    loop {
        match engine.drive(run, Until::Ended).await {
            Err(EngineError::Busy { .. }) => tokio::time::sleep(Duration::from_millis(5)).await,
            driven => return driven.unwrap(),
        }
    }
}

/// A machine that sleeps does not know that others resumed its run.
#[tokio::test]
async fn a_driver_that_slept_through_its_lease_does_no_more_harm() {
    let ground = Arc::new(Ground::new());
    let sleeper = {
        let ground = Arc::clone(&ground);
        let command = ground
            .command(&["stop", "5"])
            .args([std::process::id().to_string()]);
        tokio::spawn(async move { command.run(&CancellationToken::new()).await.unwrap() })
    };
    // The lease of the sleeper runs out while it still has its lock.
    let mut outcome = Outcome::Exited(5);
    while outcome == Outcome::Exited(5) || ground.things().is_empty() {
        tokio::time::sleep(Duration::from_millis(100)).await;
        if ground.things().len() >= 2 {
            outcome = ground.drive(&[]).await;
        }
    }
    assert_eq!(outcome, Outcome::Exited(0));
    let things = ground.things();
    wake(&ground);
    let finished = sleeper.await.unwrap();
    assert_eq!(finished.outcome, Outcome::Exited(4), "it was fenced off");
    assert_eq!(ground.things(), things);
    let (state, _) = ground.run().await;
    assert_eq!(state.ending(), Some(&Ending::Closed));
}

/// The owner's name begins with its process id.
fn wake(ground: &Ground) {
    for entry in std::fs::read_dir(ground.state().join("owners")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let pid = name.split('-').next().unwrap().parse().unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), Signal::CONT).unwrap();
    }
}
