//! Drives a scripted run and dies where its arguments say. Tests kill it at every
//! possible point and check that another process brings the run to the same end.
//!
//! Usage: `scripted_driver STATE WORLD [event N | effect N | stop N]`

#![expect(
    clippy::unwrap_used,
    reason = "what is not as expected ends the program"
)]

#[path = "../tests/it/scripted.rs"]
mod scripted;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use baton_engine::{Engine, Options, RunOutcome, Until};
use baton_workflow::{Answer, Event, Mode, Policy};
use rustix::process::{Signal, getpid, kill_process};

use scripted::{Scripted, goal, with_setbacks};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Live,
    /// Die after the event of that number.
    Event(u64),
    /// Die after the effect of that number, before it is recorded.
    Effect(u64),
    /// Stand still after the event of that number, like a machine that sleeps.
    Stop(u64),
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [state, world, fate @ ..] = &arguments[..] else {
        return ExitCode::from(2);
    };
    let number = fate
        .get(1)
        .and_then(|number| number.parse().ok())
        .unwrap_or(0);
    let fate = match fate.first().map(String::as_str) {
        Some("event") => Fate::Event(number),
        Some("effect") => Fate::Effect(number),
        Some("stop") => Fate::Stop(number),
        _ => Fate::Live,
    };
    drive(PathBuf::from(state), Path::new(world), fate).await
}

async fn drive(state: PathBuf, world: &Path, fate: Fate) -> ExitCode {
    let mut steps = Scripted::new(world, with_setbacks);
    let effects = AtomicU64::new(0);
    steps.after_effect = Arc::new(move |_| {
        if fate == Fate::Effect(effects.fetch_add(1, Ordering::SeqCst) + 1) {
            send_myself(Signal::KILL);
        }
    });
    let mut options = Options::new(state);
    options.lease = std::time::Duration::from_millis(600);
    options.on_event = Some(Arc::new(move |_, seq, _| {
        if fate == Fate::Event(seq) {
            send_myself(Signal::KILL);
        } else if fate == Fate::Stop(seq) {
            send_myself(Signal::STOP);
        }
    }));
    let engine = Engine::open(options, Arc::new(steps)).await.unwrap();
    let open = engine.open_runs().await.unwrap();
    let run = if let Some(open) = open.first() {
        open.run.clone()
    } else {
        let policy = Policy {
            mode: Mode::Semi,
            retry_pauses_ms: vec![1, 1],
            ..Policy::default()
        };
        engine.create(goal(), policy).await.unwrap()
    };
    let answering = tokio::spawn(answer_everything(engine.clone(), run.clone()));
    let driven = engine.drive(&run, Until::Ended).await;
    answering.abort();
    match driven {
        Ok(RunOutcome::Ended(_)) => ExitCode::SUCCESS,
        Ok(RunOutcome::Waiting(_)) => ExitCode::from(3),
        Err(baton_engine::EngineError::Fenced { .. }) => ExitCode::from(4),
        Err(baton_engine::EngineError::Busy { .. }) => ExitCode::from(5),
        Err(_) => ExitCode::FAILURE,
    }
}

async fn answer_everything(engine: Engine, run: baton_workflow::RunId) {
    let mut follower = engine.follow(&run, 0);
    while let Ok(Some(recorded)) = follower.next().await {
        if let Event::Asked { .. } = recorded.event {
            let answer = Answer {
                choice: 'y',
                comment: None,
            };
            // A question of before the crash may be answered already.
            let _ = engine.answer(&run, answer).await;
        }
    }
}

fn send_myself(signal: Signal) {
    kill_process(getpid(), signal).unwrap();
}
