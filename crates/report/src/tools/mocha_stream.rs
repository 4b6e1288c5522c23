//! Reads Mocha's `json-stream` reporter: an array per line.

use serde::Deserialize;

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::session::Failure;
use crate::stack::trace;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool::text::<Console<MochaStream>>(
    &["[\"start\",{", "[\"pass\",{", "[\"fail\",{", "[\"end\",{"],
    &[],
);

#[derive(Default)]
struct MochaStream;

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Fields {
    full_title: String,
    file: Option<String>,
    err: Option<String>,
    stack: Option<String>,
    passes: u64,
    pending: u64,
    failures: u64,
}

impl Dialect for MochaStream {
    const FRAMEWORK: &'static str = "mocha";

    fn event(&mut self, text: &str) -> Event {
        let Ok((kind, fields)) = serde_json::from_str::<(String, Fields)>(text) else {
            return Event::Text;
        };
        match kind.as_str() {
            "start" => Event::Begin,
            "pass" => Event::Passed,
            "fail" => {
                let message = fields.err.unwrap_or_default();
                let stack = fields.stack.unwrap_or_default();
                let failure = Failure::named(fields.full_title);
                let failure = failure.because(trace::error(&message, &stack));
                Event::Failed(trace::placed(failure, &stack, fields.file, None))
            }
            "end" => Event::End(Totals {
                passed: Some(fields.passes),
                failed: Some(fields.failures),
                skipped: Some(fields.pending),
                ..Totals::default()
            }),
            _ => Event::Text,
        }
    }
}
