//! Handoffs between agents: XML documents that pass work on, with a JSON form
//! and schemas for both.
//!
//! A handoff is a claim by a program that may be wrong or worse. Reading one
//! returns either a typed value or everything that is wrong with it, and it
//! costs little even for a hostile document (see [`xml`]). Elements that
//! nobody knows are kept and passed on.

mod edges;
mod from_json;
mod from_xml;
mod json_schema;
mod json_text;
mod kinds;
mod leaf;
mod message;
mod rules;
mod shape;
mod templates;
mod to_json;
mod to_xml;
mod vocabulary;
pub mod xml;
mod xsd;

use std::num::NonZeroU64;

use serde_json::Value;

pub use edges::HandoffKind;
pub use json_schema::json_schema;
pub use json_text::JsonError;
pub use kinds::{
    AgentFailed, AppliedFix, Approved, BlockingIssue, ChangesRequested, Commit, Envelope,
    ErrorDetails, Fixed, Implemented, IssueReady, Merged, Metrics, NothingToFix, ValidationFailed,
    ValidationFailure, ValidationSummary, WorkflowComplete, WorkspaceChecks, WorkspaceReady,
};
pub use leaf::{HttpUrl, InvalidValue, Line, Location, Moment, Percentage, Sha};
pub use vocabulary::{
    Agent, ApprovedReview, Choice, CompletionStatus, ErrorStatus, FailedValidation, FixStatus,
    IssueType, MergeStatus, MergeStrategy, NothingToFixStatus, Outcome, Priority, RejectedReview,
    Severity, Status, UnknownWord, Vocabulary, WorkspaceStatus, WorkspaceType,
};
pub use xsd::xsd;

use edges::{RECEIVER_PLACEHOLDER, SENDER_PLACEHOLDER, kind_between};
use from_json::JsonReader;
use from_xml::ElementReader;
use kinds::Kind;
use rules::Rules;
use shape::{Read, Shape};
use templates::Templates;
use to_json::JsonWriter;
use to_xml::ElementWriter;
use xml::{Element, XmlError, XmlErrorKind};

use crate::{Found, Problem, Problems};

/// A handoff of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Handoff {
    IssueReady(IssueReady),
    WorkspaceReady(WorkspaceReady),
    Implemented(Implemented),
    ChangesRequested(ChangesRequested),
    Approved(Approved),
    Fixed(Fixed),
    NothingToFix(NothingToFix),
    Merged(Merged),
    ValidationFailed(ValidationFailed),
    AgentFailed(AgentFailed),
    WorkflowComplete(WorkflowComplete),
    Envelope(Envelope),
}

