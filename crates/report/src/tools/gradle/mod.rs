//! Reads Gradle: its test events, and other reasons why a build failed.

mod diagnostics;

use baton_protocol::report::Counts;

use crate::diagnostics::DiagnosticsReader;
use crate::excerpt::Excerpt;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::java::{self, Trace};
use crate::text::{Line, TextReader};
use crate::tools::Tool;

pub(super) const TOOL: Tool = Tool {
    diagnostics: &[DiagnosticsReader::distinctive(
        crate::diagnostics::Tool::Gradle,
        diagnostics::read,
    )],
    ..Tool::text::<Gradle>(
        &[
            "> Task :",
            ":test",
            "* What went wrong:",
            "Build file '",
            "Settings file '",
            "BUILD SUCCESSFUL in ",
            "BUILD FAILED in ",
            "1 test completed, ",
        ],
        &[" FAILED", " tests completed, "],
    )
};

#[derive(Default)]
struct Gradle {
    /// The tests of one task.
    session: Option<Session>,
    /// Why the build failed, if not because of tests or the compiler.
    build_error: Option<BuildError>,
    /// The line of a build script that the next `What went wrong` is about.
    script: Option<(String, u64)>,
    block: Option<Block>,
    events: Counts,
    awake: bool,
}

struct Block {
    name: String,
    class: String,
    method: String,
    error: Excerpt,
    trace: Trace,
    place: Option<(String, u64)>,
    place_is_own: bool,
    blank: bool,
}

/// Below `* What went wrong:`.
struct BuildError {
    first_line: u64,
    script: Option<(String, u64)>,
    lines: Vec<String>,
}

impl TextReader for Gradle {
    fn awake(&self) -> bool {
        self.awake || self.block.is_some() || self.build_error.is_some()
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if let Some(build_error) = &mut self.build_error {
            if build_error.line(text) {
                return;
            }
            self.close_build_error(line.number, sessions);
        }
        if let Some((name, verdict)) = event(text) {
            self.event(name, verdict, line.number);
        } else if let Some(counts) = completed(text) {
            self.completed(counts, line.number, sessions);
        } else if is_task(text) {
            self.close_block();
            self.awake = true;
        } else if let Some(place) = script_place(text) {
            self.script = Some(place);
        } else if text == "* What went wrong:" {
            self.close_block();
            self.build_error = Some(BuildError {
                first_line: line.number,
                script: self.script.take(),
                lines: Vec::new(),
            });
        } else if text.starts_with("BUILD SUCCESSFUL in ") || text.starts_with("BUILD FAILED in ") {
            self.build_ended(text, line.number, sessions);
        } else if let Some(block) = &mut self.block
            && !block.line(text)
        {
            self.close_block();
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        let last = self
            .build_error
            .as_ref()
            .map_or(0, |build_error| build_error.first_line);
        self.close_build_error(last, sessions);
        self.close_block();
        self.close_session(sessions);
        *self = Self::default();
    }
}

impl Gradle {
    fn session(&mut self, number: u64) -> &mut Session {
        let session = self.session.begin("gradle", number);
        session.lines.1 = number;
        session
    }

    fn event(&mut self, name: &str, verdict: Verdict, number: u64) {
        self.close_block();
        // A line `a > b FAILED` of another program has no task to confirm it.
        self.session(number);
        match verdict {
            Verdict::Passed => self.events.passed += 1,
            Verdict::Skipped => self.events.skipped += 1,
            Verdict::Output => {}
            Verdict::Failed => {
                self.events.failed += 1;
                self.block = Some(Block::open(name));
            }
        }
    }

    fn close_block(&mut self) {
        if let Some(block) = self.block.take() {
            self.session.add(block.failure());
        }
    }

    /// `10 tests completed, 6 failed, 1 skipped`: the task is finished.
    fn completed(&mut self, counts: Counts, number: u64, sessions: &mut Sessions) {
        self.close_block();
        self.events = Counts::default();
        let session = self.session(number);
        session.evidence = Evidence::Complete;
        session.counts = counts;
        self.session.close(sessions);
    }

    /// Events without a count after them: all tests passed, or the log is
    /// truncated.
    fn close_session(&mut self, sessions: &mut Sessions) {
        let mut events = std::mem::take(&mut self.events);
        if let Some(mut session) = self.session.take() {
            events.run = events.passed + events.failed;
            if events.run + events.skipped > 0 && (self.awake || events.failed == 0) {
                session.counts = events;
                session.evidence = Evidence::Summary;
                sessions.push(session);
            }
        }
    }

    fn build_ended(&mut self, text: &str, number: u64, sessions: &mut Sessions) {
        self.close_block();
        let counted = self.session.is_some();
        self.close_session(sessions);
        if text.starts_with("BUILD SUCCESSFUL") && !counted {
            // A passing test task prints nothing.
            let mut session = Session::new("gradle", number);
            session.evidence = Evidence::Summary;
            sessions.push(session);
        }
        *self = Self::default();
    }

    fn close_build_error(&mut self, number: u64, sessions: &mut Sessions) {
        if let Some(build_error) = self.build_error.take()
            && let Some(failure) = build_error.failure()
        {
            let mut session = Session::for_diagnostics("gradle", build_error.first_line);
            session.lines.1 = number.max(build_error.first_line);
            session.evidence = Evidence::Summary;
            session.broke = true;
            session.add(failure);
            sessions.push(session);
        }
    }
}

impl Block {
    fn open(name: &str) -> Self {
        // `CartTest > nested > total()`; older versions print the package, and
        // executors of parallel runs may come first.
        let mut parts = name.split(" > ").filter(|part| {
            !part.starts_with("Gradle Test Run ") && !part.starts_with("Gradle Test Executor ")
        });
        let class = parts.next().unwrap_or_default();
        let method = name.rsplit(" > ").next().unwrap_or_default();
        Self {
            name: name.to_owned(),
            class: class.to_owned(),
            method: java::method_of(method).to_owned(),
            error: Excerpt::default(),
            trace: Trace::default(),
            place: None,
            place_is_own: false,
            blank: false,
        }
    }

