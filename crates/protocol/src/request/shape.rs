//! What values look like: how they are read, and how a schema describes them.

use std::ops::RangeInclusive;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use serde_json::Value;

use super::FieldKind;
use super::reader::Mismatch;

pub(crate) struct Shape<T> {
    pub(crate) kind: FieldKind,
    pub(super) read: Box<Read<T>>,
    /// The schema of every value of the type.
    base: Box<dyn FnOnce(&mut SchemaGenerator) -> Schema>,
    /// What else the schema says.
    keywords: Vec<(&'static str, Value)>,
}

type Read<T> = dyn Fn(&Value) -> Result<T, Vec<Mismatch>>;

impl<T: JsonSchema + 'static> Shape<T> {
    fn new(
        kind: FieldKind,
        expected: impl Into<String>,
        parse: impl Fn(&Value) -> Option<T> + 'static,
    ) -> Self {
        let expected = expected.into();
        Self {
            kind,
            read: Box::new(move |value| {
                parse(value).ok_or_else(|| vec![Mismatch::new(&expected, value)])
            }),
            base: Box::new(SchemaGenerator::subschema_for::<T>),
            keywords: Vec::new(),
        }
    }
}

impl<T> Shape<T> {
    /// Adds a keyword to the schema.
    pub(crate) fn described(mut self, keyword: &'static str, value: impl Into<Value>) -> Self {
        self.keywords.push((keyword, value.into()));
        self
    }

    pub(super) fn schema(self, generator: &mut SchemaGenerator, description: String) -> Schema {
        let description = ("description", description.into());
        let keywords = [description].into_iter().chain(self.keywords);
        with_keywords((self.base)(generator), keywords)
    }
}

fn with_keywords(
    mut schema: Schema,
    keywords: impl IntoIterator<Item = (&'static str, Value)>,
) -> Schema {
    for (keyword, value) in keywords {
        schema.insert(keyword.to_owned(), value);
    }
    schema
}

pub(crate) fn text() -> Shape<String> {
    text_that("a string", |_| true)
}

/// A reference, which its own reader checks.
pub(crate) fn pull_request() -> Shape<String> {
    Shape {
        kind: FieldKind::PullRequest,
        ..text()
    }
}

/// A string of at least so many characters, counted as Unicode code points the
/// way JSON Schema does.
pub(crate) fn text_of_at_least(least: usize) -> Shape<String> {
    let expected = match least {
        1 => "a non-empty string".to_owned(),
        n => format!("a string of at least {n} characters"),
    };
    text_that(expected, move |text| text.chars().count() >= least).described("minLength", least)
}

pub(crate) fn absolute_path() -> Shape<String> {
    let is_absolute = |text: &str| text.starts_with('/');
    text_that("an absolute path that starts with '/'", is_absolute)
}

/// A string with a form of its own, such as a Jira key.
pub(crate) fn text_that(
    expected: impl Into<String>,
    holds: impl Fn(&str) -> bool + 'static,
) -> Shape<String> {
    Shape::new(FieldKind::Text, expected, move |value| {
        let text = value.as_str().filter(|text| holds(text))?;
        Some(text.to_owned())
    })
}

pub(crate) fn boolean() -> Shape<bool> {
    Shape::new(FieldKind::Switch, "true or false", Value::as_bool)
}

/// A whole number in a range. `3.0` is one, as in JSON Schema.
pub(crate) fn integer(range: RangeInclusive<u64>) -> Shape<u64> {
    let (start, end) = (*range.start(), *range.end());
    let read = move |value: &Value| whole_number(value).filter(|number| range.contains(number));
    let shape = if end == u64::MAX {
        let expected = format!("an integer of at least {start}");
        Shape::new(FieldKind::Number, expected, read)
    } else {
        let expected = format!("an integer between {start} and {end}");
        Shape::new(FieldKind::Number, expected, read).described("maximum", end)
    };
    shape.described("minimum", start)
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

pub(crate) fn list_of<T: 'static>(item: Shape<T>) -> Shape<Vec<T>> {
    let (read, base, keywords) = (item.read, item.base, item.keywords);
    Shape {
        kind: FieldKind::List,
        read: Box::new(move |value| read_list(value, &read)),
        base: Box::new(|generator| {
            let items = with_keywords(base(generator), keywords);
            json_schema!({ "type": "array", "items": items })
        }),
        keywords: Vec::new(),
    }
}

fn read_list<T>(value: &Value, read_item: &Read<T>) -> Result<Vec<T>, Vec<Mismatch>> {
    let items = value
        .as_array()
        .ok_or_else(|| vec![Mismatch::new("a list", value)])?;
    let mut read = Vec::with_capacity(items.len());
    let mut mismatches = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match read_item(item) {
            Ok(value) => read.push(value),
            Err(inner) => mismatches.extend(inner.into_iter().map(|m| m.at(index))),
        }
    }
    if mismatches.is_empty() {
        Ok(read)
    } else {
        Err(mismatches)
    }
}

/// One of an enum's words, as `serde` writes them.
pub(crate) fn word<T: for<'de> Deserialize<'de> + JsonSchema + 'static>() -> Shape<T> {
    let words = words::<T>();
    let kind = FieldKind::Word(words);
    let expected = format!("one of {}", words.join(", "));
    let shape = Shape::new(kind, expected, |value| {
        T::deserialize(value).ok().filter(|_| value.is_string())
    });
    Shape {
        // Draft 07 ignores what is beside a `$ref`, but not what is beside a choice.
        base: Box::new(SchemaGenerator::subschema_for::<Option<T>>),
        ..shape
    }
}

/// One of these words, several of which may mean the same.
pub(crate) fn word_of<T: Copy + JsonSchema>(words: &'static [(&'static str, T)]) -> Shape<T> {
    let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let expected = format!("one of {}", names.join(", "));
    let shape = Shape::new(FieldKind::Text, expected, |value| {
        let (_, meaning) = words.iter().find(|(word, _)| value == word)?;
        Some(*meaning)
    });
    Shape {
        base: Box::new(move |_| json_schema!({ "type": "string", "enum": names })),
        ..shape
    }
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