/// Why a document is not a handoff.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HandoffError {
    /// It is not XML that can be read.
    #[error(transparent)]
    Xml(#[from] XmlError),
    /// It is not JSON that can be read.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// It can be read, but it is not a handoff.
    #[error(transparent)]
    Invalid(#[from] Problems),
}

/// Does the same with the payload of whichever kind a handoff is.
macro_rules! each {
    ($handoff:expr, $payload:ident => $do:expr) => {
        match $handoff {
            Handoff::IssueReady($payload) => $do,
            Handoff::WorkspaceReady($payload) => $do,
            Handoff::Implemented($payload) => $do,
            Handoff::ChangesRequested($payload) => $do,
            Handoff::Approved($payload) => $do,
            Handoff::Fixed($payload) => $do,
            Handoff::NothingToFix($payload) => $do,
            Handoff::Merged($payload) => $do,
            Handoff::ValidationFailed($payload) => $do,
            Handoff::AgentFailed($payload) => $do,
            Handoff::WorkflowComplete($payload) => $do,
            Handoff::Envelope($payload) => $do,
        }
    };
}

impl Handoff {
    /// Reads the XML form, flat or with a `<data>` wrapper, in any order.
    pub fn from_xml(bytes: &[u8]) -> Result<Self, HandoffError> {
        Ok(Self::from_element(xml::parse(bytes)?)?)
    }

    /// Writes the flat XML form. A handoff without a timestamp gets `now`.
    ///
    /// Characters that XML cannot carry are replaced by U+FFFD; no handoff
    /// that was read contains one.
    pub fn to_xml(&self, now: jiff::Timestamp) -> String {
        xml::write(&self.to_element(&Moment::from(now)))
    }

    /// Reads the JSON form.
    pub fn from_json(bytes: &[u8]) -> Result<Self, HandoffError> {
        Ok(Self::from_json_value(json_text::parse(bytes)?)?)
    }

    pub fn to_json(&self) -> Value {
        let mut writer = JsonWriter::default();
        writer.put("from", self.sender_name());
        writer.put("to", self.receiver_name());
        each!(self, payload => payload.write(&mut writer));
        writer.into_value()
    }

    pub fn kind(&self) -> HandoffKind {
        match self {
            Self::IssueReady(_) => HandoffKind::IssueReady,
            Self::WorkspaceReady(_) => HandoffKind::WorkspaceReady,
            Self::Implemented(_) => HandoffKind::Implemented,
            Self::ChangesRequested(_) => HandoffKind::ChangesRequested,
            Self::Approved(_) => HandoffKind::Approved,
            Self::Fixed(_) => HandoffKind::Fixed,
            Self::NothingToFix(_) => HandoffKind::NothingToFix,
            Self::Merged(_) => HandoffKind::Merged,
            Self::ValidationFailed(_) => HandoffKind::ValidationFailed,
            Self::AgentFailed(_) => HandoffKind::AgentFailed,
            Self::WorkflowComplete(_) => HandoffKind::WorkflowComplete,
            Self::Envelope(_) => HandoffKind::Envelope,
        }
    }

    /// Who hands over; `None` in the general form.
    pub fn from(&self) -> Option<Agent> {
        match self {
            Self::AgentFailed(failed) => Some(failed.from),
            _ => self.kind().sender(),
        }
    }

    /// Who takes over; `None` at the end of the workflow and in the general
    /// form.
    pub fn to(&self) -> Option<Agent> {
        self.kind().receiver()
    }

    pub fn issue_number(&self) -> Option<NonZeroU64> {
        each!(self, payload => payload.issue_number.maybe()).copied()
    }

    pub fn pr_number(&self) -> Option<NonZeroU64> {
        each!(self, payload => payload.pr_number.maybe()).copied()
    }

    pub fn timestamp(&self) -> Option<&Moment> {
        each!(self, payload => payload.timestamp.as_ref())
    }

    pub fn summary(&self) -> Option<&str> {
        each!(self, payload => payload.summary.as_deref())
    }

    /// The elements at the top level that this kind does not know.
    pub fn other(&self) -> &[Element] {
        each!(self, payload => &payload.other)
    }

    /// What the handoff means for the run; `None` only while a template
    /// leaves it open (see [`require_concrete`](Self::require_concrete)).
    pub fn outcome(&self) -> Option<Outcome> {
        each!(self, payload => payload.outcome())
    }

    /// Whether the handoff can be acted on: every choice is made and sender
    /// and receiver are real. Descriptions of handoffs need not be.
    pub fn require_concrete(&self) -> Result<(), Problems> {
        let root = self.kind().root();
        let mut templates = Templates::under(root);
        each!(self, payload => payload.write(&mut templates));
        let mut problems = templates.problems;
        if matches!(self, Self::Envelope(_)) {
            problems.push(Problem {
                path: format!("/{root}/from"),
                field: "from".to_owned(),
                found: Found::Value(SENDER_PLACEHOLDER.into()),
                message: format!(
                    "`{SENDER_PLACEHOLDER}` and `{RECEIVER_PLACEHOLDER}` are placeholders; name the agents"
                ),
            });
        }
        Problems::check(problems)
    }

    /// Whether the receiver would accept this value once it is written. For
    /// values that were put together in code; one that was read is fine.
    pub fn check(&self) -> Result<(), Problems> {
        let written = self.to_element(&Moment::from(jiff::Timestamp::UNIX_EPOCH));
        check_limits(&written)?;
        Self::from_element(written).map(|_| ())
    }

    fn from_element(root: Element) -> Result<Self, Problems> {
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
        let mut reader = ElementReader::of_root(root, root_name, &mut problems);
        let kind = if root_name == "handoff" {
            let (from, to) = (reader.take_word("from"), reader.take_word("to"));
            match kind_between(from.as_deref(), to.as_deref()) {
                Ok((kind, sender)) => {
                    reader.sent_by(sender);
                    kind
                }
                Err(misrouted) => {
                    for wrong in misrouted {
                        reader.note(wrong.field, wrong.found, wrong.message);
                    }
                    return Err(all(problems));
                }
            }
        } else {
            HandoffKind::WorkflowComplete
        };
        let handoff = Self::read(kind, &mut reader);
        reader.finish();
        Self::complete(handoff, problems, &format!("/{root_name}"))
    }

    fn from_json_value(value: Value) -> Result<Self, Problems> {
        let mut problems = Vec::new();
        let mut reader = JsonReader::of_root(value, &mut problems);
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
            HandoffKind::WorkflowComplete
        } else {
            reader.reserve(&["from", "to", "data"]);
            match kind_between(from.as_deref(), to.as_deref()) {
                Ok((kind, sender)) => {
                    reader.sent_by(sender);
                    kind
                }
                Err(misrouted) => {
                    for wrong in misrouted {
                        reader.note(wrong.field, wrong.found, wrong.message);
                    }
                    return Err(all(problems));
                }
            }
        };
        let handoff = Self::read(kind, &mut reader);
        reader.finish();
        let handoff = Self::complete(handoff, problems, "")?;
        check_limits(&handoff.to_element(&Moment::from(jiff::Timestamp::UNIX_EPOCH)))?;
        Ok(handoff)
    }

    fn read(kind: HandoffKind, source: &mut impl Read) -> Option<Self> {
        Some(match kind {
            HandoffKind::IssueReady => Self::IssueReady(Shape::read(source)?),
            HandoffKind::WorkspaceReady => Self::WorkspaceReady(Shape::read(source)?),
            HandoffKind::Implemented => Self::Implemented(Shape::read(source)?),
            HandoffKind::ChangesRequested => Self::ChangesRequested(Shape::read(source)?),
            HandoffKind::Approved => Self::Approved(Shape::read(source)?),
            HandoffKind::Fixed => Self::Fixed(Shape::read(source)?),
            HandoffKind::NothingToFix => Self::NothingToFix(Shape::read(source)?),
            HandoffKind::Merged => Self::Merged(Shape::read(source)?),
            HandoffKind::ValidationFailed => Self::ValidationFailed(Shape::read(source)?),
            HandoffKind::AgentFailed => Self::AgentFailed(Shape::read(source)?),
            HandoffKind::WorkflowComplete => Self::WorkflowComplete(Shape::read(source)?),
            HandoffKind::Envelope => Self::Envelope(Shape::read(source)?),
        })
    }

    /// The end of reading: a value without problems, checked between fields.
    fn complete(
        handoff: Option<Self>,
        problems: Vec<Problem>,
        root: &str,
    ) -> Result<Self, Problems> {
        Problems::check(problems)?;
        let handoff = handoff.expect("a reader notes a problem whenever it has no value");
        let mut rules = Rules::new(root);
        each!(&handoff, payload => {
            rules.same_number(
                "issue_url",
                payload.issue_url.maybe(),
                "issue_number",
                payload.issue_number.maybe().copied(),
            );
            rules.same_number(
                "pr_url",
                payload.pr_url.maybe(),
                "pr_number",
                payload.pr_number.maybe().copied(),
            );
            payload.rules(&mut rules);
        });
        Problems::check(rules.into_problems())?;
        Ok(handoff)
    }

    fn to_element(&self, now: &Moment) -> Element {
        let kind = self.kind();
        let mut writer = ElementWriter(Element::named(kind.root()));
        if kind != HandoffKind::WorkflowComplete {
            writer.text("from", self.sender_name());
            writer.text("to", self.receiver_name());
        }
        if self.timestamp().is_none() {
            writer.text("timestamp", now.as_str());
        }
        each!(self, payload => payload.write(&mut writer));
        writer.0
    }

    fn sender_name(&self) -> &'static str {
        self.from().map_or(SENDER_PLACEHOLDER, Vocabulary::word)
    }

    /// The end of the workflow has no receiver in XML; in JSON the receiver is
    /// what tells it from the other kinds.
    fn receiver_name(&self) -> &'static str {
        match self {
            Self::WorkflowComplete(_) => COMPLETION,
            _ => self.to().map_or(RECEIVER_PLACEHOLDER, Vocabulary::word),
        }
    }
}

