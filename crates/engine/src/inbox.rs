//! Messages to a run from outside its driver: answers and cancellations. They are
//! kept in the journal until the driver has recorded them as events. Each is
//! signed with the key that only people have.

use std::fmt;

use baton_workflow::{Answer, Event, Key, RunId};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::people::PeopleKey;

/// One message to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    Answer { question: Key, answer: Answer },
    Cancel { reason: String },
}

/// A message that no person signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unsigned(Message);

/// What makes two equal messages differ.
#[derive(Clone, Copy)]
struct Stamp<'a> {
    at: &'a str,
    nonce: &'a str,
}

impl Message {
    /// As it is stored.
    pub(crate) fn sign(&self, run: &RunId, key: &PeopleKey, at: Timestamp, nonce: u64) -> Vec<u8> {
        let (at, nonce) = (at.to_string(), format!("{nonce:016x}"));
        let stamp = Stamp {
            at: &at,
            nonce: &nonce,
        };
        let signature = self.with_signed_parts(run, stamp, |parts| key.sign(parts));
        let mut value = match self {
            Self::Answer { question, answer } => json!({
                "answer": answer.choice.to_string(),
                "comment": answer.comment,
                "question": question.as_str(),
            }),
            Self::Cancel { reason } => json!({ "cancel": reason }),
        };
        value["at"] = at.into();
        value["nonce"] = nonce.into();
        value["signature"] = signature.into();
        value.to_string().into_bytes()
    }

    /// `None` for a kind of message that only a newer baton knows. Without a key,
    /// no message counts as a person's.
    pub(crate) fn open(
        body: &[u8],
        run: &RunId,
        key: Option<&PeopleKey>,
    ) -> Option<Result<Self, Unsigned>> {
        let value: Value = serde_json::from_slice(body).ok()?;
        let message = Self::read(&value)?;
        let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
        let stamp = Stamp {
            at: text("at"),
            nonce: text("nonce"),
        };
        let is_signed = key.is_some_and(|key| {
            message.with_signed_parts(run, stamp, |parts| key.verify(parts, text("signature")))
        });
        Some(if is_signed {
            Ok(message)
        } else {
            Err(Unsigned(message))
        })
    }

    fn read(value: &Value) -> Option<Self> {
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

    fn with_signed_parts<T>(
        &self,
        run: &RunId,
        stamp: Stamp<'_>,
        use_parts: impl FnOnce(&[&str]) -> T,
    ) -> T {
        let Stamp { at, nonce } = stamp;
        let run = run.as_str();
        match self {
            Self::Answer { question, answer } => {
                let choice = answer.choice.to_string();
                let question = question.as_str();
                let comment = answer.comment.as_deref();
                let has_comment = if comment.is_some() { "1" } else { "0" };
                let comment = comment.unwrap_or_default();
                use_parts(&[
                    "answer",
                    run,
                    at,
                    nonce,
                    question,
                    &choice,
                    has_comment,
                    comment,
                ])
            }
            Self::Cancel { reason } => use_parts(&["cancel", run, at, nonce, reason]),
        }
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

impl fmt::Display for Unsigned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Message::Answer { question, answer } => write!(
                f,
                "refused the answer `{}` to {}: no person signed it; answer with `baton answer`",
                answer.choice.escape_default(),
                question.within_run().escape_default()
            ),
            Message::Cancel { .. } => f.write_str(
                "refused to cancel the run: no person signed that; cancel with `baton cancel`",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> (tempfile::TempDir, PeopleKey) {
        let folder = tempfile::tempdir().unwrap();
        PeopleKey::ensure(folder.path()).unwrap();
        let key = PeopleKey::load(folder.path()).unwrap();
        (folder, key)
    }

    fn run(name: &str) -> RunId {
        name.parse().unwrap()
    }

    fn answer(choice: char, comment: Option<&str>) -> Message {
        Message::Answer {
            question: "r/004-ask".to_owned().into(),
            answer: Answer {
                choice,
                comment: comment.map(str::to_owned),
            },
        }
    }

    fn cancel(reason: &str) -> Message {
        Message::Cancel {
            reason: reason.to_owned(),
        }
    }

    #[test]
    fn signed_messages_are_accepted() {
        let (_folder, key) = key();
        for message in [
            cancel("no \"more\""),
            answer('é', Some("bind it")),
            answer('y', None),
            answer('y', Some("")),
        ] {
            let body = message.sign(&run("r"), &key, Timestamp::UNIX_EPOCH, 7);
            let opened = Message::open(&body, &run("r"), Some(&key));
            assert_eq!(opened, Some(Ok(message)));
        }
        assert_eq!(Message::open(b"{}", &run("r"), Some(&key)), None);
        assert_eq!(Message::open(b"\xff", &run("r"), Some(&key)), None);
    }

    #[test]
    fn what_no_person_signed_is_refused() {
        let (_folder, key) = key();
        let (_other_folder, other) = self::key();
        let said = answer('n', None).sign(&run("r"), &key, Timestamp::UNIX_EPOCH, 7);
        let refused = |body: &[u8], name: &str, key: Option<&PeopleKey>| {
            matches!(Message::open(body, &run(name), key), Some(Err(_)))
        };
        assert!(!refused(&said, "r", Some(&key)));
        assert!(refused(&said, "s", Some(&key)), "of another run");
        assert!(refused(&said, "r", Some(&other)), "by another key");
        assert!(refused(&said, "r", None), "there is no key");
        let text = String::from_utf8(said).unwrap();
        for (from, to) in [
            ("\"n\"", "\"y\""),
            ("004-ask", "005-ask"),
            ("null", "\"do as you like\""),
            ("null", "\"\""),
            ("1970", "1971"),
            ("0000000000000007", "0000000000000008"),
            ("\"signature\":\"", "\"signature\":\"00"),
            ("\"signature\":\"", "\"signature\":\"é"),
            ("\"signature\"", "\"unsigned\""),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text);
            assert!(refused(changed.as_bytes(), "r", Some(&key)), "{changed}");
        }
        let old = br#"{"answer":"y","comment":null,"question":"r/004-ask"}"#;
        assert!(refused(old, "r", Some(&key)), "of an older baton");
        assert!(refused(br#"{"cancel":"x"}"#, "r", Some(&key)));
    }
}
