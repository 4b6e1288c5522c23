//! Reads clippy and rustc through cargo: `--message-format json`, and their text
//! output.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, Edit, Fix, TextRange};
use serde::Deserialize;

use crate::diagnostics::{self, DiagnosticsReader, Output, Tool};
use crate::place::Place;

pub(super) const DIAGNOSTICS: [DiagnosticsReader; 2] = [
    DiagnosticsReader::distinctive(Tool::Clippy, |output| read(output, Tool::Clippy)),
    DiagnosticsReader::shared(Tool::CargoBuild, |output| read(output, Tool::CargoBuild)),
];

#[derive(Deserialize)]
struct Line {
    reason: String,
    message: Option<CompilerMessage>,
}

#[derive(Deserialize)]
struct CompilerMessage {
    message: String,
    level: String,
    code: Option<Code>,
    #[serde(default)]
    spans: Vec<Span>,
    #[serde(default)]
    children: Vec<Child>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Child {
    message: String,
    #[serde(default)]
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: u64,
    line_end: u64,
    column_start: u64,
    column_end: u64,
    is_primary: bool,
    label: Option<String>,
    suggested_replacement: Option<String>,
    suggestion_applicability: Option<String>,
}

fn read(output: &Output, tool: Tool) -> Vec<Diagnostic> {
    let tool = tool.name();
    let mut lines = output.json_lines::<Line>().peekable();
    if lines.peek().is_none() {
        return rendered(output, tool);
    }
    let mut found: Vec<Diagnostic> = Vec::new();
    for line in lines.filter(|line| line.reason == "compiler-message") {
        let diagnostic = line.message.and_then(|message| from_message(message, tool));
        // A library is compiled twice, for itself and for its tests.
        found.extend(diagnostic.filter(|diagnostic| !found.contains(diagnostic)));
    }
    found
}

fn from_message(message: CompilerMessage, tool: &str) -> Option<Diagnostic> {
    let severity = match message.level.as_str() {
        "error" | "error: internal compiler error" => DiagnosticSeverity::Error,
        "warning" => DiagnosticSeverity::Warning,
        _ => return None,
    };
    // `aborting due to …` and the like are about other diagnostics.
    let primary = message.spans.iter().find(|span| span.is_primary)?;
    let text = match &primary.label {
        Some(label) if !label.is_empty() => format!("{}: {label}", message.message),
        _ => message.message,
    };
    let mut diagnostic = Diagnostic::new(tool, text)
        .in_file(primary.file_name.as_str())
        .at(primary.range())
        .with_severity(severity);
    diagnostic.rule = message.code.map(|code| code.code);
    diagnostic.fix = message.children.iter().find_map(fix);
    Some(diagnostic)
}

impl Span {
    fn range(&self) -> TextRange {
        TextRange::between(
            (self.line_start, self.column_start),
            (self.line_end, self.column_end),
        )
    }
}

fn fix(child: &Child) -> Option<Fix> {
    let edits: Vec<Edit> = child
        .spans
        .iter()
        .filter_map(|span| {
            Some(Edit {
                range: span.range(),
                replacement: span.suggested_replacement.clone()?,
            })
        })
        .collect();
    (!edits.is_empty()).then(|| Fix {
        description: Some(child.message.clone()),
        is_automatic: child
            .spans
            .iter()
            .all(|span| span.suggestion_applicability.as_deref() == Some("MachineApplicable")),
        edits,
    })
}

/// `error[E0308]: mismatched types` and ` --> src/lib.rs:1:24` below.
pub(in crate::tools) fn rendered(output: &Output, tool: &str) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut heading: Option<Diagnostic> = None;
    for line in output.lines() {
        if let Some(diagnostic) = headed(line, tool) {
            heading = Some(diagnostic);
        } else if let Some(place) = line.trim_start().strip_prefix("--> ") {
            if let (Some(diagnostic), Some(place)) = (heading.take(), Place::leading(place)) {
                found.push(place.locate(diagnostic));
            }
        } else if let Some(lint) = line.trim_start().strip_prefix("= note: `#[")
            && let Some(last) = found.last_mut()
        {
            last.rule = last.rule.take().or_else(|| named_lint(lint));
        }
    }
    found
}

fn headed(line: &str, tool: &str) -> Option<Diagnostic> {
    let (word, message) = line.split_once(": ")?;
    let (word, code) = match word.split_once('[') {
        Some((word, code)) => (word, Some(code.strip_suffix(']')?)),
        None => (word, None),
    };
    let severity =
        diagnostics::severity(word).filter(|severity| *severity > DiagnosticSeverity::Note)?;
    let mut diagnostic = Diagnostic::new(tool, message).with_severity(severity);
    diagnostic.rule = code.map(str::to_owned);
    Some(diagnostic)
}

/// ``warn(clippy::needless_return)]` on by default``.
fn named_lint(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('(')?;
    let (name, _) = rest.split_once(')')?;
    Some(name.to_owned())
}
