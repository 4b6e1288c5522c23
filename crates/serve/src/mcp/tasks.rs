//! A call that its client does not wait for: it polls a task instead.

use std::time::Duration;

use baton_ops::PollPolicy;
use rmcp::model::{CallToolResult, CreateTaskResult};
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};

use super::answer;
use super::answer_form::AnswerForm;
use super::elicitation::Asked;
use super::outline;
use super::running::{Running, Step};

/// More calls at once are answered without a task.
const MAX_RUNNING_TASKS: usize = 16;

/// A task is ended after this time, even if it waits.
const LIFETIME: Duration = Duration::from_hours(2);

/// Between two polls of a client.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// The client polls, so no connection is held open.
pub(super) const POLL: PollPolicy = PollPolicy::TERMINAL;

pub(super) fn has_room(manager: &TaskManager) -> bool {
    manager.running_task_count() < MAX_RUNNING_TASKS
}

/// `can_ask`: the client can ask its user.
pub(super) fn start(
    manager: &TaskManager,
    running: Running,
    can_ask: bool,
    form: AnswerForm,
) -> CreateTaskResult {
    let options = TaskOptions::new()
        .with_ttl_ms(milliseconds(LIFETIME))
        .with_poll_interval_ms(milliseconds(POLL_INTERVAL));
    let task = manager.spawn(options, |context| {
        Box::pin(async move { follow(running, &context, can_ask, form).await })
    });
    CreateTaskResult::new(task)
}

async fn follow(
    mut running: Running,
    context: &TaskContext,
    can_ask: bool,
    form: AnswerForm,
) -> Result<CallToolResult, TaskExit> {
    let mut questions = 0_u32;
    loop {
        let step = tokio::select! {
            () = context.cancelled() => {
                running.stop().await;
                return Err(TaskExit::Cancelled);
            }
            step = running.step() => step,
        };
        match step {
            Step::Progress(what) => context.set_status_message(outline::line(&what)),
            Step::Asked(asked) if can_ask => {
                questions += 1;
                ask(asked, questions, context).await;
            }
            Step::Asked(asked) => drop(asked),
            Step::Ended(outcome) => return answer::result(outcome, form).map_err(TaskExit::Error),
        }
    }
}

async fn ask(asked: Asked, number: u32, context: &TaskContext) {
    let request = asked.as_input_request();
    // No answer: the task is being cancelled, which the next step detects.
    if let Ok(answer) = context
        .request_input(format!("question-{number}"), request)
        .await
    {
        asked.answer_unread(answer);
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
