//! Drives a run in which all seven agents work for real, and dies where it is
//! told to. Tests start it, kill it in every possible place and look whether
//! another one brings the run to the same end.
//!
//! Usage: `dying_driver ROOT WEB_URL TOKEN PORT REQUEST [event N | step N | request N]`
//!
//! At the end of a run it prints how many there were of each.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "what is not as expected ends the program, and says why"
)]

#[path = "../tests/it/ground.rs"]
mod ground;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use baton_agents::AgentSteps;
use baton_engine::{Engine, Options, RunOutcome, StepCall, StepContext, StepFuture, Steps, Until};
use baton_remote::http::{self, Event};
use rustix::process::{Signal, getpid, kill_process};

use ground::{Ground, Here, no_tools, policy_for, script_agent, wish};

/// Where the process dies, if it dies.
#[derive(Default)]
struct Fate {
    /// After the event of that number.
    event: Deadly,
    /// Behind the effects of that step, the how-manieth it is, and before its
    /// report is recorded.
    step: Deadly,
    /// Behind the forge's answer to that request that is more than a look.
    request: Deadly,
}

/// The one of that number, of things that are counted.
#[derive(Default)]
struct Deadly {
    number: Option<u64>,
    seen: AtomicU64,
}

impl Deadly {
    fn happened(&self) {
        let seen = self.seen.fetch_add(1, Ordering::SeqCst) + 1;
        if self.number == Some(seen) {
            kill_process(getpid(), Signal::KILL).unwrap();
        }
    }
}

impl Fate {
    fn new(words: &[String]) -> Self {
        let mut fate = Self::default();
        if let [what, number] = words {
            let deadly = match what.as_str() {
                "event" => &mut fate.event,
                "step" => &mut fate.step,
                "request" => &mut fate.request,
                other => panic!("{other} is no way to die"),
            };
            deadly.number = Some(number.parse().unwrap());
        }
        fate
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [root, web_url, token, port, request, fate @ ..] = &arguments[..] else {
        return ExitCode::from(2);
    };
    let ground = Ground {
        root: PathBuf::from(root),
        web_url: web_url.clone(),
        token: token.clone(),
        environment: std::env::vars_os().collect(),
        first_port: port.parse().unwrap(),
    };
    let fate = Arc::new(Fate::new(fate));
    let code = drive(&ground, request, &fate).await;
    let seen = |deadly: &Deadly| deadly.seen.load(Ordering::SeqCst);
    println!("event {}", seen(&fate.event));
    println!("step {}", seen(&fate.step));
    println!("request {}", seen(&fate.request));
    code
}

async fn drive(ground: &Ground, request: &str, fate: &Arc<Fate>) -> ExitCode {
    let mut options = Options::new(ground.root.join("state"));
    let events = Arc::clone(fate);
    options.on_event = Some(Arc::new(move |_, _, _| events.event.happened()));
    let steps = Dying {
        crew: crew(ground, fate),
        fate: Arc::clone(fate),
    };
    let engine = Engine::open(options, Arc::new(steps)).await.unwrap();
    let runs = engine.runs(1).await.unwrap();
    let run = if let Some(known) = runs.first() {
        known.run.clone()
    } else {
        let goal = wish(request);
        let policy = policy_for(&goal);
        engine.create(goal, policy).await.unwrap()
    };
    match engine.drive(&run, Until::Question).await {
        Ok(RunOutcome::Ended(_)) => ExitCode::SUCCESS,
        Ok(RunOutcome::Waiting(state)) => {
            let reason = state.question().map(|question| question.reason.to_string());
            eprintln!("it asks: {}", reason.unwrap_or_default());
            ExitCode::from(3)
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn crew(ground: &Ground, fate: &Arc<Fate>) -> AgentSteps {
    let fate = Arc::clone(fate);
    let mut place = ground.place(http::Observer::new(move |event| {
        if let Event::Requested(requested) = event
            && requested.method != "GET"
            && requested.outcome.is_ok()
        {
            fate.request.happened();
        }
    }));
    place.settings.preferred = no_tools();
    place.coder = script_agent(&ground.root, "coder");
    AgentSteps::new(Here(Arc::new(place)))
}

struct Dying {
    crew: AgentSteps,
    fate: Arc<Fate>,
}

impl Steps for Dying {
    fn run<'a>(&'a self, call: &'a StepCall, context: &'a StepContext) -> StepFuture<'a> {
        Box::pin(async move {
            let result = self.crew.run(call, context).await;
            self.fate.step.happened();
            result
        })
    }
}
