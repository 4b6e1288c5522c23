//! Reads formatters in check mode: black, `ruff format` and isort.

use baton_protocol::diagnostic::{Diagnostic, TextRange};

use super::Tool;
use crate::diagnostics::{self, DiagnosticsReader, Output};
use crate::place::{self, Place, number};
use crate::session::{Evidence, Failure, OpenSession, Session, Sessions};
use crate::text::{Line, TextReader};

pub(super) const TOOL: Tool = Tool {
    diagnostics: &[DiagnosticsReader::distinctive(
        diagnostics::Tool::Black,
        diagnostics,
    )],
    ..Tool::text::<PythonFormatters>(
        &[
            "would reformat ",
            "Would reformat: ",
            "error: cannot format ",
            "error: cannot parse: ",
            "ERROR: ",
        ],
        &[],
    )
};

#[derive(Default)]
struct PythonFormatters {
    session: Option<Session>,
    /// Lines since the latest file.
    idle: u32,
}

impl TextReader for PythonFormatters {
    fn awake(&self) -> bool {
        self.session.is_some()
    }

    fn line(&mut self, line: Line<'_>, sessions: &mut Sessions) {
        const MAX_IDLE_LINES: u32 = 20;
        let Some((tool, failure)) = unformatted(line.text) else {
            return self.other(line, MAX_IDLE_LINES, sessions);
        };
        self.idle = 0;
        if self.session.as_ref().is_some_and(|s| s.framework != tool) {
            self.end(sessions);
        }
        let session = self.session.begin_diagnostics(tool, line.number);
        session.lines.1 = line.number;
        session.broke = true;
        session.add(failure);
    }

    fn end(&mut self, sessions: &mut Sessions) {
        self.idle = 0;
        self.session.close(sessions);
    }
}

impl PythonFormatters {
    /// `1 file would be reformatted, 2 files would be left unchanged.`
    fn other(&mut self, line: Line<'_>, longest: u32, sessions: &mut Sessions) {
        let Some(session) = &mut self.session else {
            return;
        };
        self.idle += 1;
        let summary = line.text.contains(" would be reformatted")
            || line.text.contains(" failed to reformat");
        if summary {
            session.lines.1 = line.number;
            session.evidence = Evidence::Summary;
        }
        if summary || self.idle > longest {
            self.end(sessions);
        }
    }
}

fn unformatted(text: &str) -> Option<(&'static str, Failure)> {
    let failure = |name: &str, file: &str| Failure::named(name).at(file, None).because(text);
    if let Some(file) = text.strip_prefix("would reformat ") {
        return is_source(file).then(|| ("black", failure("would reformat", file)));
    }
    if let Some(file) = text.strip_prefix("Would reformat: ") {
        return is_source(file).then(|| ("ruff format", failure("would reformat", file)));
    }
    if let Some(rest) = text.strip_prefix("error: cannot format ") {
        let (file, reason) = rest.split_once(": ")?;
        let mut failure = failure("cannot format", file);
        // `Cannot parse for target version Python 3.13: 2:7: x = (`
        failure.line = reason
            .split(": ")
            .find_map(|part| part.split_once(':')?.0.parse().ok());
        return is_source(file).then_some(("black", failure));
    }
    if let Some(rest) = text.strip_prefix("error: cannot parse: ") {
        let (file, line, _) = place::leading(rest)?;
        let mut failure = failure("cannot format", file);
        failure.line = Some(line);
        return is_source(file).then_some(("black", failure));
    }
    let file = text
        .strip_prefix("ERROR: ")?
        .strip_suffix(" Imports are incorrectly sorted and/or formatted.")?;
    Some(("isort", failure("imports", file)))
}

fn is_source(file: &str) -> bool {
    [".py", ".pyi", ".ipynb"]
        .iter()
        .any(|end| file.ends_with(end))
}

fn diagnostics(output: &Output) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for line in output.lines() {
        if let Some(file) = line.strip_prefix("would reformat ") {
            found.push(diagnostics::unformatted("black", file));
        } else if let Some(place) = line.strip_prefix("error: cannot parse: ") {
            let place = Place::leading(place);
            found.extend(place.map(|place| place.diagnostic("black", "cannot be parsed")));
        } else if let Some(rest) = line.strip_prefix("error: cannot format ") {
            found.extend(cannot_format(rest));
        } else if let Some(cause) = line.strip_prefix("ParseError: ")
            && let Some(last) = found.last_mut()
        {
            last.message = format!("cannot be parsed: {cause}");
        }
    }
    found
}

/// `a.py: Cannot parse for target version Python 3.12: 1:11: def broken(:`.
fn cannot_format(rest: &str) -> Option<Diagnostic> {
    let (file, message) = rest.split_once(": ")?;
    let mut diagnostic = Diagnostic::new("black", message).in_file(file);
    let place = message.match_indices(": ").find_map(|(at, _)| {
        let (line, rest) = number(&message[at + 2..])?;
        let (column, _) = number(rest.strip_prefix(':')?)?;
        Some((line, column))
    });
    if let Some((line, column)) = place {
        // black counts columns from 0.
        diagnostic.range = Some(TextRange::point(line, column.checked_add(1)));
    }
    Some(diagnostic)
}
