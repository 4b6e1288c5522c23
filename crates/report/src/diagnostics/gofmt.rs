//! Reads gofmt and `go fmt`: files listed with `-l`, and files it cannot parse.

use baton_protocol::diagnostic::{Diagnostic, Fix};

use super::output::Output;
use super::plain;
use crate::place::extension;

const TOOL: &str = "gofmt";

pub(super) fn read(output: &Output) -> Vec<Diagnostic> {
    output
        .lines()
        .filter_map(|line| plain::parse_line(TOOL, line).or_else(|| listed(line)))
        .collect()
}

/// A line that is the name of a file; with `-w` it is already formatted.
fn listed(line: &str) -> Option<Diagnostic> {
    let is_name = extension(line) == "go" && !line.contains([' ', ':']);
    is_name.then(|| {
        Diagnostic::new(TOOL, "is not formatted")
            .in_file(line.strip_prefix("./").unwrap_or(line))
            .mended_by(Fix::automatic())
    })
}
