//! Python's `unittest`, quiet and verbose.

use crate::excerpt::Excerpt;
use crate::format::{Format, Line, Trigger};
use crate::session::{Evidence, Failure, Session, Sessions};

#[derive(Default)]
pub(crate) struct Unittest {
    session: Option<Session>,
    state: State,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// Below `FAIL:` or `ERROR:`.
    Failure { failure: Failure, error: Excerpt },
    /// `Ran 3 tests in 0.001s` was seen; the verdict follows.
    Counted { run: u64 },
}

const RULE: &str = "------------------------------------------------------------------";

impl Format for Unittest {
    fn triggers(&self) -> &'static [Trigger] {
        &[
            Trigger::Start("FAIL: "),
            Trigger::Start("ERROR: "),
            Trigger::Start("Ran "),
        ]
    }

    fn awake(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        if let Some(session) = &mut self.session {
            session.lines.1 = line.number;
        }
        if let Some(name) = header(line.text) {
            self.close_failure();
            self.session(line.number);
            self.state = State::Failure {
                failure: Failure::named(name),
                error: Excerpt::default(),
            };
        } else if let Some(run) = ran(line.text) {
            self.close_failure();
            self.session(line.number);
            self.state = State::Counted { run };
        } else if let State::Counted { run } = self.state {
            self.verdict(line.text, run, sessions);
        } else if let State::Failure { failure, error } = &mut self.state {
            frame(line.text, failure);
            let is_rule = line.text.starts_with(RULE) || line.text.starts_with("=====");
            if !is_rule && !(error.is_empty() && line.text.is_empty()) {
                error.push(line.text);
            }
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_failure();
        self.state = State::Outside;
        if let Some(mut session) = self.session.take()
            && !session.failures.is_empty()
        {
            // Cut off before the summary: what is known is what was listed.
            session.counts.failed = session.failures.len() as u64;
            session.counts.run = session.counts.failed;
            sessions.push(session);
        }
    }
}

impl Unittest {
    fn session(&mut self, number: u64) -> &mut Session {
        self.session
            .get_or_insert_with(|| Session::new("unittest", number))
    }

    fn close_failure(&mut self) {
        if let State::Failure { failure, error } = std::mem::take(&mut self.state)
            && let Some(session) = &mut self.session
        {
            session.add(failure.because(error.text()));
        }
    }

    fn verdict(&mut self, text: &str, run: u64, sessions: &mut Sessions) {
        if text.is_empty() {
            return;
        }
        self.state = State::Outside;
        let Some(mut session) = self.session.take() else {
            return;
        };
        let is_verdict = ["OK", "FAILED", "NO TESTS RAN"]
            .iter()
            .any(|word| text.starts_with(word));
        if !is_verdict {
            return;
        }
        let of = |label| number_after(text, label);
        let skipped = of("skipped=") + of("expected failures=");
        session.evidence = Evidence::Complete;
        session.counts.failed =
            of("(failures=").max(of(" failures=")) + of("unexpected successes=");
        session.counts.errors = of("errors=");
        session.counts.skipped = skipped;
        session.counts.run = run.saturating_sub(skipped);
        session.counts.passed = session
            .counts
            .run
            .saturating_sub(session.counts.failed + session.counts.errors);
        sessions.push(session);
    }
}

/// `FAIL: test_a (calc.CalcTest.test_a)` gives `calc.CalcTest.test_a`.
fn header(text: &str) -> Option<String> {
    let rest = text
        .strip_prefix("FAIL: ")
        .or_else(|| text.strip_prefix("ERROR: "))?;
    let (method, place) = rest.split_once(" (")?;
    let place = place.split(')').next()?;
    Some(if place.ends_with(method) {
        place.to_owned()
    } else {
        format!("{place}.{method}")
    })
}

fn ran(text: &str) -> Option<u64> {
    let (count, rest) = text.strip_prefix("Ran ")?.split_once(' ')?;
    if !rest.starts_with("test in ") && !rest.starts_with("tests in ") {
        return None;
    }
    count.parse().ok()
}

/// `  File "/x/test_calc.py", line 20, in test_b`: the innermost frame of the
/// test's own file is where it failed.
fn frame(text: &str, failure: &mut Failure) {
    let Some(rest) = text.trim_start().strip_prefix("File \"") else {
        return;
    };
    let Some((file, rest)) = rest.split_once("\", line ") else {
        return;
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    failure.file = Some(file.to_owned());
    failure.line = rest[..digits].parse().ok();
}

fn number_after(text: &str, label: &str) -> u64 {
    let Some(at) = text.find(label) else {
        return 0;
    };
    let rest = &text[at + label.len()..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..digits].parse().unwrap_or(0)
}
