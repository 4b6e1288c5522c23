//! Reads Perl's `prove`, which parses TAP itself and prints the failures of
//! `Test::More` and a summary.

use super::Tool;
use crate::excerpt::Excerpt;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool::text::<Prove>(
    &[
        "#   Failed test",
        "Test Summary Report",
        "Files=",
        "Result: ",
    ],
    &[],
);

#[derive(Default)]
struct Prove {
    session: Option<Session>,
    state: State,
    /// The index of the first failure in a subtest, whose own failure comes
    /// last.
    nested: Option<usize>,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// Below `#   Failed test 'name'`, with its indentation.
    Failure(Failure, Excerpt, usize),
    /// Below `Test Summary Report`.
    Report,
}

impl TextReader for Prove {
    fn awake(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text.trim_start_matches(' ');
        let indent = line.text.len() - text.len();
        if let Some(header) = text.strip_prefix("#   Failed test") {
            self.close_failure();
            self.session(line.number);
            let mut failure = Failure::named(quoted(header).unwrap_or("unnamed test"));
            locate(header, &mut failure);
            self.state = State::Failure(failure, Excerpt::default(), indent);
        } else if text == "Test Summary Report" {
            self.close_failure();
            self.session(line.number);
            self.state = State::Report;
        } else if let Some(totals) = text.strip_prefix("Files=") {
            self.total(totals, line.number);
        } else if let Some(result) = text.strip_prefix("Result: ") {
            self.finish(result, line.number, sessions);
        } else {
            self.detail(text, indent);
        }
        self.session.reach(line.number);
    }

    fn end(&mut self, _: &mut Sessions) {
        // Without the summary it was a single test, whose TAP contains
        // everything.
        *self = Self::default();
    }
}

impl Prove {
    fn session(&mut self, number: u64) -> &mut Session {
        self.session.begin("prove", number)
    }

    fn detail(&mut self, text: &str, indent: usize) {
        match &mut self.state {
            State::Failure(failure, error, at) if indent == *at => match text.strip_prefix('#') {
                Some(detail) if !detail.starts_with(" Looks like you ") => {
                    locate(detail, failure);
                    error.push(detail);
                }
                _ => self.close_failure(),
            },
            State::Failure(..) => self.close_failure(),
            State::Report => self.report(text),
            State::Outside => {}
        }
    }

    /// `t/a.t (Wstat: 512 (exited 2) Tests: 5 Failed: 2)`.
    fn report(&mut self, text: &str) {
        let Some((file, rest)) = text.split_once(" (Wstat: ") else {
            return;
        };
        let Some((_, failed)) = rest.rsplit_once("Failed: ") else {
            return;
        };
        let failed: u64 = failed.trim_end_matches(')').parse().unwrap_or(0);
        let has_died = failed == 0 && !rest.starts_with("0 ");
        let session = self.session(0);
        session.counts.failed = session.counts.failed.saturating_add(failed);
        if has_died {
            session.counts.errors += 1;
            let failure = Failure::named(file.trim_end())
                .at(file.trim_end(), None)
                .because(text);
            session.add(failure);
        }
    }

    /// `3, Tests=7,  0 wallclock secs`.
    fn total(&mut self, totals: &str, number: u64) {
        let tests = totals
            .split_once("Tests=")
            .and_then(|(_, rest)| rest.split(',').next()?.parse::<u64>().ok());
        if let Some(tests) = tests {
            self.close_failure();
            let session = self.session(number);
            session.evidence = Evidence::Complete;
            session.counts.passed = tests.saturating_sub(session.counts.failed);
            let wrong = session.counts.failed.saturating_add(session.counts.errors);
            session.counts.run = session.counts.passed.saturating_add(wrong);
        }
    }

    fn finish(&mut self, result: &str, number: u64, sessions: &mut Sessions) {
        self.close_failure();
        if let Some(mut session) = self.session.take()
            && session.evidence == Evidence::Complete
        {
            session.lines.1 = number;
            session.broke = result != "PASS" && session.counts.failed == 0;
            sessions.push(session);
        }
        *self = Self::default();
    }

    /// A subtest is reported after its failures, whose names then get its
    /// prefix.
    fn close_failure(&mut self) {
        let State::Failure(failure, error, indent) = std::mem::take(&mut self.state) else {
            return;
        };
        let Some(session) = &mut self.session else {
            return;
        };
        if indent > 0 {
            self.nested.get_or_insert(session.failures.len());
        } else if let Some(first) = self.nested.take() {
            for inner in session.failures.iter_mut().skip(first) {
                inner.name = format!("{} > {}", failure.name, inner.name);
            }
            return;
        }
        session.add(failure.because(error.text()));
    }
}

/// The name in ` 'copper is eight'`.
fn quoted(text: &str) -> Option<&str> {
    let (name, _) = text.trim_start().strip_prefix('\'')?.rsplit_once('\'')?;
    Some(name)
}

/// `at t/a.t line 3.`
fn locate(text: &str, failure: &mut Failure) {
    if failure.file.is_none()
        && let Some((before, line)) = text.rsplit_once(" line ")
        && let Some((_, file)) = before.rsplit_once("at ")
    {
        failure.file = Some(file.to_owned());
        failure.line = line.trim_end_matches('.').parse().ok();
    }
}
