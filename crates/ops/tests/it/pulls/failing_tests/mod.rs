//! `get_failing_tests`: every state of CI, every place where failures are found.

mod costs;
mod judged;
mod missing;
mod places;
mod reproduced;
mod sizes;
mod sources;
mod states;
mod troubles;
mod waiting;

use std::fmt::Write as _;

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use baton_ops::pulls::Subject;
use baton_ops::{EventSink, OpError, PollPolicy};
use baton_protocol::Repository;
use baton_testkit::Repo;
use baton_testkit::world::forge::{Fault, FaultKind};
use baton_testkit::world::{CiRun, JobEnd, World};
use serde_json::{Value, json};

use super::printed;
use super::world::{Spent, ToolCaller};

const TOOL: &str = "get_failing_tests";

/// A pull request, and `octo` who asks about it.
struct Scene<'w> {
    world: &'w World,
    caller: ToolCaller<'w>,
    repo: Repo<'w>,
    head: String,
}

impl<'w> Scene<'w> {
    fn new(world: &'w World) -> Self {
        Self::with(world, |_| {})
    }

    /// With more files in the head commit.
    fn with(world: &'w World, prepare: impl FnOnce(&Repo<'_>)) -> Self {
        let repo = world.checkout();
        repo.branch("fix/cart");
        prepare(&repo);
        let head = repo.commit_file("cart.py", "total = 0\n", "Fix the cart");
        world.push(&repo, "fix/cart");
        assert_eq!(world.open_pull("Fix the cart", "fix/cart", "main"), 1);
        Self {
            world,
            caller: ToolCaller::new(world),
            repo,
            head,
        }
    }

    fn ask(&self) -> Value {
        self.ask_with(&json!({}))
    }

    fn ask_with(&self, more: &Value) -> Value {
        self.caller.ask(TOOL, &with_pr(more))
    }

    /// The whole answer, for a snapshot.
    fn shown(&self) -> String {
        self.caller.shown(&self.ask())
    }

    fn run(&self, jobs: &[&str]) -> CiRun {
        self.world.start_run("CI", &self.head, jobs)
    }

    /// What CI said about `main`.
    fn run_on_main(&self, jobs: &[&str]) -> CiRun {
        let main = self.repo.git(&["rev-parse", "main"]);
        self.world.start_run("CI", &main, jobs)
    }
}

fn with_pr(more: &Value) -> Value {
    let mut input = json!({ "pr": "octo/demo#1" });
    for (name, value) in more.as_object().unwrap() {
        input[name] = value.clone();
    }
    input
}

/// Output that a framework really printed.
fn captured(case: &str) -> Vec<u8> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/it/cases");
    fs::read(cases.join(case)).unwrap()
}

fn failed_with(command: &str, output: impl AsRef<[u8]>) -> JobEnd {
    JobEnd::failure()
        .set_up()
        .failed_command(command, output, 1)
}

/// A run of pytest in which these tests failed.
fn pytest(tests: &[&str]) -> String {
    let mut text = format!("{:=^80}\n", " short test summary info ");
    for test in tests {
        writeln!(text, "FAILED {test} - AssertionError: assert 1 == 2").unwrap();
    }
    let summary = format!(" {} failed, 9 passed in 0.12s ", tests.len());
    text + &format!("{summary:=^80}\n")
}

/// One line per failure: what a test is mostly about.
fn outline(answer: &Value) -> String {
    let text = |value: &Value| match value {
        Value::String(text) => text.lines().next().unwrap_or_default().to_owned(),
        other => other.to_string(),
    };
    let mut lines = vec![format!(
        "{}: {}",
        text(&answer["status"]),
        text(&answer["instructions"]["summary"])
    )];
    for failure in answer["failures"].as_array().unwrap() {
        lines.push(format!(
            "{} | {} | {} | {} {} | {}",
            text(&failure["check_name"]),
            text(&failure["test_name"]),
            text(&failure["error_message"]),
            text(&failure["source"]),
            text(&failure["confidence"]),
            text(&failure["command"]),
        ));
    }
    lines.join("\n")
}

/// `test: verdict: evidence` for each failure.
fn verdicts(answer: &Value) -> String {
    let failures = answer["failures"].as_array().unwrap();
    let lines = failures.iter().map(|failure| {
        let text = |key: &str| failure[key].as_str().unwrap_or("-").to_owned();
        format!(
            "{}: {}: {}",
            text("test_name"),
            text("verdict"),
            text("evidence")
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}
