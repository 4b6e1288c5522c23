//! Reads `ESLint`: its JSON, and the stylish, compact and unix formats.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, Fix, TextPosition, TextRange};
use serde::Deserialize;

use super::Tool;
use crate::diagnostics::{self, DiagnosticsReader, Output};
use crate::documents::Document;
use crate::json;
use crate::place::{looks_like_a_file, number};
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool {
    document: Some(Document::Json {
        has: |keys| keys.of_array(&["filePath", "messages"]),
        read: document,
    }),
    diagnostics: &[DiagnosticsReader::distinctive(
        diagnostics::Tool::Eslint,
        diagnostics,
    )],
    ..Tool::text::<Eslint>(
        &[
            "/",
            "C:\\",
            "D:\\",
            "✖ ",
            "ESLint found too many warnings",
            "Oops! Something went wrong! :(",
        ],
        &["  error  ", "  warning  "],
    )
};

#[derive(Default)]
struct Eslint {
    session: Option<Session>,
    /// The path above the problems of a file, in the stylish format.
    file: Option<(String, u64)>,
    /// They fail the run only if there are too many.
    warnings: Vec<Failure>,
}

/// More than a user reads.
const MAX_WARNINGS: usize = 1_000;

impl TextReader for Eslint {
    fn awake(&self) -> bool {
        false
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if let Some((is_error, failure)) = one_line(text).or_else(|| self.stylish(text)) {
            self.problem(is_error, failure, line.number);
        } else if is_path(text) {
            self.file = Some((text.to_owned(), line.number));
        } else if is_summary(text) {
            if let Some(session) = &mut self.session {
                session.lines.1 = line.number;
                session.evidence = Evidence::Complete;
            }
        } else if text.starts_with("ESLint found too many warnings") {
            let warnings = std::mem::take(&mut self.warnings);
            let session = self.session(line.number);
            session.broke = true;
            session.lines.1 = line.number;
            for warning in warnings {
                session.add(warning);
            }
            self.end(sessions);
        } else if text == "Oops! Something went wrong! :(" {
            self.session(line.number).broke = true;
            self.end(sessions);
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        if let Some(session) = self.session.take()
            && (session.failed() || session.evidence == Evidence::Complete)
        {
            sessions.push(session);
        }
        *self = Self::default();
    }
}

impl Eslint {
    fn session(&mut self, number: u64) -> &mut Session {
        self.session.begin_diagnostics("eslint", number)
    }

    fn problem(&mut self, is_error: bool, failure: Failure, number: u64) {
        let first = self.file.as_ref().map_or(number, |(_, at)| *at);
        let session = self.session(first);
        session.lines.1 = number;
        if is_error {
            session.broke = true;
            session.add(failure);
        } else if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(failure);
        }
    }

    /// A problem below the path of its file.
    fn stylish(&self, text: &str) -> Option<(bool, Failure)> {
        let (file, _) = self.file.as_ref()?;
        let found = stylish(text)?;
        let rule = found.rule.as_deref();
        let failure = problem(file, found.line()?, &found.message, rule);
        Some((found.severity == DiagnosticSeverity::Error, failure))
    }
}

/// `/a.js: line 1, col 7, Error - message. (rule)` of the compact format and
/// `/a.js:1:7: message. [Error/rule]` of the unix format.
fn one_line(text: &str) -> Option<(bool, Failure)> {
    // Most lines are paths, and searching for one byte is quick.
    if !text.contains(':') {
        return None;
    }
    if let Some((file, rest)) = text.split_once(": line ") {
        let (line, rest) = rest.split_once(", col ")?;
        let (_, rest) = rest.split_once(", ")?;
        let (severity, message) = rest.split_once(" - ")?;
        let (message, rule) = match message.strip_suffix(')').and_then(|m| m.rsplit_once(" (")) {
            Some((message, rule)) if !rule.contains(' ') => (message, Some(rule)),
            _ => (message, None),
        };
        let failure = problem(file, line.parse().ok()?, message, rule);
        return Some((severity == "Error", failure));
    }
    let (rest, tag) = text.strip_suffix(']')?.rsplit_once(" [")?;
    let (severity, rule) = match tag.split_once('/') {
        Some((severity, rule)) => (severity, Some(rule)),
        None => (tag, None),
    };
    if !matches!(severity, "Error" | "Warning") {
        return None;
    }
    let (file, line, message) = crate::place::leading(rest)?;
    let message = message.strip_prefix(": ")?;
    Some((severity == "Error", problem(file, line, message, rule)))
}

fn problem(file: &str, line: u64, message: &str, rule: Option<&str>) -> Failure {
    let name = match rule {
        Some(rule) => rule,
        None if message.starts_with("Parsing error") => "parsing-error",
        None => "eslint",
    };
    Failure::named(name).at(file, Some(line)).because(message)
}

/// An absolute path and nothing else.
fn is_path(text: &str) -> bool {
    let is_absolute = text.starts_with('/') || text.get(1..3) == Some(":\\");
    is_absolute && looks_like_a_file(text) && !text.contains(": ")
}

/// `✖ 6 problems (5 errors, 1 warning)`.
fn is_summary(text: &str) -> bool {
    text.strip_prefix("✖ ")
        .and_then(|rest| rest.split_once(" problem"))
        .is_some_and(|(number, _)| number.parse::<u64>().is_ok())
}

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

fn document(text: &[u8]) -> Option<Session> {
    let files: Vec<File> = json::first_value(text)?;
    let found = files.into_iter().flat_map(file_diagnostics);
    let errors = found.filter(|found| found.severity == DiagnosticSeverity::Error);
    Some(diagnostics::session("eslint", errors, "parsing-error"))
}

fn diagnostics(output: &Output) -> Vec<Diagnostic> {
    match output.json::<Vec<File>>() {
        Some(files) => files.into_iter().flat_map(file_diagnostics).collect(),
        None => stylish_files(output),
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
        tool: "eslint".to_owned(),
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

/// A path, and its problems below it.
fn stylish_files(output: &Output) -> Vec<Diagnostic> {
    let mut file = None;
    let mut found = Vec::new();
    for line in output.lines() {
        if line.starts_with(['/', '\\']) && looks_like_a_file(line) && !line.contains(": ") {
            file = Some(line);
        } else if let Some(file) = file
            && let Some(diagnostic) = stylish(line)
        {
            found.push(diagnostic.in_file(file));
        }
    }
    found
}

/// `  1:7   error    'x' is never used  no-unused-vars`
fn stylish(line: &str) -> Option<Diagnostic> {
    let (row, rest) = number(line.strip_prefix("  ")?.trim_start())?;
    let (column, rest) = number(rest.strip_prefix(':')?)?;
    let (severity, rest) = rest.trim_start().split_once("  ")?;
    let severity = diagnostics::severity(severity)?;
    let rest = rest.trim();
    let (message, rule) = match rest.rsplit_once("  ") {
        Some((message, rule)) if !rule.contains(' ') => (message.trim_end(), Some(rule)),
        _ => (rest, None),
    };
    let mut diagnostic = Diagnostic::new("eslint", message)
        .with_severity(severity)
        .at(TextRange::point(row, Some(column)));
    diagnostic.rule = rule.map(str::to_owned);
    Some(diagnostic)
}
