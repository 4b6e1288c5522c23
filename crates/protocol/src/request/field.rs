//! Whether a field has to be there, and what it is when it is not.

use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};

use super::reader::ObjectReader;
use super::shape::Shape;

/// How a field of a request is read, written and described. `T` is its type,
/// `S` that of the value of its key.
pub(crate) struct Presence<T, S> {
    pub(crate) shape: Shape<S>,
    pub(crate) is_required: bool,
    /// Without the key.
    pub(crate) absent: T,
    /// With null, if the key may be null.
    null: Option<T>,
    given: fn(S) -> T,
    /// Whether a request that is written has no such key.
    pub(crate) is_left_out: fn(&T) -> bool,
    /// In the schema.
    default: Option<Value>,
}

/// A key that must be there.
pub(crate) fn required<T: Default>(shape: Shape<T>) -> Presence<T, T> {
    Presence {
        is_required: true,
        ..unlisted_default(T::default(), shape)
    }
}

/// A key that may be left out, but must not be null.
pub(crate) fn optional<T>(shape: Shape<T>) -> Presence<Option<T>, T> {
    Presence {
        is_left_out: Option::is_none,
        ..Presence::new(shape, None, Some)
    }
}

/// The same, with a value for requests without the key.
pub(crate) fn default<T: Serialize>(value: T, shape: Shape<T>) -> Presence<T, T> {
    Presence {
        default: Some(serde_json::to_value(&value).expect("defaults are plain data")),
        ..unlisted_default(value, shape)
    }
}

/// The same, where the schema does not name the value. Some clients send all
/// defaults that they know, and would outrank what the user prefers.
pub(crate) fn unlisted_default<T>(value: T, shape: Shape<T>) -> Presence<T, T> {
    Presence::new(shape, value, |given| given)
}

/// A key that may be left out or null, which means the same.
pub(crate) fn nullable<T>(shape: Shape<T>) -> Presence<Option<T>, T> {
    Presence {
        null: Some(None),
        default: Some(Value::Null),
        ..Presence::new(shape, None, Some)
    }
}

/// A key for which absent (the default of `T`) and null are different wishes.
pub(crate) fn tri_state<T: Default + PartialEq, S>(
    null: T,
    given: fn(S) -> T,
    shape: Shape<S>,
) -> Presence<T, S> {
    Presence {
        null: Some(null),
        is_left_out: |value| *value == T::default(),
        ..Presence::new(shape, T::default(), given)
    }
}

impl<T, S> Presence<T, S> {
    fn new(shape: Shape<S>, absent: T, given: fn(S) -> T) -> Self {
        Self {
            shape,
            is_required: false,
            absent,
            null: None,
            given,
            is_left_out: |_| false,
            default: None,
        }
    }

    /// `None` where there is a problem, which the reader has noted.
    pub(crate) fn read(self, reader: &mut ObjectReader<'_>, name: &'static str) -> Option<T> {
        let Some(value) = reader.claim(name) else {
            if self.is_required {
                reader.missing(name);
                return None;
            }
            return Some(self.absent);
        };
        let hint = match value {
            Value::Null if self.null.is_some() => return self.null,
            Value::Null if !self.is_required => "; leave the key out instead of passing null",
            _ => "",
        };
        reader.read(name, value, &self.shape, hint).map(self.given)
    }

    pub(super) fn schema(self, generator: &mut SchemaGenerator, description: String) -> Schema {
        let mut schema = self.shape.schema(generator, description);
        if self.null.is_some() {
            schema.insert("type".to_owned(), json!([schema.get("type"), "null"]));
            schema.insert("x-nullable".to_owned(), true.into());
        } else if self.is_required {
            schema.insert("x-nullable".to_owned(), false.into());
        }
        if let Some(value) = self.default {
            schema.insert("default".to_owned(), value);
        }
        schema
    }
}
