//! The three phases: one JSON object in, one out.
//!
//! Each has an input that is read with all its problems at once, an output
//! whose shape never changes, and constructors for every documented failure,
//! so that the exact messages of the contract stand in one place.

pub mod pr;
pub mod pr_details;
pub mod testing;
pub mod testing_details;
pub mod validation;
pub mod validation_details;

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::Problem;

/// How often a phase may be told to try again.
pub const MAX_RETRIES: RangeInclusive<u64> = 0..=10;

// Inside baton there is one answer type; each phase writes it in its own words
// (`pass`/`fail` here, `success`/`failed` in the PR phase).
/// Did it work?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Pass,
    Fail,
}

/// The result of a step that a project may not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepStatus {
    Pass,
    Fail,
    Skipped,
}

/// The facts of an error, as they stand in its `context`.
fn context(facts: Value) -> Option<Map<String, Value>> {
    match facts {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// The context of a `validation_error`: which field, and what stood there.
fn context_of(problem: &Problem) -> Value {
    let mut facts = json!({ "field": problem.field, "path": problem.path });
    if let Some(value) = problem.found.value() {
        facts["value"] = value;
    }
    facts
}
