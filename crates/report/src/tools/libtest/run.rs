//! Reads the report of one test binary, from `running 3 tests` to
//! `test result:`.

use memchr::memmem;

use crate::session::{Evidence, Failure, Session};
use crate::text::Line;

use super::FRAMEWORK;
use crate::stack::rust::{Panic, RustOutput};

/// Blocks and names kept per binary; more failures are not useful.
const MAX_FAILURES: usize = 5_000;
/// Panics printed between the progress lines, kept until they can be matched to
/// a failure.
const MAX_LOOSE_PANICS: usize = 500;

pub(super) struct Run {
    session: Session,
    planned: u64,
    section: Section,
    /// Results of the progress lines, for runs that do not end.
    passed: u64,
    ignored: u64,
    failed: Vec<String>,
    /// `test x ... ` without a verdict yet: its output is being read, or it
    /// crashed.
    pending: Option<String>,
    /// The thread whose stack overflowed.
    overflowed: Option<String>,
    blocks: Vec<(String, RustOutput)>,
    /// Output of tests outside of blocks, with `--nocapture`.
    loose: Vec<(String, RustOutput)>,
    /// The names below the last `failures:`.
    listed: Vec<String>,
}

/// The current part of the report. A test may print anything, even a whole
/// report of this kind, so nothing is final before a result that fits the number
/// of tests.
enum Section {
    Progress,
    /// Inside a block of `failures:`, the last of `blocks`.
    Block,
    /// Output of tests that passed.
    Successes,
    /// Below `failures:`. A block may still be open if it printed that line.
    List {
        in_block: bool,
    },
}

/// What a line turned out to be.
pub(super) enum Step {
    Goes,
    /// The result was seen.
    Reported,
    /// A line of cargo that is not part of a report.
    Foreign,
}

impl Run {
    pub(super) fn new(number: u64, planned: u64) -> Self {
        Self {
            session: Session::new(FRAMEWORK, number),
            planned,
            section: Section::Progress,
            passed: 0,
            ignored: 0,
            failed: Vec::new(),
            pending: None,
            overflowed: None,
            blocks: Vec::new(),
            loose: Vec::new(),
            listed: Vec::new(),
        }
    }

    pub(super) fn line(&mut self, line: Line<'_>) -> Step {
        let text = line.text;
        if cargo_error(text).is_some() || self.another_target(text) {
            return Step::Foreign;
        }
        self.session.lines.1 = line.number;
        if self.result(text) {
            return Step::Reported;
        }
        match text {
            "failures:" => {
                self.listed.clear();
                let in_block = matches!(
                    self.section,
                    Section::Block | Section::List { in_block: true }
                );
                self.section = Section::List { in_block };
                return Step::Goes;
            }
            "successes:" if !matches!(self.section, Section::Block) => {
                self.section = Section::Successes;
                return Step::Goes;
            }
            _ => {}
        }
        match self.section {
            Section::Progress => self.progress(text),
            Section::Block => self.in_block(text),
            Section::Successes => {}
            Section::List { in_block } => self.in_list(text, in_block),
        }
        Step::Goes
    }

    /// Ends the report. Without a result, it was truncated.
    pub(super) fn into_session(mut self) -> Session {
        let reported = self.session.evidence == Evidence::Complete;
        let names = if reported {
            std::mem::take(&mut self.listed)
        } else {
            self.session.counts.passed = self.passed;
            self.session.counts.skipped = self.ignored;
            self.session.counts.failed = self.failed.len() as u64;
            self.session.counts.run = self.passed + self.session.counts.failed;
            std::mem::take(&mut self.failed)
        };
        for name in names {
            let failure = self.explained(&name);
            self.session.add(failure);
        }
        self.session
    }

