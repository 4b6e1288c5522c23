//! Reads Python's `doctest` module, quiet and verbose.

use super::Tool;
use crate::excerpt::Excerpt;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::python::frame;
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool::text::<Doctest>(&[RULE, "Trying:"], &[]);

#[derive(Default)]
struct Doctest {
    session: Option<Session>,
    state: State,
    /// Verbose runs print `ok` for each example that passed.
    verbose: bool,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// Between failures.
    Inside,
    /// Below a line of stars.
    Ruled,
    Failure(Failure, Excerpt),
}

const RULE: &str = "**********************************************************************";

impl TextReader for Doctest {
    fn awake(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        let session = self.session.begin("doctest", line.number);
        session.lines.1 = line.number;
        if text == RULE {
            self.close_failure();
            self.state = State::Ruled;
        } else if text == "Trying:" {
            self.close_failure();
            self.verbose = true;
        } else if is_end(text) {
            self.close_failure();
            self.close(true, sessions);
        } else if matches!(self.state, State::Ruled) {
            self.state = match example(text) {
                Some(failure) => State::Failure(failure, Excerpt::default()),
                None => State::Inside,
            };
            self.summary(text);
        } else if let State::Failure(_, error) = &mut self.state {
            error.push(text);
        } else {
            self.summary(text);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_failure();
        self.close(false, sessions);
    }
}

impl Doctest {
    fn close_failure(&mut self) {
        if let State::Failure(failure, error) = std::mem::replace(&mut self.state, State::Inside) {
            self.session.add(failure.because(error.text()));
        }
    }

    /// `   1 of   2 in geo.area`, `   3 tests in geo`, `5 tests in 3 items.`
    fn summary(&mut self, text: &str) {
        let Some(session) = &mut self.session else {
            return;
        };
        let words: Vec<&str> = text.split_whitespace().take(6).collect();
        match words[..] {
            [failed, "of", run, "in", _] => {
                if let (Ok(failed), Ok(run)) = (failed.parse::<u32>(), run.parse::<u32>()) {
                    session.counts.failed += u64::from(failed);
                    session.counts.run += u64::from(run);
                }
            }
            [run, "tests" | "test", "in", _, "items." | "item."] => {
                if let Ok(run) = run.parse::<u32>() {
                    session.counts.run = run.into();
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, complete: bool, sessions: &mut Sessions) {
        self.state = State::Outside;
        let verbose = std::mem::take(&mut self.verbose);
        let Some(mut session) = self.session.take() else {
            return;
        };
        let listed = session.failures.len() as u64;
        if listed == 0 && !(complete && verbose) {
            return;
        }
        let counts = &mut session.counts;
        counts.failed = counts.failed.max(listed);
        counts.run = counts.run.max(counts.failed);
        counts.passed = counts.run - counts.failed;
        if complete {
            session.evidence = Evidence::Complete;
        }
        sessions.push(session);
    }
}

fn is_end(text: &str) -> bool {
    text.starts_with("***Test Failed***") || text == "Test passed."
}

/// `File "/app/geo.py", line 5, in geo.area`
fn example(text: &str) -> Option<Failure> {
    let (file, line, name) = frame(text)?;
    Some(Failure::named(name?).at(file, Some(line)))
}
