//! GitHub's scalars. All are strings on the wire.

use async_graphql::{InputValueError, InputValueResult, Scalar, ScalarType, Value};

macro_rules! string_scalars {
    ($($(#[$doc:meta])* $name:ident = $wire:literal),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub(super) struct $name(pub(super) String);

        #[Scalar(name = $wire)]
        impl ScalarType for $name {
            fn parse(value: Value) -> InputValueResult<Self> {
                match value {
                    Value::String(text) => Ok(Self(text)),
                    other => Err(InputValueError::expected_type(other)),
                }
            }

            fn to_value(&self) -> Value {
                Value::String(self.0.clone())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    )*};
}

string_scalars! {
    DateTime = "DateTime",
    GitObjectId = "GitObjectID",
    /// With the offset of whoever made the commit, at GitHub; in UTC here.
    GitTimestamp = "GitTimestamp",
    GitSshRemote = "GitSSHRemote",
    Html = "HTML",
    Uri = "URI",
}

/// A number that JavaScript could not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BigInt(pub(super) i64);

#[Scalar(name = "BigInt")]
impl ScalarType for BigInt {
    fn parse(value: Value) -> InputValueResult<Self> {
        let parsed = match &value {
            Value::String(text) => text.parse().ok(),
            Value::Number(number) => number.as_i64(),
            _ => None,
        };
        parsed
            .map(Self)
            .ok_or_else(|| InputValueError::expected_type(value))
    }

    fn to_value(&self) -> Value {
        Value::String(self.0.to_string())
    }
}

/// A count or number for a field of type `Int`, which has 32 bits.
pub(super) fn int(number: i64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// `databaseId` of something; null where it does not fit.
pub(super) fn database_id(id: i64) -> Option<i32> {
    i32::try_from(id).ok()
}
