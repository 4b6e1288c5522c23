//! Mocha's xunit reporter on standard output, among other output.

use super::javascript_stack::{Frames, frame};
use crate::excerpt::Excerpt;
use crate::format::{Format, Line, Trigger};
use crate::session::{Evidence, Failure, Session, Sessions};

#[derive(Default)]
pub(crate) struct MochaXunit {
    session: Option<Session>,
    state: State,
}

#[derive(Default)]
enum State {
    #[default]
    Between,
    /// Within `<failure>`.
    Failure(Box<Block>),
}

struct Block {
    name: String,
    file: Option<String>,
    error: Excerpt,
    frames: Frames,
    of_test: Option<u64>,
}

impl Format for MochaXunit {
    fn triggers(&self) -> &'static [Trigger] {
        &[Trigger::Start("<testsuite name=\"Mocha Tests\"")]
    }

    fn awake(&self) -> bool {
        self.session.is_some()
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if text.starts_with("<testsuite ") {
            self.end(sessions);
            self.session = Some(Session::new("mocha", line.number));
        }
        let Some(session) = &mut self.session else {
            return;
        };
        session.lines.1 = line.number;
        if let State::Failure(block) = &mut self.state {
            if block.push(text) {
                session.add(block.failure());
                self.state = State::Between;
            }
        } else if let Some(case) = text.strip_prefix("<testcase ") {
            self.case(case);
        } else if text == "</testsuite>" {
            session.evidence = Evidence::Complete;
            self.end(sessions);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.state = State::Between;
        if let Some(session) = self.session.take() {
            sessions.push(session);
        }
    }
}

impl MochaXunit {
    fn case(&mut self, case: &str) {
        let Some(session) = &mut self.session else {
            return;
        };
        let counts = &mut session.counts;
        if case.ends_with("<skipped/></testcase>") {
            counts.skipped += 1;
        } else if let Some((attributes, message)) = case.split_once("><failure>") {
            counts.failed += 1;
            counts.run += 1;
            let name = attribute(attributes, "name").unwrap_or_default();
            let file = attribute(attributes, "file");
            let mut block = Block {
                name: match attribute(attributes, "classname") {
                    Some(suite) if !suite.is_empty() => format!("{suite} > {name}"),
                    _ => name,
                },
                frames: Frames::of(file.as_deref()),
                file,
                error: Excerpt::default(),
                of_test: None,
            };
            if block.push(message) {
                session.add(block.failure());
            } else {
                self.state = State::Failure(Box::new(block));
            }
        } else {
            counts.passed += 1;
            counts.run += 1;
        }
    }
}

impl Block {
    /// Whether the failure ends with this line.
    fn push(&mut self, text: &str) -> bool {
        let (text, ends) = match text.split_once("</failure>") {
            Some((text, _)) => (text, true),
            None => (text, false),
        };
        let text = unescaped(text);
        self.error.push(&text);
        self.frames.see(&text);
        if self.of_test.is_none() && text.contains("at Context.") {
            self.of_test = frame(&text).map(|(_, line)| line);
        }
        ends
    }

    fn failure(&mut self) -> Failure {
        let failure = Failure::named(std::mem::take(&mut self.name)).because(self.error.take());
        match self.file.take() {
            Some(file) => failure.at(file, self.of_test.or(self.frames.line_in_test())),
            None => failure,
        }
    }
}

fn attribute(attributes: &str, name: &str) -> Option<String> {
    let start = format!("{name}=\"");
    let at = if attributes.starts_with(&start) {
        start.len()
    } else {
        attributes.find(&format!(" {start}"))? + start.len() + 1
    };
    let (value, _) = attributes.get(at..)?.split_once('"')?;
    Some(unescaped(value))
}

fn unescaped(text: &str) -> String {
    quick_xml::escape::unescape(text).map_or_else(|_| text.to_owned(), std::borrow::Cow::into_owned)
}
