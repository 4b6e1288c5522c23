//! Reads `node:test`: the spec and dot reporters. Its TAP is read as TAP.

use std::collections::{HashMap, VecDeque};

use baton_protocol::Confidence;

use super::Tool;
use crate::excerpt::Excerpt;
use crate::place::{looks_like_a_file, same_file};
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::javascript::{Frames, assume_only_file, located};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool =
    Tool::text::<NodeTest>(&["✖ ", "✔ ", "▶ ", "﹣ ", "ℹ tests ", "Failed tests:"], &[]);

#[derive(Default)]
struct NodeTest {
    session: Option<Session>,
    state: State,
    tree: Tree,
    has_summary: bool,
    /// Where the failures of each test outside of suites begin.
    roots: Vec<usize>,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// Within `ℹ tests 12`, `ℹ pass 3`, ….
    Counting,
    /// Below `✖ failing tests:` or `Failed tests:`; the place is that of the
    /// next failure.
    Listing {
        place: Option<(String, u64)>,
    },
    Failure(Box<Block>),
}

struct Block {
    name: String,
    /// Where the test begins.
    place: Option<(String, u64)>,
    error: Excerpt,
    frames: Frames,
    is_titled: bool,
    /// How many of its subtests failed, which are reported instead.
    failed_subtests: usize,
}

/// The results in order, which contain the full names: the list of failures has
/// only the last part.
#[derive(Default)]
struct Tree {
    /// Open suites: indentation, name, whether a test in it failed.
    open: Vec<(usize, String, bool)>,
    /// From `name (12.3ms)` to the full names of such tests, in order.
    failed: HashMap<String, VecDeque<String>>,
    /// The number of names added so far.
    remembered: usize,
    /// Full names of failed tests that have no failed subtests.
    leaves: Vec<String>,
    passed: u64,
    skipped: u64,
}

impl TextReader for NodeTest {
    fn awake(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if let State::Listing { .. } | State::Failure(_) = self.state {
            self.explain(text, sessions);
        } else if text == "✖ failing tests:" || text == "Failed tests:" {
            self.session(line.number);
            self.state = State::Listing { place: None };
        } else if let Some(summary) = text.strip_prefix("ℹ ") {
            self.count(summary, line.number);
        } else if let State::Counting = self.state {
            if !text.is_empty() {
                self.end(sessions);
            }
        } else if self.tree.see(text) {
            self.session(line.number);
        }
        self.session.reach(line.number);
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_failure();
        if let Some(mut session) = self.session.take() {
            if !self.has_summary {
                self.stand_in(&mut session);
                assume_only_file(&mut session.failures);
            }
            if self.has_summary || session.failed() {
                sessions.push(session);
            }
        }
        *self = Self::default();
    }
}

impl NodeTest {
    fn session(&mut self, number: u64) -> &mut Session {
        self.session.begin("node-test", number)
    }

    fn count(&mut self, text: &str, number: u64) {
        let Some((label, value)) = text.split_once(' ') else {
            return;
        };
        if label == "tests" {
            self.state = State::Counting;
            self.has_summary = true;
        }
        let Ok(value) = value.trim().parse::<u64>() else {
            return;
        };
        let has_summary = self.has_summary;
        let session = self.session(number);
        if has_summary {
            session.evidence = Evidence::Complete;
        }
        let counts = &mut session.counts;
        match label {
            "pass" => counts.passed = value,
            // A test that was cancelled, by its own timeout or its parent's end,
            // has not passed.
            "fail" | "cancelled" => counts.failed = counts.failed.saturating_add(value),
            "skipped" | "todo" => counts.skipped = counts.skipped.saturating_add(value),
            _ => return,
        }
        counts.run = counts.passed.saturating_add(counts.failed);
    }

    /// A line in the list of failures.
    fn explain(&mut self, text: &str, sessions: &mut Sessions) {
        if let Some(place) = text.strip_prefix("test at ") {
            self.close_failure();
            let place = located(place);
            self.state = State::Listing { place };
        } else if let Some(title) = text.strip_prefix("✖ ") {
            let place = match &mut self.state {
                State::Listing { place } => place.take(),
                _ => None,
            };
            self.close_failure();
            self.state = if is_excused(title) {
                State::Listing { place: None }
            } else {
                let full = self.tree.full_name(title);
                State::Failure(Box::new(Block::new(title, full, place)))
            };
        } else if text.starts_with("⚠ ") {
            self.close_failure();
        } else if text.is_empty() || text.starts_with(' ') {
            if let State::Failure(block) = &mut self.state {
                block.push(text);
            }
        } else if let State::Failure(block) = &mut self.state
            && block.takes_title(text)
        {
        } else if !text.starts_with("ℹ ") {
            self.end(sessions);
        }
    }

    fn close_failure(&mut self) {
        if let State::Failure(block) = &mut self.state
            && let Some(session) = &mut self.session
        {
            if block.failed_subtests == 0 {
                self.roots.push(session.failures.len());
                session.add(block.failure());
            } else if self.tree.remembered == 0 {
                adopt(session, &mut self.roots, block);
            }
            self.state = State::Listing { place: None };
        }
    }

    /// Without a summary, only the listed results are known.
    fn stand_in(&mut self, session: &mut Session) {
        if session.failures.is_empty() {
            for name in std::mem::take(&mut self.tree.leaves) {
                session.add(Failure::named(name).sure(Confidence::Medium));
            }
        }
        session.counts.failed = session.failures.len() as u64;
        session.counts.passed = self.tree.passed;
        session.counts.skipped = self.tree.skipped;
        session.counts.run = session.counts.failed + session.counts.passed;
    }
}

