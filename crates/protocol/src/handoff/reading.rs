//! From a parsed document to a handoff: which kind it is, its fields, and what
//! must hold between them.

use serde_json::Value;

use super::as_json::JsonReader;
use super::as_xml::ElementReader;
use super::document::{COMPLETION, Handoff};
use super::edges::{HandoffKind, kind_between};
use super::message;
use super::rules::Rules;
use super::shape::{Noted, Read};
use super::values::Moment;
use super::vocabulary::{Agent, Vocabulary};
use super::xml::{self, Element, XmlErrorKind};
use crate::{Found, Problem, Problems};

pub(super) fn from_element(root: Element) -> Result<Handoff, Problems> {
    let root_name = match root.name() {
        "handoff" => "handoff",
        "workflow-complete" => "workflow-complete",
        other => {
            return Err(Problem {
                path: format!("/{}", message::shortened(other)),
                field: String::new(),
                found: Found::Value(other.into()),
                message: format!(
                    "the root element is <{}>; expected <handoff> or <workflow-complete>",
                    message::shortened(other)
                ),
            }
            .into());
        }
    };
    let mut problems = Vec::new();
    let mut reader = ElementReader::for_root(root, root_name, &mut problems);
    let kind = if root_name == "handoff" {
        let (from, to) = (reader.take_word("from"), reader.take_word("to"));
        route(&mut reader, from.as_deref(), to.as_deref())
    } else {
        Some(HandoffKind::WorkflowComplete)
    };
    let Some(kind) = kind else {
        return Err(all(problems));
    };
    let handoff = Handoff::read(kind, &mut reader);
    reader.finish();
    complete(handoff, problems, &format!("/{root_name}"))
}

pub(super) fn from_json_value(value: Value) -> Result<Handoff, Problems> {
    let mut problems = Vec::new();
    let mut reader = JsonReader::for_root(value, &mut problems);
    if !reader.is_object() {
        reader.finish();
        return Err(all(problems));
    }
    let (from, to) = (reader.take_word("from"), reader.take_word("to"));
    let kind = if to.as_deref() == Some(COMPLETION) {
        reader.reserve(&["data"]);
        if from.as_deref() != Some(Agent::Closer.word()) {
            reader.note(
                "from",
                from.map_or(Found::Absent, |from| Found::Value(from.into())),
                format!("`from` of `{COMPLETION}` must be `{}`", Agent::Closer),
            );
        }
        Some(HandoffKind::WorkflowComplete)
    } else {
        reader.reserve(&["from", "to", "data"]);
        route(&mut reader, from.as_deref(), to.as_deref())
    };
    let Some(kind) = kind else {
        return Err(all(problems));
    };
    let handoff = Handoff::read(kind, &mut reader);
    reader.finish();
    let handoff = complete(handoff, problems, "")?;
    check_limits(&handoff.to_element(&Moment::from(jiff::Timestamp::UNIX_EPOCH)))?;
    Ok(handoff)
}

/// A whole document, which is read as one of several kinds.
pub(super) trait Document: Read {
    /// The text of an element or key, taken out; `None` when there is none.
    fn take_word(&mut self, name: &'static str) -> Option<String>;
    fn note(&mut self, name: &str, found: Found, message: String);
    fn sent_by(&mut self, sender: Option<Agent>);
}

/// The kind that sender and receiver make, or what is wrong with them. Without
/// a kind nothing can be said about the rest of the document.
fn route(
    document: &mut impl Document,
    from: Option<&str>,
    to: Option<&str>,
) -> Option<HandoffKind> {
    match kind_between(from, to) {
        Ok((kind, sender)) => {
            document.sent_by(sender);
            Some(kind)
        }
        Err(misrouted) => {
            for wrong in misrouted {
                document.note(wrong.field, wrong.found, wrong.message);
            }
            None
        }
    }
}

/// The end of reading: a value without problems, checked between fields.
fn complete(
    handoff: Result<Handoff, Noted>,
    problems: Vec<Problem>,
    root: &str,
) -> Result<Handoff, Problems> {
    Problems::check(problems)?;
    let handoff = handoff.expect("a reader notes a problem whenever it has no value");
    let mut rules = Rules::new(root);
    handoff.rules(&mut rules);
    Problems::check(rules.into_problems())?;
    Ok(handoff)
}

fn all(problems: Vec<Problem>) -> Problems {
    Problems::check(problems).expect_err("called only after a problem was noted")
}

/// Whether an element that was not parsed from XML could be.
fn check_limits(root: &Element) -> Result<(), Problems> {
    let kind = xml::exceeded_limit(root).or_else(|| {
        let size = xml::write(root).len();
        (size > xml::MAX_BYTES).then_some(XmlErrorKind::TooLarge { size })
    });
    match kind {
        None => Ok(()),
        Some(kind) => Err(Problem {
            path: String::new(),
            field: String::new(),
            found: Found::Absent,
            message: format!("as XML, {kind}"),
        }
        .into()),
    }
}
