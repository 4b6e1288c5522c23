//! Tracks one run of pytest, line by line.

use super::FRAMEWORK;
use super::block::{Block, OpenBlock};
use super::crash::Crash;
use super::progress::Progress;
use super::rule::{self, Rule};
use super::signs;
use super::summary::{self, Entry, Reading};
use super::totals::{self, Totals};
use super::verdict;
use crate::excerpt::Excerpt;
use crate::place;
use crate::session::Session;
use crate::text::Line;

/// As many failures as a session keeps.
const MAX_FAILURES: usize = 10_000;

pub(super) struct Run {
    pub(super) session: Session,
    pub(super) beginning: Beginning,
    pub(super) totals: Option<Totals>,
    pub(super) progress: Progress,
    pub(super) blocks: Vec<Block>,
    /// With `--tb=line`, failures have a place but no title.
    pub(super) places: Vec<Place>,
    pub(super) entries: Vec<(Entry, Excerpt)>,
    pub(super) crash: Option<Crash>,
    /// pytest stopped for a reason other than a failing test.
    pub(super) stopped: bool,
    /// A shell, or xdist, reported that a process died.
    pub(super) killed: bool,
    block: Option<OpenBlock>,
    phase: Phase,
    /// Inside a test's own output while failures have no block, with
    /// `--tb=line`.
    captured: bool,
    width: Option<usize>,
    /// Runs within runs: tests of pytest plugins print whole reports.
    nested: u32,
    /// The last line that would end a quiet run, unless a test printed it.
    doubtful: Option<Totals>,
    /// Lines since pytest's output was last recognised.
    idle: u32,
}

/// How the run was recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// Quiet runs have no first line.
    Unseen,
    Header,
    /// pytest-sugar, which prints FAILED for errors too.
    Sugar,
    /// It could not even load its `conftest.py`.
    Conftest,
}

/// A line of `--tb=line`.
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: u64,
    pub(super) message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Progress,
    Failures,
    /// Warnings, durations, coverage, the output of passing tests.
    Elsewhere,
    Summary,
    /// pytest-sugar's last lines.
    Results,
    Conftest,
}

/// Whether the run continues after a line.
pub(super) enum Next {
    Goes,
    Ended,
    EndedBefore,
}

impl Run {
    pub(super) fn headless(number: u64) -> Self {
        Self {
            session: Session::new(FRAMEWORK, number),
            beginning: Beginning::Unseen,
            totals: None,
            progress: Progress::default(),
            blocks: Vec::new(),
            places: Vec::new(),
            entries: Vec::new(),
            crash: None,
            stopped: false,
            killed: false,
            block: None,
            phase: Phase::Progress,
            captured: false,
            width: None,
            nested: 0,
            doubtful: None,
            idle: 0,
        }
    }

    pub(super) fn with_header(line: Line<'_>) -> Self {
        let width = line.text.starts_with('=').then(|| rule::width(line.text));
        Self {
            beginning: match width {
                Some(_) => Beginning::Header,
                None => Beginning::Sugar,
            },
            width,
            ..Self::headless(line.number)
        }
    }

    pub(super) fn for_conftest(path: &str, number: u64) -> Self {
        Self {
            block: Some(OpenBlock::new(&format!("ERROR collecting {path}"))),
            phase: Phase::Conftest,
            beginning: Beginning::Conftest,
            ..Self::headless(number)
        }
    }

    /// The first line of the run was seen.
    pub(super) fn has_header(&self) -> bool {
        matches!(self.beginning, Beginning::Header | Beginning::Sugar)
    }

    pub(super) fn has_totals(&self) -> bool {
        self.totals.is_some()
    }

    /// Whether the current lines are a test's own output.
    pub(super) fn in_test_output(&self) -> bool {
        self.phase == Phase::Elsewhere
            || self.nested > 0
            || self.captured
            || self.block.as_ref().is_some_and(OpenBlock::captured)
    }

    pub(super) fn finish(mut self) -> Option<Session> {
        self.close_block();
        if let Some(crash) = &mut self.crash {
            crash.close();
        }
        if self.totals.is_none() {
            self.totals = self.doubtful;
        }
        verdict::judge(self)
    }

    pub(super) fn line(&mut self, line: Line<'_>) -> Next {
        let text = line.text;
        let rule = rule::read(text, self.width);
        if self.nested > 0 || self.is_nested_start(rule) {
            self.skip_nested(rule);
            return Next::Goes;
        }
        let next = match rule {
            Some(Rule::Section(title)) => self.section(title, text),
            Some(Rule::Block(title)) if self.may_open_block() => {
                self.width.get_or_insert_with(|| rule::width(text));
                self.open_block(title);
                Next::Goes
            }
            Some(Rule::Alarm(title)) if !self.in_test_output() => {
                self.alarm(title);
                Next::Goes
            }
            Some(rule) => {
                match &mut self.block {
                    Some(block) => block.rule(rule),
                    None => {
                        self.captured |= rule == Rule::Captured && self.phase == Phase::Failures;
                    }
                }
                Next::Goes
            }
            None => self.text(text),
        };
        if !matches!(next, Next::EndedBefore) {
            self.session.lines.1 = line.number;
        }
        next
    }

    fn section(&mut self, title: &str, text: &str) -> Next {
        self.idle = 0;
        self.width.get_or_insert_with(|| rule::width(text));
        if let Some(totals) = totals::read(title) {
            self.totals = Some(totals);
            return Next::Ended;
        }
        self.close_block();
        self.captured = false;
        self.phase = match title {
            "FAILURES" | "ERRORS" => Phase::Failures,
            "short test summary info" => Phase::Summary,
            _ => Phase::Elsewhere,
        };
        Next::Goes
    }