    /// The process ended during the report. `pending` is the running test.
    pub(super) fn died(mut self, pending: Option<&str>, number: u64) -> (Session, Failure) {
        self.session.lines.1 = number;
        // An overflow is reported with the name of its thread; what is pending
        // may run beside it.
        let name = self
            .overflowed
            .take()
            .or_else(|| pending.map(str::to_owned))
            .or_else(|| self.pending.take())
            .or_else(|| {
                // A thread that is not named after a test does not identify one.
                let (thread, _) = self.loose.last()?;
                (thread != "main" && thread != "<unnamed>").then(|| thread.clone())
            });
        let failure = match &name {
            Some(name) => self.explained(name),
            None => Failure::named("process didn't exit successfully"),
        };
        let mut session = self.into_session();
        session.evidence = Evidence::Complete;
        (session, failure)
    }

    fn explained(&self, name: &str) -> Failure {
        let find = |outputs: &[(String, RustOutput)]| {
            let found = outputs.iter().rev().find(|(of, _)| of == name);
            found.map(|(_, output)| output.clone())
        };
        let failure = Failure::named(name);
        let block = find(&self.blocks).map(|output| output.explain(failure.clone()));
        let loose = find(&self.loose).map(|output| output.explain(failure.clone()));
        match (block, loose) {
            // With `--nocapture`, the block holds only the harness's note.
            (Some(block), Some(loose)) if block.line.is_none() => Failure {
                error: format!("{}\n{}", loose.error, block.error),
                ..loose
            },
            (Some(failure), _) | (None, Some(failure)) => failure,
            (None, None) => RustOutput::default().explain(failure),
        }
    }

    /// Cargo prints `Running tests/a.rs (target/…)` at a fixed indentation.
    fn another_target(&self, text: &str) -> bool {
        !matches!(self.section, Section::Block)
            && (text.starts_with("     Running ") || text.starts_with("   Doc-tests "))
            || (matches!(self.section, Section::Progress) && planned(text).is_some())
    }

    fn progress(&mut self, text: &str) {
        if let Some((name, verdict)) = progress_line(text) {
            self.pending = None;
            if !self.verdict(name, verdict) {
                self.pending = Some(name.to_owned());
                // With `--nocapture`, the output begins on the same line.
                self.loose_line(verdict);
            }
        } else if let Some(name) = text.strip_suffix(" --- FAILED") {
            self.keep_failed(name);
        } else if let Some(name) = self.pending.take() {
            if !self.verdict(&name, text) {
                self.pending = Some(name);
                self.loose_line(text);
            }
        } else {
            self.loose_line(text);
        }
    }

    /// Whether the text is a verdict.
    fn verdict(&mut self, name: &str, verdict: &str) -> bool {
        let word = verdict.split([' ', ',']).next().unwrap_or_default();
        match word {
            "ok" | "bench:" => self.passed += 1,
            "FAILED" => self.keep_failed(name),
            "ignored" => self.ignored += 1,
            _ => return false,
        }
        true
    }

    fn keep_failed(&mut self, name: &str) {
        if self.failed.len() < MAX_FAILURES {
            self.failed.push(name.to_owned());
        }
    }

    /// Output outside of blocks: a panic begins the explanation of its test.
    fn loose_line(&mut self, text: &str) {
        let trimmed = text.trim_start();
        let overflowed = trimmed
            .strip_suffix("' has overflowed its stack")
            .or_else(|| {
                Some(
                    trimmed
                        .strip_suffix(" has overflowed its stack")?
                        .rsplit_once("' (")?
                        .0,
                )
            })
            .and_then(|rest| rest.strip_prefix("thread '"));
        if let Some(thread) = overflowed
            && !matches!(thread, "main" | "<unnamed>" | "<unknown>")
        {
            self.overflowed = Some(thread.to_owned());
        }
        let thread = Panic::header(trimmed)
            .map(|panic| panic.thread)
            .or(overflowed);
        let owner = match (&self.pending, thread) {
            (Some(pending), _) => Some(pending.as_str()),
            (None, Some(thread)) => Some(thread),
            (None, None) => None,
        };
        let is_last = |name: &str| self.loose.last().is_some_and(|(last, _)| last == name);
        if let Some(owner) = owner
            && !is_last(owner)
            && self.loose.len() < MAX_LOOSE_PANICS
        {
            self.loose.push((owner.to_owned(), RustOutput::default()));
        }
        if let Some((name, output)) = self.loose.last_mut() {
            output.line(text, name);
        }
    }

