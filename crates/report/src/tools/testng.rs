//! Reads `TestNG`'s text reporter, whose default verbosity prints only totals, and
//! `testng-results.xml`.

use baton_protocol::Confidence;
use quick_xml::events::{BytesStart, Event};

use super::Tool;
use crate::documents::Document;
use crate::excerpt::Excerpt;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::java::{self, Trace};
use crate::stack::trace::{self, Own};
use crate::text::{Line, TextReader};
use crate::xml;

pub(super) const TOOL: Tool = Tool {
    document: Some(Document::Xml {
        root: "testng-results",
        read: document,
    }),
    ..Tool::text::<TestNg>(&["[TestNG] ", "... TestNG ", "Total tests run: "], &[])
};

#[derive(Default)]
struct TestNg {
    session: Option<Session>,
    block: Option<Block>,
    /// Failures since the last totals, with the class where it is known. A
    /// test may have printed what looks like one.
    failures_seen: Vec<(Failure, Option<String>)>,
}

struct Block {
    test: String,
    failed: bool,
    error: Excerpt,
    trace: Trace,
}

const MAX_FAILURES: usize = 10_000;

impl TextReader for TestNg {
    fn awake(&self) -> bool {
        self.session.is_some()
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if let Some(session) = &mut self.session {
            session.lines.1 = line.number;
        } else if text.starts_with("[TestNG] Time taken") {
            return;
        } else {
            self.session = Some(Session::new("testng", line.number));
        }
        if let Some(block) = Block::open(text) {
            self.close_block();
            self.block = Some(block);
        } else if is_rule(text) {
            self.close_block();
        } else if let Some(totals) = text.strip_prefix("Total tests run: ") {
            self.total(totals, sessions);
        } else if let Some(totals) = text.strip_prefix("    Tests run: ") {
            self.confirm(totals);
        } else if let Some(block) = &mut self.block {
            block.line(text);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_block();
        self.session.close_truncated(sessions);
        *self = Self::default();
    }
}

impl TestNg {
    fn close_block(&mut self) {
        if let Some(block) = self.block.take()
            && block.failed
            && self.failures_seen.len() < MAX_FAILURES
        {
            self.failures_seen.push(block.failure());
        }
    }

    /// The totals of a `<test>`, which follow its list of failures: the last
    /// ones, as many as counted, were listed; a test printed the others.
    fn confirm(&mut self, totals: &str) {
        self.close_block();
        let failures = usize::try_from(number_of(totals, "Failures").unwrap_or(0)).unwrap_or(0);
        let configurations = self
            .failures_seen
            .iter()
            .filter(|(failure, _)| failure.name.starts_with('@'))
            .count();
        let printed = self
            .failures_seen
            .len()
            .saturating_sub(failures.saturating_add(configurations));
        let listed: Vec<_> = self.failures_seen.drain(..).skip(printed).collect();
        let mut classes: Vec<&String> = listed
            .iter()
            .filter_map(|(_, class)| class.as_ref())
            .collect();
        classes.dedup();
        // A test that timed out has no frame of its own; if all others are in
        // one class, it is in that class too.
        let only_class = match classes[..] {
            [class] => Some(class.clone()),
            _ => None,
        };
        let Some(session) = &mut self.session else {
            return;
        };
        for (mut failure, class) in listed {
            if class.is_none()
                && failure.file.is_none()
                && let Some(class) = &only_class
            {
                failure = failure
                    .at(java::file_of(class), None)
                    .sure(Confidence::Medium);
            }
            session.add(failure);
        }
    }

    /// `9, Passes: 3, Failures: 4, Skips: 2`; older versions have no passes.
    fn total(&mut self, totals: &str, sessions: &mut Sessions) {
        let tests = totals
            .split(',')
            .next()
            .and_then(|tests| tests.trim().parse::<u64>().ok());
        let (Some(tests), Some(failed), Some(skipped)) = (
            tests,
            number_of(totals, "Failures"),
            number_of(totals, "Skips"),
        ) else {
            return;
        };
        if let Some(mut session) = self.session.take() {
            session.evidence = Evidence::Complete;
            session.counts.skipped = skipped;
            session.counts.failed = failed;
            session.counts.run = tests.saturating_sub(skipped);
            session.counts.passed = session.counts.run.saturating_sub(failed);
            sessions.push(session);
        }
        *self = Self::default();
    }
}

impl Block {
    fn open(line: &str) -> Option<Self> {
        let (verdict, test) = line.split_once(": ")?;
        let failed = match verdict {
            "FAILED" | "FAILED CONFIGURATION" => true,
            "PASSED" | "SKIPPED" | "SKIPPED CONFIGURATION" | "PASSED CONFIGURATION" => false,
            _ => return None,
        };
        Some(Self {
            test: test.to_owned(),
            failed,
            error: Excerpt::default(),
            trace: Trace::default(),
        })
    }

    fn line(&mut self, text: &str) {
        if self.failed && !(text.is_empty() && self.error.is_empty()) {
            let (class, method) = named(&self.test);
            self.trace.line(text, class, Some(method));
            self.error.push(text);
        }
    }

