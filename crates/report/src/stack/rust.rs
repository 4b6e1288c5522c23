//! Extracts the error and the place of failure from what a Rust test printed.
//! Shared by the runners of Rust tests.

use crate::excerpt::Excerpt;
use crate::place;
use crate::session::Failure;

use baton_protocol::Confidence;

/// Takes the lines a test printed, one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct RustOutput {
    error: Excerpt,
    place: Option<Place>,
    /// How the panic whose backtrace is being read relates to the test.
    rank: Rank,
    backtrace: Backtrace,
    /// An older compiler's panic message has begun; its place comes after it.
    place_follows: bool,
    /// Empty lines are kept only between others, and one at a time.
    blank: bool,
}

#[derive(Clone, Debug)]
struct Place {
    file: String,
    line: u64,
    rank: Rank,
}

/// How well a place shows where the test failed; the best one is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    #[default]
    Nowhere,
    /// A thread that the test started.
    OtherThread,
    /// A note of the runner or of a snapshot library.
    Note,
    /// The main thread: a run with one thread, or a documentation test.
    Main,
    /// The thread that is named after the test.
    OwnThread,
    /// The test's own frame in a backtrace, or a compiler's arrow.
    OwnFrame,
}

#[derive(Clone, Debug, Default)]
enum Backtrace {
    #[default]
    Outside,
    /// The frame whose place has not been printed yet.
    Inside { symbol: Option<String> },
}

impl RustOutput {
    /// A line that the test called `test` printed.
    pub(crate) fn line(&mut self, line: &str, test: &str) {
        let trimmed = line.trim_start();
        if let Some(panic) = Panic::header(trimmed) {
            self.backtrace = Backtrace::Outside;
            self.panicked(&panic, test);
        } else if trimmed == "stack backtrace:" {
            self.backtrace = Backtrace::Inside { symbol: None };
            return;
        } else if matches!(self.backtrace, Backtrace::Inside { .. }) {
            if self.frame(line, test) {
                return;
            }
            self.backtrace = Backtrace::Outside;
        }
        if trimmed.is_empty() {
            self.blank = !self.error.is_empty();
        } else if !is_noise(trimmed) {
            self.note(trimmed);
            self.push(line);
        }
    }

    fn push(&mut self, text: &str) {
        if std::mem::take(&mut self.blank) {
            self.error.push("");
        }
        self.error.push(text);
    }

