//! What a tool could not read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fact that the forge withheld. It is unknown: neither a yes nor none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnreadablePart {
    pub what: String,
    /// Why, in the forge's words.
    pub reason: String,
    /// Which scope, permission or version would make it readable.
    pub remedy: String,
}
