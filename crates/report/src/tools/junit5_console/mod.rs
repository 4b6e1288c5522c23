//! Reads the console launcher of the `JUnit` Platform.

mod details;

use self::details::Details;
use crate::excerpt::Excerpt;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::java::Trace;
use crate::text::{Line, TextReader};
use crate::tools::Tool;

pub(super) const TOOL: Tool = Tool::text::<Junit5Console>(
    &[
        "Thanks for using JUnit!",
        "Test plan execution started.",
        "Test execution started.",
        "JUnit Jupiter > ",
        "JUnit Vintage > ",
        "+-- JUnit ",
        "├─ JUnit ",
        "Failures (",
        "Test run finished after ",
    ],
    &[],
);

#[derive(Default)]
struct Junit5Console {
    session: Option<Session>,
    state: State,
    /// A line that may be the heading of the next failure; its source follows.
    heading: Option<String>,
    block: Option<Block>,
    containers_failed: u64,
    details: Details,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// The tree of tests, and their output.
    Tree,
    /// Below `Failures (9):`.
    Failures,
    /// Below `Test run finished after`.
    Counts,
}

struct Block {
    heading: String,
    class: Option<String>,
    method: Option<String>,
    error: Excerpt,
    trace: Trace,
}

impl TextReader for Junit5Console {
    fn awake(&self) -> bool {
        self.state != State::Outside
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if text.starts_with("Test run finished after ") {
            self.close_block();
            self.details.close();
            let failures = std::mem::take(&mut self.details.failures);
            let session = self.session(line.number);
            if session.failures.is_empty() {
                session.failures = failures;
            }
            self.state = State::Counts;
        } else if text
            .strip_prefix("Failures (")
            .and_then(|rest| rest.strip_suffix("):"))
            .is_some_and(|number| number.parse::<u64>().is_ok())
        {
            self.session(line.number).failures.clear();
            self.block = None;
            self.state = State::Failures;
        } else {
            match self.state {
                State::Outside if text.starts_with("Failures (") => {}
                State::Outside => {
                    self.session(line.number);
                    self.state = State::Tree;
                    self.details.line(text);
                }
                State::Tree => self.details.line(text),
                State::Failures => {
                    self.session(line.number);
                    self.failures(text);
                }
                State::Counts => self.counts(text, line.number, sessions),
            }
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_block();
        self.details.close();
        if let Some(mut session) = self.session.take()
            && !(session.failures.is_empty() && self.details.failures.is_empty())
        {
            if session.failures.is_empty() {
                session.failures = std::mem::take(&mut self.details.failures);
            }
            if session.counts.run == 0 {
                session.counts.failed = session.failures.len() as u64;
                session.counts.run = session.counts.failed;
            }
            sessions.push(session);
        }
        *self = Self::default();
    }
}

impl Junit5Console {
    fn session(&mut self, number: u64) -> &mut Session {
        let session = self.session.begin("junit5-console", number);
        session.lines.1 = number;
        session
    }

    fn failures(&mut self, text: &str) {
        if let Some(heading) = self.heading.take() {
            if is_source(text) || text.starts_with("    => ") {
                self.close_block();
                self.block = Some(Block::open(heading));
            } else if let Some(block) = &mut self.block {
                block.line(&heading);
            }
        }
        let indented = text.len() - text.trim_start_matches(' ').len();
        if indented == 2 {
            self.heading = Some(text.trim_start().to_owned());
        } else if let Some(block) = &mut self.block {
            block.line(text);
        }
    }

    fn close_block(&mut self) {
        if let Some(block) = self.block.take() {
            self.session.add(block.failure());
        }
    }

    /// `[         8 tests failed          ]`
    fn counts(&mut self, text: &str, number: u64, sessions: &mut Sessions) {
        let Some(inner) = text
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        else {
            if !text.is_empty() {
                self.end(sessions);
            }
            return;
        };
        let Some((count, label)) = inner.trim().split_once(' ') else {
            return;
        };
        let Ok(count) = count.parse::<u64>() else {
            return;
        };
        let containers_failed = self.containers_failed;
        let session = self.session(number);
        let counts = &mut session.counts;
        match label.trim() {
            "containers failed" => self.containers_failed = count,
            "tests skipped" | "tests aborted" => counts.skipped += count,
            "tests successful" => counts.passed = count,
            "tests failed" => {
                counts.failed = count;
                counts.errors = containers_failed;
                counts.run = counts.passed + counts.failed + counts.errors;
                if counts.failed + counts.errors == 0 {
                    session.failures.clear();
                }
                session.evidence = Evidence::Complete;
                sessions.push(self.session.take().unwrap_or_default());
                *self = Self::default();
            }
            _ => {}
        }
    }
}

impl Block {
    fn open(heading: String) -> Self {
        Self {
            heading,
            class: None,
            method: None,
            error: Excerpt::default(),
            trace: Trace::default(),
        }
    }

    fn line(&mut self, text: &str) {
        if is_source(text) && self.class.is_none() && self.error.is_empty() {
            self.class = quoted(text, "className = '");
            self.method = quoted(text, "methodName = '");
            return;
        }
        self.trace
            .line(text, self.class.as_deref(), self.method.as_deref());
        let text = match text.strip_prefix("    => ") {
            Some(message) if self.error.is_empty() => message,
            _ => text,
        };
        self.error.push(text);
    }

    fn failure(self) -> Failure {
        let name = self.name();
        let failure = Failure::named(name).because(self.error.text());
        self.trace.placed(failure, self.class.as_deref())
    }

    /// The class and method of the source, and the invocation of parameterized
    /// or repeated tests.
    fn name(&self) -> String {
        let display_name = self
            .heading
            .split_once(':')
            .map_or(self.heading.as_str(), |(_, display_name)| display_name);
        let Some(class) = &self.class else {
            return display_name.replace(':', " > ");
        };
        let Some(method) = &self.method else {
            return class.clone();
        };
        let with_parameters = format!(":{method}(");
        let invocation = display_name
            .find(&with_parameters)
            .and_then(|at| display_name[at..].split_once("):"))
            .map(|(_, invocation)| invocation);
        match invocation {
            Some(invocation) => format!("{class}.{method} {invocation}"),
            None => format!("{class}.{method}"),
        }
    }
}

/// `    MethodSource [className = 'com.shop.CartTest', methodName = 'total', …]`
fn is_source(text: &str) -> bool {
    text.strip_prefix("    ").is_some_and(|rest| {
        rest.split_once(" [").is_some_and(|(kind, _)| {
            kind.ends_with("Source") && kind.bytes().all(|b| b.is_ascii_alphabetic())
        })
    })
}

fn quoted(text: &str, label: &str) -> Option<String> {
    let (_, rest) = text.split_once(label)?;
    let (value, _) = rest.split_once('\'')?;
    (!value.is_empty()).then(|| value.to_owned())
}
