//! Extracts the error and the place of failure from what a Go test printed.
//! Shared by the readers of Go's test output formats.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use baton_protocol::Confidence;

use crate::excerpt::Excerpt;
use crate::place;
use crate::session::Failure;

/// Takes the lines a test printed, one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct GoOutput {
    error: Excerpt,
    place: Option<(Rank, String, u64)>,
    stack: Option<Stack>,
    races: bool,
}

/// How well a place shows where the test failed; the best one is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A log line of a file without tests.
    Elsewhere,
    /// A log line of a test file, possibly not about the failure.
    Log,
    /// A list of callers that an assertion library printed.
    Trace,
    /// A log line that reads like a failure.
    FailureMessage,
    /// A frame of a test file in the stack of a panic or a race.
    Frame,
}

/// The stacks that a dying process prints.
#[derive(Clone, Debug, Default)]
struct Stack {
    timed_out: bool,
    /// `goroutine 7 [running]:` was seen.
    confirmed: bool,
    /// The goroutine waits for a subtest, so its stack does not show what hangs.
    waits: bool,
    /// The first test function in a stack.
    test: Option<String>,
    /// The tests that a timeout lists as running, once the list has begun.
    running: Option<Vec<String>>,
}

impl GoOutput {
    pub(crate) fn line(&mut self, text: &str) {
        if self.error.is_empty() && text.is_empty() {
            return;
        }
        self.error.push(text);
        let trimmed = text.trim_start();
        if trimmed.is_empty() {
            return;
        }
        if is_crash(text) {
            let stack = self.stack.get_or_insert_default();
            stack.timed_out |= text.starts_with("panic: test timed out after ");
            return;
        }
        if text == "WARNING: DATA RACE" {
            self.races = true;
        }
        if let Some(stack) = &mut self.stack {
            stack.line(text, trimmed);
        }
        if let Some((file, line)) = frame(trimmed) {
            self.frame(file, line);
        } else {
            self.message_line(trimmed);
        }
    }

    /// Completes a failure with what was printed.
    pub(crate) fn explain(&self, failure: Failure) -> Failure {
        let failure = failure.because(self.error.text());
        match &self.place {
            Some((_, file, line)) => failure.at(file.clone(), Some(*line)),
            None => failure,
        }
    }

    /// The process died, and its stacks were seen.
    pub(crate) fn crashed(&self) -> bool {
        self.stack.as_ref().is_some_and(|stack| stack.confirmed)
    }

    pub(crate) fn races(&self) -> bool {
        self.races
    }

    /// The test function of the stack that explains the crash.
    pub(crate) fn crashed_test(&self) -> Option<&str> {
        self.stack.as_ref()?.test.as_deref()
    }

