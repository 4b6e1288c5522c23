//! Reads prettier: unformatted files, and files it cannot parse.

use baton_protocol::diagnostic::{Diagnostic, Fix, TextRange};

use super::output::Output;
use super::place::number;
use crate::place::looks_like_a_file;

const TOOL: &str = "prettier";

pub(super) fn read(output: &Output) -> Vec<Diagnostic> {
    output.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Diagnostic> {
    if let Some(file) = line.strip_prefix("[warn] ") {
        // `Code style issues found …` is the summary.
        return looks_like_a_file(file).then(|| {
            Diagnostic::new(TOOL, "is not formatted")
                .in_file(file)
                .mended_by(Fix::automatic())
        });
    }
    let (file, message) = line.strip_prefix("[error] ")?.split_once(": ")?;
    if !looks_like_a_file(file) {
        return None;
    }
    let (message, range) = trailing_place(message);
    let mut diagnostic = Diagnostic::new(TOOL, message).in_file(file);
    diagnostic.range = range;
    Some(diagnostic)
}

/// `… (2:10)`.
fn trailing_place(message: &str) -> (&str, Option<TextRange>) {
    let place = || {
        let (message, place) = message.strip_suffix(')')?.rsplit_once(" (")?;
        let (line, rest) = number(place)?;
        let (column, rest) = number(rest.strip_prefix(':')?)?;
        rest.is_empty()
            .then_some((message, Some(TextRange::point(line, Some(column)))))
    };
    place().unwrap_or((message, None))
}
