//! JSON text to a JSON value, without `serde_json`'s leniency for repeated keys.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::handoff::xml::MAX_BYTES;

/// Why text is not read as JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    #[error(
        "the document is too large: {size} bytes, the limit is {MAX_BYTES}; shorten it, for example by naming a log file instead of quoting it"
    )]
    TooLarge { size: usize },
    #[error(
        "line {line}, column {column}: the document ends too early: it was cut off, or something is not closed"
    )]
    CutOff { line: usize, column: usize },
    #[error("line {line}, column {column}: this is not JSON: {reason}")]
    Malformed {
        line: usize,
        column: usize,
        reason: String,
    },
}

pub(in crate::handoff) fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    if bytes.len() > MAX_BYTES {
        return Err(JsonError::TooLarge { size: bytes.len() });
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    serde_json::from_slice::<Strict>(bytes)
        .map(|value| value.0)
        .map_err(|error| {
            let (line, column) = (error.line(), error.column());
            if error.is_eof() {
                return JsonError::CutOff { line, column };
            }
            let text = error.to_string();
            let place = format!(" at line {line} column {column}");
            JsonError::Malformed {
                line,
                column,
                reason: text.strip_suffix(&place).unwrap_or(&text).to_owned(),
            }
        })
}

/// A value in which no object has a key twice. The specification of JSON
/// leaves open which one counts, so two readers could see two handoffs.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
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

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(Strict(value)) = values.next_element()? {
            array.push(value);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if object.contains_key(&key) {
                let key = crate::handoff::message::shortened(&key);
                return Err(A::Error::custom(format!("the key `{key}` appears twice")));
            }
            let Strict(value) = entries.next_value()?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}
