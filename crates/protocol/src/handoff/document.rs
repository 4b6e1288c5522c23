//! A handoff of any kind, read and written as XML or JSON.

use std::num::NonZeroU64;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::as_json::JsonWriter;
use super::as_xml::ElementWriter;
use super::edges::{HandoffKind, RECEIVER_PLACEHOLDER, SENDER_PLACEHOLDER};
use super::kinds::{
    AgentFailed, Approved, ChangesRequested, Envelope, Fixed, Implemented, IssueReady, Kind,
    Merged, NothingToFix, ValidationFailed, WorkflowComplete, WorkspaceReady,
};
use super::reading::{from_element, from_json_value};
use super::rules::Rules;
use super::shape::{Description, Noted, Read, Shape, Write};
use super::templates::Templates;
use super::values::Moment;
use super::vocabulary::{Agent, Outcome, Vocabulary};
use super::xml::{self, Element, XmlError};
use crate::json::{self, MalformedJson};
use crate::{Found, Problem, Problems};

/// Declares [`Handoff`] over the kinds, and what takes one arm for each.
macro_rules! handoffs {
    ($($kind:ident,)*) => {
        /// A handoff of any kind.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Handoff {
            $( $kind($kind), )*
        }

        impl Handoff {
            pub fn kind(&self) -> HandoffKind {
                match self {
                    $( Self::$kind(_) => HandoffKind::$kind, )*
                }
            }

            pub(super) fn read(
                kind: HandoffKind,
                source: &mut impl Read,
            ) -> Result<Self, Noted> {
                match kind {
                    $( HandoffKind::$kind => Shape::read(source).map(Self::$kind), )*
                }
            }

            fn write(&self, target: &mut impl Write) {
                match self {
                    $( Self::$kind(payload) => payload.write(target), )*
                }
            }
        }

        pub(super) fn describe(kind: HandoffKind) -> Description {
            match kind {
                $( HandoffKind::$kind => $kind::description(), )*
            }
        }
    };
}

handoffs! {
    IssueReady,
    WorkspaceReady,
    Implemented,
    ChangesRequested,
    Approved,
    Fixed,
    NothingToFix,
    Merged,
    ValidationFailed,
    AgentFailed,
    WorkflowComplete,
    Envelope,
}

/// Why a document is not a handoff.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HandoffError {
    /// It is not XML that can be read.
    #[error(transparent)]
    Xml(#[from] XmlError),
    /// It is not JSON that can be read.
    #[error(transparent)]
    Json(#[from] MalformedJson),
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
        Ok(from_element(xml::parse(bytes)?)?)
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
        Ok(from_json_value(json::parse_at_most(
            xml::MAX_BYTES,
            bytes,
        )?)?)
    }

    pub fn to_json(&self) -> Value {
        let mut writer = JsonWriter::default();
        writer.put("from", self.sender_name());
        writer.put("to", self.receiver_name());
        self.write(&mut writer);
        writer.into_value()
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
        self.write(&mut templates);
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
    /// values that were put together in code; one that was read is fine. Paths
    /// in the problems are those of the JSON form.
    pub fn check(&self) -> Result<(), Problems> {
        from_json_value(self.to_json()).map(|_| ())
    }

    /// What must hold between the fields.
    pub(super) fn rules(&self, rules: &mut Rules<'_>) {
        each!(self, payload => {
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
            payload.rules(rules);
        });
    }

    pub(super) fn to_element(&self, now: &Moment) -> Element {
        let kind = self.kind();
        let mut writer = ElementWriter(Element::named(kind.root()));
        if kind != HandoffKind::WorkflowComplete {
            writer.text("from", self.sender_name());
            writer.text("to", self.receiver_name());
        }
        if self.timestamp().is_none() {
            writer.text("timestamp", now.as_str());
        }
        self.write(&mut writer);
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

impl Serialize for Handoff {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Handoff {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        from_json_value(value).map_err(serde::de::Error::custom)
    }
}

/// What the JSON form of [`WorkflowComplete`] has for a receiver.
pub(super) const COMPLETION: &str = "workflow-complete";

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
