use std::path::Path;
use std::sync::Arc;

use baton_ops::validation::{self, CheckStatus, Event, Limits, Scope, Surroundings};
use baton_protocol::phase::validation::ValidationInput;
use baton_serve::mcp::{Call, Failure, Hints, Offer, Outcome};
use tokio::runtime::Handle;

use super::{failed, in_a_thread, invalid, to_json};
use crate::commands::phase::validation::PAUSE;
use crate::commands::validate::Settings;
use crate::session::Session;

pub(super) fn offer(session: Arc<Session>) -> Offer {
    Offer {
        name: "validate_change",
        title: "Validate a change",
        description: "Runs six checks over the files of a change on this machine: formatter, linter, \
            build, tests, code review and security review, with the project's own tools. Formatter \
            and linter mend what they can, in these files only. Only problems that the change \
            brought count. Call it before you open a pull request, with the absolute path of the \
            project and its changed files. A failing check is an answer (`status`: `fail`), not an \
            error; all six results are always there.",
        input: Offer::entry("validation.input"),
        output: Offer::entry("validation.output"),
        // The project's own tools and tests may do anything.
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
    let input = ValidationInput::read(&call.input).map_err(|problems| invalid(&problems))?;
    // The history of tests blocks.
    let runtime = Handle::current();
    in_a_thread(move || runtime.block_on(play(&session, &input, call))).await
}

async fn play(session: &Session, input: &ValidationInput, call: Call) -> Outcome {
    let folder = Path::new(&input.working_directory);
    let settings = Settings::of(session, folder).map_err(|error| failed(&error))?;
    let Call {
        telling, cancel, ..
    } = call;
    let surroundings = Surroundings {
        environment: &session.environment,
        cancel: &cancel,
        preferred: settings.preferred,
        unchosen: settings.unchosen,
        history: settings.history,
        limits: Limits::default(),
        pause: PAUSE,
        threshold: settings.threshold,
        scope: Scope::NewProblems,
        base: None,
        reviewers: Vec::new(),
        scanners: &settings.scanners,
        logs: &settings.logs,
        baseline: None,
        accepted: None,
        observe: &|event| {
            if let Some(what) = in_words(event) {
                telling.tell(what);
            }
        },
    };
    let answer = validation::run(input, surroundings).await;
    if answer.interrupted {
        return Err(Failure::Cancelled);
    }
    Ok(to_json(&answer.output))
}

fn in_words(event: Event<'_>) -> Option<String> {
    Some(match event {
        Event::Started { check, command: "" } => check.name().to_owned(),
        Event::Started { check, command } => format!("{}: {command}", check.name()),
        Event::Mending { check, command } => format!("{}, mending: {command}", check.name()),
        Event::Finished {
            check,
            status,
            problems,
            ..
        } => {
            let how = match status {
                CheckStatus::Pass => "passed".to_owned(),
                CheckStatus::Fail if problems == 1 => "1 problem".to_owned(),
                CheckStatus::Fail => format!("{problems} problems"),
                CheckStatus::Skipped => "skipped".to_owned(),
            };
            format!("{}: {how}", check.name())
        }
        Event::Settled { .. } | Event::Waiting { .. } | Event::Output { .. } => return None,
    })
}
