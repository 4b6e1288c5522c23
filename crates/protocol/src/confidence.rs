//! How sure a result is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How sure the name and place of a failure are.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    Low,
    Medium,
    High,
}
