//! Six runs on one repository whose changes are all about the same line.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use baton_agents::AgentSteps;
use baton_engine::{Engine, Options, RunOutcome, StepCall, StepContext, StepFuture, Steps, Until};
use baton_testkit::world::World;
use baton_workflow::{Answer, Ending, Reason, RunId, Step};
use tokio::task::JoinSet;

use crate::ground::{Here, wish};
use crate::stage::Stage;

/// So different that none is taken for the other.
const WISHES: [&str; 6] = [
    "Add a limit of logins per minute",
    "Print invoices as plain text",
    "Show the weather beside the clock",
    "Import addresses from spreadsheets",
    "Rename colours of the dark theme",
    "Let moderators pin a message",
];

/// Replaces the line that everybody wants; a conflict keeps both sides. The
/// first three wait for each other, so that three are at work at once.
const CODER: &str = r#"
if grep -q 'A merge of .main. is under way' "$HOME/prompt.$$"; then
  sed -i '/^<<<<<<<\|^=======\|^>>>>>>>/d' features.txt
else
  mkdir -p "$HOME/at-work"
  touch "$HOME/at-work/$$"
  turn=0
  while test "$(ls "$HOME/at-work" | wc -l)" -lt 3 && test $turn -lt 300; do
    turn=$((turn + 1))
    sleep 0.1
  done
  echo "done: $BATON_KEY" > features.txt
fi
"#;

/// Counts how many of a kind are under way.
#[derive(Default)]
struct Gauge {
    now: AtomicUsize,
    most: AtomicUsize,
    all: AtomicUsize,
}

impl Gauge {
    async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        self.all.fetch_add(1, Ordering::SeqCst);
        let done = work.await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        done
    }

    fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

struct Measured {
    crew: AgentSteps,
    implementations: Gauge,
    reviews: Gauge,
}

impl Steps for Measured {
    fn run<'a>(&'a self, call: &'a StepCall, context: &'a StepContext) -> StepFuture<'a> {
        let work = self.crew.run(call, context);
        match call.step {
            Step::Implement | Step::Fix => Box::pin(self.implementations.during(work)),
            Step::Review => Box::pin(self.reviews.during(work)),
            _ => work,
        }
    }
}

/// Drives all at once until each has ended or asks.
async fn drive(engine: &Engine, runs: &[RunId]) -> Vec<RunOutcome> {
    let mut driving = JoinSet::new();
    for run in runs {
        let (engine, run) = (engine.clone(), run.clone());
        driving.spawn(async move { engine.drive(&run, Until::Question).await.unwrap() });
    }
    driving.join_all().await
}

#[test]
fn six_runs_about_the_same_line_are_all_merged_and_nothing_is_lost() {
    let world = World::start();
    let mut stage = Stage::new(&world, "", &[("features.txt", "none yet\n")]);
    stage.without_tools();
    stage.coder(CODER);
    stage.world.sandbox.write(
        "agents/coder",
        format!("#!/bin/sh\nset -e\ncat > \"$HOME/prompt.$$\"\n{CODER}\n"),
    );
    let steps = Arc::new(Measured {
        crew: AgentSteps::new(Here(Arc::new(stage.place.clone()))),
        implementations: Gauge::default(),
        reviews: Gauge::default(),
    });
    let begun = Instant::now();
    let (runs, questions) = world.block_on(async {
        let options = Options::new(world.sandbox.state_folder());
        let engine = Engine::open(options, Arc::clone(&steps) as Arc<dyn Steps>)
            .await
            .unwrap();
        let mut runs = Vec::new();
        for request in WISHES {
            let created = engine.create(wish(request), stage.policy.clone());
            runs.push(created.await.unwrap());
        }
        let mut questions = 0;
        let mut open = runs.clone();
        while !open.is_empty() {
            let mut asking = Vec::new();
            for driven in drive(&engine, &open).await {
                match driven {
                    RunOutcome::Ended(ending) => assert_eq!(ending, Ending::Closed),
                    RunOutcome::Waiting(paused) => {
                        // Others were merged first again and again.
                        let reason = &paused.question().unwrap().reason;
                        assert!(
                            matches!(
                                reason,
                                Reason::ValidationRounds { .. } | Reason::SameFailure { .. }
                            ),
                            "{reason}"
                        );
                        let choice = paused.question().unwrap().options[0].key;
                        let again = Answer {
                            choice,
                            comment: None,
                        };
                        engine.answer(paused.run(), again).await.unwrap();
                        asking.push(paused.run().clone());
                    }
                }
            }
            questions += asking.len();
            open = asking;
        }
        (runs, questions)
    });
    let took = begun.elapsed();
    println!(
        "{questions} questions; {} times a coding agent, {} at once; {} reviews, {} at once; {took:?}",
        steps.implementations.all.load(Ordering::SeqCst),
        steps.implementations.most(),
        steps.reviews.all.load(Ordering::SeqCst),
        steps.reviews.most(),
    );
    assert_eq!(steps.implementations.most(), 3);
    assert!(steps.reviews.most() <= 5);
    let pulls = stage.list("pulls?state=all&per_page=100");
    assert_eq!(pulls.len(), 6);
    assert!(pulls.iter().all(|pull| !pull["merged_at"].is_null()));
    assert!(
        stage
            .issues()
            .iter()
            .all(|issue| issue["state"] == "closed")
    );
    let repo = &stage.repo;
    repo.git(&["fetch", "--quiet", "--prune", "origin"]);
    let features = repo.git(&["show", "origin/main:features.txt"]);
    let mut done: Vec<&str> = features
        .lines()
        .filter(|line| line.starts_with("done: "))
        .collect();
    done.sort_unstable();
    let mut wanted: Vec<String> = runs
        .iter()
        .map(|run| format!("done: {run}/003-implement"))
        .collect();
    wanted.sort();
    assert_eq!(done, wanted, "{features}");
    assert!(!stage.worktrees().exists());
    assert_eq!(stage.list("branches").len(), 1);
}
