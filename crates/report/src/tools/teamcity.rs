//! Reads `TeamCity`'s service messages, which many runners can print.

use super::Tool;
use crate::console::{Console, Dialect, Event};
use crate::session::Failure;
use crate::stack::trace;

pub(super) const TOOL: Tool = Tool::text::<Console<Teamcity>>(&["##teamcity[test"], &[]);

#[derive(Default)]
struct Teamcity {
    suites: Vec<String>,
    /// The test's own place, where the runner tells it.
    hint: String,
    /// Whether the current test failed or was ignored.
    is_settled: bool,
}

impl Dialect for Teamcity {
    const FRAMEWORK: &'static str = "teamcity";

    fn event(&mut self, text: &str) -> Event {
        const MAX_DEPTH: usize = 100;
        let Some(message) = text
            .trim()
            .strip_prefix("##teamcity[")
            .and_then(|text| text.strip_suffix(']'))
        else {
            return Event::Text;
        };
        let name = || attribute(message, "name").unwrap_or_default();
        match message.split(' ').next().unwrap_or_default() {
            "testSuiteStarted" => {
                // Flows may be interleaved; a path is no part of a name.
                let name = name();
                if self.suites.len() < MAX_DEPTH {
                    self.suites.push(name);
                }
                Event::Other
            }
            "testSuiteFinished" => {
                let name = name();
                if let Some(at) = self.suites.iter().rposition(|suite| *suite == name) {
                    self.suites.remove(at);
                }
                Event::Other
            }
            "testStarted" => {
                self.is_settled = false;
                self.hint = attribute(message, "locationHint").unwrap_or_default();
                Event::Other
            }
            "testFailed" => {
                self.is_settled = true;
                Event::Failed(self.failure(message, &name()))
            }
            "testIgnored" => {
                self.is_settled = true;
                Event::Skipped
            }
            "testFinished" if !std::mem::take(&mut self.is_settled) => Event::Passed,
            _ => Event::Other,
        }
    }
}

impl Teamcity {
    fn failure(&self, message: &str, name: &str) -> Failure {
        let name = python_name(name);
        let details = attribute(message, "details").unwrap_or_default();
        let text = attribute(message, "message").unwrap_or_default();
        // `PHPUnit`'s place has the whole name.
        let name = if let Some((_, whole)) = self.hint.split_once("::\\") {
            whole.to_owned()
        } else {
            let is_part = |suite: &&str| !suite.contains('/') && !name.starts_with(*suite);
            let suites = self.suites.iter().map(String::as_str).filter(is_part);
            let parts: Vec<&str> = suites.chain([name]).collect();
            parts.join(" > ")
        };
        let place = trace::place(&details, trace::Own::default());
        Failure::named(name)
            .at_place(place)
            .because(trace::error(&text, &details))
    }
}

/// Python's runners put the docstring behind the dotted name.
fn python_name(name: &str) -> &str {
    let name = name
        .strip_prefix("unittest.loader._FailedTest.")
        .unwrap_or(name);
    match name.split_once(" (") {
        Some((test, _)) if !test.contains(' ') && test.matches('.').count() > 1 => test,
        _ => name,
    }
}

/// The value of `key='value'`, in which `|` is the escape.
fn attribute(message: &str, key: &str) -> Option<String> {
    let (_, rest) = message.split_once(&format!(" {key}='"))?;
    let mut value = String::new();
    let mut letters = rest.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => return Some(value),
            '|' => match letters.next()? {
                'n' => value.push('\n'),
                'r' => {}
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}
