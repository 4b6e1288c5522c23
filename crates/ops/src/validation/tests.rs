//! The tests, as the testing phase runs them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use baton_protocol::detection::Candidate;
use baton_protocol::phase::Verdict;
use baton_protocol::phase::testing::TestingInput;

use super::attempt::Bench;
use super::outcome::{self, Tested};
use super::plan::Plan;
use super::{Check, Event};
use crate::command_line::milliseconds;
use crate::context::Context;
use crate::question::NonInteractive;
use crate::testing::{self, Chosen, History, Options};

pub(super) struct Task<'a> {
    pub(super) plan: &'a Plan,
    pub(super) candidate: &'a Candidate,
    pub(super) max_retries: u64,
    pub(super) pause: Duration,
    pub(super) history: Option<History>,
    /// Have the runner name every test, where it can be asked to.
    pub(super) lists_cases: bool,
}

pub(super) async fn run(bench: Bench<'_>, task: Task<'_>) -> Tested {
    let Task {
        plan, candidate, ..
    } = task;
    let started = Instant::now();
    bench.cx.emit(Event::Started {
        check: Check::Tests,
        command: &candidate.command,
    });
    let input = TestingInput {
        max_retries: task.max_retries,
        retry_backoff_ms: vec![milliseconds(task.pause)],
        timeout_seconds: bench.limit.as_secs().max(1),
        ..TestingInput::new(plan.folder.to_string_lossy())
    };
    let chosen = Chosen {
        language: plan.language,
        language_reason: plan.language_reason.clone().unwrap_or_default(),
        command: candidate.clone(),
        suggestion: plan.suggestion.clone(),
        install: plan.install.clone(),
    };
    let events = bench.cx.events.clone();
    let cx = Context {
        cancel: bench.cancel.clone(),
        questions: Arc::new(NonInteractive),
        ..bench.cx.clone()
    }
    .with_events(move |event| {
        if let crate::Event::Testing(testing::Event::Output(bytes)) = event {
            events.emit(Event::Output {
                check: Check::Tests,
                bytes,
            });
        }
    });
    let options = Options {
        history: task.history,
        lists_cases: task.lists_cases,
        ..Options::default()
    };
    let answer = testing::run_chosen(&cx, &input, chosen, options).await;
    let output = answer.output;
    Tested {
        status: outcome::step(output.status == Verdict::Pass),
        failing_count: output.tests_failed,
        retry_count: output.retry_count,
        command: output.test_command.unwrap_or_default(),
        elapsed: started.elapsed(),
        cases: answer.cases,
        details: Some(answer.details),
    }
}
