//! Reading JSON from outside: exactly one value, no duplicate keys, capped.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Longer documents are refused unread. The largest legitimate one is a
/// pull-request description, which GitHub itself caps at 65,536 characters.
pub const MAX_JSON_BYTES: usize = 4 << 20;

/// The bytes are not one JSON document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MalformedJson {
    #[error("the input is empty; expected one JSON object")]
    Empty,
    #[error("the input is {0} bytes long; at most {MAX_JSON_BYTES} are read")]
    TooLarge(usize),
    #[error("the input is not UTF-8: invalid byte at offset {0}")]
    NotUtf8(usize),
    #[error("not JSON at line {line}, column {column}: {message}")]
    Syntax {
        line: usize,
        column: usize,
        message: String,
    },
}

/// Parses one JSON document.
///
/// Duplicate keys are refused: with them, what one reader checks need not be
/// what the next one acts on.
pub fn parse(bytes: &[u8]) -> Result<Value, MalformedJson> {
    if bytes.len() > MAX_JSON_BYTES {
        return Err(MalformedJson::TooLarge(bytes.len()));
    }
    let text = std::str::from_utf8(bytes).map_err(|e| MalformedJson::NotUtf8(e.valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(MalformedJson::Empty);
    }
    match serde_json::from_str::<StrictValue>(text) {
        Ok(StrictValue(value)) => Ok(value),
        Err(error) => Err(MalformedJson::Syntax {
            line: error.line(),
            column: error.column(),
            message: without_position(&error.to_string()),
        }),
    }
}

/// `serde_json` ends its messages with the position, which is a field of ours.
fn without_position(message: &str) -> String {
    match message.rfind(" at line ") {
        Some(end) => message[..end].to_owned(),
        None => message.to_owned(),
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
        while let Some((key, StrictValue(value))) = entries.next_entry::<String, StrictValue>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format_args!("duplicate key {key:?}")));
            }
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}
