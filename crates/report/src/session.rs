//! Defines what a format reports about one run of its framework.

use baton_protocol::Confidence;
use baton_protocol::report::Counts;

use crate::excerpt;

/// One run of one framework, compiler or linter, as far as its output shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Session {
    /// The framework's name, as in `framework` of the report.
    pub(crate) framework: &'static str,
    /// The lines it spans, first and last.
    pub(crate) lines: (u64, u64),
    pub(crate) kind: Kind,
    pub(crate) evidence: Evidence,
    pub(crate) counts: Counts,
    pub(crate) failures: Vec<Failure>,
    /// The session failed although no test is counted as failed: a crash, a
    /// usage error, a file that could not be loaded.
    pub(crate) broke: bool,
    /// A report for machines within a log: its runner may have printed the same
    /// for people.
    pub(crate) is_report: bool,
}

/// What a session is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Tests,
    /// A compiler, type checker or linter: its failures are diagnostics.
    Diagnostics,
}

/// How certain it is that this framework really ran here. When sessions of two
/// formats overlap, the better proven one explains the lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Evidence {
    /// Lines that look like it, but no summary: truncated, or quoted by another
    /// program.
    #[default]
    Fragment,
    /// Its own summary was seen.
    Summary,
    /// Both its beginning and its summary were seen.
    Complete,
}

/// One failure, before the error text is cut to size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) name: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u64>,
    pub(crate) error: String,
    pub(crate) confidence: Confidence,
}

/// Saturates, because a document may contain any numbers.
pub(crate) fn counts(passed: u64, failed: u64, errors: u64, skipped: u64) -> Counts {
    Counts {
        run: passed.saturating_add(failed).saturating_add(errors),
        passed,
        failed,
        skipped,
        errors,
    }
}

impl Failure {
    pub(crate) fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            file: None,
            line: None,
            error: String::new(),
            confidence: Confidence::High,
        }
    }

    #[must_use]
    pub(crate) fn at(mut self, file: impl Into<String>, line: Option<u64>) -> Self {
        self.file = Some(file.into());
        self.line = line;
        self
    }

    /// Where it was found, if it was.
    #[must_use]
    pub(crate) fn at_place(self, place: Option<(impl Into<String>, u64)>) -> Self {
        match place {
            Some((file, line)) => self.at(file, Some(line)),
            None => self,
        }
    }

    #[must_use]
    pub(crate) fn because(mut self, error: impl AsRef<str>) -> Self {
        self.error = excerpt::cut(error.as_ref());
        self
    }

    /// Its size in memory.
    pub(crate) fn bytes(&self) -> usize {
        let file = self.file.as_ref().map_or(0, String::len);
        size_of::<Self>() + self.name.len() + file + self.error.len()
    }

    #[must_use]
    pub(crate) fn sure(mut self, confidence: Confidence) -> Self {
        self.confidence = confidence;
        self
    }
}

/// The session that a reader is in, if any.
pub(crate) trait OpenSession {
    fn begin(&mut self, framework: &'static str, line: u64) -> &mut Session;

    fn begin_diagnostics(&mut self, tool: &'static str, line: u64) -> &mut Session;

    /// The session spans this line, too.
    fn reach(&mut self, line: u64);

    fn add(&mut self, failure: Failure);

    /// The session is over.
    fn close(&mut self, sessions: &mut Sessions);

    /// The session is over. It counts only if something failed; no tests failed
    /// in it.
    fn close_broken(&mut self, sessions: &mut Sessions);

    /// The session was truncated before its summary: only the failures that it
    /// listed are known.
    fn close_truncated(&mut self, sessions: &mut Sessions);
}

impl OpenSession for Option<Session> {
    fn begin(&mut self, framework: &'static str, line: u64) -> &mut Session {
        self.get_or_insert_with(|| Session::new(framework, line))
    }

    fn begin_diagnostics(&mut self, tool: &'static str, line: u64) -> &mut Session {
        self.get_or_insert_with(|| Session::for_diagnostics(tool, line))
    }

    fn reach(&mut self, line: u64) {
        if let Some(session) = self {
            session.lines.1 = line;
        }
    }

    fn add(&mut self, failure: Failure) {
        if let Some(session) = self {
            session.add(failure);
        }
    }

    fn close(&mut self, sessions: &mut Sessions) {
        if let Some(session) = self.take() {
            sessions.push(session);
        }
    }

    fn close_broken(&mut self, sessions: &mut Sessions) {
        if let Some(mut session) = self.take()
            && !session.failures.is_empty()
        {
            session.broke = true;
            sessions.push(session);
        }
    }

    fn close_truncated(&mut self, sessions: &mut Sessions) {
        if let Some(mut session) = self.take()
            && !session.failures.is_empty()
        {
            session.counts.failed = session.failures.len() as u64;
            session.counts.run = session.counts.failed;
            sessions.push(session);
        }
    }
}

impl Session {
    pub(crate) fn new(framework: &'static str, first_line: u64) -> Self {
        Self {
            framework,
            lines: (first_line, first_line),
            ..Self::default()
        }
    }

    /// A session of a compiler or linter.
    pub(crate) fn for_diagnostics(framework: &'static str, first_line: u64) -> Self {
        Self {
            kind: Kind::Diagnostics,
            ..Self::new(framework, first_line)
        }
    }

    pub(crate) fn failed(&self) -> bool {
        self.broke || !self.failures.is_empty() || self.counts.failed > 0 || self.counts.errors > 0
    }

    /// Adds a failure unless the session is full.
    pub(crate) fn add(&mut self, failure: Failure) {
        if !self.is_full() {
            self.failures.push(failure);
        }
    }

    /// No more failures are added.
    pub(crate) fn is_full(&self) -> bool {
        /// Far more than a user reads; keeps memory bounded.
        const MAX_FAILURES: usize = 10_000;
        self.failures.len() >= MAX_FAILURES
    }
}

/// Collects the finished sessions of all formats.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    finished: Vec<Session>,
    bytes: usize,
    has_tests: bool,
}

impl Sessions {
    pub(crate) fn push(&mut self, mut session: Session) {
        /// A log with more runs than this is not a log of test runs.
        const MAX_SESSIONS: usize = 5_000;
        /// Room for thousands of failures with long errors; further ones keep
        /// only their name.
        const MAX_BYTES: usize = 8 << 20;
        if self.finished.len() == MAX_SESSIONS {
            return;
        }
        for failure in &mut session.failures {
            if self.bytes + failure.bytes() > MAX_BYTES {
                failure.error = String::new();
            }
            self.bytes += failure.bytes();
        }
        if self.bytes > 2 * MAX_BYTES {
            session.failures = Vec::new();
        }
        let is_known = session.kind == Kind::Tests && session.counts.run > 0;
        self.has_tests |= is_known && session.evidence > Evidence::Fragment;
        self.finished.push(session);
    }

    /// Whether tests of a known runner were counted.
    pub(crate) fn has_tests(&self) -> bool {
        self.has_tests
    }

    pub(crate) fn into_vec(self) -> Vec<Session> {
        self.finished
    }
}
