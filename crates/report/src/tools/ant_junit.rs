//! Reads Ant's tasks `junit` and `junitlauncher`: the summary, and the plain and
//! brief formatters.

use baton_protocol::report::Counts;

use super::Tool;
use crate::excerpt::Excerpt;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::stack::java::{self, Trace};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool::text::<AntJunit>(
    &[
        "[junit] ",
        "[junitlauncher] ",
        "Testsuite: ",
        "BUILD FAILED",
    ],
    &[],
);

#[derive(Default)]
struct AntJunit {
    session: Option<Session>,
    class: String,
    /// The summary and each formatter print the same numbers.
    class_counted: bool,
    case: Option<Case>,
    build_failed: bool,
}

/// Below `Testcase: total took 0.1 sec`.
struct Case {
    test: String,
    class: String,
    failed: bool,
    error: Excerpt,
    trace: Trace,
}

impl TextReader for AntJunit {
    fn awake(&self) -> bool {
        self.session.is_some() || self.build_failed
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = unprefixed(line.text);
        if self.build_failed {
            self.reason(line.text, line.number, sessions);
            return;
        }
        self.session.reach(line.number);
        if let Some(class) = text
            .strip_prefix("Testsuite: ")
            .or_else(|| text.strip_prefix("Running "))
            && !class.contains(' ')
        {
            self.begin(class, line.number);
        } else if let Some(counts) = tests_run(text) {
            self.tests_run(&counts);
        } else if line.text == "BUILD FAILED" || line.text.starts_with("BUILD SUCCESSFUL") {
            let tests_ran = self.session.is_some();
            self.end(sessions);
            self.build_failed = line.text == "BUILD FAILED" && !tests_ran;
        } else if self.session.is_some() {
            self.case_line(text);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_case();
        if let Some(mut session) = self.session.take()
            && session.counts.run + session.counts.skipped > 0
        {
            session.evidence = Evidence::Complete;
            if session.counts.failed + session.counts.errors == 0 {
                session.failures.clear();
            }
            sessions.push(session);
        }
        *self = Self::default();
    }
}

impl AntJunit {
    fn begin(&mut self, class: &str, number: u64) {
        self.close_case();
        if self.class != class {
            class.clone_into(&mut self.class);
            self.class_counted = false;
        }
        self.session.begin("ant-junit", number);
    }

    fn tests_run(&mut self, counts: &Counts) {
        let Some(session) = &mut self.session else {
            return;
        };
        if std::mem::replace(&mut self.class_counted, true) {
            return;
        }
        let sum = &mut session.counts;
        sum.run += counts.run;
        sum.passed += counts.passed;
        sum.failed += counts.failed;
        sum.errors += counts.errors;
        sum.skipped += counts.skipped;
    }

    fn case_line(&mut self, text: &str) {
        if let Some(rest) = text.strip_prefix("Testcase: ") {
            self.close_case();
            self.case = Some(Case::open(rest, &self.class));
        } else if text.starts_with("Test ") && text.ends_with(" FAILED") {
            self.close_case();
        } else if let Some(case) = &mut self.case {
            case.line(text);
        }
    }

    fn close_case(&mut self) {
        if let Some(case) = self.case.take()
            && case.failed
        {
            self.session.add(case.failure());
        }
    }

    /// The line below `BUILD FAILED`: `/app/build.xml:3: reason`.
    fn reason(&mut self, text: &str, number: u64, sessions: &mut Sessions) {
        self.build_failed = false;
        let mut session = Session::for_diagnostics("ant", number);
        session.broke = true;
        if text.starts_with("Target \"") {
            session.add(Failure::named(text.trim()).because(text.trim()));
            sessions.push(session);
            return;
        }
        let Some((path, line, reason)) = crate::place::leading(text) else {
            return;
        };
        let reason = reason.trim_start_matches(':').trim();
        let is_reported = reason.starts_with("Compile failed")
            || reason.starts_with("There were test failures")
            || reason.starts_with("The following error occurred");
        let is_build_file = path.rsplit_once('.').is_some_and(|(_, end)| end == "xml");
        if is_reported || !is_build_file {
            return;
        }
        session.add(Failure::named(reason).at(path, Some(line)).because(reason));
        sessions.push(session);
    }
}

impl Case {
    /// The plain formatter has `total took 0.1 sec`, the brief one
    /// `total(com.shop.CartTest):\tFAILED`.
    fn open(rest: &str, class: &str) -> Self {
        let mut failed = false;
        let mut test = rest;
        if let Some((name, verdict)) = rest.rsplit_once(":\t") {
            failed = is_failed(verdict);
            test = name;
        } else if let Some((name, _)) = rest.rsplit_once(" took ") {
            test = name;
        }
        let (test, class) = match test
            .strip_suffix(')')
            .and_then(|name| name.rsplit_once('('))
        {
            Some((test, class)) if java::is_qualified(class) => (test, class),
            _ => (test, class),
        };
        Self {
            test: test.to_owned(),
            class: class.to_owned(),
            failed,
            error: Excerpt::default(),
            trace: Trace::default(),
        }
    }

    fn line(&mut self, text: &str) {
        if let Some(verdict) = text.strip_prefix('\t')
            && self.error.is_empty()
            && !self.failed
        {
            self.failed = is_failed(verdict);
            return;
        }
        let method = java::method_of(&self.test);
        self.trace.line(text, Some(&self.class), Some(method));
        self.error.push(text);
    }

    fn failure(self) -> Failure {
        let name = if self.test == self.class {
            self.test
        } else {
            format!("{}.{}", self.class, self.test)
        };
        self.trace.placed(
            Failure::named(name).because(self.error.text()),
            Some(&self.class),
        )
    }
}

fn is_failed(verdict: &str) -> bool {
    verdict == "FAILED" || verdict.starts_with("Caused an ERROR")
}

fn unprefixed(text: &str) -> &str {
    let trimmed = text.trim_start();
    trimmed
        .strip_prefix("[junit] ")
        .or_else(|| trimmed.strip_prefix("[junitlauncher] "))
        .unwrap_or(match trimmed {
            "[junit]" | "[junitlauncher]" => "",
            _ => text,
        })
}

/// `Tests run: 8, Failures: 3, Errors: 2, Skipped: 1, Time elapsed: 0.9 sec`
fn tests_run(text: &str) -> Option<Counts> {
    let rest = text.strip_prefix("Tests run: ")?;
    let mut counts = Counts::default();
    let mut parts = rest.split(", ");
    let tests: u64 = parts.next()?.parse().ok()?;
    let mut timed = false;
    for part in parts {
        let (label, number) = part.split_once(": ")?;
        match label {
            "Failures" => counts.failed = number.parse().ok()?,
            "Errors" => counts.errors = number.parse().ok()?,
            "Skipped" | "Aborted" => counts.skipped += number.parse::<u64>().ok()?,
            "Time elapsed" => timed = true,
            _ => return None,
        }
    }
    let failed = counts.failed + counts.errors;
    // A class that could not be set up has an error and no tests.
    counts.run = tests.saturating_sub(counts.skipped).max(failed);
    counts.passed = counts.run.saturating_sub(failed);
    timed.then_some(counts)
}
