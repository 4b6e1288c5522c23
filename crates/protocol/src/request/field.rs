//! Whether a field has to be there, and what it is when it is not.

use std::marker::PhantomData;

use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use super::FieldKind;
use super::reader::ObjectReader;
use super::shape::Shape;

/// How a field of a request is read, written and described.
pub(crate) trait Presence {
    type Value;

    /// `None` where there is a problem, which the reader has noted.
    fn read(&self, reader: &mut ObjectReader<'_>, name: &'static str) -> Option<Self::Value>;

    fn when_absent(&self) -> Self::Value;

    /// Whether a request that is written has no such key.
    fn is_left_out(&self, _: &Self::Value) -> bool {
        false
    }

    fn is_required(&self) -> bool {
        false
    }

    fn kind(&self) -> FieldKind;

    fn schema(&self, generator: &mut SchemaGenerator) -> Schema;
}

/// A key that must be there.
pub(crate) fn required<S: Shape>(shape: S) -> Required<S> {
    Required(shape)
}

/// A key that may be left out, but must not be null.
pub(crate) fn optional<S: Shape>(shape: S) -> Optional<S> {
    Optional(shape)
}

/// The same, with a value for requests without the key.
pub(crate) fn default<S: Shape>(value: S::Value, shape: S) -> WithDefault<S> {
    WithDefault {
        value,
        shape,
        is_listed: true,
    }
}

/// The same, where the schema does not name the value. Some clients send all
/// defaults that they know, and would outrank what the user prefers.
pub(crate) fn unlisted_default<S: Shape>(value: S::Value, shape: S) -> WithDefault<S> {
    WithDefault {
        is_listed: false,
        ..default(value, shape)
    }
}

/// A key that may be left out or null, which means the same.
pub(crate) fn nullable<S: Shape>(shape: S) -> NullableField<S> {
    NullableField(shape)
}

/// A key for which absent and null are different wishes.
pub(crate) fn tri_state<S: Shape, V: From<Nullable<S::Value>>>(shape: S) -> TriState<S, V> {
    TriState(shape, PhantomData)
}

/// A key that may be null.
pub(crate) enum Nullable<T> {
    Absent,
    Null,
    Given(T),
}

pub(crate) struct Required<S>(S);

impl<S: Shape> Presence for Required<S>
where
    S::Value: Default,
{
    type Value = S::Value;

    fn read(&self, reader: &mut ObjectReader<'_>, name: &'static str) -> Option<S::Value> {
        match reader.claim(name) {
            Some(value) => reader.read(name, value, &self.0, ""),
            None => {
                reader.missing(name);
                None
            }
        }
    }

    fn when_absent(&self) -> S::Value {
        S::Value::default()
    }

    fn is_required(&self) -> bool {
        true
    }

    fn kind(&self) -> FieldKind {
        self.0.kind()
    }

    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        self.0.schema(generator)
    }
}

pub(crate) struct Optional<S>(S);

impl<S: Shape> Presence for Optional<S> {
    type Value = Option<S::Value>;

    fn read(&self, reader: &mut ObjectReader<'_>, name: &'static str) -> Option<Self::Value> {
        match reader.claim(name) {
            None => Some(None),
            Some(value) => read_given(reader, name, value, &self.0).map(Some),
        }
    }

    fn when_absent(&self) -> Self::Value {
        None
    }

    fn is_left_out(&self, value: &Self::Value) -> bool {
        value.is_none()
    }

    fn kind(&self) -> FieldKind {
        self.0.kind()
    }

    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        self.0.schema(generator)
    }
}

pub(crate) struct WithDefault<S: Shape> {
    value: S::Value,
    shape: S,
    is_listed: bool,
}

impl<S: Shape> Presence for WithDefault<S>
where
    S::Value: Clone + Serialize,
{
    type Value = S::Value;

    fn read(&self, reader: &mut ObjectReader<'_>, name: &'static str) -> Option<S::Value> {
        match reader.claim(name) {
            None => Some(self.value.clone()),
            Some(value) => read_given(reader, name, value, &self.shape),
        }
    }

    fn when_absent(&self) -> S::Value {
        self.value.clone()
    }

    fn kind(&self) -> FieldKind {
        self.shape.kind()
    }

    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        let mut schema = self.shape.schema(generator);
        if self.is_listed {
            let value = serde_json::to_value(&self.value).expect("defaults are plain data");
            schema.insert("default".to_owned(), value);
        }
        schema
    }
}

pub(crate) struct NullableField<S>(S);

impl<S: Shape> Presence for NullableField<S> {
    type Value = Option<S::Value>;

    fn read(&self, reader: &mut ObjectReader<'_>, name: &'static str) -> Option<Self::Value> {
        match read_nullable(reader, name, &self.0)? {
            Nullable::Absent | Nullable::Null => Some(None),
            Nullable::Given(value) => Some(Some(value)),
        }
    }

    fn when_absent(&self) -> Self::Value {
        None
    }

    fn kind(&self) -> FieldKind {
        self.0.kind()
    }

    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        let mut schema = or_null(self.0.schema(generator));
        schema.insert("default".to_owned(), Value::Null);
        schema
    }
}

/// The default of `V` is the absent case.
pub(crate) struct TriState<S, V>(S, PhantomData<V>);

impl<S: Shape, V> Presence for TriState<S, V>
where
    V: From<Nullable<S::Value>> + Default + PartialEq,
{
    type Value = V;

    fn read(&self, reader: &mut ObjectReader<'_>, name: &'static str) -> Option<V> {
        read_nullable(reader, name, &self.0).map(V::from)
    }

    fn when_absent(&self) -> V {
        V::default()
    }

    fn is_left_out(&self, value: &V) -> bool {
        *value == V::default()
    }

    fn kind(&self) -> FieldKind {
        self.0.kind()
    }

    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        or_null(self.0.schema(generator))
    }
}

fn read_given<S: Shape>(
    reader: &mut ObjectReader<'_>,
    name: &'static str,
    value: &Value,
    shape: &S,
) -> Option<S::Value> {
    let hint = match value {
        Value::Null => "; leave the key out instead of passing null",
        _ => "",
    };
    reader.read(name, value, shape, hint)
}

fn read_nullable<S: Shape>(
    reader: &mut ObjectReader<'_>,
    name: &'static str,
    shape: &S,
) -> Option<Nullable<S::Value>> {
    match reader.claim(name) {
        None => Some(Nullable::Absent),
        Some(Value::Null) => Some(Nullable::Null),
        Some(value) => reader.read(name, value, shape, "").map(Nullable::Given),
    }
}

fn or_null(mut schema: Schema) -> Schema {
    if let Some(name) = schema.remove("type") {
        schema.insert("type".to_owned(), Value::Array(vec![name, "null".into()]));
    }
    schema.insert("x-nullable".to_owned(), true.into());
    schema
}
