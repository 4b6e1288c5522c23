//! One process, one run: steps, questions, timers, cancellation, limits.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use baton_engine::{
    Engine, EngineError, Options, RunOutcome, StepCall, StepContext, StepFuture, StepResult, Steps,
    Until,
};
use baton_workflow::{
    Answer, Ending, Event, Failure, FailureKind, Limits, Mode, Policy, Report, RunId, Step, Usage,
};

use crate::scripted::{Scripted, goal, success, with_setbacks};

#[expect(clippy::unnecessary_wraps, reason = "other scripts fail")]
fn smooth(call: &StepCall) -> Result<Report, Failure> {
    Ok(success(call.step))
}

pub(crate) struct Bench {
    pub(crate) folder: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn options(&self) -> Options {
        Options::new(self.folder.path().join("state"))
    }

    pub(crate) async fn engine(&self, steps: impl Steps + 'static) -> Engine {
        Engine::open(self.options(), Arc::new(steps)).await.unwrap()
    }

    fn scripted(&self, script: fn(&StepCall) -> Result<Report, Failure>) -> Scripted {
        Scripted::new(&self.folder.path().join("world"), script)
    }
}

fn quick() -> Policy {
    Policy {
        retry_pauses_ms: vec![1, 1, 1],
        ..Policy::default()
    }
}

fn choose(choice: char) -> Answer {
    Answer {
        choice,
        comment: None,
    }
}

async fn events(engine: &Engine, run: &RunId) -> Vec<String> {
    let mut follower = engine.follow(run, 0);
    let mut all = Vec::new();
    while let Some(recorded) = follower.next().await.unwrap() {
        let key = match &recorded.event {
            Event::Started { key, .. }
            | Event::Finished { key, .. }
            | Event::Failed { key, .. }
            | Event::Woke { key, .. }
            | Event::Asked { key, .. }
            | Event::Answered { key, .. } => key.within_run().to_owned(),
            Event::Created { .. } | Event::CancelRequested { .. } | Event::Noticed { .. } => {
                String::new()
            }
        };
        all.push(format!("{} {} {key}", recorded.seq, recorded.event.word()));
    }
    all
}

