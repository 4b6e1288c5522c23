//! Reads black: unformatted files, and files it cannot parse.

use baton_protocol::diagnostic::{Diagnostic, Fix};

use super::output::Output;
use super::place::Place;

const TOOL: &str = "black";

pub(super) fn read(output: &Output) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for line in output.lines() {
        if let Some(file) = line.strip_prefix("would reformat ") {
            let unformatted = Diagnostic::new(TOOL, "is not formatted").in_file(file);
            found.push(unformatted.mended_by(Fix::automatic()));
        } else if let Some(place) = line.strip_prefix("error: cannot parse: ") {
            found.extend(Place::leading(place).map(|place| {
                Diagnostic::new(TOOL, "cannot be parsed")
                    .in_file(place.file)
                    .at(place.range())
            }));
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
    let mut diagnostic = Diagnostic::new(TOOL, message).in_file(file);
    let place = message.match_indices(": ").find_map(|(at, _)| {
        let (line, rest) = super::place::number(&message[at + 2..])?;
        let (column, _) = super::place::number(rest.strip_prefix(':')?)?;
        Some((line, column))
    });
    if let Some((line, column)) = place {
        // black counts columns from 0.
        diagnostic.range = Some(baton_protocol::diagnostic::TextRange::point(
            line,
            column.checked_add(1),
        ));
    }
    Some(diagnostic)
}
