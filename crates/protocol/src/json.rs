//! Reading JSON from outside: exactly one value, no duplicate keys, capped.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::foreign_text::shortened;

/// What [`parse`] reads at most. The largest legitimate request holds a
/// pull-request description, which GitHub itself caps at 65,536 characters.
pub const MAX_JSON_BYTES: usize = 4 << 20;

/// The bytes are not one JSON document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MalformedJson {
    #[error("the document is empty; expected one JSON object")]
    Empty,
    #[error(
        "the document is too large: {size} bytes, the limit is {limit}; shorten it, for example by naming a file instead of quoting it"
    )]
    TooLarge { size: usize, limit: usize },
    #[error("byte {offset} is not valid UTF-8; save the document as UTF-8")]
    NotUtf8 { offset: usize },
    #[error(
        "line {line}, column {column}: the document ends too early: it was cut off, or something is not closed"
    )]
    CutOff { line: usize, column: usize },
    #[error("line {line}, column {column}: this is not JSON: {reason}")]
    Syntax {
        line: usize,
        column: usize,
        reason: String,
    },
}

/// Parses one JSON document of at most [`MAX_JSON_BYTES`].
///
/// Duplicate keys are refused: with them, what one reader checks need not be
/// what the next one acts on.
pub fn parse(bytes: &[u8]) -> Result<Value, MalformedJson> {
    parse_at_most(MAX_JSON_BYTES, bytes)
}

/// [`parse`] with another cap.
pub fn parse_at_most(limit: usize, bytes: &[u8]) -> Result<Value, MalformedJson> {
    let size = bytes.len();
    if size > limit {
        return Err(MalformedJson::TooLarge { size, limit });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| MalformedJson::NotUtf8 {
        offset: error.valid_up_to(),
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(MalformedJson::Empty);
    }
    match serde_json::from_str::<StrictValue>(text) {
        Ok(StrictValue(value)) => Ok(value),
        Err(error) => Err(explained(&error)),
    }
}

fn explained(error: &serde_json::Error) -> MalformedJson {
    let (line, column) = (error.line(), error.column());
    if error.is_eof() {
        return MalformedJson::CutOff { line, column };
    }
    // The message ends with the position, which has fields of its own here.
    let message = error.to_string();
    let position = format!(" at line {line} column {column}");
    MalformedJson::Syntax {
        line,
        column,
        reason: message
            .strip_suffix(&position)
            .unwrap_or(&message)
            .to_owned(),
    }
}

/// A `Value` whose objects have no key twice.
struct StrictValue(Value);

impl<'de> Deserialize<'de> for StrictValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(StrictValue(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if object.contains_key(&key) {
                let key = shortened(&key);
                return Err(A::Error::custom(format_args!(
                    "the key `{key}` appears twice"
                )));
            }
            let StrictValue(value) = entries.next_value()?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}
