//! Reads one JSON object field by field and collects everything that is wrong
//! with it, so that a caller mends all mistakes in one go. `serde` stops at
//! the first one and cannot tell an absent key from a null one.

use std::fmt::{Display, Write as _};
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use crate::{Found, Problem, Problems};

/// What [`ObjectReader::finish`] does with keys that no field claimed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnknownKeys {
    Refused,
    Ignored,
}

/// A key that has been read as [`ObjectReader::nullable`].
pub(crate) enum Nullable<T> {
    Absent,
    Null,
    Given(T),
}

pub(crate) struct ObjectReader<'a> {
    object: &'a Map<String, Value>,
    fields: Vec<&'static str>,
    problems: Vec<Problem>,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "shapes are closures and function names; a reference at every call would only be noise"
)]
impl<'a> ObjectReader<'a> {
    pub(crate) fn new(value: &'a Value) -> Result<Self, Problems> {
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
        })
    }

    /// A key that must be there.
    pub(crate) fn required<T>(&mut self, name: &'static str, shape: impl Shape<T>) -> Option<T> {
        if let Some(value) = self.claim(name) {
            self.read(name, value, &shape, "")
        } else {
            self.problems.push(Problem {
                path: format!("/{name}"),
                field: name.to_owned(),
                found: Found::Absent,
                message: format!("missing required parameter '{name}'"),
            });
            None
        }
    }

    /// A key that may be left out, but must not be null.
    pub(crate) fn optional<T>(&mut self, name: &'static str, shape: impl Shape<T>) -> Option<T> {
        let value = self.claim(name)?;
        let hint = match value {
            Value::Null => "; leave the key out instead of passing null",
            _ => "",
        };
        self.read(name, value, &shape, hint)
    }

    /// A key that may be left out or null, which need not mean the same.
    pub(crate) fn nullable<T>(&mut self, name: &'static str, shape: impl Shape<T>) -> Nullable<T> {
        match self.claim(name) {
            None => Nullable::Absent,
            Some(Value::Null) => Nullable::Null,
            // A value of the wrong shape is a problem, so this `Absent` is never used.
            Some(value) => match self.read(name, value, &shape, "") {
                Some(read) => Nullable::Given(read),
                None => Nullable::Absent,
            },
        }
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
        Problems::check(self.problems)
    }

    fn claim(&mut self, name: &'static str) -> Option<&'a Value> {
        self.fields.push(name);
        self.object.get(name)
    }

    fn read<T>(
        &mut self,
        name: &'static str,
        value: &Value,
        shape: &impl Shape<T>,
        hint: &str,
    ) -> Option<T> {
        match shape.read(value) {
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

/// What a value must look like. Implemented by the functions below.
pub(crate) trait Shape<T> {
    fn read(&self, value: &Value) -> Result<T, Vec<Mismatch>>;
}

impl<T, F: Fn(&Value) -> Result<T, Vec<Mismatch>>> Shape<T> for F {
    fn read(&self, value: &Value) -> Result<T, Vec<Mismatch>> {
        self(value)
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
    fn new(expected: impl Display, found: &Value) -> Vec<Self> {
        vec![Self {
            place: Vec::new(),
            expected: expected.to_string(),
            found: found.clone(),
        }]
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

pub(crate) fn text(value: &Value) -> Result<String, Vec<Mismatch>> {
    value
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| Mismatch::new("a string", value))
}

/// A string of at least so many characters, counted as Unicode code points the
/// way JSON Schema does.
pub(crate) fn text_of_at_least(least: usize) -> impl Shape<String> {
    move |value: &Value| {
        let expected = match least {
            1 => "a non-empty string".to_owned(),
            n => format!("a string of at least {n} characters"),
        };
        match value.as_str() {
            Some(text) if text.chars().count() >= least => Ok(text.to_owned()),
            _ => Err(Mismatch::new(expected, value)),
        }
    }
}

pub(crate) fn absolute_path(value: &Value) -> Result<String, Vec<Mismatch>> {
    match value.as_str() {
        Some(path) if path.starts_with('/') => Ok(path.to_owned()),
        _ => Err(Mismatch::new(
            "an absolute path that starts with '/'",
            value,
        )),
    }
}

pub(crate) fn boolean(value: &Value) -> Result<bool, Vec<Mismatch>> {
    value
        .as_bool()
        .ok_or_else(|| Mismatch::new("true or false", value))
}

/// A whole number in a range. `3.0` is one, as in JSON Schema.
pub(crate) fn integer(range: RangeInclusive<u64>) -> impl Shape<u64> {
    move |value: &Value| match whole_number(value) {
        Some(number) if range.contains(&number) => Ok(number),
        _ => {
            let expected = match (*range.start(), *range.end()) {
                (start, u64::MAX) => format!("an integer of at least {start}"),
                (start, end) => format!("an integer between {start} and {end}"),
            };
            Err(Mismatch::new(expected, value))
        }
    }
}

fn whole_number(value: &Value) -> Option<u64> {
    /// Above this, a double no longer holds every integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    let number = value.as_f64()?;
    if number.fract() != 0.0 || !(0.0..=EXACT).contains(&number) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the line above checked that it is whole, positive and exact"
    )]
    Some(number as u64)
}

pub(crate) fn list_of<T>(item: impl Shape<T>) -> impl Shape<Vec<T>> {
    move |value: &Value| {
        let items = value
            .as_array()
            .ok_or_else(|| Mismatch::new("a list", value))?;
        let mut read = Vec::with_capacity(items.len());
        let mut mismatches = Vec::new();
        for (index, one) in items.iter().enumerate() {
            match item.read(one) {
                Ok(value) => read.push(value),
                Err(inner) => mismatches.extend(inner.into_iter().map(|mut m| {
                    m.place.insert(0, index);
                    m
                })),
            }
        }
        if mismatches.is_empty() {
            Ok(read)
        } else {
            Err(mismatches)
        }
    }
}

/// One of a fixed set of words.
pub(crate) fn word<T: Clone>(words: &'static [(&'static str, T)]) -> impl Shape<T> {
    move |value: &Value| {
        let found = value
            .as_str()
            .and_then(|text| words.iter().find(|(word, _)| *word == text));
        if let Some((_, meaning)) = found {
            return Ok(meaning.clone());
        }
        let list: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        let expected = format!("one of {}", list.join(", "));
        Err(Mismatch::new(expected, value))
    }
}

/// A string with a form of its own, such as a Jira key.
pub(crate) fn text_that(
    expected: &'static str,
    holds: impl Fn(&str) -> bool,
) -> impl Shape<String> {
    move |value: &Value| match value.as_str() {
        Some(text) if holds(text) => Ok(text.to_owned()),
        _ => Err(Mismatch::new(expected, value)),
    }
}

/// A value in a message: short, on one line, with its type when that helps.
fn describe(value: &Value) -> String {
    const LONGEST: usize = 40;
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if text.is_empty() => "an empty string".to_owned(),
        Value::String(text) if text.chars().count() > LONGEST => {
            let start: String = text.chars().take(LONGEST).collect();
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
