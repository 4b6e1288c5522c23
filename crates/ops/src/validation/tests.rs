//! The tests, as the testing phase runs them.

use std::time::{Duration, Instant};

use baton_protocol::detection::Candidate;
use baton_protocol::phase::Verdict;
use baton_protocol::phase::testing::TestingInput;

use super::attempt::Bench;
use super::outcome::{self, Tested};
use super::plan::Plan;
use super::{Check, Event};
use crate::command_line::milliseconds;
use crate::question::Nobody;
use crate::testing::{self, Chosen, FlakyPolicy, History, Preferred, Surroundings};

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
    (bench.observe)(Event::Started {
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
    };
    let surroundings = Surroundings {
        environment: bench.environment,
        cancel: bench.cancel,
        preferred: Preferred::default(),
        history: task.history,
        flaky: FlakyPolicy::Warn,
        only: Vec::new(),
        lists_cases: task.lists_cases,
        ask: &mut Nobody,
        observe: &mut |event| {
            if let testing::Event::Output(bytes) = event {
                (bench.observe)(Event::Output {
                    check: Check::Tests,
                    bytes,
                });
            }
        },
    };
    let answer = testing::run_chosen(&input, chosen, surroundings).await;
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