#[tokio::test]
async fn a_run_is_driven_to_its_end_and_can_be_read_afterwards() {
    let bench = Bench::new();
    let engine = bench.engine(bench.scripted(with_setbacks)).await;
    let run = engine.create(goal(), quick()).await.unwrap();
    let driven = engine.drive(&run, Until::Ended).await.unwrap();
    assert_eq!(driven, RunOutcome::Ended(Ending::Closed));
    insta::assert_snapshot!(events(&engine, &run).await.join("\n"), @"
    1 created 
    2 started 001-issue
    3 finished 001-issue
    4 started 002-prepare
    5 finished 002-prepare
    6 started 003-implement
    7 finished 003-implement
    8 started 004-publish
    9 failed 004-publish
    10 woke 004-publish/wait-1
    11 started 004-publish
    12 finished 004-publish
    13 started 005-review
    14 finished 005-review
    15 started 006-fix
    16 finished 006-fix
    17 started 007-review
    18 finished 007-review
    19 started 008-validate
    20 finished 008-validate
    21 started 009-fix
    22 finished 009-fix
    23 started 010-review
    24 finished 010-review
    25 started 011-validate
    26 finished 011-validate
    27 started 012-merge
    28 finished 012-merge
    29 started 013-close
    30 finished 013-close
    ");
    let runs = engine.runs(5).await.unwrap();
    assert_eq!((runs[0].status.as_str(), runs[0].driven), ("closed", false));
    assert!(engine.open_runs().await.unwrap().is_empty());
    let again = engine.drive(&run, Until::Ended).await.unwrap();
    assert_eq!(again, RunOutcome::Ended(Ending::Closed));
}

#[tokio::test]
async fn a_question_waits_for_its_answer_even_in_another_process() {
    let bench = Bench::new();
    let policy = Policy {
        mode: Mode::Semi,
        ..quick()
    };
    let run;
    {
        let engine = bench.engine(bench.scripted(smooth)).await;
        run = engine.create(goal(), policy).await.unwrap();
        let driven = engine.drive(&run, Until::Question).await.unwrap();
        let RunOutcome::Waiting(state) = driven else {
            panic!("{driven:?}");
        };
        insta::assert_snapshot!(state.question().unwrap().reason, @"ready for the step `publish`");
    }
    let engine = bench.engine(bench.scripted(smooth)).await;
    insta::assert_snapshot!(engine.answer(&run, choose('q')).await.unwrap_err(), @"`q` is none of the answers; choose one of: y (go on), s (stop the run)");
    engine.answer(&run, choose('y')).await.unwrap();
    let driven = engine.drive(&run, Until::Question).await.unwrap();
    assert!(matches!(driven, RunOutcome::Waiting(_)), "before the merge");
    engine.answer(&run, choose('y')).await.unwrap();
    let driven = engine.drive(&run, Until::Ended).await.unwrap();
    assert_eq!(driven, RunOutcome::Ended(Ending::Closed));
    let late = engine.answer(&run, choose('y')).await.unwrap_err();
    assert!(matches!(late, EngineError::Ended { .. }), "{late}");
}

#[tokio::test]
async fn an_answer_reaches_a_driver_that_waits_in_another_engine() {
    let bench = Bench::new();
    let policy = Policy {
        mode: Mode::Semi,
        ..quick()
    };
    let driver = bench.engine(bench.scripted(smooth)).await;
    let other = bench.engine(bench.scripted(smooth)).await;
    let run = driver.create(goal(), policy).await.unwrap();
    let driving = {
        let (driver, run) = (driver.clone(), run.clone());
        tokio::spawn(async move { driver.drive(&run, Until::Ended).await })
    };
    let mut follower = other.follow(&run, 0);
    while let Some(recorded) = follower.next().await.unwrap() {
        if let Event::Asked { .. } = recorded.event {
            other.answer(&run, choose('y')).await.unwrap();
        }
    }
    assert_eq!(
        driving.await.unwrap().unwrap(),
        RunOutcome::Ended(Ending::Closed)
    );
}

#[tokio::test]
async fn an_answer_is_for_one_question_alone() {
    let bench = Bench::new();
    let policy = Policy {
        mode: Mode::Semi,
        ..quick()
    };
    let engine = bench.engine(bench.scripted(smooth)).await;
    let run = engine.create(goal(), policy).await.unwrap();
    engine.drive(&run, Until::Question).await.unwrap();
    let (state, mut follower) = engine.watch(&run).await.unwrap();
    let first = state.question().unwrap().key.clone();
    let answer = |choice| engine.answer_question(&run, &first, choose(choice));
    let refused = answer('q').await.unwrap_err();
    assert!(
        matches!(refused, EngineError::NoSuchChoice { .. }),
        "{refused}"
    );
    assert!(answer('y').await.unwrap());
    engine.drive(&run, Until::Question).await.unwrap();
    // The run asks another question by now.
    assert!(!answer('s').await.unwrap());
    assert!(engine.state(&run).await.unwrap().question().is_some());
    // A follower sees what has happened since.
    let next = follower.next().await.unwrap().unwrap();
    assert!(matches!(next.event, Event::Answered { .. }), "{next:?}");
}

/// Steps of which one never ends by itself.
struct Hanging {
    at: Step,
    listens: bool,
    cleaned: Arc<AtomicU32>,
}

impl Steps for Hanging {
    fn run<'a>(&'a self, call: &'a StepCall, context: &'a StepContext) -> StepFuture<'a> {
        Box::pin(async move {
            if call.step == Step::CleanUp {
                self.cleaned.fetch_add(1, Ordering::SeqCst);
            }
            if call.step != self.at {
                return StepResult::from(Ok(success(call.step)));
            }
            if self.listens {
                context.cancel.cancelled().await;
                let usage = Usage {
                    turns: 4,
                    ..Usage::default()
                };
                let failure = Failure::new(FailureKind::Cancelled, "ended");
                return StepResult {
                    outcome: Err(failure),
                    usage,
                };
            }
            pending().await
        })
    }
}

