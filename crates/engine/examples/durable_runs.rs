//! Measures what the engine itself costs: runs whose steps do nothing, written
//! to the disk like any other.
//!
//! Usage: `cargo run --release -p baton-engine --example durable_runs [RUNS [--json]]`

#![expect(
    clippy::unwrap_used,
    reason = "what is not as expected ends the program"
)]

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[path = "../tests/it/scripted.rs"]
#[expect(dead_code, reason = "the tests use all of it, this program only some")]
mod scripted;

use baton_engine::{
    Concurrency, Engine, Options, StepCall, StepContext, StepFuture, StepResult, Steps, Until,
};
use baton_workflow::{Failure, FailureKind, Policy, Report, Step};
use tokio::task::JoinSet;

use scripted::{goal, success};

const AT_ONCE: usize = 64;

/// Reports that are made once: reading XML is not what is measured.
struct Nothing {
    reports: Vec<Report>,
}

impl Steps for Nothing {
    fn run<'a>(&'a self, call: &'a StepCall, _: &'a StepContext) -> StepFuture<'a> {
        let position = Step::ALL.iter().position(|step| *step == call.step);
        let report = self.reports[position.expect("all steps are listed")].clone();
        Box::pin(async move { StepResult::from(Ok(report)) })
    }
}

/// Always fails, and is always retried.
struct Failing;

impl Steps for Failing {
    fn run<'a>(&'a self, _: &'a StepCall, _: &'a StepContext) -> StepFuture<'a> {
        Box::pin(async { StepResult::from(Err(Failure::new(FailureKind::Permanent, "no"))) })
    }
}

#[tokio::main]
async fn main() {
    let runs = std::env::args()
        .nth(1)
        .and_then(|count| count.parse().ok())
        .unwrap_or(1000);
    // Beside the build rather than in a folder that may be in memory.
    let folder = tempfile::tempdir_in(".").expect("the folder can be written to");
    let measured = side_by_side(folder.path(), runs).await;
    if std::env::args().nth(2).as_deref() == Some("--json") {
        say(&format!(
            r#"{{"steps_per_second":{}}}"#,
            measured.steps_per_second
        ));
        return;
    }
    say("| | |\n|---|---|");
    say(&measured.table);
    resume(folder.path()).await;
}

struct Measured {
    steps_per_second: f64,
    table: String,
}

async fn side_by_side(folder: &std::path::Path, runs: usize) -> Measured {
    let mut options = Options::new(folder.join("many"));
    options.kept.at_most = 500;
    // What is measured is the journal, not how runs wait for each other.
    options.concurrency = Concurrency {
        implementations: AT_ONCE,
        reviews: AT_ONCE,
    };
    let steps = Nothing {
        reports: Step::ALL.iter().map(|step| success(*step)).collect(),
    };
    let engine = Engine::open(options, Arc::new(steps))
        .await
        .expect("the engine opens");
    let before = memory();
    let begin = Instant::now();
    let mut drivers = JoinSet::new();
    let mut started = 0;
    let mut halfway = 0;
    let mut events = 0;
    while started < runs || !drivers.is_empty() {
        while started < runs && drivers.len() < AT_ONCE {
            started += 1;
            let engine = engine.clone();
            drivers.spawn(async move {
                let run = engine.create(goal(), Policy::default()).await?;
                engine.drive(&run, Until::Ended).await
            });
        }
        if let Some(driven) = drivers.join_next().await {
            driven.expect("no driver panics").expect("every run ends");
            // Eight steps, begun and finished, after the creation.
            events += 17;
        }
        if started == runs / 2 {
            halfway = memory();
        }
    }
    let elapsed = begin.elapsed().as_secs_f64();
    let steps_per_second = count_as_float(runs * 8) / elapsed;
    let events_per_second = count_as_float(events) / elapsed;
    let after = memory();
    Measured {
        steps_per_second,
        table: format!(
            "| {runs} runs, {AT_ONCE} at once | {elapsed:.2} s |\n\
             | durable steps | {steps_per_second:.0}/s |\n\
             | journal events | {events_per_second:.0}/s |\n\
             | memory before, halfway, after | {before} / {halfway} / {after} MiB |"
        ),
    }
}

async fn resume(folder: &std::path::Path) {
    let state = folder.join("long");
    let engine = Engine::open(Options::new(&state), Arc::new(Failing))
        .await
        .expect("the engine opens");
    let policy = Policy {
        max_commands: 10_000,
        ..Policy::default()
    };
    let run = engine.create(goal(), policy).await.expect("a run begins");
    let mut follower = engine.follow(&run, 0);
    let answering = async {
        while let Ok(Some(recorded)) = follower.next().await {
            if recorded.seq >= 1000 {
                return;
            }
            if let baton_workflow::Event::Asked { .. } = recorded.event {
                let answer = baton_workflow::Answer {
                    choice: 'r',
                    comment: None,
                };
                let _ = engine.answer(&run, answer).await;
            }
        }
    };
    tokio::select! {
        _ = engine.drive(&run, Until::Ended) => {}
        () = answering => {}
    }
    drop(follower);
    drop(engine);
    let begin = Instant::now();
    let engine = Engine::open(Options::new(&state), Arc::new(Failing))
        .await
        .expect("the engine opens");
    let opened = begin.elapsed();
    let begin = Instant::now();
    engine.state(&run).await.expect("the run can be replayed");
    let replayed = begin.elapsed();
    let begin = Instant::now();
    engine
        .drive(&run, Until::Question)
        .await
        .expect("the run is free");
    let driven = begin.elapsed();
    let shown = |elapsed: Duration| format!("{:.1} ms", elapsed.as_secs_f64() * 1e3);
    say(&format!(
        "| open the database | {} |\n| replay 1000 events | {} |\n| take the run over, replay, a step and its failure (3 waits for the disk) | {} |",
        shown(opened),
        shown(replayed),
        shown(driven)
    ));
}

/// The resident memory of this process, in mebibytes.
fn memory() -> usize {
    const PAGES_PER_MEBIBYTE: usize = 256;
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or_default() / PAGES_PER_MEBIBYTE
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of a benchmark are small"
)]
fn count_as_float(count: usize) -> f64 {
    count as f64
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
