use std::path::Path;
use std::sync::Arc;

use baton_ops::testing::{self, Event, Surroundings};
use baton_protocol::phase::testing::TestingInput;
use baton_protocol::phase::testing_details::AttemptScope;
use baton_serve::mcp::{Call, Failure, Hints, Offer, Outcome};
use tokio::runtime::Handle;

use super::{failed, in_a_thread, invalid, to_json};
use crate::commands::test::Settings;
use crate::session::Session;

pub(super) fn offer(session: Arc<Session>) -> Offer {
    Offer {
        name: "run_tests",
        title: "Run a project's tests",
        description: "Builds a project and runs its tests on this machine: finds out language and \
            commands, runs failing tests again to tell flaky ones, and lists what fails with its \
            message and place. Call it to check a change before committing, with the absolute \
            path of the project. `test_command` and `build_command` replace what was found; set \
            `max_retries` to 0 for one quick run. A failing test is an answer (`status`: `fail`), \
            not an error.",
        input: Offer::entry("testing.input"),
        output: Offer::entry("testing.output"),
        // A test may do anything that the project's code can do.
        hints: Hints {
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: true,
        },
        may_last: |_| true,
        durable: None,
        run: Arc::new(move |call| Box::pin(run(session.clone(), call))),
    }
}

async fn run(session: Arc<Session>, call: Call) -> Outcome {
    let input = TestingInput::read(&call.input).map_err(|problems| invalid(&problems))?;
    // Asking blocks, and so does the history of tests.
    let runtime = Handle::current();
    in_a_thread(move || runtime.block_on(play(&session, &input, call))).await
}

async fn play(session: &Session, input: &TestingInput, call: Call) -> Outcome {
    let folder = Path::new(&input.working_directory);
    let config = session.config_at(folder).map_err(|error| failed(&error))?;
    let settings = Settings::of(&config, &session.environment, folder);
    let Call {
        telling,
        mut questions,
        cancel,
        ..
    } = call;
    let surroundings = Surroundings {
        environment: &session.environment,
        cancel: &cancel,
        preferred: settings.preferred,
        history: settings.history,
        flaky: settings.flaky,
        only: Vec::new(),
        lists_cases: false,
        ask: &mut questions,
        observe: &mut |event| {
            if let Some(what) = in_words(event) {
                telling.tell(what);
            }
        },
    };
    let answer = testing::run(input, surroundings).await;
    if answer.interrupted {
        return Err(Failure::Cancelled);
    }
    Ok(to_json(&answer.output))
}

fn in_words(event: Event<'_>) -> Option<String> {
    Some(match event {
        Event::BuildStarted { command } => format!("building: {command}"),
        Event::AttemptStarted {
            number: 1, command, ..
        } => format!("testing: {command}"),
        Event::AttemptStarted {
            number,
            command,
            scope,
        } => {
            let what = match scope {
                AttemptScope::WholeSuite => "everything",
                AttemptScope::FailedTests => "what failed",
            };
            format!("attempt {number}, {what}: {command}")
        }
        Event::AttemptFinished(attempt) => {
            format!(
                "attempt {}: {} run, {} failed",
                attempt.number, attempt.counts.run, attempt.counts.failed
            )
        }
        Event::Waiting {
            before_retry,
            pause,
        } => format!("waiting {} s before retry {before_retry}", pause.as_secs()),
        Event::Output(_) => return None,
    })
}