    fn text(&mut self, text: &str) -> Next {
        if let Some(totals) = self.quiet_totals(text) {
            if self.in_test_output() {
                self.doubtful = Some(totals);
                return Next::Goes;
            }
            self.totals = Some(totals);
            return Next::Ended;
        }
        if signs::is_coverage_failure(text) {
            self.stopped = true;
        }
        match self.phase {
            Phase::Progress => self.running(text),
            Phase::Failures => {
                match &mut self.block {
                    Some(block) => block.line(text),
                    None => self.place(text),
                }
                Next::Goes
            }
            Phase::Summary => self.summary(text),
            Phase::Results => self.result(text),
            Phase::Conftest => self.conftest(text),
            Phase::Elsewhere => self.idly(),
        }
    }

    /// Without a header, the last line has no rule either.
    fn quiet_totals(&self, text: &str) -> Option<Totals> {
        let may = !self.has_header() && text.starts_with(|c: char| c.is_ascii_digit() || c == 'n');
        may.then(|| totals::read(text)).flatten()
    }

    fn running(&mut self, text: &str) -> Next {
        if let Some(crash) = &mut self.crash
            && crash.line(text)
        {
            return Next::Goes;
        }
        if let Some((before, crash)) = Crash::begin(text) {
            // A timeout's stacks have this line before and after them.
            if self.crash.is_none() {
                self.progress.line(before);
                self.crash = Some(crash);
            }
            return Next::Goes;
        }
        if text.starts_with("INTERNALERROR>") {
            self.stopped = true;
        } else if signs::is_killed(text) {
            self.killed = true;
        } else if signs::is_results(text) {
            self.close_block();
            self.phase = Phase::Results;
        } else if let Some(block) = &mut self.block {
            // A plugin prints failures as they happen.
            if signs::is_progress(text) {
                self.close_block();
            } else {
                block.line(text);
            }
            return Next::Goes;
        }
        self.progress.line(text);
        if text.ends_with("%]") {
            self.idle = 0;
        }
        self.idly()
    }

    fn place(&mut self, text: &str) {
        if let Some((file, line, rest)) = place::leading(text)
            && !text.starts_with(' ')
            && let Some(message) = rest.strip_prefix(": ")
            && place::looks_like_a_file(file)
            && self.places.len() < MAX_FAILURES
        {
            self.captured = false;
            self.places.push(Place {
                file: file.to_owned(),
                line,
                message: message.to_owned(),
            });
        }
    }

    fn summary(&mut self, text: &str) -> Next {
        if signs::is_results(text) {
            self.phase = Phase::Results;
            return Next::Goes;
        }
        match summary::read(text) {
            Reading::Failure(entry) => {
                self.idle = 0;
                if self.entries.len() < MAX_FAILURES {
                    self.entries.push((entry, Excerpt::default()));
                }
            }
            Reading::Other => self.idle = 0,
            Reading::Text => {
                if let Some((_, more)) = self.entries.last_mut() {
                    more.push(text);
                }
                return self.idly();
            }
        }
        Next::Goes
    }

    /// `       8 passed`
    fn result(&mut self, text: &str) -> Next {
        let totals = self.totals.get_or_insert_default();
        let text = text.trim_start();
        if text.is_empty() || text.starts_with("- ") {
            return Next::Goes;
        }
        if let Some((number, label)) = text.split_once(' ')
            && let Ok(number) = number.parse()
            && totals::add(number, label, &mut totals.counts)
        {
            return Next::Goes;
        }
        Next::EndedBefore
    }

    fn conftest(&mut self, text: &str) -> Next {
        let goes_on = text.starts_with([' ', 'E', '<', '>'])
            || text.is_empty()
            || place::leading(text).is_some_and(|(_, _, rest)| rest.starts_with(": in "));
        match &mut self.block {
            Some(block) if goes_on => {
                block.line(text);
                Next::Goes
            }
            _ => Next::EndedBefore,
        }
    }

    /// Counts lines that are not recognised. After too many, it was not a run,
    /// or it ended without a last line.
    fn idly(&mut self) -> Next {
        const MAX_IDLE_LINES: u32 = 20_000;
        self.idle += 1;
        if self.idle > MAX_IDLE_LINES && !self.has_header() {
            return Next::EndedBefore;
        }
        Next::Goes
    }

    fn alarm(&mut self, title: &str) {
        self.close_block();
        // These two follow from failures that are listed.
        if !title.contains("stopping after") && !title.contains("during collection") {
            self.stopped = true;
        }
        self.phase = Phase::Elsewhere;
    }

    /// Failures are printed in their sections or, by plugins, as they happen.
    fn may_open_block(&self) -> bool {
        matches!(self.phase, Phase::Failures | Phase::Progress)
    }

    fn open_block(&mut self, title: &str) {
        self.close_block();
        self.block = Some(OpenBlock::new(title));
    }

    fn close_block(&mut self) {
        if let Some(block) = self.block.take()
            && self.blocks.len() < MAX_FAILURES
        {
            self.blocks.push(block.close());
        }
    }

    fn is_nested_start(&self, rule: Option<Rule<'_>>) -> bool {
        rule == Some(Rule::Section("test session starts")) && self.in_test_output()
    }

    fn skip_nested(&mut self, rule: Option<Rule<'_>>) {
        match rule {
            Some(Rule::Section("test session starts")) => self.nested += 1,
            Some(Rule::Section(title)) if totals::read(title).is_some() => self.nested -= 1,
            _ => {}
        }
    }
}
