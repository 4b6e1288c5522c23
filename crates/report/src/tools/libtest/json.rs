//! Reads the harness's JSON lines (`--format json`), and those of nextest with
//! the same shape.

use serde::Deserialize;

use crate::session::{Evidence, Failure, Session, Sessions};

use super::FRAMEWORK;
use crate::json;
use crate::stack::rust::{RustOutput, infer_files};

#[derive(Deserialize)]
pub(super) struct Event {
    #[serde(rename = "type")]
    kind: String,
    #[serde(rename = "event")]
    what: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    stdout: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    reason: Option<String>,
}

impl Event {
    pub(super) fn read(text: &str) -> Option<Self> {
        let event: Self = json::read_line(text)?;
        matches!(&*event.kind, "suite" | "test" | "bench").then_some(event)
    }
}

pub(super) struct JsonRun {
    session: Session,
    target: Option<String>,
    over: bool,
}

impl JsonRun {
    pub(super) fn new(number: u64, target: Option<String>) -> Self {
        Self {
            session: Session::new(FRAMEWORK, number),
            target,
            over: false,
        }
    }

    pub(super) fn event(&mut self, event: &Event, number: u64) {
        self.session.lines.1 = number;
        let counts = &mut self.session.counts;
        match (&*event.kind, &*event.what) {
            ("suite", "ok" | "failed") => {
                self.session.evidence = Evidence::Complete;
                self.over = true;
            }
            ("test", "ok") | ("bench", _) => {
                counts.passed += 1;
                counts.run += 1;
            }
            ("test", "ignored") => counts.skipped += 1,
            ("test", "failed") => {
                counts.failed += 1;
                counts.run += 1;
                self.session.add(failure(event));
            }
            _ => {}
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    pub(super) fn into_session(mut self) -> Session {
        infer_files(&mut self.session.failures, self.target.as_deref());
        self.session
    }

    pub(super) fn cut_off(self, sessions: &mut Sessions) {
        if self.session.counts.run + self.session.counts.skipped > 0 {
            sessions.push(self.into_session());
        }
    }
}

fn failure(event: &Event) -> Failure {
    // Nextest puts the binary before the name, and the attempt after it.
    let name = event.name.rsplit_once('$').map_or(&*event.name, |(_, n)| n);
    let name = match name.rsplit_once('#') {
        Some((name, attempt)) if attempt.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => name,
    };
    let mut output = RustOutput::default();
    for text in [&event.stdout, &event.message, &event.reason] {
        for line in text.iter().flat_map(|text| text.lines()) {
            // The harness itself prints a message in this form.
            if line.starts_with("test did not panic as expected") {
                output.line(&format!("note: {line}"), name);
            } else {
                output.line(line, name);
            }
        }
    }
    output.explain(Failure::named(name))
}
