//! A tool that the server offers, and how its calls fail.

use std::fmt;
use std::sync::Arc;

use baton_ops::{AnyOperation, OpError};
use baton_protocol::schema::{self, Entry};
use serde_json::Value;

use super::durable::Durable;

/// An operation as it is offered to agents.
#[derive(Clone)]
pub struct ToolDef {
    pub operation: AnyOperation,
    /// Knows the work that a call starts and that continues after its answer, if
    /// the operation is of that kind.
    pub durable: Option<Arc<dyn Durable>>,
}

/// The output of the contract, or why there is none.
pub(super) type Outcome = Result<Value, Failure>;

#[derive(Debug)]
pub(super) enum Failure {
    Operation(OpError),
    /// A bug of ours.
    Panicked,
}

impl ToolDef {
    pub(super) fn name(&self) -> &'static str {
        self.operation.meta.name
    }

    /// The schema of the contract with that name.
    pub(super) fn entry(name: &str) -> &'static Entry {
        schema::find(name).expect("the types of an operation are in the contract")
    }
}

impl From<AnyOperation> for ToolDef {
    fn from(operation: AnyOperation) -> Self {
        Self {
            operation,
            durable: None,
        }
    }
}

impl fmt::Debug for ToolDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolDef({})", self.name())
    }
}

impl From<OpError> for Failure {
    fn from(error: OpError) -> Self {
        Self::Operation(error)
    }
}
