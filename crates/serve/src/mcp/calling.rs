//! A call that its client waits for.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, ClientResult, ElicitRequest, ErrorData, ProgressNotificationParam,
    ProgressToken, ProtocolVersion, ServerRequest,
};
use rmcp::service::{Peer, RequestContext};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::answer;
use super::answer_form::AnswerForm;
use super::elicitation::Asked;
use super::outline;
use super::parked::{CallKey, Parked};
use super::running::{Running, Step};

/// Clients that count progress as a sign of life wait half a minute or more
/// for one.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// How questions reach the client's user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Elicitation {
    /// The client cannot ask its user.
    Unsupported,
    /// A request of ours, answered while the call continues.
    Request,
    /// The call ends with the question, and is repeated with the answer.
    Retry,
}

impl Elicitation {
    pub(super) fn for_client(context: &RequestContext<RoleServer>) -> Self {
        if !takes_forms(context) {
            return Self::Unsupported;
        }
        if has_result_types(context) {
            Self::Retry
        } else {
            Self::Request
        }
    }
}

/// Whether a result may be something other than the answer: a question, a task.
/// Some clients of earlier versions announce that they support tasks, but do not
/// recognise one.
pub(super) fn has_result_types(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version().unwrap_or_default();
    version.as_str() >= ProtocolVersion::V_2026_07_28.as_str()
}

/// Whether the client announces that it can display a form to its user. A client
/// that names no kind of question means forms.
pub(super) fn takes_forms(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    capabilities
        .and_then(|capabilities| capabilities.elicitation)
        .is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

/// Follows an operation to its end, or to a question that the client has to
/// answer with another call.
pub(super) async fn follow(
    mut running: Running,
    mut key: CallKey,
    parked: &Parked,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let mut progress = Progress::new(context);
    let mut heartbeat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let step = tokio::select! {
            () = context.ct.cancelled() => {
                running.stop().await;
                return Err(answer::cancelled());
            }
            _ = heartbeat.tick() => {
                progress.beat().await;
                continue;
            }
            step = running.step() => step,
        };
        match step {
            Step::Progress(what) => progress.tell(&what).await,
            Step::Asked(asked) => match Elicitation::for_client(context) {
                Elicitation::Unsupported => drop(asked),
                Elicitation::Request => ask_now(asked, context).await,
                Elicitation::Retry => match parked.park(running, asked, key) {
                    Ok(question) => return Ok(question.into()),
                    // There are too many; this one stays unanswered.
                    Err(back) => (running, key) = *back,
                },
            },
            Step::Ended(outcome) => {
                let form = AnswerForm::for_client(context);
                return answer::result(outcome, form).map(Into::into);
            }
        }
    }
}

/// A person may take their time; a client that gives up cancels the call.
async fn ask_now(asked: Asked, context: &RequestContext<RoleServer>) {
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(asked.form()));
    let answer = tokio::select! {
        () = context.ct.cancelled() => return,
        answer = context.peer.send_request(request) => answer,
    };
    match answer {
        Ok(ClientResult::ElicitResult(result)) => asked.answer(&result),
        Ok(_) => tracing::debug!("the client answered a question with something else"),
        Err(error) => tracing::debug!(%error, "the client could not be asked"),
    }
}

/// Progress notifications of one call, if the client asked for them.
struct Progress {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    count: f64,
    last: String,
}

impl Progress {
    fn new(context: &RequestContext<RoleServer>) -> Self {
        Self {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
            count: 0.0,
            last: "working".to_owned(),
        }
    }

    async fn tell(&mut self, what: &str) {
        self.last = outline::line(what);
        self.beat().await;
    }

    /// Sends the last message again: the number grows, so the call is alive.
    async fn beat(&mut self) {
        let Some(token) = &self.token else {
            return;
        };
        self.count += 1.0;
        let notification =
            ProgressNotificationParam::new(token.clone(), self.count).with_message(&self.last);
        if let Err(error) = self.peer.notify_progress(notification).await {
            tracing::debug!(%error, "the client could not be told of progress");
        }
    }
}
