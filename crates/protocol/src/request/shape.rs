//! What values look like: how they are read, and how a schema describes them.

use std::marker::PhantomData;
use std::ops::RangeInclusive;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, IntoDeserializer as _, Visitor, value::StrDeserializer};
use serde_json::Value;

use super::FieldKind;
use super::reader::Mismatch;

pub(crate) trait Shape {
    type Value;

    fn read(&self, value: &Value) -> Result<Self::Value, Vec<Mismatch>>;

    fn schema(&self, generator: &mut SchemaGenerator) -> Schema;

    fn kind(&self) -> FieldKind;
}

pub(crate) struct Text {
    expected: String,
    holds: Box<dyn Fn(&str) -> bool>,
    schema: Vec<(&'static str, Value)>,
    kind: FieldKind,
}

pub(crate) fn text() -> Text {
    text_that("a string", |_| true)
}

/// A reference, which its own reader checks.
pub(crate) fn pull_request() -> Text {
    Text {
        kind: FieldKind::PullRequest,
        ..text()
    }
}

/// A string of at least so many characters, counted as Unicode code points the
/// way JSON Schema does.
pub(crate) fn text_of_at_least(least: usize) -> Text {
    let expected = match least {
        1 => "a non-empty string".to_owned(),
        n => format!("a string of at least {n} characters"),
    };
    text_that(expected, move |text| text.chars().count() >= least).described("minLength", least)
}

pub(crate) fn absolute_path() -> Text {
    let is_absolute = |text: &str| text.starts_with('/');
    text_that("an absolute path that starts with '/'", is_absolute)
}

/// A string with a form of its own, such as a Jira key.
pub(crate) fn text_that(
    expected: impl Into<String>,
    holds: impl Fn(&str) -> bool + 'static,
) -> Text {
    Text {
        expected: expected.into(),
        holds: Box::new(holds),
        schema: Vec::new(),
        kind: FieldKind::Text,
    }
}

impl Text {
    /// Adds a keyword to the schema.
    pub(crate) fn described(mut self, keyword: &'static str, value: impl Into<Value>) -> Self {
        self.schema.push((keyword, value.into()));
        self
    }
}

impl Shape for Text {
    type Value = String;

    fn read(&self, value: &Value) -> Result<String, Vec<Mismatch>> {
        match value.as_str() {
            Some(text) if (self.holds)(text) => Ok(text.to_owned()),
            _ => Err(Mismatch::new(&self.expected, value)),
        }
    }

    fn schema(&self, _: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "type": "string" });
        for (keyword, value) in &self.schema {
            schema.insert((*keyword).to_owned(), value.clone());
        }
        schema
    }

    fn kind(&self) -> FieldKind {
        self.kind
    }
}

pub(crate) struct Boolean;

pub(crate) fn boolean() -> Boolean {
    Boolean
}

impl Shape for Boolean {
    type Value = bool;

    fn read(&self, value: &Value) -> Result<bool, Vec<Mismatch>> {
        value
            .as_bool()
            .ok_or_else(|| Mismatch::new("true or false", value))
    }

    fn schema(&self, _: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "boolean" })
    }

    fn kind(&self) -> FieldKind {
        FieldKind::Switch
    }
}

pub(crate) struct Integer(RangeInclusive<u64>);

/// A whole number in a range. `3.0` is one, as in JSON Schema.
pub(crate) fn integer(range: RangeInclusive<u64>) -> Integer {
    Integer(range)
}

impl Shape for Integer {
    type Value = u64;

    fn read(&self, value: &Value) -> Result<u64, Vec<Mismatch>> {
        match whole_number(value) {
            Some(number) if self.0.contains(&number) => Ok(number),
            _ => {
                let expected = match (*self.0.start(), *self.0.end()) {
                    (start, u64::MAX) => format!("an integer of at least {start}"),
                    (start, end) => format!("an integer between {start} and {end}"),
                };
                Err(Mismatch::new(expected, value))
            }
        }
    }

    fn schema(&self, _: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "type": "integer", "minimum": self.0.start() });
        if *self.0.end() < u64::MAX {
            schema.insert("maximum".to_owned(), (*self.0.end()).into());
        }
        schema
    }

    fn kind(&self) -> FieldKind {
        FieldKind::Number
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

pub(crate) struct List<S>(S);

pub(crate) fn list_of<S: Shape>(item: S) -> List<S> {
    List(item)
}

impl<S: Shape> Shape for List<S> {
    type Value = Vec<S::Value>;

    fn read(&self, value: &Value) -> Result<Self::Value, Vec<Mismatch>> {
        let items = value
            .as_array()
            .ok_or_else(|| Mismatch::new("a list", value))?;
        let mut read = Vec::with_capacity(items.len());
        let mut mismatches = Vec::new();
        for (index, one) in items.iter().enumerate() {
            match self.0.read(one) {
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

    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": self.0.schema(generator) })
    }

    fn kind(&self) -> FieldKind {
        FieldKind::List
    }
}

pub(crate) struct Word<T>(PhantomData<T>);

/// One of an enum's words, as `serde` writes them.
pub(crate) fn word<T>() -> Word<T> {
    Word(PhantomData)
}

impl<T: for<'de> Deserialize<'de> + JsonSchema> Shape for Word<T> {
    type Value = T;

    fn read(&self, value: &Value) -> Result<T, Vec<Mismatch>> {
        let read = value.as_str().and_then(|text| {
            let text: StrDeserializer<'_, de::value::Error> = text.into_deserializer();
            T::deserialize(text).ok()
        });
        read.ok_or_else(|| one_of(words::<T>().iter(), value))
    }

    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }

    fn kind(&self) -> FieldKind {
        FieldKind::Word(words::<T>())
    }
}

pub(crate) struct WordOf<T: 'static>(&'static [(&'static str, T)]);

/// One of these words, several of which may mean the same.
pub(crate) fn word_of<T>(words: &'static [(&'static str, T)]) -> WordOf<T> {
    WordOf(words)
}

impl<T: Clone> Shape for WordOf<T> {
    type Value = T;

    fn read(&self, value: &Value) -> Result<T, Vec<Mismatch>> {
        let mut words = self.0.iter();
        let found = value
            .as_str()
            .and_then(|text| words.find(|(word, _)| *word == text));
        match found {
            Some((_, meaning)) => Ok(meaning.clone()),
            None => Err(one_of(self.0.iter().map(|(word, _)| word), value)),
        }
    }

    fn schema(&self, _: &mut SchemaGenerator) -> Schema {
        let words: Vec<&str> = self.0.iter().map(|(word, _)| *word).collect();
        json_schema!({ "type": "string", "enum": words })
    }

    fn kind(&self) -> FieldKind {
        FieldKind::Text
    }
}

fn one_of<'a>(words: impl Iterator<Item = &'a &'static str>, found: &Value) -> Vec<Mismatch> {
    let words: Vec<&str> = words.copied().collect();
    Mismatch::new(format!("one of {}", words.join(", ")), found)
}

/// The words of an enum, which only its `Deserialize` knows.
fn words<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut words: &'static [&'static str] = &[];
    // It always fails; what it is asked for is what is wanted.
    let _ = T::deserialize(Words(&mut words));
    words
}

struct Words<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Words<'_> {
    type Error = de::value::Error;

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Self::Error> {
        *self.0 = variants;
        Err(de::Error::custom("only the names of variants are there"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(de::Error::custom("not an enum"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