impl Block {
    fn new(title: &str, full: Option<String>, place: Option<(String, u64)>) -> Self {
        Self {
            is_titled: duration(title).is_some(),
            name: full.unwrap_or_else(|| untimed(title).to_owned()),
            frames: Frames::for_test_file(place.as_ref().map(|(file, _)| file.as_str())),
            place,
            error: Excerpt::default(),
            failed_subtests: 0,
        }
    }

    /// The rest of a name of several lines; its time comes last.
    fn takes_title(&mut self, text: &str) -> bool {
        let takes = !self.is_titled && self.error.is_empty() && self.name.len() < 1_000;
        if takes {
            self.name.push(' ');
            self.name.push_str(untimed(text));
            self.is_titled = duration(text).is_some();
        }
        takes
    }

    fn push(&mut self, text: &str) {
        if self.error.is_empty() {
            if text.is_empty() {
                return;
            }
            // The subtests are listed on their own.
            self.failed_subtests = failed_subtests(text).unwrap_or(0);
        }
        self.error.push(text);
        self.frames.see(text);
    }

    fn failure(&mut self) -> Failure {
        let error = self.error.take();
        let name = std::mem::take(&mut self.name);
        let failure = |name: String| Failure::named(name).because(error.as_str());
        let Some((file, begins)) = self.place.take() else {
            // The dot reporter prints no places.
            return match self.frames.place() {
                Some((file, line)) => failure(name).at(file, Some(*line)),
                None if looks_like_a_file(&name) => failure(name.clone()).at(name, None),
                None => failure(name),
            };
        };
        if same_file(&name, &file) {
            // The file could not be loaded, or it ended the process.
            return failure(file.clone()).at(file, None);
        }
        let line = self.frames.line_in_test().unwrap_or(begins);
        failure(name).at(file, Some(line))
    }
}

impl Tree {
    /// Returns whether the line belongs to the tree.
    fn see(&mut self, text: &str) -> bool {
        /// Enough for every real run.
        const MAX_TESTS: usize = 10_000;
        let rest = text.trim_start_matches(' ');
        let indent = text.len() - rest.len();
        let Some((mark, title)) = rest.split_once(' ') else {
            return false;
        };
        let closed = self.close(indent);
        match mark {
            "▶" if duration(title).is_none() && self.open.len() < MAX_TESTS => {
                self.open.push((indent, title.to_owned(), false));
                return true;
            }
            "✔" if closed.is_none() => self.passed += 1,
            "﹣" => self.skipped += 1,
            "✖" | "⚠" if is_excused(title) => self.skipped += 1,
            "✖" if self.remembered < MAX_TESTS => {
                self.remembered += 1;
                let full = self.under_open(untimed(title));
                if let Some((_, _, has_failed)) = self.open.last_mut() {
                    *has_failed = true;
                }
                if closed != Some(true) && is_fractional(title) {
                    self.leaves.push(full.clone());
                }
                self.failed
                    .entry(title.to_owned())
                    .or_default()
                    .push_back(full);
            }
            _ => {}
        }
        is_fractional(title)
    }

    /// Closes suites that cannot contain a line with this indentation. Returns
    /// whether a test failed in the suite that the line ends.
    fn close(&mut self, indent: usize) -> Option<bool> {
        let mut closed = None;
        while let Some((_, _, has_failed)) = self.open.pop_if(|(at, _, _)| *at >= indent) {
            closed = Some(has_failed);
        }
        closed
    }

    fn under_open(&self, name: &str) -> String {
        let mut full = String::new();
        for (_, title, _) in &self.open {
            full.push_str(title);
            full.push_str(" > ");
        }
        full + name
    }

    fn full_name(&mut self, title: &str) -> Option<String> {
        self.failed.get_mut(title)?.pop_front()
    }
}

/// The dot reporter prints no tree: a suite follows those of its tests that
/// failed, and tells their number.
fn adopt(session: &mut Session, roots: &mut Vec<usize>, suite: &Block) {
    let first = roots.len().saturating_sub(suite.failed_subtests);
    let Some(&begin) = roots.get(first) else {
        return;
    };
    for failure in session.failures.iter_mut().skip(begin) {
        failure.name = format!("{} > {}", suite.name, failure.name);
    }
    roots.truncate(first + 1);
}

/// `'2 subtests failed'`
fn failed_subtests(text: &str) -> Option<usize> {
    let text = text.trim().trim_matches('\'');
    let number = text
        .strip_suffix(" subtests failed")
        .or_else(|| text.strip_suffix(" subtest failed"))?;
    number.parse().ok()
}

fn is_excused(title: &str) -> bool {
    duration(title).is_some_and(|(_, rest)| rest.starts_with(" # "))
        || title.ends_with("# TODO")
        || title.ends_with("# SKIP")
}

/// Node prints fractional times; other tools that use its marks round theirs.
fn is_fractional(title: &str) -> bool {
    duration(title).is_some()
        && title
            .rsplit(" (")
            .next()
            .is_some_and(|time| time.contains('.'))
}

/// `name (12.3456ms) # TODO`: the name, and the text after the time.
fn duration(title: &str) -> Option<(&str, &str)> {
    let (before, rest) = title.rsplit_once("ms)")?;
    let (name, time) = before.rsplit_once(" (")?;
    let is_time = time.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    is_time.then_some((name, rest))
}

fn untimed(title: &str) -> &str {
    duration(title).map_or(title, |(name, _)| name)
}
