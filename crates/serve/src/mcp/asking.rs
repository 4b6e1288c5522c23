//! Questions of an operation, on their way to whoever can answer.
//!
//! A client answers with the label of an option, which is what it shows; the
//! operation gets the option's key.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use baton_ops::question::{Ask, Question};
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    EnumSchema, InputRequest,
};
use serde_json::Value;
use tokio::sync::mpsc;

/// The one field of the form that a client fills in.
const FIELD: &str = "choice";

/// Whoever can be asked during a call. Asking blocks the thread, so only an
/// operation with a thread of its own may ask.
pub struct Questions(mpsc::UnboundedSender<Asked>);

/// A question that waits for its answer. Dropped, it is not answered.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) question: Question,
    reply: SyncSender<char>,
}

impl Questions {
    pub(super) fn new(sender: mpsc::UnboundedSender<Asked>) -> Self {
        Self(sender)
    }
}

impl Ask for Questions {
    fn ask(&mut self, question: &Question) -> Option<char> {
        let (reply, answer): (_, Receiver<char>) = sync_channel(1);
        let question = question.clone();
        self.0.send(Asked { question, reply }).ok()?;
        answer.recv().ok()
    }
}

impl Asked {
    /// The question as a form with one choice.
    pub(super) fn form(&self) -> ElicitRequestParams {
        let labels = self.question.options.iter();
        let labels: Vec<String> = labels.map(|option| option.label.clone()).collect();
        let schema = ElicitationSchema::builder()
            .required_enum_schema(FIELD, EnumSchema::builder(labels).build())
            .build()
            .expect("the only required property is there");
        ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: self.question.text.clone(),
            requested_schema: schema,
        }
    }

    pub(super) fn as_input_request(&self) -> InputRequest {
        InputRequest::Elicitation(ElicitRequest::new(self.form()))
    }

    /// Whatever is no choice is no answer: some clients announce that they can
    /// ask and decline at once, with nobody there.
    pub(super) fn answer(self, result: &ElicitResult) {
        let chosen = match (&result.action, &result.content) {
            (ElicitationAction::Accept, Some(content)) => content.get(FIELD),
            _ => None,
        };
        let Some(label) = chosen.and_then(Value::as_str) else {
            return;
        };
        let option = self.question.options.iter().find(|o| o.label == label);
        if let Some(option) = option {
            let _ = self.reply.send(option.key);
        }
    }

    /// The same for an answer that has not been read yet.
    pub(super) fn answer_unread(self, result: Value) {
        if let Ok(result) = serde_json::from_value(result) {
            self.answer(&result);
        }
    }
}
