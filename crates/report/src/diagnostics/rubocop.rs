//! Reads rubocop (and standardrb): `--format json`, and its text output.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, Fix, TextRange};
use serde::Deserialize;

use super::output::Output;
use super::place::Place;

const TOOL: &str = "rubocop";

#[derive(Deserialize)]
struct Report {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    path: String,
    offenses: Vec<Offense>,
}

#[derive(Deserialize)]
struct Offense {
    severity: String,
    message: String,
    cop_name: String,
    #[serde(default)]
    corrected: bool,
    #[serde(default)]
    correctable: bool,
    location: Location,
}

#[derive(Deserialize)]
struct Location {
    start_line: u64,
    start_column: u64,
    last_line: u64,
    last_column: u64,
}

pub(super) fn read(output: &Output) -> Vec<Diagnostic> {
    match output.json::<Report>() {
        Some(report) => report
            .files
            .into_iter()
            .flat_map(file_diagnostics)
            .collect(),
        None => output.lines().filter_map(parse_line).collect(),
    }
}

fn file_diagnostics(file: File) -> impl Iterator<Item = Diagnostic> {
    let path = file.path;
    file.offenses
        .into_iter()
        .filter(|offense| !offense.corrected)
        .map(move |offense| {
            let at = offense.location;
            // The last column is included in the range.
            let end = (at.last_line, at.last_column.saturating_add(1));
            let mut diagnostic = Diagnostic::new(TOOL, offense.message)
                .in_file(path.as_str())
                .at(TextRange::between((at.start_line, at.start_column), end))
                .of_rule(offense.cop_name)
                .of_severity(severity(&offense.severity));
            diagnostic.fix = offense.correctable.then(Fix::automatic);
            diagnostic
        })
}

/// `total.rb:5:3: C: [Correctable] Style/RedundantReturn: Redundant return.`
fn parse_line(line: &str) -> Option<Diagnostic> {
    let place = Place::leading(line)?;
    let (word, rest) = place.rest.strip_prefix(": ")?.split_once(": ")?;
    let severity = match word {
        "C" | "R" | "W" | "E" | "F" => severity(word),
        _ => return None,
    };
    if rest.starts_with("[Corrected] ") || rest.starts_with("[Todo] ") {
        return None;
    }
    let (rest, fix) = match rest.strip_prefix("[Correctable] ") {
        Some(rest) => (rest, Some(Fix::automatic())),
        None => (rest, None),
    };
    // Cached results have messages without the cop's name.
    let (cop, message) = match rest.split_once(": ") {
        Some((cop, message)) if cop.contains('/') && !cop.contains(' ') => (Some(cop), message),
        _ => (None, rest),
    };
    let mut diagnostic = Diagnostic::new(TOOL, message)
        .in_file(place.file)
        .at(place.range())
        .of_severity(severity);
    diagnostic.rule = cop.map(str::to_owned);
    diagnostic.fix = fix;
    Some(diagnostic)
}

/// Every offense fails a run, whatever its severity.
fn severity(word: &str) -> DiagnosticSeverity {
    match word {
        "info" => DiagnosticSeverity::Note,
        "warning" | "W" | "convention" | "C" | "refactor" | "R" => DiagnosticSeverity::Warning,
        _ => DiagnosticSeverity::Error,
    }
}