    /// Completes a failure with what was printed.
    pub(crate) fn explain(&self, mut failure: Failure) -> Failure {
        failure.error = self.error.text();
        match (doctest(&failure.name), &self.place) {
            // The panic of a documentation test has lines of a generated file.
            (Some((file, line)), place) => {
                let line = place
                    .as_ref()
                    .filter(|p| p.rank == Rank::OwnFrame)
                    .map_or(line, |p| Some(p.line));
                failure.at(file, line)
            }
            (None, Some(place)) => failure.at(place.file.clone(), Some(place.line)),
            (None, None) => failure,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.error.is_empty()
    }

    fn panicked(&mut self, panic: &Panic<'_>, test: &str) {
        self.rank = match panic.thread {
            thread if thread == test => Rank::OwnThread,
            "main" => Rank::Main,
            _ => Rank::OtherThread,
        };
        self.place_follows = panic.place.is_none();
        if let Some((file, line)) = panic.place {
            self.panicked_at(file, line);
        }
    }

    fn panicked_at(&mut self, file: &str, line: u64) {
        if is_foreign(file) {
            return;
        }
        // A test that catches panics prints several; the last one is the
        // failure.
        let replaces = self.rank > Rank::OtherThread;
        self.offer(file, line, self.rank, replaces);
    }

    fn offer(&mut self, file: &str, line: u64, rank: Rank, replaces_equal: bool) {
        let known = self.place.as_ref().map_or(Rank::Nowhere, |p| p.rank);
        if rank > known || (rank == known && replaces_equal) {
            // A frame's path is relative to the package, a panic's to the
            // workspace: the longer one contains more.
            let relative = file.trim_start_matches("./");
            let file = match &self.place {
                Some(place) if place.file.ends_with(relative) => place.file.clone(),
                _ => relative.to_owned(),
            };
            self.place = Some(Place { file, line, rank });
        }
    }

    /// The test's own frame is more useful than the panic, unless the panic is
    /// in the same file.
    fn own_frame(&mut self, file: &str, line: u64) {
        let relative = file.trim_start_matches("./");
        let known = self.place.as_ref();
        if known.is_none_or(|place| !place.file.ends_with(relative)) {
            self.offer(file, line, Rank::OwnFrame, false);
        }
    }

    /// Whether the line belongs to the backtrace.
    fn frame(&mut self, printed: &str, test: &str) -> bool {
        let trimmed = printed.trim_start();
        let Backtrace::Inside { symbol } = &mut self.backtrace else {
            return false;
        };
        if let Some(place) = trimmed.strip_prefix("at ") {
            let Some(symbol) = symbol.take() else {
                return true;
            };
            if let Some((file, line, _)) = place::leading(place)
                && !is_foreign(file)
            {
                if self.rank >= Rank::Main && is_of_test(&symbol, test) {
                    self.own_frame(file, line);
                }
                self.push(&format!("   at {symbol} ({place})"));
            }
            return true;
        }
        if let Some((number, rest)) = trimmed.split_once(": ")
            && number.bytes().all(|b| b.is_ascii_digit())
            && printed.starts_with(' ')
        {
            // `RUST_BACKTRACE=full` puts an address before the symbol.
            let rest = match rest.split_once(" - ") {
                Some((address, rest)) if address.trim_start().starts_with("0x") => rest,
                _ => rest,
            };
            *symbol = Some(without_hash(rest.trim()).to_owned());
            return true;
        }
        false
    }

    fn note(&mut self, trimmed: &str) {
        if self.place_follows
            && let Some((_, place)) = trimmed.rsplit_once("', ")
            && let Some((file, line, "")) = place::leading(place)
        {
            self.place_follows = false;
            self.panicked_at(file, line);
        } else if let Some(place) = trimmed.strip_prefix("note: test did not panic as expected at ")
            && let Some((file, line, _)) = place::leading(place)
        {
            self.offer(file, line, Rank::Note, false);
        } else if let Some(place) = trimmed.strip_prefix("--> ")
            && let Some((file, line, _)) = place::leading(place)
        {
            self.offer(file, line, Rank::OwnFrame, false);
        } else if let Some(place) = trimmed.strip_prefix("Source: ")
            && let Some((file, line, _)) = place::leading(place)
        {
            self.offer(file, line, Rank::Note, false);
        }
    }
}

/// The first line of a panic's message.
pub(crate) struct Panic<'a> {
    pub(crate) thread: &'a str,
    place: Option<(&'a str, u64)>,
}

impl<'a> Panic<'a> {
    /// `thread 'x' (12) panicked at src/a.rs:1:2:`, and what older compilers
    /// print: no thread number; the message before the place.
    pub(crate) fn header(trimmed: &'a str) -> Option<Self> {
        let rest = trimmed.strip_prefix("thread '")?;
        let (thread, place) = rest.split_once(" panicked at ")?;
        let thread = thread
            .strip_suffix('\'')
            .or_else(|| thread.rsplit_once("' (").map(|(name, _)| name))?;
        let place = if place.starts_with('\'') {
            // The quoted message may end on a later line.
            place
                .rsplit_once("', ")
                .and_then(|(_, place)| place::leading(place))
        } else {
            place::leading(place)
        };
        Some(Self {
            thread,
            place: place.map(|(file, line, _)| (file, line)),
        })
    }
}

/// Gives failures without a place the file of other failures in the same module,
/// or the file of the target if the module is its root or its test module.
pub(crate) fn infer_files(failures: &mut [Failure], target: Option<&str>) {
    let known: Vec<(String, String)> = failures
        .iter()
        .filter_map(|f| Some((module(&f.name).to_owned(), f.file.clone()?)))
        .collect();
    for failure in failures {
        if failure.file.is_some() {
            continue;
        }
        let module = module(&failure.name);
        let neighbour = known.iter().find(|(other, _)| other == module);
        failure.file = match (neighbour, target) {
            (Some((_, file)), _) => Some(file.clone()),
            (None, Some(target)) if matches!(module, "" | "test" | "tests") => {
                Some(target.to_owned())
            }
            _ => continue,
        };
        failure.confidence = failure.confidence.min(Confidence::Medium);
    }
}

fn module(name: &str) -> &str {
    name.rsplit_once("::").map_or("", |(module, _)| module)
}

/// Returns the file and the line of `src/lib.rs - item (line 3)`.
fn doctest(name: &str) -> Option<(String, Option<u64>)> {
    let (file, rest) = name.split_once(" - ")?;
    let (_, line) = rest.rsplit_once("(line ")?;
    Some((file.trim().to_owned(), line.strip_suffix(')')?.parse().ok()))
}

/// Code that the project did not write.
fn is_foreign(file: &str) -> bool {
    file.starts_with("/rustc/")
        || file.starts_with("library/")
        || ["/.cargo/registry/", "/.cargo/git/", "/rustlib/src/"]
            .iter()
            .any(|part| file.contains(part))
}

fn is_of_test(symbol: &str, test: &str) -> bool {
    let symbol = symbol.trim_end_matches("::{{closure}}");
    symbol
        .strip_suffix(test)
        .is_some_and(|before| before.is_empty() || before.ends_with("::"))
}

/// Symbols of older compilers end in a hash: `a::b::h0123456789abcdef`.
fn without_hash(symbol: &str) -> &str {
    match symbol.rsplit_once("::h") {
        Some((path, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
            path
        }
        _ => symbol,
    }
}

fn is_noise(trimmed: &str) -> bool {
    trimmed.starts_with("note: run with `RUST_BACKTRACE=")
        || trimmed.starts_with("note: Run with `RUST_BACKTRACE=")
        || trimmed.starts_with("note: Some details are omitted, run with `RUST_BACKTRACE=")
}

#[cfg(test)]
mod tests {
    use super::{Panic, RustOutput};
    use crate::session::Failure;

    fn place(test: &str, lines: &[&str]) -> (Option<String>, Option<u64>) {
        let mut output = RustOutput::default();
        for line in lines {
            output.line(line, test);
        }
        let failure = output.explain(Failure::named(test));
        (failure.file, failure.line)
    }

    #[test]
    fn panic_headers_of_all_versions() {
        let header =
            |text| Panic::header(text).map(|p| (p.thread.to_owned(), p.place.map(|p| p.1)));
        assert_eq!(
            header("thread 'a::b' (77) panicked at src/a.rs:4:9:"),
            Some(("a::b".to_owned(), Some(4)))
        );
        assert_eq!(
            header("thread 'a' panicked at 'it's, broken', src/a.rs:5:1"),
            Some(("a".to_owned(), Some(5)))
        );
        assert_eq!(
            header("thread 'a' panicked at 'two"),
            Some(("a".to_owned(), None))
        );
        assert_eq!(header("thread 'a' has overflowed its stack"), None);
    }

    #[test]
    fn an_old_message_of_several_lines_ends_with_the_place() {
        assert_eq!(
            place(
                "t",
                &[
                    "thread 't' panicked at 'assertion failed: `(left == right)`",
                    "  left: `1`,",
                    " right: `2`', tests/a.rs:5:9",
                ]
            ),
            (Some("tests/a.rs".to_owned()), Some(5))
        );
    }

    #[test]
    fn the_tests_own_frame_is_the_place() {
        assert_eq!(
            place(
                "tests::reads",
                &[
                    "thread 'tests::reads' (1) panicked at core/src/file.rs:3:1:",
                    "gone",
                    "stack backtrace:",
                    "   0: file::open",
                    "             at ./src/file.rs:3:1",
                    "   1: app::tests::reads::h0123456789abcdef",
                    "             at ./src/lib.rs:40:5",
                    "   2: app::tests::reads::{{closure}}",
                    "             at ./src/lib.rs:38:5",
                ]
            ),
            (Some("src/lib.rs".to_owned()), Some(40))
        );
    }

    #[test]
    fn a_worker_is_the_place_only_when_nothing_better_is() {
        let worker = "thread 'worker' panicked at src/a.rs:3:1:";
        let own = "thread 't' panicked at src/a.rs:9:1:";
        assert_eq!(place("t", &[worker, own]).1, Some(9));
        assert_eq!(place("t", &[own, worker]).1, Some(9));
        assert_eq!(place("t", &[worker]).1, Some(3));
    }
}
