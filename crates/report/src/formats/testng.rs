//! Reads `TestNG`'s text reporter. Its default verbosity prints only totals.

use crate::excerpt::Excerpt;
use crate::format::{Format, Line, Trigger};
use crate::formats::java_stack::{self, Trace};
use crate::session::{Evidence, Failure, Session, Sessions};
use baton_protocol::Confidence;

#[derive(Default)]
pub(crate) struct TestNg {
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

impl Format for TestNg {
    fn triggers(&self) -> &'static [Trigger] {
        &[
            Trigger::Start("[TestNG] "),
            Trigger::Start("... TestNG "),
            Trigger::Start("Total tests run: "),
        ]
    }

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
        if let Some(mut session) = self.session.take()
            && !session.failures.is_empty()
        {
            session.counts.failed = session.failures.len() as u64;
            session.counts.run = session.counts.failed;
            sessions.push(session);
        }
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
                    .at(java_stack::file_of(class), None)
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
    let head = java_stack::method_of(test);
    let head = head.rsplit(' ').next().unwrap_or(head);
    match head.rsplit_once('.') {
        Some((class, method)) if java_stack::is_qualified(class) => (Some(class), method),
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
