//! Reads checkstyle: its XML, which many other tools write too, and its text
//! output.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, TextRange};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::output::Output;
use super::place::{Place, trailing_rule};

const TOOL: &str = "checkstyle";

pub(super) fn read(output: &Output) -> Vec<Diagnostic> {
    match output.xml(TOOL) {
        Some(xml) => document(xml),
        None => output.lines().filter_map(parse_text_line).collect(),
    }
}

fn document(xml: &str) -> Vec<Diagnostic> {
    let mut reader = Reader::from_str(xml);
    let mut file = None;
    let mut found = Vec::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) => match tag.name().as_ref() {
                "file" => file = attribute(&tag, "name"),
                "error" => found.extend(error(&tag, file.as_deref())),
                _ => {}
            },
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => {}
        }
    }
}

fn error(tag: &BytesStart<'_>, file: Option<&str>) -> Option<Diagnostic> {
    let mut diagnostic = Diagnostic::new(TOOL, attribute(tag, "message")?);
    diagnostic.file = file.map(str::to_owned);
    let number = |name| attribute(tag, name)?.parse::<u64>().ok();
    diagnostic.range = number("line").map(|line| TextRange::point(line, number("column")));
    diagnostic.severity = match attribute(tag, "severity").as_deref() {
        Some("warning") => DiagnosticSeverity::Warning,
        Some("info" | "ignore") => DiagnosticSeverity::Note,
        _ => DiagnosticSeverity::Error,
    };
    diagnostic.rule = attribute(tag, "source").map(|source| {
        let name = source.rsplit('.').next().unwrap_or(&source);
        name.strip_suffix("Check").unwrap_or(name).to_owned()
    });
    Some(diagnostic)
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let value = tag.try_get_attribute(name).ok()??;
    let value = value
        .normalized_value(quick_xml::XmlVersion::Implicit1_0)
        .ok()?;
    Some(value.into_owned())
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
            Diagnostic::new(TOOL, message)
                .in_file(file)
                .at(position)
                .of_rule(rule)
                .of_severity(severity),
        );
    }
    let place = Place::leading(rest)?;
    let (message, rule) = trailing_rule(place.rest.strip_prefix(": ")?, ['[', ']']);
    Some(
        Diagnostic::new(TOOL, message)
            .in_file(place.file)
            .at(place.range())
            .of_rule(rule?)
            .of_severity(severity),
    )
}
