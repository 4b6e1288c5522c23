//! Follows a run while it is running, for a progress line. The final result
//! comes from the [`Reader`](crate::Reader); this module only reads the lines in
//! which runners report a single test. If a runner prints nothing until the end,
//! there is no progress.

use std::time::Duration;

use crate::lines::{LineSplitter, cleaned};

/// What has been seen so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
    /// The slowest test whose duration the runner printed.
    pub slowest: Option<(String, Duration)>,
}

/// Takes a run's output and keeps count.
#[derive(Default)]
pub struct Live {
    splitter: LineSplitter,
    counter: Counter,
}

#[derive(Default)]
struct Counter {
    scratch: Vec<u8>,
    progress: Progress,
    failures: Vec<String>,
}

impl Live {
    pub fn feed(&mut self, chunk: &[u8]) {
        let Self { splitter, counter } = self;
        splitter.feed(chunk, |line| counter.line(line.bytes));
    }

    pub fn progress(&self) -> &Progress {
        &self.counter.progress
    }

    /// The failures since the last call.
    pub fn take_failures(&mut self) -> Vec<String> {
        std::mem::take(&mut self.counter.failures)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed,
    Skipped,
}

impl Counter {
    fn line(&mut self, raw: &[u8]) {
        let mut scratch = std::mem::take(&mut self.scratch);
        let line = String::from_utf8_lossy(cleaned(raw, &mut scratch)).into_owned();
        self.scratch = scratch;
        let line = line.trim();
        if let Some(marks) = progress_marks(line) {
            for mark in marks.chars() {
                match mark {
                    '.' => self.progress.passed += 1,
                    'F' | 'E' => self.progress.failed += 1,
                    _ => self.progress.skipped += 1,
                }
            }
        } else if let Some((outcome, name)) = one_test(line) {
            self.count(outcome, name);
        }
    }

    fn count(&mut self, outcome: Outcome, text: &str) {
        /// More than a user reads while the tests run.
        const MAX_FAILURES: usize = 1_000;
        let (name, duration) = without_duration(text);
        match outcome {
            Outcome::Passed => self.progress.passed += 1,
            Outcome::Skipped => self.progress.skipped += 1,
            Outcome::Failed => {
                self.progress.failed += 1;
                if self.failures.len() < MAX_FAILURES {
                    self.failures.push(name.to_owned());
                }
            }
        }
        let slowest = self.progress.slowest.as_ref().map(|(_, time)| *time);
        if let Some(duration) = duration
            && slowest.is_none_or(|slowest| duration > slowest)
        {
            self.progress.slowest = Some((name.to_owned(), duration));
        }
    }
}

/// pytest's dots: `tests/test_a.py ..F.s   [ 45%]`.
fn progress_marks(line: &str) -> Option<&str> {
    let (marks, percent) = line.strip_suffix("%]")?.rsplit_once('[')?;
    if !percent.trim().bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let marks = marks.trim_end().rsplit(' ').next()?;
    let is_marks = !marks.is_empty() && marks.chars().all(|c| ".FEsxX".contains(c));
    is_marks.then_some(marks)
}

/// A line that reports one test: its outcome, and the text with its name.
pub(crate) fn one_test(line: &str) -> Option<(Outcome, &str)> {
    before_verdict(line)
        .or_else(|| after_verdict(line))
        .or_else(|| after_mark(line))
}

/// `test a::b ... ok`, `test_a (m.C.test_a) ... FAIL`, `a.py::b PASSED [ 5%]`,
/// `CartTest > total() FAILED`.
fn before_verdict(line: &str) -> Option<(Outcome, &str)> {
    if let Some((name, verdict)) = line.rsplit_once(" ... ") {
        let word = verdict.split([' ', ',']).next()?;
        let outcome = match word {
            "ok" => Outcome::Passed,
            "FAILED" | "FAIL" | "ERROR" => Outcome::Failed,
            "ignored" | "skipped" | "expected" => Outcome::Skipped,
            _ => return None,
        };
        return Some((outcome, name.strip_prefix("test ").unwrap_or(name)));
    }
    let text = match line.strip_suffix("%]") {
        Some(rest) => rest.rsplit_once('[')?.0.trim_end(),
        None => line,
    };
    let (name, word) = text.rsplit_once(' ')?;
    let is_test = name.contains("::") || name.contains(" > ");
    let outcome = verdict_word(word).filter(|_| is_test && !name.ends_with(':'))?;
    Some((outcome, name))
}

/// `--- FAIL: TestA (0.01s)`, `PASS [   0.004s] crate test`, `ok 3 - adds`,
/// `[gw0] [ 50%] PASSED a.py::b`.
fn after_verdict(line: &str) -> Option<(Outcome, &str)> {
    if let Some(rest) = line.strip_prefix("--- ") {
        let (word, name) = rest.split_once(": ")?;
        return Some((verdict_word(word)?, name));
    }
    if let Some(name) = line.strip_prefix("not ok ") {
        return Some((Outcome::Failed, tap_name(name)?));
    }
    if let Some(rest) = line.strip_prefix("ok ") {
        let name = tap_name(rest)?;
        let skipped = rest.contains("# SKIP") || rest.contains("# TODO");
        let outcome = if skipped {
            Outcome::Skipped
        } else {
            Outcome::Passed
        };
        return Some((outcome, name));
    }
    if line.starts_with("[gw") {
        let (_, rest) = line.split_once("%] ")?;
        let (word, name) = rest.split_once(' ')?;
        return Some((verdict_word(word)?, name));
    }
    let (word, rest) = line.split_once(" [")?;
    let outcome = verdict_word(word)?;
    // nextest puts the duration before the name; `without_duration` removes it
    // there too, so the whole rest is returned.
    rest.contains("s] ").then_some((outcome, rest))
}

fn verdict_word(word: &str) -> Option<Outcome> {
    Some(match word {
        "PASS" | "PASSED" => Outcome::Passed,
        "FAIL" | "FAILED" | "ERROR" => Outcome::Failed,
        "SKIP" | "SKIPPED" | "XFAIL" => Outcome::Skipped,
        _ => return None,
    })
}

/// `3 - adds` and `3 adds` give `adds`.
fn tap_name(rest: &str) -> Option<&str> {
    let (number, name) = rest.split_once(' ')?;
    if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let name = name.strip_prefix("- ").unwrap_or(name);
    Some(name.split(" # ").next().unwrap_or(name))
}

/// `✓ adds (12 ms)`.
fn after_mark(line: &str) -> Option<(Outcome, &str)> {
    let mut letters = line.chars();
    let outcome = match letters.next()? {
        '✓' | '✔' | '√' => Outcome::Passed,
        '✕' | '✗' | '✖' | '×' => Outcome::Failed,
        '○' | '↓' | '﹣' => Outcome::Skipped,
        _ => return None,
    };
    let name = letters.as_str().strip_prefix(' ')?;
    Some((outcome, name))
}

/// Removes `(0.01s)`, `(12 ms)`, ` 12ms` or a leading `0.004s] `.
pub(crate) fn without_duration(text: &str) -> (&str, Option<Duration>) {
    if let Some((time, name)) = text.split_once("] ")
        && let Some(duration) = duration(time)
    {
        return (name, Some(duration));
    }
    if let Some((name, time)) = text
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once(" ("))
        && let Some(duration) = duration(time)
    {
        return (name, Some(duration));
    }
    if let Some((name, time)) = text.rsplit_once(' ')
        && let Some(duration) = duration(time)
    {
        return (name, Some(duration));
    }
    (text, None)
}

