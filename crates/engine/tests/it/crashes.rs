//! A process dies at any point, and another one resumes the run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use baton_engine::{Engine, Options};
use baton_host::Cmd;
use baton_host::cmd::{Environment, Outcome};
use baton_workflow::State;
use tokio_util::sync::CancellationToken;

use crate::scripted::{Scripted, World, with_setbacks};

/// The program that drives a run and dies where its arguments say.
fn scripted_driver() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let deps = tests.parent().unwrap();
    let program = deps.parent().unwrap().join("examples/scripted_driver");
    assert!(
        program.is_file(),
        "`cargo test -p baton-engine` builds {}",
        program.display()
    );
    program
}

pub(crate) struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    pub(crate) fn world(&self) -> PathBuf {
        self.folder.path().join("world")
    }

    pub(crate) fn things(&self) -> Vec<String> {
        World::new(&self.world()).things()
    }

    pub(crate) fn command(&self, fate: &[&str]) -> Cmd {
        let path = |path: PathBuf| path.into_os_string();
        Cmd::new(
            scripted_driver(),
            self.folder.path(),
            &Environment::default(),
        )
        .arg(path(self.state()))
        .arg(path(self.world()))
        .args(fate.iter().copied())
        .wall_limit(std::time::Duration::from_mins(1))
    }

    pub(crate) async fn drive(&self, fate: &[&str]) -> Outcome {
        let finished = self
            .command(fate)
            .run(&CancellationToken::new())
            .await
            .unwrap();
        finished.outcome
    }

    /// The current state of the one run.
    pub(crate) async fn run(&self) -> (State, u64) {
        let steps = Scripted::new(&self.world(), with_setbacks);
        let engine = Engine::open(Options::new(self.state()), Arc::new(steps))
            .await
            .unwrap();
        let runs = engine.runs(10).await.unwrap();
        assert_eq!(runs.len(), 1, "there is one run, whatever happened");
        let mut follower = engine.follow(&runs[0].run, 0);
        let mut last = 0;
        while let Some(recorded) = follower.next().await.unwrap() {
            last = recorded.seq;
        }
        (engine.state(&runs[0].run).await.unwrap(), last)
    }
}

/// What has to be the same however often the run was interrupted.
fn essence(state: &State) -> Vec<String> {
    let passes = state.passed().iter();
    let passes =
        passes.map(|passed| format!("{} {}", passed.key.within_run(), passed.handoff.kind()));
    passes.chain([format!("{:?}", state.ending())]).collect()
}

fn without_run(things: Vec<String>) -> Vec<String> {
    let name = |thing: String| thing.split_once('/').unwrap().1.to_owned();
    things.into_iter().map(name).collect()
}

async fn check(fate: &str, number: u64, expected: &(Vec<String>, Vec<String>)) {
    let ground = Ground::new();
    let number = number.to_string();
    let died = ground.drive(&[fate, &number]).await;
    assert_eq!(died, Outcome::Signalled(9), "{fate} {number}");
    assert_eq!(
        ground.drive(&[]).await,
        Outcome::Exited(0),
        "{fate} {number}"
    );
    let (state, _) = ground.run().await;
    assert_eq!(essence(&state), expected.0, "{fate} {number}");
    assert_eq!(without_run(ground.things()), expected.1, "{fate} {number}");
}

#[tokio::test]
async fn killed_after_any_event_or_effect_the_run_ends_the_same_and_nothing_is_doubled() {
    let ground = Ground::new();
    assert_eq!(ground.drive(&[]).await, Outcome::Exited(0));
    let (state, events) = ground.run().await;
    insta::assert_snapshot!(essence(&state).join("\n"), @"
    001-issue issue-ready
    002-prepare workspace-ready
    004-publish implemented
    006-review changes-requested
    007-fix fixed
    008-review approved
    009-validate validation-failed
    010-fix fixed
    011-review approved
    013-merge merged
    015-close workflow-complete
    Some(Closed)
    ");
    let things = without_run(ground.things());
    insta::assert_snapshot!(things.join("\n"), @"
    001-issue
    002-prepare
    003-implement
    004-publish
    006-review
    007-fix
    008-review
    009-validate
    010-fix
    011-review
    012-validate
    013-merge
    015-close
    ");
    insta::assert_snapshot!(events, @"34");

    let effects = things.len() as u64;
    let expected = (essence(&state), things);
    // The last event is the end of the run: nothing is left to resume.
    for event in 1..events {
        check("event", event, &expected).await;
    }
    for effect in 1..=effects {
        check("effect", effect, &expected).await;
    }
}

#[tokio::test]
async fn killed_again_and_again_the_run_still_ends() {
    let ground = Ground::new();
    let mut deaths = 0;
    for event in [1, 3, 5, 6, 8, 11, 14, 17, 20, 23, 26, 29] {
        let outcome = ground.drive(&["event", &event.to_string()]).await;
        deaths += u32::from(outcome == Outcome::Signalled(9));
    }
    assert!(deaths >= 8, "{deaths}");
    assert_eq!(ground.drive(&[]).await, Outcome::Exited(0));
    let (state, _) = ground.run().await;
    assert!(matches!(
        state.ending(),
        Some(baton_workflow::Ending::Closed)
    ));
    let mut things = ground.things();
    let all = things.len();
    things.sort();
    things.dedup();
    assert_eq!(things.len(), all, "nothing is doubled");
}

#[tokio::test]
async fn the_handoffs_are_documents_in_the_folder_of_the_run() {
    let ground = Ground::new();
    assert_eq!(ground.drive(&["event", "9"]).await, Outcome::Signalled(9));
    assert_eq!(ground.drive(&[]).await, Outcome::Exited(0));
    let (state, _) = ground.run().await;
    let folder = ground
        .state()
        .join("runs")
        .join(state.run().as_str())
        .join("handoffs");
    for passed in state.passed() {
        let document =
            std::fs::read(folder.join(format!("{}.xml", passed.key.within_run()))).unwrap();
        let handoff = baton_protocol::handoff::Handoff::from_xml(&document).unwrap();
        assert_eq!(handoff, *passed.handoff);
    }
    assert_eq!(count(&folder), state.passed().len());
}

fn count(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}
