//! Small values that many answers share.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::Value;

use super::enums::AccountKind;

/// A GraphQL id: opaque, and the same object's `node_id` in REST.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(transparent)]
pub struct NodeId(String);

impl NodeId {
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A user, as REST and GraphQL name them. A deleted account is no `Account` but
/// absent.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Account {
    pub login: String,
    #[serde(rename = "type", alias = "__typename", default = "a_user")]
    pub kind: AccountKind,
}

impl Account {
    /// An app's account. REST marks its login as well, GraphQL does not.
    pub fn is_bot(&self) -> bool {
        self.kind == AccountKind::Bot || self.login.ends_with("[bot]")
    }
}

fn a_user() -> AccountKind {
    AccountKind::User
}

/// A list that may have been cut at a cap of ours, or have gaps where GitHub left something out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed<T> {
    pub items: Vec<T>,
    /// There is more than `items`.
    pub truncated: bool,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            truncated: false,
        }
    }
}

/// `null` where a value would be empty.
pub(super) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// GraphQL's `BigInt` is a string of digits; older servers send a number.
pub(super) fn big_int<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    match Option::<Value>::deserialize(deserializer)? {
        None => Ok(None),
        Some(Value::Number(number)) => Ok(number.as_u64()),
        Some(Value::String(text)) => Ok(text.parse().ok()),
        Some(_) => Err(D::Error::custom("a number was expected")),
    }
}
