//! Requests, each declared once: [`request!`] makes the struct, the reader that
//! reports all problems at once, the JSON Schema, the defaults, and the list of
//! fields from which command-line flags and preference keys are made.

mod field;
mod reader;
mod schema;
mod shape;

use serde_json::Value;

pub(crate) use self::field::{
    Presence, default, nullable, optional, required, tri_state, unlisted_default,
};
pub(crate) use self::reader::{ObjectReader, UnknownKeys, nearest};
pub(crate) use self::schema::{describe, object, property};
pub(crate) use self::shape::{
    Shape, absolute_path, boolean, integer, list_of, pull_request, text, text_of_at_least,
    text_that, word, word_of,
};
use crate::Problems;

/// The input of an operation.
pub trait Request: Sized + Send + Sync + 'static {
    /// What every problem of a field is called, for fields with a message of
    /// their own.
    const MESSAGES: &'static [(&'static str, &'static str)];

    /// Reads a request, or reports everything that is wrong with it.
    fn read(value: &Value) -> Result<Self, Problems>;

    /// What a request has where it leaves a field out. Required fields are
    /// empty.
    fn defaults() -> Self;

    fn fields() -> Vec<Field>;

    fn message_for(field: &str) -> Option<&'static str> {
        let mut messages = Self::MESSAGES.iter();
        messages
            .find(|(name, _)| *name == field)
            .map(|(_, message)| *message)
    }
}

/// A field of a request, for flags and preference keys.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: &'static str,
    pub description: String,
    pub required: bool,
    pub kind: FieldKind,
    /// What the key says that sets the field for calls that leave it out, if
    /// users may prefer a value.
    pub preference: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A reference to a pull request.
    PullRequest,
    Switch,
    Number,
    Text,
    List,
    /// One of these.
    Word(&'static [&'static str]),
}

/// Declares a request. A field says whether it has to be there, and what its
/// value looks like:
///
/// ```ignore
/// request! {
///     /// What to test, and how.
///     pub struct TestingInput, unknown keys Refused {
///         /// How often failing tests are run again.
///         max_retries: u64 = default(3, integer(0..=10)),
///     }
/// }
/// ```
///
/// `#[preference = "…"]` lets users set a field for calls that leave it out,
/// `#[message = "…"]` replaces the message of every problem of a field. A
/// `rule` sees each field as an `Option`, which is `None` where it has a problem.
macro_rules! request {
    (
        $(#[doc = $about:literal])*
        pub struct $name:ident, unknown keys $unknown:ident {
            $(
                $(#[doc = $doc:literal])*
                $(#[preference = $preference:literal])?
                $(#[message = $message:literal])?
                $field:ident: $type:ty = $presence:expr
            ),* $(,)?
        }
        $(rule $of:ident, $complaint:literal, $holds:expr;)*
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name {
            $($(#[doc = $doc])* pub $field: $type,)*
        }

        impl $crate::Request for $name {
            const MESSAGES: &'static [(&'static str, &'static str)] =
                &[$($((stringify!($field), $message),)?)*];

            fn read(value: &serde_json::Value) -> Result<Self, $crate::Problems> {
                let mut reader = $crate::request::ObjectReader::new(value, Self::MESSAGES)?;
                $(let $field: Option<$type> = $presence.read(&mut reader, stringify!($field));)*
                $(reader.rule(stringify!($of), $complaint, $holds);)*
                reader.finish($crate::request::UnknownKeys::$unknown)?;
                Ok(Self {
                    $($field: $field.expect("what could not be read is a problem"),)*
                })
            }

            fn defaults() -> Self {
                Self { $($field: $presence.absent,)* }
            }

            fn fields() -> Vec<$crate::Field> {
                vec![$({
                    let presence: $crate::request::Presence<$type, _> = $presence;
                    $crate::Field {
                        name: stringify!($field),
                        description: $crate::request::describe(&[$($doc),*]),
                        required: presence.is_required,
                        kind: presence.shape.kind,
                        preference: None$(.or(Some($preference)))?,
                    }
                },)*]
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;
                let mut map = serializer.serialize_map(None)?;
                $(if !($presence.is_left_out)(&self.$field) {
                    map.serialize_entry(stringify!($field), &self.$field)?;
                })*
                map.end()
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let properties = vec![$($crate::request::property::<$type, _>(
                    stringify!($field), &[$($doc),*], $presence, generator,
                ),)*];
                $crate::request::object(
                    &[$($about),*],
                    $crate::request::UnknownKeys::$unknown,
                    properties,
                )
            }
        }
    };
}

pub(crate) use request;
