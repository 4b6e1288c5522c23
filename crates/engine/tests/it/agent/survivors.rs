//! An agent that outlived its driver.

use std::time::Duration;

use baton_engine::agent::Role;
use baton_host::Cmd;
use tokio_util::sync::CancellationToken;

use super::exec::is_alive;
use super::{Workshop, exec};

/// Starts a process with the mark of a step that outlives its driver, as if the
/// driver had been killed.
async fn orphan(workshop: &Workshop, mark: &str) -> String {
    let root = workshop.sandbox.root();
    let cmd = Cmd::shell(
        "setsid sleep 600 > /dev/null 2>&1 & echo $!",
        root,
        &workshop.environment(),
    )
    .mark(mark);
    let finished = cmd.run(&CancellationToken::new()).await.unwrap();
    finished.stdout.text().trim().to_owned()
}

#[tokio::test]
async fn what_is_left_of_an_earlier_agent_is_ended_before_the_next_begins() {
    let workshop = Workshop::new();
    let steps = workshop.steps(exec("echo limited > login.txt"), Role::Writer);
    let engine = workshop.engine(steps).await;
    let run = engine
        .create(crate::scripted::goal(), baton_workflow::Policy::default())
        .await
        .unwrap();
    let ours = orphan(&workshop, &format!("agent:{run}/003-implement")).await;
    let other = orphan(&workshop, &format!("agent:{run}/004-publish")).await;
    engine
        .drive(&run, baton_engine::Until::Ended)
        .await
        .unwrap();
    assert!(!is_alive(&ours));
    assert!(
        is_alive(&other),
        "what carries another key is not ours to end"
    );
    baton_host::cmd::end_survivors(&format!("agent:{run}/004-publish"), Duration::from_secs(1))
        .await;
    assert!(!is_alive(&other));
}
