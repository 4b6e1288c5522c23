//! Reads mocha's `json` reporter.

use serde::Deserialize;

use super::trace::{self, Own};
use crate::session::{Failure, Session};

#[derive(Deserialize)]
struct Report {
    stats: Stats,
    failures: Vec<Test>,
}

#[derive(Deserialize)]
struct Stats {
    passes: u64,
    pending: u64,
    failures: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    full_title: String,
    file: Option<String>,
    err: Option<Thrown>,
}

#[derive(Deserialize)]
struct Thrown {
    message: Option<String>,
    stack: Option<String>,
}

pub(super) fn read(text: &[u8]) -> Option<Session> {
    let report: Report = super::first_value(text)?;
    let mut session = Session::new("mocha", 1);
    let stats = report.stats;
    session.counts = super::counts(stats.passes, stats.failures, 0, stats.pending);
    for test in report.failures {
        session.add(failure(test));
    }
    Some(session)
}

fn failure(test: Test) -> Failure {
    let (message, stack) = test
        .err
        .map(|err| {
            (
                err.message.unwrap_or_default(),
                err.stack.unwrap_or_default(),
            )
        })
        .unwrap_or_default();
    let own = Own {
        file: test.file.as_deref(),
        class: None,
    };
    let place = trace::place(&stack, own);
    let mut failure = Failure::named(test.full_title).because(trace::error(&message, &stack));
    failure.line = place
        .as_ref()
        .filter(|(found, _)| own.file.is_none_or(|file| trace::same_file(found, file)))
        .map(|(_, line)| *line);
    failure.file = test.file.or(place.map(|(file, _)| file));
    failure
}
