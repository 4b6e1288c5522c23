//! Work that outlives the server. A client that supports tasks gets one whose id
//! is the work's own name. With that name, the work is found again on another
//! connection or after a restart of the server.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use baton_ops::OpError;
use baton_ops::question::{Choice, Question};
use rmcp::model::{
    CreateTaskResult, DetailedTask, ElicitRequest, ErrorData, InputRequest, InputResponses,
    JsonObject, Task, TaskPayload, TaskStatus,
};
use serde_json::{Value, json};

use super::answer;
use super::answer_form::AnswerForm;
use super::elicitation;
use super::outline;

/// Knows the work that calls of a tool start. An unknown name is not an error:
/// the work may belong to another tool.
pub trait Durable: Send + Sync {
    /// The name of the work that a call has started, from its output.
    fn name_in(&self, output: &Value) -> Option<String>;

    fn look<'a>(&'a self, name: &'a str) -> Reply<'a, Option<Standing>>;

    /// Answers one question of the work; an answer to any other question is
    /// ignored.
    fn answer<'a>(&'a self, name: &'a str, answer: Answer) -> Reply<'a, ()>;

    /// Requests the cancellation of the work; [`look`](Self::look) reports when
    /// it has ended. What has ended stays as it is.
    fn cancel<'a>(&'a self, name: &'a str) -> Reply<'a, ()>;
}

pub type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, OpError>> + Send + 'a>>;

/// The status of a piece of work.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    pub name: String,
    /// RFC 3339, as is the next.
    pub created: String,
    pub changed: String,
    /// What it does now, or waits for, in a line.
    pub doing: String,
    pub phase: Phase,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    Working,
    /// Only a person can continue. The key is unique among the questions of the
    /// work.
    Asks {
        key: String,
        question: Question,
    },
    /// With the output of the call that started it.
    Completed(Value),
    /// Also with the output of that call.
    Failed(Value),
    Cancelled,
}

/// A person's answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The key of the question.
    pub question: String,
    pub choice: char,
    pub comment: Option<String>,
}

/// Between two polls of a client. Such work takes minutes.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// The durable work of all tools of a server.
pub(super) struct Known<'a>(pub(super) Vec<&'a Arc<dyn Durable>>);

impl Known<'_> {
    /// `can_ask`: the client can ask its user.
    pub(super) async fn get(
        &self,
        name: &str,
        can_ask: bool,
    ) -> Result<Option<DetailedTask>, ErrorData> {
        match self.find(name).await? {
            Some((_, standing)) => task(standing, can_ask).map(Some),
            None => Ok(None),
        }
    }

    /// Returns whether there is such work.
    pub(super) async fn update(
        &self,
        name: &str,
        responses: &InputResponses,
    ) -> Result<bool, ErrorData> {
        let Some((durable, standing)) = self.find(name).await? else {
            return Ok(false);
        };
        if let Some(answer) = answered(standing.phase, responses) {
            let answering = durable.answer(name, answer);
            answering.await.map_err(answer::request_error)?;
        }
        Ok(true)
    }

    /// Returns whether there is such work.
    pub(super) async fn cancel(&self, name: &str) -> Result<bool, ErrorData> {
        let Some((durable, _)) = self.find(name).await? else {
            return Ok(false);
        };
        durable.cancel(name).await.map_err(answer::request_error)?;
        Ok(true)
    }

    async fn find(&self, name: &str) -> Result<Option<(&dyn Durable, Standing)>, ErrorData> {
        for durable in &self.0 {
            let standing = durable.look(name).await.map_err(answer::request_error)?;
            if let Some(standing) = standing {
                return Ok(Some((durable.as_ref(), standing)));
            }
        }
        Ok(None)
    }
}

/// The work that a call has started, for its caller. `None` where it cannot be
/// read now.
pub(super) async fn begun(
    durable: &Arc<dyn Durable>,
    name: &str,
    can_ask: bool,
) -> Option<CreateTaskResult> {
    let standing = durable.look(name).await.ok()??;
    let task = task(standing, can_ask).ok()?;
    Some(CreateTaskResult::new(task.task))
}

fn task(standing: Standing, can_ask: bool) -> Result<DetailedTask, ErrorData> {
    let Standing {
        name,
        created,
        changed,
        doing,
        phase,
    } = standing;
    let doing = outline::line(&doing);
    let payload = match phase {
        Phase::Working => TaskPayload::Working,
        // The question is answered elsewhere; it is in the message.
        Phase::Asks { .. } if !can_ask => TaskPayload::Working,
        Phase::Asks { key, question } => TaskPayload::InputRequired {
            input_requests: BTreeMap::from([(key, form(&harmless(question)))]),
        },
        Phase::Completed(output) => TaskPayload::Completed {
            result: object(json!(answer::result(Ok(output), AnswerForm::Both)?)),
        },
        Phase::Failed(output) => TaskPayload::Failed {
            error: object(json!(answer::failed_work(&doing, output))),
        },
        Phase::Cancelled => TaskPayload::Cancelled,
    };
    let interval = u64::try_from(POLL_INTERVAL.as_millis()).unwrap_or(u64::MAX);
    let task = Task::new(name, TaskStatus::Working, created, changed)
        .with_status_message(doing)
        .with_poll_interval_ms(interval);
    Ok(DetailedTask::new(task, payload))
}

fn form(question: &Question) -> InputRequest {
    let form = elicitation::form(question, elicitation::Comment::Wanted);
    InputRequest::Elicitation(ElicitRequest::new(form))
}

/// The answer to the question that the work asks now.
fn answered(phase: Phase, responses: &InputResponses) -> Option<Answer> {
    let Phase::Asks { key, question } = phase else {
        return None;
    };
    let response = serde_json::from_value(responses.get(&key)?.clone()).ok()?;
    Some(Answer {
        choice: elicitation::choice(&harmless(question), &response)?,
        comment: elicitation::comment(&response),
        question: key,
    })
}

/// As a client sees it, sanitized. Reasons quote foreign text.
fn harmless(question: Question) -> Question {
    let options = question.options.into_iter();
    Question {
        text: outline::block(&question.text),
        options: options
            .map(|option| Choice {
                label: outline::line(&option.label),
                ..option
            })
            .collect(),
    }
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        other => unreachable!("results and errors are objects, not {other}"),
    }
}
