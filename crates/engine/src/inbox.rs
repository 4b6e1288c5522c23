//! What is said to a run by others than its driver: answers and cancellations.
//! They are kept in the journal until the driver has made events of them.

use baton_workflow::{Answer, Event, Key};
use jiff::Timestamp;
use serde_json::{Value, json};

/// One thing that is said to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    Answer { question: Key, answer: Answer },
    Cancel { reason: String },
}

impl Message {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let value = match self {
            Self::Answer { question, answer } => json!({
                "answer": answer.choice.to_string(),
                "comment": answer.comment,
                "question": question.as_str(),
            }),
            Self::Cancel { reason } => json!({ "cancel": reason }),
        };
        value.to_string().into_bytes()
    }

    /// `None` for what a newer baton may have to say.
    pub(crate) fn decode(body: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(body).ok()?;
        if let Some(reason) = value.get("cancel") {
            let reason = reason.as_str()?.to_owned();
            return Some(Self::Cancel { reason });
        }
        let choice = value.get("answer")?.as_str()?.chars().next()?;
        let comment = value.get("comment").and_then(Value::as_str);
        let question = value.get("question")?.as_str()?.to_owned();
        Some(Self::Answer {
            question: question.into(),
            answer: Answer {
                choice,
                comment: comment.map(str::to_owned),
            },
        })
    }

    pub(crate) fn into_event(self, at: Timestamp) -> Event {
        match self {
            Self::Answer { question, answer } => Event::Answered {
                key: question,
                at,
                answer,
            },
            Self::Cancel { reason } => Event::CancelRequested { at, reason },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_arrives() {
        for message in [
            Message::Cancel {
                reason: "no \"more\"".to_owned(),
            },
            Message::Answer {
                question: "r/004-ask".to_owned().into(),
                answer: Answer {
                    choice: 'é',
                    comment: Some("bind it".to_owned()),
                },
            },
            Message::Answer {
                question: "r/004-ask".to_owned().into(),
                answer: Answer {
                    choice: 'y',
                    comment: None,
                },
            },
        ] {
            assert_eq!(Message::decode(&message.encode()), Some(message));
        }
        assert_eq!(Message::decode(b"{}"), None);
        assert_eq!(Message::decode(b"\xff"), None);
    }
}
