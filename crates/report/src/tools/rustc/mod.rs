//! Reads the Rust compiler, clippy and rustdoc as cargo runs them, and cargo's
//! own errors before anything is compiled.

pub(super) mod cargo;
mod cargo_error;
mod diagnostic;

use std::collections::HashSet;

use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::text::{Line, TextReader};
use crate::tools::Tool;

use cargo_error::CargoError;
use diagnostic::Diagnostic;

pub(super) const TOOL: Tool = Tool {
    diagnostics: &cargo::DIAGNOSTICS,
    ..Tool::text::<Rustc>(&["error: ", "error["], &[".rs:"])
};

#[derive(Default)]
struct Rustc {
    session: Option<Session>,
    state: State,
    /// Errors reported so far: cargo compiles a library once for itself and once
    /// for its tests, and prints the errors of both.
    seen: HashSet<(String, Option<String>, Option<u64>)>,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    Diagnostic(Box<Diagnostic>),
    Cargo(Box<CargoError>),
}

impl State {
    /// Whether the line belongs to the current error.
    fn takes(&mut self, line: Line<'_>) -> bool {
        match self {
            Self::Outside => false,
            Self::Diagnostic(diagnostic) => diagnostic.line(line),
            Self::Cargo(error) => error.line(line),
        }
    }
}

impl TextReader for Rustc {
    fn awake(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if !starts(text) && self.state.takes(line) {
            return;
        }
        self.settle(sessions);
        if let Some(unit) = given_up(text) {
            self.given_up(unit, line, sessions);
        } else if let Some(failure) = diagnostic::short(text) {
            self.add(failure, line.number, line.number);
        } else if let Some(error) = CargoError::begin(line) {
            self.state = State::Cargo(Box::new(error));
        } else if let Some(diagnostic) = Diagnostic::begin(line) {
            self.state = State::Diagnostic(Box::new(diagnostic));
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.settle(sessions);
        self.close(sessions);
        self.seen.clear();
    }
}

impl Rustc {
    fn settle(&mut self, sessions: &mut Sessions) {
        match std::mem::take(&mut self.state) {
            State::Outside => {}
            State::Diagnostic(diagnostic) => {
                let (first, last) = diagnostic.lines;
                if let Some(failure) = diagnostic.into_failure() {
                    self.add(failure, first, last);
                }
            }
            State::Cargo(error) => {
                let (first, last) = error.lines;
                self.add(error.into_failure(), first, last);
                if let Some(session) = &mut self.session {
                    session.evidence = Evidence::Summary;
                }
                self.close(sessions);
            }
        }
    }

    fn add(&mut self, failure: Failure, first: u64, last: u64) {
        const MAX_REMEMBERED: usize = 10_000;
        let session = self.session.begin_diagnostics("rustc", first);
        session.lines.1 = last;
        session.broke = true;
        if failure.name.starts_with("clippy::") {
            session.framework = "clippy";
        }
        let key = (failure.name.clone(), failure.file.clone(), failure.line);
        if self.seen.len() < MAX_REMEMBERED && self.seen.insert(key) {
            session.add(failure);
        }
    }

    /// `error: could not compile …`
    fn given_up(&mut self, unit: &str, line: Line<'_>, sessions: &mut Sessions) {
        // A second compilation often has the same errors as the first.
        if self.session.is_none() && self.seen.is_empty() {
            self.add(
                Failure::named(unit).because(line.text),
                line.number,
                line.number,
            );
        }
        if let Some(session) = &mut self.session {
            session.lines.1 = line.number;
            session.evidence = Evidence::Summary;
        }
        self.close(sessions);
    }

    fn close(&mut self, sessions: &mut Sessions) {
        self.session.close(sessions);
    }
}

fn starts(text: &str) -> bool {
    text.starts_with("error: ") || text.starts_with("error[") || text.starts_with("warning: ")
}

/// The last line of a failed compilation, without `error: `.
fn given_up(text: &str) -> Option<&str> {
    let message = text.strip_prefix("error: ")?;
    let is_end = [
        "could not compile `",
        "Could not compile `",
        "could not document `",
        "Could not document `",
        "aborting due to ",
    ]
    .iter()
    .any(|end| message.starts_with(end));
    is_end.then(|| message.split(" due to ").next().unwrap_or(message))
}