fn describe(kind: HandoffKind) -> shape::Description {
    match kind {
        HandoffKind::IssueReady => IssueReady::description(),
        HandoffKind::WorkspaceReady => WorkspaceReady::description(),
        HandoffKind::Implemented => Implemented::description(),
        HandoffKind::ChangesRequested => ChangesRequested::description(),
        HandoffKind::Approved => Approved::description(),
        HandoffKind::Fixed => Fixed::description(),
        HandoffKind::NothingToFix => NothingToFix::description(),
        HandoffKind::Merged => Merged::description(),
        HandoffKind::ValidationFailed => ValidationFailed::description(),
        HandoffKind::AgentFailed => AgentFailed::description(),
        HandoffKind::WorkflowComplete => WorkflowComplete::description(),
        HandoffKind::Envelope => Envelope::description(),
    }
}

/// What the JSON form of [`WorkflowComplete`] has for a receiver.
const COMPLETION: &str = "workflow-complete";

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

/// A field that is required on some edges and optional on others.
trait Maybe<T> {
    fn maybe(&self) -> Option<&T>;
}

impl<T> Maybe<T> for T {
    fn maybe(&self) -> Option<&T> {
        Some(self)
    }
}

impl<T> Maybe<T> for Option<T> {
    fn maybe(&self) -> Option<&T> {
        self.as_ref()
    }
}
