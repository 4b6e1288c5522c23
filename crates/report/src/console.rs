//! Reads runners that print a line per test, a block per failure and a summary.
//! Each has a [`Dialect`], which says what a line means; the rest is the same for
//! all of them.

use crate::excerpt::Excerpt;
use crate::place::same_file;
use crate::session::{self, Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::trace::{self, Own};
use crate::text::{Line, TextReader};
use crate::totals::Totals;

/// What the lines of one runner mean.
pub(crate) trait Dialect: Default + Send {
    const FRAMEWORK: &'static str;

    /// Whether it counts only where no other tool was recognised.
    const IS_GUESS: bool = false;

    /// Whether failures are explained before their names.
    const EXPLAINS_ABOVE: bool = false;

    /// Lines without any meaning before the reader goes to sleep.
    const MAX_IDLE_LINES: u32 = 500;

    fn event(&mut self, text: &str) -> Event;
}

/// What a line means.
#[derive(Debug)]
pub(crate) enum Event {
    /// What the program printed, or a line of the block that is open.
    Text,
    /// A line of the block that is open, without use.
    Ignored,
    /// A run begins.
    Begin,
    Passed,
    Skipped,
    /// A test failed; the next lines may explain it.
    Failed(Failure),
    /// A test failed, as the lines before explain.
    FailedAbove(Failure),
    /// Something outside of tests failed, such as a file that cannot be loaded.
    Broke(Failure),
    /// The block that is open ends; the next lines explain nothing.
    Other,
    Totals(Totals),
    /// The last line of a run.
    End(Totals),
}

#[derive(Default)]
pub(crate) struct Console<D> {
    dialect: D,
    session: Option<Session>,
    /// The failure that is being explained, by its index.
    open: Option<usize>,
    /// Lines since the last one with a meaning.
    text: Excerpt,
    idle: u32,
    has_begin: bool,
    totals: Option<Totals>,
    listed: Listed,
}

#[derive(Default)]
struct Listed {
    passed: u64,
    skipped: u64,
    /// Whether each failure is one of a test.
    of_tests: Vec<bool>,
}

impl<D: Dialect> TextReader for Console<D> {
    fn awake(&self) -> bool {
        let is_of_use = self.open.is_some() || !D::IS_GUESS;
        is_of_use && self.session.is_some() && self.idle < D::MAX_IDLE_LINES
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        if D::IS_GUESS && sessions.has_tests() {
            self.session = None;
            return;
        }
        let event = self.dialect.event(line.text);
        if matches!(event, Event::Text | Event::Ignored) {
            self.idle += 1;
            let is_used = self.open.is_some() || (D::EXPLAINS_ABOVE && self.session.is_some());
            if is_used && matches!(event, Event::Text) {
                self.text.push(line.text);
            }
            return;
        }
        if matches!(event, Event::Begin) && self.has_result() {
            self.close(sessions);
        }
        self.idle = 0;
        self.session.begin(D::FRAMEWORK, line.number).lines.1 = line.number;
        let is_end = matches!(event, Event::End(_));
        self.event(event);
        if is_end {
            self.close(sessions);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close(sessions);
        self.dialect = D::default();
    }
}

impl<D: Dialect> Console<D> {
    fn event(&mut self, event: Event) {
        if matches!(event, Event::Passed) && self.open.is_none() {
            self.listed.passed += 1;
            self.text.clear();
            return;
        }
        let text = std::mem::take(&mut self.text).text();
        if let Event::FailedAbove(failure) = event {
            self.explain(&text);
            self.fail(failure, true);
            self.explain(&text);
            self.open = None;
            return;
        }
        self.explain(&text);
        self.open = None;
        match event {
            Event::Begin => self.has_begin = true,
            Event::Passed => self.listed.passed += 1,
            Event::Skipped => self.listed.skipped += 1,
            Event::Failed(failure) => self.fail(failure, true),
            Event::Broke(failure) => self.fail(failure, false),
            Event::Totals(totals) | Event::End(totals) => {
                self.totals.get_or_insert_default().update(totals);
            }
            Event::Text | Event::Ignored | Event::Other | Event::FailedAbove(_) => {}
        }
    }

    fn has_result(&self) -> bool {
        let Listed {
            passed,
            skipped,
            of_tests,
        } = &self.listed;
        self.totals.is_some() || passed + skipped > 0 || !of_tests.is_empty()
    }

    /// A list of failures at the end repeats what was printed during the run.
    fn fail(&mut self, failure: Failure, is_of_test: bool) {
        let Some(session) = &mut self.session else {
            return;
        };
        let is_same = |known: &Failure| {
            known.name == failure.name
                && match (&known.file, &failure.file) {
                    (Some(known), Some(file)) => same_file(known, file),
                    _ => true,
                }
        };
        if let Some(index) = session.failures.iter().position(is_same) {
            self.open = Some(index);
        } else if !session.is_full() {
            self.open = Some(session.failures.len());
            session.add(failure);
            self.listed.of_tests.push(is_of_test);
        }
    }

    /// The text is about the failure that is open.
    fn explain(&mut self, text: &str) {
        if let (Some(session), Some(index)) = (&mut self.session, self.open)
            && let Some(failure) = session.failures.get_mut(index)
            && (failure.error.is_empty() || failure.line.is_none())
            && !text.trim().is_empty()
        {
            let own = Own {
                file: failure.file.as_deref(),
                class: None,
            };
            if let Some((file, line)) = trace::place(text, own) {
                failure.file = Some(file);
                failure.line = Some(line);
            }
            failure.error = trace::error(&failure.error, text);
        }
    }

    fn close(&mut self, sessions: &mut Sessions) {
        let text = std::mem::take(&mut self.text).text();
        self.explain(&text);
        self.open = None;
        let listed = std::mem::take(&mut self.listed);
        let totals = self.totals.take();
        let has_begin = std::mem::take(&mut self.has_begin);
        let Some(mut session) = self.session.take() else {
            return;
        };
        let failed = listed.of_tests.iter().filter(|is_of_test| **is_of_test);
        let failed = failed.count() as u64;
        session.counts = session::counts(listed.passed, failed, 0, listed.skipped);
        if let Some(totals) = totals {
            session.counts = totals.counts(&session.counts);
        }
        session.evidence = match (totals, has_begin) {
            (Some(_), true) => Evidence::Complete,
            (Some(_), false) => Evidence::Summary,
            (None, _) => Evidence::Fragment,
        };
        if D::IS_GUESS && totals.is_some_and(|totals| !totals.is_complete()) {
            session.evidence = Evidence::Fragment;
        }
        session.broke = listed.of_tests.contains(&false);
        if session.failed() || (session.evidence > Evidence::Fragment && session.counts.run > 0) {
            sessions.push(session);
        }
    }
}

/// A number and a parenthesis at the beginning, as in `1) title`.
pub(crate) fn numbered(text: &str) -> Option<&str> {
    let (number, title) = text.trim_start().split_once(") ")?;
    number.parse::<u64>().ok().map(|_| title.trim())
}

/// A title without the duration behind it: ` (3ms)`, ` [1.2s]`, ` [< 1 ms]`.
pub(crate) fn without_duration(text: &str) -> &str {
    let text = text.trim_end();
    let bracket = match text.as_bytes().last() {
        Some(b')') => '(',
        Some(b']') => '[',
        _ => return text,
    };
    let Some((title, duration)) = text[..text.len() - 1].rsplit_once(bracket) else {
        return text;
    };
    let duration = duration.trim_start_matches(['<', '~', ' ']);
    let number = duration.trim_end_matches(|c: char| c.is_alphabetic() || c == ' ');
    let unit = duration[number.len()..].trim();
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b','));
    let is_unit = [
        "s", "ms", "µs", "us", "ns", "m", "min", "sec", "seconds", "second",
    ];
    if is_number && is_unit.contains(&unit) {
        title.trim_end()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::without_duration;

    #[test]
    fn durations_are_removed() {
        for (text, title) in [
            ("a b (3ms)", "a b"),
            ("a [1.2s]", "a"),
            ("a (due to 1 failed step) (7µs)", "a (due to 1 failed step)"),
            ("a(1) [< 1 ms]", "a(1)"),
            ("a (b)", "a (b)"),
            ("a (2 items)", "a (2 items)"),
            ("a", "a"),
        ] {
            assert_eq!(without_duration(text), title);
        }
    }
}
