//! Reads Rust's test harness as `cargo test` runs it: unit, integration and
//! documentation tests, verbose and quiet, and its JSON lines.

mod json;
mod run;

use baton_protocol::Confidence;

use crate::excerpt::Excerpt;
use crate::session::{Evidence, Failure, Session, Sessions};
use crate::text::{Line, TextReader};
use crate::tools::Tool;

use json::JsonRun;
use run::{Run, Step};

use crate::stack::rust::{RustOutput, infer_files};

const FRAMEWORK: &str = "cargo-test";

pub(super) const TOOL: Tool = Tool::text::<Libtest>(
    &[
        "running ",
        "Running ",
        "Doc-tests ",
        "error: test failed, to rerun",
        "error: doctest failed, to rerun",
        "error: bench failed, to rerun",
        "{ \"type\": \"",
        "{\"type\":\"",
    ],
    &[],
);

#[derive(Default)]
struct Libtest {
    /// The source file of the running target, if cargo printed it.
    target: Option<String>,
    state: State,
    json: Option<JsonRun>,
    /// The target has reported failures, so cargo's error about it is redundant.
    explained: bool,
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// Cargo has named a target that has not begun to report. It may have its
    /// own harness, of which only panics are recognised.
    Silent {
        output: Box<RustOutput>,
        lines: u32,
    },
    Running(Box<Run>),
    /// The process ended without a report; cargo prints the reason next.
    Died(Box<Death>),
}

struct Death {
    session: Session,
    failure: Failure,
    cause: Excerpt,
}

impl TextReader for Libtest {
    fn awake(&self) -> bool {
        !matches!(self.state, State::Outside)
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        if let State::Died(_) = self.state {
            self.cause(line, sessions);
        }
        if line.text.starts_with('{') && self.json_line(line, sessions) {
            return;
        }
        if let State::Running(run) = &mut self.state {
            match run.line(line) {
                Step::Goes => return,
                Step::Reported => return self.close(sessions),
                // Handled below: another target begins.
                Step::Foreign => {}
            }
        }
        if let Some((pending, rerun)) = run::cargo_error(line.text) {
            self.failed(line, pending, rerun);
        } else if let Some(planned) = run::planned(line.text) {
            self.close(sessions);
            self.state = State::Running(Box::new(Run::new(line.number, planned)));
        } else if let Some(target) = target(line.text) {
            self.close(sessions);
            self.target = target;
            self.explained = false;
            self.state = State::Silent {
                output: Box::default(),
                lines: 0,
            };
        } else {
            self.silent(line.text);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close(sessions);
        if let Some(json) = self.json.take() {
            json.cut_off(sessions);
        }
        *self = Self::default();
    }
}

impl Libtest {
    fn json_line(&mut self, line: Line<'_>, sessions: &mut Sessions) -> bool {
        let Some(event) = json::Event::read(line.text) else {
            return false;
        };
        let json = self
            .json
            .get_or_insert_with(|| JsonRun::new(line.number, self.target.clone()));
        json.event(&event, line.number);
        if json.is_over() {
            let session = self.json.take().map(JsonRun::into_session);
            if let Some(session) = session {
                self.explained |= session.failed();
                sessions.push(session);
            }
        }
        true
    }

    fn silent(&mut self, text: &str) {
        /// A target that prints more than this before it fails is not explained.
        const MAX_SILENT_LINES: u32 = 2_000;
        if let State::Silent { output, lines } = &mut self.state {
            output.line(text, "main");
            *lines += 1;
            if *lines > MAX_SILENT_LINES {
                self.state = State::Outside;
            }
        }
    }

    /// `error: test failed, to rerun pass …`. `pending` is the test whose line
    /// cargo wrote into.
    fn failed(&mut self, line: Line<'_>, pending: Option<&str>, rerun: &str) {
        let mut cause = Excerpt::default();
        cause.push(line.text);
        let explained = std::mem::take(&mut self.explained);
        let (session, mut failure) = match std::mem::take(&mut self.state) {
            State::Running(run) => run.died(pending, line.number),
            _ if explained => return,
            state => {
                let mut session = Session::new(FRAMEWORK, line.number);
                session.evidence = Evidence::Summary;
                let failure = Failure::named(target_name(rerun));
                let failure = match state {
                    State::Silent { output, .. } => output.explain(failure),
                    _ => failure,
                };
                (session, failure)
            }
        };
        // In quiet mode, this is the only line with the target.
        if self.target.is_none() && failure.file.is_none() {
            failure.file = target_file(rerun);
            failure.confidence = Confidence::Medium;
        }
        self.state = State::Died(Box::new(Death {
            session,
            failure,
            cause,
        }));
    }

    /// The lines below `error: test failed`, up to the first unrelated one.
    fn cause(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let State::Died(death) = &mut self.state else {
            return;
        };
        let text = line.text.trim_start();
        let is_process = text.starts_with("process didn't exit successfully");
        if text.is_empty() || text == "Caused by:" || is_process {
            death.session.lines.1 = line.number;
            if !text.is_empty() {
                death.cause.push(line.text);
            }
        }
        if is_process || !(text.is_empty() || text == "Caused by:") {
            self.close(sessions);
        }
    }

    fn close(&mut self, sessions: &mut Sessions) {
        let mut session = match std::mem::take(&mut self.state) {
            State::Outside | State::Silent { .. } => return,
            State::Running(run) => {
                let session = run.into_session();
                self.explained |= session.failed();
                session
            }
            State::Died(death) => death.into_session(),
        };
        infer_files(&mut session.failures, self.target.as_deref());
        sessions.push(session);
    }
}

impl Death {
    fn into_session(self) -> Session {
        let Self {
            mut session,
            mut failure,
            cause,
        } = self;
        let error = std::mem::take(&mut failure.error);
        session.add(failure.because(format!("{error}\n{}", cause.text())));
        session.counts.failed += 1;
        session.counts.run += 1;
        session
    }
}

/// The file of the target that cargo runs next: `Some(None)` for targets whose
/// test names contain their files.
#[expect(
    clippy::option_option,
    reason = "no such line, a line without a file, a file"
)]
fn target(text: &str) -> Option<Option<String>> {
    let text = text.trim_start();
    if text.starts_with("Doc-tests ") {
        return Some(None);
    }
    let rest = text.strip_prefix("Running ")?;
    let (file, binary) = rest.rsplit_once(" (")?;
    if !binary.ends_with(')') {
        return None;
    }
    let file = file.strip_prefix("unittests").unwrap_or(file).trim_start();
    Some((!file.is_empty()).then(|| file.to_owned()))
}

/// Returns `tests/api.rs`, the usual path, for `-p app --test api`.
fn target_file(rerun: &str) -> Option<String> {
    let flags = rerun.trim_matches('`');
    if flags.ends_with("--lib") {
        return Some("src/lib.rs".to_owned());
    }
    let (_, test) = flags.split_once("--test ")?;
    Some(format!("tests/{test}.rs"))
}

/// Returns `api` for `-p app --test api`.
fn target_name(rerun: &str) -> String {
    let mut words = rerun.trim_matches('`').split(' ');
    let mut name = rerun.trim_matches('`');
    while let Some(word) = words.next() {
        match word {
            "--test" | "--bin" | "--example" | "--bench" => return words.collect(),
            "-p" | "--package" => name = words.next().unwrap_or(name),
            _ => {}
        }
    }
    name.to_owned()
}
