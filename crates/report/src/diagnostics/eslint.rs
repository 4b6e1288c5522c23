//! Reads `ESLint`: `--format json`, and the stylish text format.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, Fix, TextPosition, TextRange};
use serde::Deserialize;

use super::output::Output;
use super::place::number;
use crate::place::looks_like_a_file;

const TOOL: &str = "eslint";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    file_path: String,
    messages: Vec<LintMessage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LintMessage {
    rule_id: Option<String>,
    /// 1 is a warning, 2 an error.
    severity: u8,
    message: String,
    line: Option<u64>,
    column: Option<u64>,
    end_line: Option<u64>,
    end_column: Option<u64>,
    fix: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    suggestions: Vec<Suggestion>,
}

#[derive(Deserialize)]
struct Suggestion {
    desc: Option<String>,
}

pub(super) fn read(output: &Output) -> Vec<Diagnostic> {
    match output.json::<Vec<File>>() {
        Some(files) => files.into_iter().flat_map(file_diagnostics).collect(),
        None => stylish(output),
    }
}

fn file_diagnostics(file: File) -> impl Iterator<Item = Diagnostic> {
    let path = file.file_path;
    file.messages
        .into_iter()
        // A file that was passed explicitly but is ignored by eslint.
        .filter(|message| !message.message.starts_with("File ignored "))
        .map(move |message| from_message(&path, message))
}

fn from_message(path: &str, message: LintMessage) -> Diagnostic {
    let fix = match (&message.fix, message.suggestions.first()) {
        (Some(_), _) => Some(Fix::automatic()),
        (None, Some(suggestion)) => Some(Fix {
            description: suggestion.desc.clone(),
            ..Fix::default()
        }),
        (None, None) => None,
    };
    Diagnostic {
        tool: TOOL.to_owned(),
        file: Some(path.to_owned()),
        range: message.line.filter(|line| *line > 0).map(|line| TextRange {
            start: TextPosition {
                line,
                column: message.column,
            },
            end: message.end_line.map(|line| TextPosition {
                line,
                column: message.end_column,
            }),
        }),
        rule: message.rule_id,
        severity: if message.severity == 1 {
            DiagnosticSeverity::Warning
        } else {
            DiagnosticSeverity::Error
        },
        message: message.message,
        fix,
    }
}

/// A path, and below it `  1:7  error  'x' is never used  no-unused-vars`.
fn stylish(output: &Output) -> Vec<Diagnostic> {
    let mut file = None;
    let mut found = Vec::new();
    for line in output.lines() {
        if line.starts_with(['/', '\\']) && looks_like_a_file(line) && !line.contains(": ") {
            file = Some(line);
        } else if let Some(file) = file
            && let Some(diagnostic) = problem(line)
        {
            found.push(diagnostic.in_file(file));
        }
    }
    found
}

fn problem(line: &str) -> Option<Diagnostic> {
    let (row, rest) = number(line.strip_prefix("  ")?.trim_start())?;
    let (column, rest) = number(rest.strip_prefix(':')?)?;
    let (severity, rest) = rest.trim_start().split_once("  ")?;
    let severity = match severity {
        "error" => DiagnosticSeverity::Error,
        "warning" => DiagnosticSeverity::Warning,
        _ => return None,
    };
    let rest = rest.trim();
    let (message, rule) = match rest.rsplit_once("  ") {
        Some((message, rule)) if !rule.contains(' ') => (message.trim_end(), Some(rule)),
        _ => (rest, None),
    };
    let mut diagnostic = Diagnostic::new(TOOL, message)
        .of_severity(severity)
        .at(TextRange::point(row, Some(column)));
    diagnostic.rule = rule.map(str::to_owned);
    Some(diagnostic)
}
