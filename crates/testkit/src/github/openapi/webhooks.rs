//! The payloads of webhooks in GitHub's description.

use std::path::Path;

use serde_json::Value;

use super::schemas::Schemas;
use super::{read_json, unknown};
use crate::github::exceptions::Exceptions;
use crate::github::problem::{Findings, Problem};
use crate::peer;

/// GitHub's descriptions of what it sends to webhooks.
#[derive(Debug)]
pub struct Webhooks {
    schemas: Schemas,
    allowed: Exceptions,
}

impl Webhooks {
    /// From the peers; `None`, after a loud line, where they are not installed.
    pub fn find() -> Option<Self> {
        let slice = peer("github/webhooks.json")?;
        Some(Self::load(&slice).expect("the installed descriptions can be read"))
    }

    /// Reads the slice that `cargo xtask peers` makes (`github/webhooks.json`).
    pub fn load(slice: &Path) -> Result<Self, String> {
        Ok(Self {
            schemas: Schemas::new(read_json(slice)?)?,
            allowed: Exceptions::allowed(),
        })
    }

    /// Holds a delivery to its description; `event` is the `X-GitHub-Event` header.
    pub fn check(&self, event: &str, body: &Value) -> Vec<Problem> {
        let name = match body.get("action").and_then(Value::as_str) {
            Some(action) => format!("{event}/{action}"),
            None => event.to_owned(),
        };
        let operation = format!("webhook {name}");
        let mut findings = Findings::new(&operation, "request");
        let described = &self.schemas.description()["webhooks"];
        match described.get(&name).or_else(|| described.get(event)) {
            None => findings.add(
                "",
                "no such event is listed in xtask/peers/github/operations.txt; add it if GitHub has it",
            ),
            Some(schema) => {
                self.schemas.check(schema, body, &mut findings);
                unknown::check(&self.schemas, schema, body, &mut findings);
            }
        }
        self.allowed.filter(findings.into_problems())
    }
}