    fn failure(self) -> (Failure, Option<String>) {
        let (class, _) = named(&self.test);
        let declaring = self.trace.declaring.as_deref();
        let class = class.or(declaring).map(str::to_owned);
        let name = match &class {
            Some(class)
                if !self.test.starts_with(class.as_str()) && !self.test.starts_with('@') =>
            {
                format!("{class}.{}", self.test)
            }
            _ => self.test,
        };
        let failure = Failure::named(name).because(self.error.text());
        (self.trace.placed(failure, class.as_deref()), class)
    }
}

/// Class and method of `com.shop.CartTest.total(1, 2)`, `total(1, 2)` or
/// `@BeforeMethod setUp`.
fn named(test: &str) -> (Option<&str>, &str) {
    let head = java::method_of(test);
    let head = head.rsplit(' ').next().unwrap_or(head);
    match head.rsplit_once('.') {
        Some((class, method)) if java::is_qualified(class) => (Some(class), method),
        _ => (None, head),
    }
}

fn number_of(totals: &str, label: &str) -> Option<u64> {
    totals.split(", ").find_map(|part| {
        let (name, number) = part.split_once(": ")?;
        (name == label)
            .then(|| number.trim().parse().ok())
            .flatten()
    })
}

fn is_rule(text: &str) -> bool {
    text.len() > 40 && text.bytes().all(|byte| byte == b'=')
}

fn document(text: &str) -> Vec<Session> {
    let mut reader = xml::lenient(text);
    let mut results = Results {
        session: Session::new("testng", 1),
        ..Results::default()
    };
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => results.start(&tag),
            Ok(Event::Empty(tag)) => {
                results.start(&tag);
                results.end(tag.local_name().as_ref());
            }
            Ok(Event::End(tag)) => results.end(tag.local_name().as_ref()),
            Ok(Event::CData(text)) => results.text(&text.xml10_content()),
            Ok(Event::Text(text)) => results.text(&text.xml10_content()),
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    vec![results.session]
}

#[derive(Default)]
struct Results {
    session: Session,
    class: String,
    method: Option<Method>,
    /// Which text of the method is being read.
    within: Within,
}

#[derive(Default)]
struct Method {
    name: String,
    /// Configuration methods count only when they fail.
    is_configuration: bool,
    outcome: String,
    message: String,
    trace: String,
    parameters: Vec<String>,
}

#[derive(Default)]
enum Within {
    #[default]
    Nothing,
    Message,
    Trace,
    Parameter,
}

const MAX_TRACE_BYTES: usize = 64 << 10;
const MAX_PARAMETERS: usize = 50;

impl Results {
    fn start(&mut self, tag: &BytesStart<'_>) {
        let attribute = |name: &str| xml::attribute(tag, &[name]);
        match tag.local_name().as_ref() {
            "class" => self.class = attribute("name").unwrap_or_default(),
            "test-method" => {
                self.method = Some(Method {
                    name: attribute("name").unwrap_or_default(),
                    is_configuration: attribute("is-config").is_some_and(|text| text == "true"),
                    outcome: attribute("status").unwrap_or_default(),
                    ..Method::default()
                });
            }
            "message" => self.within = Within::Message,
            "full-stacktrace" | "short-stacktrace" => self.within = Within::Trace,
            "value" => self.within = Within::Parameter,
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let Some(method) = &mut self.method else {
            return;
        };
        let target = match self.within {
            Within::Nothing => return,
            Within::Message => &mut method.message,
            Within::Trace => &mut method.trace,
            Within::Parameter => {
                if method.parameters.len() < MAX_PARAMETERS && !text.trim().is_empty() {
                    method.parameters.push(text.trim().to_owned());
                }
                return;
            }
        };
        xml::push_bounded(target, text, MAX_TRACE_BYTES);
    }

    fn end(&mut self, name: &str) {
        match name {
            "test-method" => self.close_method(),
            "message" | "full-stacktrace" | "short-stacktrace" | "value" => {
                self.within = Within::Nothing;
            }
            "testng-results" => self.session.evidence = Evidence::Complete,
            _ => {}
        }
    }

    fn close_method(&mut self) {
        let Some(method) = self.method.take() else {
            return;
        };
        let failed = method.outcome == "FAIL";
        let counts = &mut self.session.counts;
        match method.outcome.as_str() {
            "FAIL" if method.is_configuration => counts.errors += 1,
            _ if method.is_configuration => {}
            "PASS" => counts.passed += 1,
            "SKIP" => counts.skipped += 1,
            _ => counts.failed += 1,
        }
        counts.run = counts.passed + counts.failed + counts.errors;
        if !failed {
            return;
        }
        let mut name = format!("{}.{}", self.class, method.name);
        if !method.parameters.is_empty() {
            name = format!("{name}({})", method.parameters.join(", "));
        }
        let own = Own {
            file: None,
            class: Some(&self.class),
        };
        let error = trace::error(&method.message, &method.trace);
        let failure = Failure::named(name).because(error);
        let place = trace::place(&method.trace, own);
        self.session.add(failure.at_place(place));
    }
}
