//! Reads one JSON object field by field and collects everything that is wrong
//! with it, so that a caller mends all mistakes in one go. `serde` stops at
//! the first one and cannot tell an absent key from a null one.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::shape::Shape;
use crate::{Found, Problem, Problems};

/// What [`ObjectReader::finish`] does with keys that no field claimed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnknownKeys {
    Refused,
    Ignored,
}

pub(crate) struct ObjectReader<'a> {
    object: &'a Map<String, Value>,
    fields: Vec<&'static str>,
    problems: Vec<Problem>,
    messages: &'static [(&'static str, &'static str)],
}

impl<'a> ObjectReader<'a> {
    /// `messages` replace those of all problems of some fields.
    pub(crate) fn new(
        value: &'a Value,
        messages: &'static [(&'static str, &'static str)],
    ) -> Result<Self, Problems> {
        let Value::Object(object) = value else {
            return Err(Problems::from(Problem {
                path: String::new(),
                field: String::new(),
                found: Found::new(Some(value)),
                message: format!("the input must be a JSON object, found {}", describe(value)),
            }));
        };
        Ok(Self {
            object,
            fields: Vec::new(),
            problems: Vec::new(),
            messages,
        })
    }

    pub(crate) fn missing(&mut self, name: &'static str) {
        self.problems.push(Problem {
            path: format!("/{name}"),
            field: name.to_owned(),
            found: Found::Absent,
            message: format!("missing required parameter '{name}'"),
        });
    }

    /// A rule over fields that were each read well.
    pub(crate) fn rule(&mut self, name: &'static str, message: &str, holds: bool) {
        if !holds {
            self.problems.push(Problem {
                path: format!("/{name}"),
                field: name.to_owned(),
                found: Found::new(self.object.get(name)),
                message: message.to_owned(),
            });
        }
    }

    /// The problems found, if any; call it before using what was read.
    pub(crate) fn finish(mut self, unknown: UnknownKeys) -> Result<(), Problems> {
        if unknown == UnknownKeys::Refused {
            for (key, value) in self.object {
                if !self.fields.contains(&key.as_str()) {
                    self.problems.push(Problem {
                        path: format!("/{}", escape_pointer(key)),
                        field: key.clone(),
                        found: Found::new(Some(value)),
                        message: unknown_key(key, &self.fields),
                    });
                }
            }
        }
        for problem in &mut self.problems {
            let mut messages = self.messages.iter();
            if let Some((_, message)) = messages.find(|(name, _)| *name == problem.field) {
                (*message).clone_into(&mut problem.message);
            }
        }
        Problems::check(self.problems)
    }

    /// The value of a key, which is known from now on.
    pub(crate) fn claim(&mut self, name: &'static str) -> Option<&'a Value> {
        self.fields.push(name);
        self.object.get(name)
    }

    /// `None` where the value does not have the shape, which is a problem.
    pub(super) fn read<T>(
        &mut self,
        name: &'static str,
        value: &Value,
        shape: &Shape<T>,
        hint: &str,
    ) -> Option<T> {
        match (shape.read)(value) {
            Ok(read) => Some(read),
            Err(mismatches) => {
                self.problems
                    .extend(mismatches.into_iter().map(|m| m.into_problem(name, hint)));
                None
            }
        }
    }
}

impl Found {
    pub(crate) fn new(value: Option<&Value>) -> Self {
        match value {
            None => Self::Absent,
            Some(Value::Null) => Self::Null,
            Some(value) => Self::Value(value.clone()),
        }
    }
}

/// A value, somewhere inside a field, that does not have the expected shape.
pub(crate) struct Mismatch {
    /// Indices below the field, outermost first.
    place: Vec<usize>,
    expected: String,
    found: Value,
}

impl Mismatch {
    pub(super) fn new(expected: &str, found: &Value) -> Self {
        Self {
            place: Vec::new(),
            expected: expected.to_owned(),
            found: found.clone(),
        }
    }

    /// The same as an item of a list.
    pub(super) fn at(mut self, index: usize) -> Self {
        self.place.insert(0, index);
        self
    }

    fn into_problem(self, field: &str, hint: &str) -> Problem {
        let mut path = format!("/{field}");
        let mut label = field.to_owned();
        for index in &self.place {
            write!(path, "/{index}").expect("a string takes all text");
            write!(label, "[{index}]").expect("a string takes all text");
        }
        Problem {
            path,
            field: field.to_owned(),
            message: format!(
                "{label} must be {}, found {}{hint}",
                self.expected,
                describe(&self.found)
            ),
            found: Found::new(Some(&self.found)),
        }
    }
}

/// A value in a message: short, on one line, with its type when that helps.
fn describe(value: &Value) -> String {
    const MAX_LEN: usize = 40;
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if text.is_empty() => "an empty string".to_owned(),
        Value::String(text) if text.chars().count() > MAX_LEN => {
            let start: String = text.chars().take(MAX_LEN).collect();
            format!("{start:?}…")
        }
        Value::String(text) => format!("{text:?}"),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn unknown_key(key: &str, known: &[&'static str]) -> String {
    let shown = describe(&Value::String(key.to_owned()));
    match nearest(key, known) {
        Some(name) => format!("unknown key {shown}; did you mean '{name}'?"),
        None => format!("unknown key {shown}; known keys are {}", known.join(", ")),
    }
}

/// The known word that a misspelt one most likely meant.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    const CLOSE_ENOUGH: f64 = 0.75;
    // Words far longer than any we know cannot be near one, and the distance
    // is quadratic in length.
    if word.len() > 100 {
        return None;
    }
    known
        .iter()
        .map(|name| (strsim::jaro_winkler(word, name), *name))
        .filter(|(score, _)| *score > CLOSE_ENOUGH)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

fn escape_pointer(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
