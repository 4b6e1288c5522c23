//! Reads the XML of the gem `test-unit` (`--runner=xml`): a stream of what
//! happened.

use quick_xml::events::Event;

use super::Tool;
use crate::documents::Document;
use crate::session::{self, Evidence, Failure, Session};
use crate::xml::{lenient, push_bounded, unescaped};

pub(super) const TOOL: Tool = Tool {
    document: Some(Document::Xml {
        root: "stream",
        read: document,
    }),
    ..Tool::NONE
};

/// What is within `<test-result>`.
#[derive(Default)]
struct Outcome {
    /// The class, then the test.
    names: Vec<String>,
    file: Option<String>,
    line: Option<u64>,
    detail: String,
    status: String,
}

fn document(text: &str) -> Vec<Session> {
    const MAX_BYTES: usize = 16 << 10;
    let mut reader = lenient(text);
    let mut session = Session::new("test-unit", 1);
    let mut outcome: Option<Outcome> = None;
    let mut content = String::new();
    let (mut passed, mut skipped) = (0, 0);
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                content.clear();
                if tag.local_name().as_ref() == "test-result" {
                    outcome = Some(Outcome::default());
                }
            }
            Ok(Event::Text(text)) => push_bounded(&mut content, &unescaped(&text), MAX_BYTES),
            Ok(Event::GeneralRef(name)) => {
                let reference = unescaped(&format!("&{};", &*name));
                push_bounded(&mut content, &reference, MAX_BYTES);
            }
            Ok(Event::End(tag)) => {
                if tag.local_name().as_ref() != "test-result" {
                    if let Some(outcome) = &mut outcome {
                        outcome.set(tag.local_name().as_ref(), std::mem::take(&mut content));
                    }
                } else if let Some(outcome) = outcome.take() {
                    match outcome.status.as_str() {
                        "failure" | "error" => session.add(outcome.failure()),
                        "omission" | "pending" => skipped += 1,
                        "notification" => {}
                        _ => passed += 1,
                    }
                }
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    session.evidence = Evidence::Complete;
    let failed = session.failures.len() as u64;
    session.counts = session::counts(passed, failed, 0, skipped);
    vec![session]
}

impl Outcome {
    fn set(&mut self, element: &str, text: String) {
        match element {
            "name" => self.names.push(text),
            "status" => self.status = text,
            "detail" => self.detail = text,
            "file" if self.file.is_none() => self.file = Some(text),
            "line" if self.line.is_none() => self.line = text.parse().ok(),
            _ => {}
        }
    }

    fn failure(self) -> Failure {
        let mut failure = Failure::named(self.names.join("#")).because(self.detail);
        failure.file = self.file;
        failure.line = self.line;
        failure
    }
}
