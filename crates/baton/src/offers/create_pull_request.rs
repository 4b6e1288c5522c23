use std::sync::Arc;

use baton_ops::pr::Event;
use baton_protocol::phase::pr::PrInput;
use baton_serve::mcp::{Call, Failure, Hints, Offer, Outcome};
use tokio::runtime::Handle;

use super::{failed, in_a_thread, invalid, to_json};
use crate::opening::{Errand, in_words};
use crate::session::Session;

pub(super) fn offer(session: Arc<Session>) -> Offer {
    Offer {
        name: "create_pull_request",
        title: "Open a pull request",
        description: "Pushes a branch and opens its pull request; with `jira_key`, links the Jira \
            issue and moves it to code review. Call it once the work is committed, with the \
            absolute path of the repository. Opens a draft unless `draft` is false; `mark_ready` \
            makes it ready for review. A call that was cut off is taken up by the next with the \
            same branches, and nothing is done twice. Once `pr_url` is set, everything in \
            `errors` is a warning; do not call it again for those.",
        input: Offer::entry("pr.input"),
        output: Offer::entry("pr.output"),
        hints: Hints {
            read_only: false,
            // It pushes, and moves an issue.
            destructive: true,
            idempotent: true,
            open_world: true,
        },
        may_last: |_| true,
        durable: None,
        run: Arc::new(move |call| Box::pin(run(session.clone(), call))),
    }
}

async fn run(session: Arc<Session>, call: Call) -> Outcome {
    let input = PrInput::read(&call.input).map_err(|problems| invalid(&problems))?;
    // Asking blocks, and so does the record of what is under way.
    let runtime = Handle::current();
    in_a_thread(move || runtime.block_on(play(&session, &input, call))).await
}

async fn play(session: &Session, input: &PrInput, call: Call) -> Outcome {
    let errand = Errand::prepare(input, session).map_err(|error| failed(&error))?;
    // An agent asked for it, not the user.
    let errand = errand.without_hooks();
    let Call {
        telling,
        mut questions,
        cancel,
        ..
    } = call;
    let mut observe = |event: Event<'_>| telling.tell(in_words(&event));
    let answer = errand
        .run(input, &cancel, &mut questions, &mut observe)
        .await;
    if answer.interrupted {
        return Err(Failure::Cancelled);
    }
    let output = to_json(&answer.output);
    answer.delivered();
    Ok(output)
}