    /// The tests that a timeout lists as running; of a test with subtests, only
    /// the subtests.
    pub(crate) fn timed_out_tests(&self) -> Vec<String> {
        let running = self.stack.as_ref().and_then(|stack| stack.running.as_ref());
        let Some(running) = running else {
            return Vec::new();
        };
        let is_parent = |name: &str| {
            let is_child = |other: &String| {
                other
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with('/'))
            };
            running.iter().any(is_child)
        };
        let leaves = running.iter().filter(|name| !is_parent(name));
        leaves.cloned().collect()
    }

    /// Adds another output of the same test.
    pub(crate) fn append(&mut self, other: Self) {
        for line in other.error.text().lines() {
            self.error.push(line);
        }
        if let Some((rank, file, line)) = other.place {
            self.offer(rank, &file, line);
        }
        self.stack = other.stack.or(self.stack.take());
    }

    /// The only place is one where nothing can fail: the package clause is in
    /// the first line of a file. A test printed that text.
    pub(crate) fn is_impossible(&self) -> bool {
        matches!(self.place, Some((rank, _, 1)) if rank < Rank::Frame)
    }

    /// It contains more than log lines.
    pub(crate) fn has_failure_message(&self) -> bool {
        matches!(self.place, Some((rank, ..)) if rank > Rank::Log)
    }

    fn offer(&mut self, rank: Rank, file: &str, line: u64) {
        let better = match &self.place {
            None => true,
            // The first failure message counts. Of plain log lines, the one
            // furthest down is nearest to the end; clean-up code is above it.
            Some((known, other, above)) if rank == *known && rank <= Rank::Log => {
                other != file || line >= *above
            }
            Some((known, ..)) => rank > *known,
        };
        if better {
            self.place = Some((rank, file.to_owned(), line));
        }
    }

    fn frame(&mut self, file: &str, line: u64) {
        let rank = match &self.stack {
            Some(stack) if stack.waits || !stack.confirmed => return,
            None if !self.races => Rank::Trace,
            _ => Rank::Frame,
        };
        if is_test_file(file) {
            self.offer(rank, file, line);
        }
    }

    fn message_line(&mut self, trimmed: &str) {
        if let Some(trace) = trimmed.strip_prefix("Error Trace:") {
            if let Some((file, line)) = frame(trace.trim()) {
                self.frame(file, line);
            }
        } else if let Some((file, line, message)) = log_line(trimmed) {
            let rank = if !is_test_file(file) {
                Rank::Elsewhere
            } else if message.is_empty() || is_failure_message(message) {
                Rank::FailureMessage
            } else {
                Rank::Log
            };
            // The package `testing` reports only that something happened.
            if file != "testing.go" {
                self.offer(rank, file, line);
            }
        }
    }
}

impl Stack {
    fn line(&mut self, text: &str, trimmed: &str) {
        if text.starts_with("goroutine ") && text.ends_with(':') {
            // The first goroutine of a timeout is the timer.
            self.waits = self.timed_out && !self.confirmed;
            self.confirmed = true;
        } else if trimmed == "running tests:" {
            self.running = Some(Vec::new());
        } else if let Some(running) = &mut self.running
            && text.starts_with("\t\t")
        {
            const MAX_RUNNING: usize = 100;
            let name = trimmed.rsplit_once(" (").map_or(trimmed, |(name, _)| name);
            if running.len() < MAX_RUNNING {
                running.push(name.to_owned());
            }
        } else if text.starts_with("testing.(*T).Run(") && self.timed_out {
            self.waits = true;
        } else if self.confirmed
            && (!self.waits || self.timed_out)
            && self.test.is_none()
            && !text.starts_with('\t')
        {
            self.test = test_function(trimmed);
        }
    }
}

/// Gives failures without a place, such as examples, the file of the other
/// failures in the package if they are all in one file.
pub(crate) fn infer_files(failures: &mut [Failure]) {
    let mut files = failures.iter().filter_map(|failure| failure.file.clone());
    let file = files
        .next()
        .filter(|file| files.all(|other| other == *file));
    for failure in failures {
        if failure.line.is_none() {
            failure.confidence = Confidence::Medium;
        }
        if failure.file.is_none() {
            failure.file.clone_from(&file);
        }
    }
}

/// The first line of a crash.
pub(crate) fn is_crash(text: &str) -> bool {
    [
        "panic: ",
        "fatal error: ",
        "SIGQUIT: ",
        "runtime: goroutine stack exceeds",
    ]
    .iter()
    .any(|start| text.starts_with(start))
}

/// Returns `TestOpen` for `example.org/app/book.TestOpen.func1(0x1)`.
fn test_function(text: &str) -> Option<String> {
    let text = text.strip_prefix("created by ").unwrap_or(text);
    let symbol = text.rsplit_once('/').map_or(text, |(_, symbol)| symbol);
    let function = symbol.split(['.', '(', ' ']).nth(1)?;
    is_test_name(function).then(|| function.to_owned())
}

/// Whether the package `testing` takes it for a test.
pub(crate) fn is_test_name(name: &str) -> bool {
    ["Test", "Example", "Fuzz", "Benchmark"].iter().any(|kind| {
        name.strip_prefix(kind)
            .is_some_and(|rest| !rest.starts_with(char::is_lowercase))
    })
}

