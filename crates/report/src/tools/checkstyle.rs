//! Reads checkstyle: its XML, which many other tools write too, and its text
//! output.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, TextRange};
use quick_xml::events::{BytesStart, Event};

use super::Tool;
use crate::diagnostics::{self, DiagnosticsReader, Output};
use crate::place::{Place, trailing_rule};
use crate::xml::{self, attribute};

pub(super) const TOOL: Tool = Tool {
    diagnostics: &[DiagnosticsReader::distinctive(
        diagnostics::Tool::Checkstyle,
        diagnostics,
    )],
    ..Tool::NONE
};

pub(super) fn diagnostics(output: &Output) -> Vec<Diagnostic> {
    match output.xml("checkstyle") {
        Some(text) => document(text),
        None => output.lines().filter_map(parse_text_line).collect(),
    }
}

fn document(text: &str) -> Vec<Diagnostic> {
    let mut reader = xml::lenient(text);
    let mut file = None;
    let mut found = Vec::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) => match tag.name().as_ref() {
                "file" => file = attribute(&tag, &["name"]),
                "error" => found.extend(error(&tag, file.as_deref())),
                _ => {}
            },
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => {}
        }
    }
}

fn error(tag: &BytesStart<'_>, file: Option<&str>) -> Option<Diagnostic> {
    let mut diagnostic = Diagnostic::new("checkstyle", attribute(tag, &["message"])?);
    diagnostic.file = file.map(str::to_owned);
    let number = |name| attribute(tag, &[name])?.parse::<u64>().ok();
    diagnostic.range = number("line").map(|line| TextRange::point(line, number("column")));
    diagnostic.severity = match attribute(tag, &["severity"]).as_deref() {
        Some("warning") => DiagnosticSeverity::Warning,
        Some("info" | "ignore") => DiagnosticSeverity::Note,
        _ => DiagnosticSeverity::Error,
    };
    diagnostic.rule = attribute(tag, &["source"]).map(|source| {
        let name = source.rsplit('.').next().unwrap_or(&source);
        name.strip_suffix("Check").unwrap_or(name).to_owned()
    });
    Some(diagnostic)
}

/// `[ERROR] /a/Total.java:6:24: Parameter items should be final. [FinalParameters]`,
/// also as Maven's plugin prints it: `src/Total.java:[6,24] (misc) Name: …`.
pub(super) fn parse_text_line(line: &str) -> Option<Diagnostic> {
    let (severity, rest) = [
        ("[ERROR] ", DiagnosticSeverity::Error),
        ("[WARN] ", DiagnosticSeverity::Warning),
        ("[WARNING] ", DiagnosticSeverity::Warning),
        ("[INFO] ", DiagnosticSeverity::Note),
    ]
    .into_iter()
    .find_map(|(word, severity)| Some((severity, line.strip_prefix(word)?)))?;
    if let Some((file, position, message)) = super::maven::bracketed(rest) {
        let (_, message) = message.strip_prefix('(')?.split_once(") ")?;
        let (rule, message) = message.split_once(": ")?;
        return Some(
            Diagnostic::new("checkstyle", message)
                .in_file(file)
                .at(position)
                .with_rule(rule)
                .with_severity(severity),
        );
    }
    let place = Place::leading(rest)?;
    let (message, rule) = trailing_rule(place.rest.strip_prefix(": ")?, ['[', ']']);
    let diagnostic = place.diagnostic("checkstyle", message);
    Some(diagnostic.with_rule(rule?).with_severity(severity))
}
