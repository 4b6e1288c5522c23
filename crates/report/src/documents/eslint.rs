//! Reads `eslint --format json`.

use serde::Deserialize;

use super::trace;
use crate::session::{Failure, Session};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    file_path: String,
    messages: Vec<Finding>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    /// Null if the file could not be parsed.
    rule_id: Option<String>,
    severity: u64,
    message: String,
    line: Option<u64>,
}

const ERROR: u64 = 2;

pub(super) fn read(text: &[u8]) -> Option<Session> {
    let files: Vec<File> = super::first_value(text)?;
    let mut session = Session::for_diagnostics("eslint", 1);
    for file in files {
        for finding in file.messages {
            if finding.severity == ERROR {
                let rule = finding
                    .rule_id
                    .unwrap_or_else(|| "parsing-error".to_owned());
                session.add(
                    Failure::named(rule)
                        .at(&file.file_path, finding.line)
                        .because(trace::error(&finding.message, "")),
                );
            }
        }
    }
    session.broke = !session.failures.is_empty();
    Some(session)
}