/// Go identifies test files by this case-sensitive suffix.
#[expect(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "Go's are lower case"
)]
pub(crate) fn is_go_file(file: &str) -> bool {
    file.ends_with(".go")
}

fn is_test_file(file: &str) -> bool {
    file.ends_with("_test.go")
}

/// `/src/book_test.go:12 +0x1d`: a place in a stack.
fn frame(trimmed: &str) -> Option<(&str, u64)> {
    let (file, line, rest) = place::leading(trimmed)?;
    let is_frame = rest.is_empty() || rest.starts_with(" +0x");
    (is_go_file(file) && !file.contains('\t') && is_frame).then_some((file, line))
}

/// `book_test.go:12: message`. Go 1.14 puts the test's name before it.
fn log_line(trimmed: &str) -> Option<(&str, u64, &str)> {
    let (file, line, rest) = place::leading(trimmed)?;
    let message = rest.strip_prefix(':')?.trim();
    let file = match file.rsplit_once(": ") {
        Some((test, file)) if is_test_name(test) => file,
        _ => file,
    };
    (is_go_file(file) && !file.contains(' ')).then_some((file, line, message))
}

/// Whether a message is about a failure rather than progress.
fn is_failure_message(message: &str) -> bool {
    const FAILURE_PHRASES: [&str; 26] = [
        "want",
        "got",
        "expect",
        "err",
        "fail",
        "invalid",
        "mismatch",
        "wrong",
        "not equal",
        "should",
        "must",
        "!=",
        "broke",
        "missing",
        "cannot",
        "can't",
        "could not",
        "couldn't",
        "diff",
        "panic",
        "timed out",
        "timeout",
        "nil",
        "unknown",
        "bad ",
        "unexpected",
    ];
    static SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
        AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(FAILURE_PHRASES)
            .expect("a handful of short words is far below every limit")
    });
    SEARCH.is_match(message)
}

#[cfg(test)]
mod tests {
    use super::{GoOutput, test_function};
    use crate::session::Failure;

    fn place(lines: &str) -> (Option<String>, Option<u64>) {
        let mut output = GoOutput::default();
        for line in lines.lines() {
            output.line(line);
        }
        let failure = output.explain(Failure::named("TestX"));
        (failure.file, failure.line)
    }

    #[test]
    fn the_failure_message_is_the_place() {
        let at = |line| (Some("a_test.go".to_owned()), Some(line));
        assert_eq!(
            place(
                "    a_test.go:3: opening\n    a_test.go:5: got 1, want 2\n    a_test.go:6: done"
            ),
            at(5)
        );
        assert_eq!(place("a_test.go:3: one\na_test.go:5: two"), at(5));
        assert_eq!(place("TestX: a_test.go:3: one\nhelper.go:9: failed"), at(3));
        assert_eq!(
            place("suite.go:9: \n\tError Trace:\t/src/app/a_test.go:7\n\tError:  not equal").1,
            Some(7)
        );
    }

    #[test]
    fn a_panic_failed_where_the_test_file_is_left() {
        let stack = "a_test.go:3: want\npanic: no\n\ngoroutine 7 [running]:\nexample.org/a.F()\n\t/src/a.go:1 +0x1\nexample.org/a.TestX()\n\t/src/a_test.go:8 +0x1";
        assert_eq!(place(stack), (Some("/src/a_test.go".to_owned()), Some(8)));
        assert_eq!(
            place("panic: only a word\n\t/src/a_test.go:8 +0x1"),
            (None, None)
        );
    }

    #[test]
    fn functions_name_their_test() {
        assert_eq!(
            test_function("example.org/a/b.TestX.func1(0xc0)").as_deref(),
            Some("TestX")
        );
        assert_eq!(
            test_function("created by example.org/a/b.TestX in goroutine 4").as_deref(),
            Some("TestX")
        );
        assert_eq!(test_function("main.main()"), None);
        assert_eq!(test_function("testing.tRunner(0x1, 0x2)"), None);
        assert_eq!(test_function("a.Testify()"), None);
    }
}
