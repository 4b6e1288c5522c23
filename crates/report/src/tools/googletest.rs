//! Reads `GoogleTest`: its text, and its JSON.

use serde::Deserialize;

use super::Tool;
use crate::console::{Console, Dialect, Event, without_duration};
use crate::documents::Document;
use crate::json;
use crate::session::{self, Failure, Session};
use crate::stack::trace;
use crate::totals::Totals;

pub(super) const TOOL: Tool = Tool {
    document: Some(Document::Json {
        has: |keys| keys.of_object(&["testsuites", "tests", "failures"]),
        read: document,
    }),
    ..Tool::text::<Console<Googletest>>(
        &[
            "[==========]",
            "[ RUN      ]",
            "[  FAILED  ]",
            "[  PASSED  ]",
            "[  SKIPPED ]",
            "[       OK ]",
        ],
        &[],
    )
};

#[derive(Default)]
struct Googletest;

impl Dialect for Googletest {
    const FRAMEWORK: &'static str = "googletest";
    const EXPLAINS_ABOVE: bool = true;

    fn event(&mut self, text: &str) -> Event {
        let Some((mark, rest)) = text
            .strip_prefix('[')
            .and_then(|text| text.split_once("] "))
        else {
            return Event::Text;
        };
        let mark = mark.trim();
        let count = || {
            rest.split_once(" test")
                .and_then(|(number, _)| number.parse::<u64>().ok())
        };
        match mark {
            "==========" if rest.starts_with("Running ") => Event::Begin,
            "==========" | "----------" | "RUN" => Event::Other,
            "OK" => Event::Passed,
            "SKIPPED" if count().is_none() => Event::Skipped,
            "PASSED" => Event::Totals(Totals {
                passed: count(),
                ..Totals::default()
            }),
            "SKIPPED" => Event::Totals(Totals {
                skipped: count(),
                ..Totals::default()
            }),
            "FAILED" if count().is_some() => Event::Totals(Totals {
                failed: count(),
                ..Totals::default()
            }),
            "ERROR" if rest.ends_with("listed below:") => Event::Totals(Totals {
                errors: rest
                    .split(' ')
                    .next()
                    .and_then(|number| number.parse().ok()),
                ..Totals::default()
            }),
            // busted prints like it, with places before the names.
            "FAILED" | "ERROR" => {
                let title = without_duration(rest);
                let title = match title.split_once(": ") {
                    Some((place, title)) if place.contains(" @ ") => title,
                    _ => title,
                };
                let name = title.split_once(", where ").map_or(title, |(name, _)| name);
                Event::FailedAbove(Failure::named(name))
            }
            _ => Event::Text,
        }
    }
}

#[derive(Deserialize)]
struct Report {
    testsuites: Vec<Suite>,
}

#[derive(Deserialize)]
struct Suite {
    name: String,
    #[serde(default)]
    testsuite: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    file: Option<String>,
    line: Option<u64>,
    #[serde(default)]
    status: String,
    #[serde(default)]
    result: String,
    #[serde(default)]
    failures: Vec<Problem>,
}

#[derive(Deserialize)]
struct Problem {
    #[serde(default)]
    failure: String,
}

fn document(text: &[u8]) -> Option<Session> {
    let report: Report = json::first_value(text)?;
    let mut session = Session::new("googletest", 1);
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for suite in &report.testsuites {
        for case in &suite.testsuite {
            if let Some(problem) = case.failures.first() {
                failed += 1;
                let name = format!("{}.{}", suite.name, case.name);
                let failure = Failure::named(name).because(&problem.failure);
                let file = case.file.clone();
                session.add(trace::placed(failure, &problem.failure, file, case.line));
            } else if case.status == "NOTRUN" || matches!(&*case.result, "SKIPPED" | "SUPPRESSED") {
                skipped += 1;
            } else {
                passed += 1;
            }
        }
    }
    session.counts = session::counts(passed, failed, 0, skipped);
    Some(session)
}