#[tokio::test]
async fn cancelling_stops_the_step_under_way_and_cleans_up() {
    let bench = Bench::new();
    let cleaned = Arc::new(AtomicU32::new(0));
    let engine = bench
        .engine(Hanging {
            at: Step::Implement,
            listens: true,
            cleaned: Arc::clone(&cleaned),
        })
        .await;
    let run = engine.create(goal(), quick()).await.unwrap();
    let mut follower = engine.follow(&run, 0);
    let cancelling = async {
        while let Some(recorded) = follower.next().await.unwrap() {
            if matches!(&recorded.event, Event::Started { key, .. } if key.within_run() == "003-implement")
            {
                engine.cancel(&run, "changed my mind").await.unwrap();
            }
            if let Event::Finished { usage, .. } | Event::Failed { usage, .. } = &recorded.event {
                assert!(usage.elapsed_ms > 0, "every step is timed");
            }
        }
    };
    let (driven, ()) = tokio::join!(engine.drive(&run, Until::Ended), cancelling);
    insta::assert_debug_snapshot!(driven.unwrap(), @r#"
    Ended(
        Cancelled {
            reason: "changed my mind",
            left_behind: None,
        },
    )
    "#);
    assert_eq!(cleaned.load(Ordering::SeqCst), 1);
    assert_eq!(
        engine.state(&run).await.unwrap().usage().turns,
        4,
        "what was used counts"
    );
}

#[tokio::test]
async fn an_inactive_run_is_cancelled_when_it_is_driven() {
    let bench = Bench::new();
    let engine = bench.engine(bench.scripted(smooth)).await;
    let run = engine.create(goal(), quick()).await.unwrap();
    engine.cancel(&run, "no longer needed").await.unwrap();
    let driven = engine.drive(&run, Until::Ended).await.unwrap();
    assert!(
        matches!(driven, RunOutcome::Ended(Ending::Cancelled { .. })),
        "{driven:?}"
    );
    assert!(matches!(
        engine.cancel(&run, "again").await,
        Err(EngineError::Ended { .. })
    ));
}

#[tokio::test(start_paused = true)]
async fn a_step_without_a_sign_of_life_is_ended_and_tried_again() {
    let bench = Bench::new();
    let engine = bench
        .engine(Hanging {
            at: Step::Issue,
            listens: false,
            cleaned: Arc::default(),
        })
        .await;
    let limits = Limits {
        wall: Duration::from_hours(1),
        idle: Duration::from_mins(5),
    };
    let policy = Policy {
        code_limits: limits,
        ..quick()
    };
    let run = engine.create(goal(), policy).await.unwrap();
    let driven = engine.drive(&run, Until::Question).await.unwrap();
    let RunOutcome::Waiting(state) = driven else {
        panic!("{driven:?}");
    };
    insta::assert_snapshot!(state.question().unwrap().reason, @"the step `issue` failed: it gave no sign of life for 300s");
}

struct Panicking;

impl Steps for Panicking {
    fn run<'a>(&'a self, _: &'a StepCall, _: &'a StepContext) -> StepFuture<'a> {
        Box::pin(async { panic!("out of cheese") })
    }
}

#[tokio::test]
async fn a_step_that_panics_is_a_question_and_not_the_end_of_the_process() {
    let bench = Bench::new();
    let engine = bench.engine(Panicking).await;
    let run = engine.create(goal(), quick()).await.unwrap();
    let RunOutcome::Waiting(state) = engine.drive(&run, Until::Question).await.unwrap() else {
        panic!("it went on");
    };
    insta::assert_snapshot!(state.question().unwrap().reason, @"the step `issue` failed: it panicked (out of cheese), which is a bug of baton; please report it");
}

