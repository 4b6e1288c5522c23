//! Where a problem is in a handoff that was read as JSON.

use std::fmt;

use serde_json::Value;

use crate::handoff::message;
use crate::handoff::xml::first_forbidden;
use crate::{Found, Problem};

/// Where a reader is: a chain up to the root, put into words only for problems.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    Root,
    Key(&'a Place<'a>, &'a str),
    Index(&'a Place<'a>, usize),
}

impl<'a> Place<'a> {
    pub(super) fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    pub(super) fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }

    pub(super) fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Key(parent, key) => {
                let key = message::shortened(key)
                    .replace('~', "~0")
                    .replace('/', "~1");
                format!("{}/{key}", parent.pointer())
            }
            Self::Index(parent, index) => format!("{}/{index}", parent.pointer()),
        }
    }

    pub(super) fn field(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Key(Place::Root, key) => message::shortened(key),
            Self::Key(parent, _) | Self::Index(parent, _) => parent.field(),
        }
    }

    pub(super) fn problem(&self, found: Found, message: String) -> Problem {
        Problem {
            path: self.pointer(),
            field: self.field(),
            found,
            message,
        }
    }
}

/// The last step of a place, as messages call it.
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => f.write_str("the handoff"),
            Self::Key(_, key) => write!(f, "`{}`", message::shortened(key)),
            Self::Index(parent, index) => write!(f, "entry {index} of {parent}"),
        }
    }
}

pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

pub(super) fn found(value: Value) -> Found {
    match value {
        Value::Null => Found::Null,
        other => Found::Value(other),
    }
}

pub(super) fn forbidden_message(place: &Place<'_>, text: &str) -> Option<String> {
    first_forbidden(text).map(|(_, character)| {
        format!(
            "{place} contains the character U+{:04X}, which XML cannot carry; remove it",
            u32::from(character)
        )
    })
}