    /// Whether the line belongs to it.
    fn line(&mut self, text: &str) -> bool {
        if text.is_empty() {
            self.blank = true;
            return true;
        }
        if !text.starts_with("    ") {
            // The test process writes to the same log while events are printed.
            return !self.blank;
        }
        if self.blank {
            self.error.push("");
            self.blank = false;
        }
        self.trace.line(text, Some(&self.class), Some(&self.method));
        if let Some((file, line)) = short_place(text) {
            let is_own = self.is_own(&file);
            if self.place.is_none() || (is_own && !self.place_is_own) {
                self.place = Some((file, line));
                self.place_is_own = is_own;
            }
        }
        self.error.push(text);
        true
    }

    /// Whether a file is that of the test's class.
    fn is_own(&self, file: &str) -> bool {
        file.split('.').next() == Some(java::simple(&self.class))
    }

    fn failure(self) -> Failure {
        let failure = Failure::named(self.name).because(self.error.text());
        if !self.trace.frames_seen
            && let Some((file, line)) = self.place
        {
            let package = self
                .class
                .rsplit_once('.')
                .filter(|_| java::is_qualified(&self.class))
                .map(|(package, _)| package.replace('.', "/"));
            let file = match package {
                Some(package) if self.place_is_own && file.rsplit('.').next() == Some("java") => {
                    format!("{package}/{file}")
                }
                _ => file,
            };
            return failure.at(file, Some(line));
        }
        let is_class = java::is_qualified(&self.class)
            || self.class.chars().all(|c| c.is_alphanumeric() || c == '_');
        self.trace
            .placed(failure, is_class.then_some(self.class.as_str()))
    }
}

impl BuildError {
    /// Whether the line belongs to it.
    fn line(&mut self, text: &str) -> bool {
        const MAX_LINES: usize = 60;
        if text.starts_with("* Try:") || text.starts_with("* Get more help") {
            return false;
        }
        if self.lines.len() < MAX_LINES {
            self.lines.push(text.to_owned());
        }
        true
    }

    /// `None` if tests or the compiler have reported the error already.
    fn failure(&self) -> Option<Failure> {
        let reported_elsewhere = [
            "There were failing tests",
            "Compilation failed",
            "Compilation error",
            "A failure occurred while executing org.jetbrains.kotlin",
        ];
        let all = self.lines.join("\n");
        if reported_elsewhere.iter().any(|text| all.contains(text)) {
            return None;
        }
        let name = self.lines.iter().find(|line| !line.is_empty())?;
        let name = name.trim_start_matches("> ").trim_end_matches('.');
        let failure = Failure::named(name).because(all.trim());
        Some(match &self.script {
            Some((file, line)) => failure.at(file.as_str(), Some(*line)),
            None => failure,
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    Skipped,
    Output,
}

/// `com.shop.CartTest > total() FAILED`
fn event(text: &str) -> Option<(&str, Verdict)> {
    let (name, verdict) = text.rsplit_once(' ')?;
    let verdict = match verdict {
        "PASSED" => Verdict::Passed,
        "FAILED" => Verdict::Failed,
        "SKIPPED" => Verdict::Skipped,
        "STANDARD_OUT" | "STANDARD_ERR" => Verdict::Output,
        _ => return None,
    };
    let is_name = name.contains(" > ") && !name.starts_with([' ', '>', ':']);
    is_name.then_some((name, verdict))
}

/// `> Task :app:test FAILED`, or `:app:test` of old versions.
fn is_task(text: &str) -> bool {
    text.starts_with("> Task :") || text.starts_with(":test")
}

/// `Build file '/app/build.gradle' line: 12`
fn script_place(text: &str) -> Option<(String, u64)> {
    let rest = text
        .strip_prefix("Build file '")
        .or_else(|| text.strip_prefix("Settings file '"))?;
    let (file, line) = rest.split_once("' line: ")?;
    Some((file.to_owned(), line.trim().parse().ok()?))
}

fn completed(text: &str) -> Option<Counts> {
    let (tests, rest) = text
        .split_once(" tests completed, ")
        .or_else(|| text.split_once(" test completed, "))?;
    let tests: u64 = tests.parse().ok()?;
    let mut counts = Counts::default();
    for part in rest.split(", ") {
        match part.split_once(' ')? {
            (number, "failed") => counts.failed = number.parse().ok()?,
            (number, "skipped") => counts.skipped = number.parse().ok()?,
            _ => return None,
        }
    }
    counts.run = tests.saturating_sub(counts.skipped);
    counts.passed = counts.run.saturating_sub(counts.failed);
    Some(counts)
}

/// `java.lang.AssertionError at CartTest.java:15`
fn short_place(text: &str) -> Option<(String, u64)> {
    let (_, place) = text.rsplit_once(" at ")?;
    let (file, line) = place.split_once(':')?;
    let is_file = file.contains('.') && !file.contains([' ', '(', '/']);
    is_file.then_some((file.to_owned(), line.parse().ok()?))
}