fn duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 0.001),
        None => (text.strip_suffix('s')?, 1.0),
    };
    let seconds: f64 = number.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds * unit).ok()
}

#[cfg(test)]
mod tests {
    use super::Live;

    fn summary(output: &str) -> String {
        let mut live = Live::default();
        live.feed(output.as_bytes());
        let failures = live.take_failures().join(", ");
        let progress = live.progress();
        let slowest = match &progress.slowest {
            Some((name, time)) => format!("{name} {time:?}"),
            None => "-".to_owned(),
        };
        format!(
            "{}+ {}- {}~ | {failures} | {slowest}",
            progress.passed, progress.failed, progress.skipped
        )
    }

    #[test]
    fn lines_of_every_runner_are_counted() {
        let libtest = "test a::b ... ok\ntest a::c ... FAILED\ntest a::d ... ignored, slow\n";
        assert_eq!(summary(libtest), "1+ 1- 1~ | a::c | -");
        let unittest = "test_a (m.C.test_a) ... ok\ntest_b (m.C.test_b) ... ERROR\n";
        assert_eq!(summary(unittest), "1+ 1- 0~ | test_b (m.C.test_b) | -");
        let pytest = "a.py::b PASSED  [ 50%]\na.py::c FAILED [100%]\n[gw0] [ 50%] PASSED a.py::d\n";
        assert_eq!(summary(pytest), "2+ 1- 0~ | a.py::c | -");
        let dots = "tests/test_a.py ..F.s      [ 45%]\n..E [100%]\n";
        assert_eq!(summary(dots), "5+ 2- 1~ |  | -");
        let go =
            "--- PASS: TestA (0.01s)\n    --- FAIL: TestB/sub (1.50s)\n--- SKIP: TestC (0.00s)\n";
        assert_eq!(summary(go), "1+ 1- 1~ | TestB/sub | TestB/sub 1.5s");
        let nextest =
            "        PASS [   0.004s] app tests::a\n        FAIL [   0.020s] app tests::b\n";
        assert_eq!(
            summary(nextest),
            "1+ 1- 0~ | app tests::b | app tests::b 20ms"
        );
        let tap = "ok 1 - adds\nnot ok 2 - divides\nok 3 - later # SKIP\n1..3\n";
        assert_eq!(summary(tap), "1+ 1- 1~ | divides | -");
        let jest = "  ✓ adds (12 ms)\n  ✕ divides (3 ms)\n  ○ skipped later\n";
        assert_eq!(summary(jest), "1+ 1- 1~ | divides | adds 12ms");
        let gradle = "CartTest > total() PASSED\nCartTest > vat() FAILED\n";
        assert_eq!(summary(gradle), "1+ 1- 0~ | CartTest > vat() | -");
    }

    #[test]
    fn other_lines_are_ignored() {
        let noise = "compiling … ok\nFAILED to connect\nok then\n[ 45%] Building\n--- a/file\n✓\n1 passed\n";
        assert_eq!(summary(noise), "0+ 0- 0~ |  | -");
    }
}
