//! Sends an operation's questions to the client and returns the answers.
//!
//! A client answers with the label of an option, which is what it displays; the
//! operation gets the option's key.

use baton_ops::question::{Ask, PendingAnswer, Question};
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    EnumSchema, InputRequest,
};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

/// The field of the form that a client fills in.
const FIELD: &str = "choice";

/// The optional field.
const COMMENT: &str = "comment";

/// Longer comments are cut.
const MAX_COMMENT_LEN: usize = 4000;

/// Whether the answer may have a comment besides the choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comment {
    Wanted,
    Unwanted,
}

/// Asks questions during a call.
pub(super) struct Questions(mpsc::UnboundedSender<Asked>);

/// A question that waits for its answer. Dropping it leaves it unanswered.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) question: Question,
    reply: oneshot::Sender<char>,
}

impl Questions {
    pub(super) fn new(sender: mpsc::UnboundedSender<Asked>) -> Self {
        Self(sender)
    }
}

impl Ask for Questions {
    fn ask<'a>(&'a self, question: &'a Question) -> PendingAnswer<'a> {
        Box::pin(async {
            let (reply, answer) = oneshot::channel();
            let question = question.clone();
            self.0.send(Asked { question, reply }).ok()?;
            answer.await.ok()
        })
    }
}

impl Asked {
    pub(super) fn form(&self) -> ElicitRequestParams {
        form(&self.question, Comment::Unwanted)
    }

    pub(super) fn as_input_request(&self) -> InputRequest {
        InputRequest::Elicitation(ElicitRequest::new(self.form()))
    }

    /// Everything but a valid choice counts as no answer.
    pub(super) fn answer(self, result: &ElicitResult) {
        if let Some(key) = choice(&self.question, result) {
            let _ = self.reply.send(key);
        }
    }

    /// The same for an answer that has not been parsed yet.
    pub(super) fn answer_unread(self, result: Value) {
        if let Ok(result) = serde_json::from_value(result) {
            self.answer(&result);
        }
    }
}

/// The question as a form with one choice.
pub(super) fn form(question: &Question, comment: Comment) -> ElicitRequestParams {
    let labels = question.options.iter();
    let labels: Vec<String> = labels.map(|option| option.label.clone()).collect();
    let mut schema = ElicitationSchema::builder()
        .required_enum_schema(FIELD, EnumSchema::builder(labels).build());
    if comment == Comment::Wanted {
        schema = schema.optional_string(COMMENT);
    }
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.text.clone(),
        requested_schema: schema.build().expect("the only required property is there"),
    }
}

/// The key of what was chosen. Some clients claim to support questions and
/// decline at once, without a user: that is no choice.
pub(super) fn choice(question: &Question, result: &ElicitResult) -> Option<char> {
    let label = field(result, FIELD)?;
    let option = question.options.iter().find(|o| o.label == label)?;
    Some(option.key)
}

pub(super) fn comment(result: &ElicitResult) -> Option<String> {
    let comment = field(result, COMMENT)?.trim();
    let comment: String = comment.chars().take(MAX_COMMENT_LEN).collect();
    (!comment.is_empty()).then_some(comment)
}

fn field<'a>(result: &'a ElicitResult, name: &str) -> Option<&'a str> {
    match (&result.action, &result.content) {
        (ElicitationAction::Accept, Some(content)) => content.get(name)?.as_str(),
        _ => None,
    }
}
