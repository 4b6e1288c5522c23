//! Work that outlives the server. A client that takes tasks gets one whose id is
//! the work's own name; whoever asks for that name later finds the work again,
//! be it on another connection or of a server that was started anew.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use baton_ops::question::{Choice, Question};
use rmcp::model::{
    CreateTaskResult, DetailedTask, ElicitRequest, ErrorData, InputRequest, InputResponses,
    JsonObject, Task, TaskPayload, TaskStatus,
};
use serde_json::{Value, json};

use super::answer;
use super::asking;
use super::offer::Failure;
use super::outline;

/// What knows the work that an offer's calls begin. A name that it does not know
/// is no failure: it may be somebody else's.
pub trait Durable: Send + Sync {
    /// The name of the work that a call has begun, out of its output.
    fn name_in(&self, output: &Value) -> Option<String>;

    fn look<'a>(&'a self, name: &'a str) -> Reply<'a, Option<Standing>>;

    /// Answers one question of the work; one that it does not ask, or not any
    /// more, is passed over.
    fn answer<'a>(&'a self, name: &'a str, answer: Answer) -> Reply<'a, ()>;

    /// Asks for the end of the work, which [`look`](Self::look) tells when it has
    /// come. What has ended stays as it is.
    fn cancel<'a>(&'a self, name: &'a str) -> Reply<'a, ()>;
}

pub type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

/// Where a piece of work stands.
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
    /// Only a person can go on. The key is that of no other question of the work.
    Asks {
        key: String,
        question: Question,
    },
    /// With the output of the call that began it.
    Completed(Value),
    /// With the same.
    Failed(Value),
    Cancelled,
}

/// What a person says to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The key of the question.
    pub question: String,
    pub choice: char,
    pub comment: Option<String>,
}

/// Between two looks of a client. Such work takes minutes.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// All that the offers of a server know.
pub(super) struct Known<'a>(pub(super) Vec<&'a Arc<dyn Durable>>);

impl Known<'_> {
    /// `asking`: the client can put questions before somebody.
    pub(super) async fn get(
        &self,
        name: &str,
        asking: bool,
    ) -> Result<Option<DetailedTask>, ErrorData> {
        match self.find(name).await? {
            Some((_, standing)) => task(standing, asking).map(Some),
            None => Ok(None),
        }
    }

    /// Says whether there is such work.
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
            answering.await.map_err(answer::trouble)?;
        }
        Ok(true)
    }

    /// Says whether there is such work.
    pub(super) async fn cancel(&self, name: &str) -> Result<bool, ErrorData> {
        let Some((durable, _)) = self.find(name).await? else {
            return Ok(false);
        };
        durable.cancel(name).await.map_err(answer::trouble)?;
        Ok(true)
    }

    async fn find(&self, name: &str) -> Result<Option<(&dyn Durable, Standing)>, ErrorData> {
        for durable in &self.0 {
            let standing = durable.look(name).await.map_err(answer::trouble)?;
            if let Some(standing) = standing {
                return Ok(Some((durable.as_ref(), standing)));
            }
        }
        Ok(None)
    }
}

/// The work that a call has begun, for its caller. `None` where it cannot be
/// looked at now.
pub(super) async fn begun(
    durable: &Arc<dyn Durable>,
    name: &str,
    asking: bool,
) -> Option<CreateTaskResult> {
    let standing = durable.look(name).await.ok()??;
    let task = task(standing, asking).ok()?;
    Some(CreateTaskResult::new(task.task))
}

fn task(standing: Standing, asking: bool) -> Result<DetailedTask, ErrorData> {
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
        // Whoever can answer does so elsewhere; what is asked is in the message.
        Phase::Asks { .. } if !asking => TaskPayload::Working,
        Phase::Asks { key, question } => TaskPayload::InputRequired {
            input_requests: BTreeMap::from([(key, form(&harmless(question)))]),
        },
        Phase::Completed(output) => TaskPayload::Completed {
            result: object(json!(answer::result(Ok(output))?)),
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
    let form = asking::form(question, asking::Comment::Wanted);
    InputRequest::Elicitation(ElicitRequest::new(form))
}

/// What was said to the question that the work asks now.
fn answered(phase: Phase, responses: &InputResponses) -> Option<Answer> {
    let Phase::Asks { key, question } = phase else {
        return None;
    };
    let response = serde_json::from_value(responses.get(&key)?.clone()).ok()?;
    Some(Answer {
        choice: asking::choice(&harmless(question), &response)?,
        comment: asking::comment(&response),
        question: key,
    })
}

/// As a client sees it. Reasons quote what others wrote.
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