#[expect(clippy::unnecessary_wraps, reason = "other scripts fail")]
fn lying(call: &StepCall) -> Result<Report, Failure> {
    match call.step {
        Step::Prepare => Ok(success(Step::Merge)),
        step => Ok(success(step)),
    }
}

#[tokio::test]
async fn a_handoff_that_is_not_the_step_s_to_give_does_not_count() {
    let bench = Bench::new();
    let engine = bench.engine(bench.scripted(lying)).await;
    let run = engine.create(goal(), quick()).await.unwrap();
    let RunOutcome::Waiting(state) = engine.drive(&run, Until::Question).await.unwrap() else {
        panic!("it went on");
    };
    insta::assert_snapshot!(state.question().unwrap().reason, @"the same failure came 3 times: the step `prepare` ended with a `merged` handoff, which is not for it to give");
    assert_eq!(state.passed().len(), 1);
}

#[tokio::test]
async fn an_unattended_run_fails_instead_of_asking() {
    let bench = Bench::new();
    let engine = bench.engine(Panicking).await;
    let policy = Policy {
        unattended: true,
        ..quick()
    };
    let run = engine.create(goal(), policy).await.unwrap();
    let driven = engine.drive(&run, Until::Ended).await.unwrap();
    insta::assert_debug_snapshot!(driven, @r#"
    Ended(
        Failed {
            reason: "the step `issue` failed: it panicked (out of cheese), which is a bug of baton; please report it",
            left_behind: Some(
                "it panicked (out of cheese), which is a bug of baton; please report it",
            ),
        },
    )
    "#);
}

/// Remembers on the first try, recalls on the second.
struct Forgetful;

impl Steps for Forgetful {
    fn run<'a>(&'a self, call: &'a StepCall, context: &'a StepContext) -> StepFuture<'a> {
        Box::pin(async move {
            if call.step == Step::Implement {
                let session = context.recall("session").await.unwrap();
                if session.as_deref() != Some(b"s-1") {
                    context.remember("session", "s-1").await.unwrap();
                    let failure = Failure::new(FailureKind::Transient, "away");
                    return StepResult::from(Err(failure));
                }
            }
            StepResult::from(Ok(success(call.step)))
        })
    }
}

#[tokio::test]
async fn a_step_finds_what_it_remembered() {
    let bench = Bench::new();
    let engine = bench.engine(Forgetful).await;
    let run = engine.create(goal(), quick()).await.unwrap();
    let driven = engine.drive(&run, Until::Ended).await.unwrap();
    assert_eq!(driven, RunOutcome::Ended(Ending::Closed));
    assert!(
        events(&engine, &run)
            .await
            .contains(&"7 failed 003-implement".to_owned())
    );
}

#[tokio::test]
async fn old_runs_are_forgotten_with_their_folders() {
    let bench = Bench::new();
    let mut options = bench.options();
    options.kept.at_most = 2;
    let engine = Engine::open(options, Arc::new(bench.scripted(smooth)))
        .await
        .unwrap();
    let mut runs = Vec::new();
    for _ in 0..4 {
        let run = engine.create(goal(), quick()).await.unwrap();
        engine.drive(&run, Until::Ended).await.unwrap();
        runs.push(run);
    }
    let waiting = engine.create(goal(), quick()).await.unwrap();
    assert_eq!(engine.forget_old().await.unwrap(), 2);
    let kept: Vec<RunId> = engine
        .runs(10)
        .await
        .unwrap()
        .into_iter()
        .map(|one| one.run)
        .collect();
    assert_eq!(kept, [waiting, runs[3].clone(), runs[2].clone()]);
    assert!(!engine.run_folder(&runs[0]).exists());
    assert!(engine.run_folder(&runs[3]).exists());
    insta::assert_snapshot!(
        engine.state(&runs[0]).await.unwrap_err().to_string().replace(runs[0].as_str(), "RUN"),
        @"there is no run `RUN`; `baton runs` lists them"
    );
}