    fn in_block(&mut self, text: &str) {
        if let Some(name) = self.block_header(text, true) {
            self.open_block(&name);
        } else if let Some((name, output)) = self.blocks.last_mut() {
            output.line(text, name);
        }
    }

    fn in_list(&mut self, text: &str, in_block: bool) {
        if text.is_empty() {
            return;
        }
        if let Some(name) = self.block_header(text, in_block) {
            self.open_block(&name);
        } else if let Some(name) = text.strip_prefix("    ")
            && !name.starts_with(' ')
        {
            if self.listed.len() < MAX_FAILURES {
                self.listed.push(name.to_owned());
            }
        } else {
            // A test had printed that line.
            self.listed.clear();
            if in_block {
                self.section = Section::Block;
                self.in_block(text);
            } else {
                self.section = Section::Progress;
                self.progress(text);
            }
        }
    }

    fn open_block(&mut self, name: &str) {
        self.section = Section::Block;
        if self.blocks.len() < MAX_FAILURES {
            self.blocks.push((name.to_owned(), RustOutput::default()));
        }
    }

    /// `---- x stdout ----`. Inside a block, only for tests known to have
    /// failed, because a test may print such a line.
    fn block_header(&self, text: &str, in_block: bool) -> Option<String> {
        let name = text.strip_prefix("---- ")?.strip_suffix(" ----")?;
        let name = name.strip_suffix(" stdout").unwrap_or(name);
        let quoted = in_block && !self.failed.is_empty() && !self.failed.iter().any(|f| f == name);
        (!quoted).then(|| name.to_owned())
    }

    /// Whether the line is this run's result.
    fn result(&mut self, text: &str) -> bool {
        let Some(rest) = text.strip_prefix("test result: ") else {
            return false;
        };
        let count = |label| {
            let before = rest
                .split(label)
                .next()
                .filter(|part| part.len() < rest.len());
            let number = before.and_then(|part| part.rsplit(' ').next());
            number.and_then(|n| n.parse::<u64>().ok()).unwrap_or(0)
        };
        let (passed, failed) = (count(" passed;"), count(" failed;"));
        let (ignored, measured) = (count(" ignored;"), count(" measured;"));
        let total = [passed, failed, ignored, measured]
            .iter()
            .fold(0u64, |sum, n| sum.saturating_add(*n));
        if total != self.planned {
            self.listed.clear();
            return false;
        }
        let counts = &mut self.session.counts;
        counts.passed = passed + measured;
        counts.failed = failed;
        counts.skipped = ignored;
        counts.run = counts.passed + failed;
        self.session.evidence = Evidence::Complete;
        true
    }
}

/// `running 3 tests`
pub(super) fn planned(text: &str) -> Option<u64> {
    let (count, word) = text.strip_prefix("running ")?.split_once(' ')?;
    if word != "test" && word != "tests" {
        return None;
    }
    count.parse().ok()
}

/// `error: test failed, to rerun pass …`: the arguments to pass, and the test
/// whose unfinished line contains it.
pub(super) fn cargo_error(text: &str) -> Option<(Option<&str>, &str)> {
    const KINDS: [&str; 3] = [
        "error: test failed, to rerun ",
        "error: doctest failed, to rerun ",
        "error: bench failed, to rerun ",
    ];
    let (pending, message) = match progress_line(text) {
        Some((name, rest)) => (Some(name), rest),
        None => (None, text),
    };
    let rest = KINDS.iter().find_map(|kind| message.strip_prefix(kind))?;
    Some((pending, rest.strip_prefix("pass ").unwrap_or(rest)))
}

/// Returns the name and the text after the dots of
/// `test a::b - should panic ... ok`.
fn progress_line(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("test ")?;
    let (name, verdict) = match memmem::find(rest.as_bytes(), b" ... ") {
        Some(at) => (rest.get(..at)?, rest.get(at + 5..)?),
        None => (rest.strip_suffix(" ...")?, ""),
    };
    let name = [" - should panic", " - compile fail", " - compile"]
        .iter()
        .find_map(|note| name.strip_suffix(note))
        .unwrap_or(name);
    Some((name, verdict))
}
