//! Reads `RuboCop` (and standardrb): the progress, clang and JSON formatters.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity, Fix, TextRange};
use serde::Deserialize;

use super::Tool;
use crate::diagnostics::{self, DiagnosticsReader, Output};
use crate::excerpt::Excerpt;
use crate::place::Place;
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool {
    diagnostics: &[DiagnosticsReader::distinctive(
        diagnostics::Tool::Rubocop,
        diagnostics,
    )],
    ..Tool::text::<Rubocop>(&["Offenses:"], &[" inspected, no offenses detected"])
};

#[derive(Default)]
struct Rubocop {
    session: Option<Session>,
    block: Option<(Failure, Excerpt)>,
}

impl TextReader for Rubocop {
    fn awake(&self) -> bool {
        self.session.is_some()
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        let text = line.text;
        if text == "Offenses:" {
            self.end(sessions);
            self.session = Some(Session::for_diagnostics("rubocop", line.number));
        } else if text.contains(" inspected, ") && text.contains(" detected") {
            self.close_block();
            let mut session = self
                .session
                .take()
                .unwrap_or_else(|| Session::for_diagnostics("rubocop", line.number));
            session.lines.1 = line.number;
            session.evidence = Evidence::Complete;
            session.broke = !session.failures.is_empty();
            sessions.push(session);
        } else if let Some(block) = failure(text) {
            self.close_block();
            self.session.reach(line.number);
            self.block = Some(block);
        } else if let Some((_, error)) = &mut self.block {
            error.push(text);
        } else if !text.is_empty() {
            // Another program's offenses.
            self.session = None;
        }
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.close_block();
        self.session.close_broken(sessions);
    }
}

impl Rubocop {
    fn close_block(&mut self) {
        if let Some((failure, error)) = self.block.take() {
            self.session.add(failure.because(error.text()));
        }
    }
}

/// The failure that begins on the line.
fn failure(text: &str) -> Option<(Failure, Excerpt)> {
    let offense = Offense::parse(text).filter(|offense| offense.mark != "Todo")?;
    let (cop, place) = (offense.cop?, offense.place);
    let mut error = Excerpt::default();
    error.push(&format!("{cop}: {}", offense.message));
    Some((Failure::named(cop).at(place.file, Some(place.line)), error))
}

/// `lib/a.rb:2:3: W: [Correctable] Lint/UselessAssignment: Useless assignment`
struct Offense<'a> {
    place: Place<'a>,
    severity: &'a str,
    /// Whether it could be corrected, or was.
    mark: &'a str,
    /// Cached results have messages without the cop's name.
    cop: Option<&'a str>,
    message: &'a str,
}

impl<'a> Offense<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let place = Place::leading(text)?;
        let (severity, rest) = place.rest.strip_prefix(": ")?.split_once(": ")?;
        if !matches!(severity, "I" | "R" | "C" | "W" | "E" | "F") {
            return None;
        }
        let (mark, rest) = match rest
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("] "))
        {
            Some((mark @ ("Correctable" | "Corrected" | "Todo"), rest)) => (mark, rest),
            _ => ("", rest),
        };
        let (cop, message) = match rest.split_once(": ") {
            Some((cop, message)) if cop.contains('/') && !cop.contains(' ') => (Some(cop), message),
            _ => (None, rest),
        };
        Some(Self {
            place,
            severity,
            mark,
            cop,
            message,
        })
    }
}

#[derive(Deserialize)]
struct Report {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    path: String,
    offenses: Vec<JsonOffense>,
}

#[derive(Deserialize)]
struct JsonOffense {
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

fn diagnostics(output: &Output) -> Vec<Diagnostic> {
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
            let mut diagnostic = Diagnostic::new("rubocop", offense.message)
                .in_file(path.as_str())
                .at(TextRange::between((at.start_line, at.start_column), end))
                .with_rule(offense.cop_name)
                .with_severity(severity(&offense.severity));
            diagnostic.fix = offense.correctable.then(Fix::automatic);
            diagnostic
        })
}

fn parse_line(line: &str) -> Option<Diagnostic> {
    let offense = Offense::parse(line)?;
    if offense.severity == "I" || matches!(offense.mark, "Corrected" | "Todo") {
        return None;
    }
    let mut diagnostic = offense.place.diagnostic("rubocop", offense.message);
    diagnostic.severity = severity(offense.severity);
    diagnostic.rule = offense.cop.map(str::to_owned);
    diagnostic.fix = (offense.mark == "Correctable").then(Fix::automatic);
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
