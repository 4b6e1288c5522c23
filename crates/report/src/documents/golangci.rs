//! Reads `golangci-lint run --out-format json`.

use serde::Deserialize;

use super::trace;
use crate::session::{Failure, Session};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Report {
    issues: Option<Vec<Issue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Issue {
    from_linter: String,
    text: String,
    pos: Position,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Position {
    filename: String,
    line: Option<u64>,
}

pub(super) fn read(text: &[u8]) -> Option<Session> {
    let report: Report = super::first_value(text)?;
    let mut session = Session::for_diagnostics("golangci-lint", 1);
    for issue in report.issues.unwrap_or_default() {
        session.add(
            Failure::named(issue.from_linter)
                .at(issue.pos.filename, issue.pos.line)
                .because(trace::error(&issue.text, "")),
        );
    }
    session.broke = !session.failures.is_empty();
    Some(session)
}
