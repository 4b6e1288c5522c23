//! Reads gofmt and `go fmt`: files listed with `-l`, and files it cannot parse.

use baton_protocol::diagnostic::Diagnostic;

use super::{Tool, plain};
use crate::diagnostics::{self, DiagnosticsReader, Output};
use crate::place::extension;

pub(super) const TOOL: Tool = Tool {
    diagnostics: &[DiagnosticsReader::generic(
        diagnostics::Tool::Gofmt,
        diagnostics,
    )],
    ..Tool::NONE
};

pub(super) fn diagnostics(output: &Output) -> Vec<Diagnostic> {
    output
        .lines()
        .filter_map(|line| plain::parse_line("gofmt", line).or_else(|| listed(line)))
        .collect()
}

/// A line that is the name of a file; with `-w` it is already formatted.
fn listed(line: &str) -> Option<Diagnostic> {
    let is_name = extension(line) == "go" && !line.contains([' ', ':']);
    let file = line.strip_prefix("./").unwrap_or(line);
    is_name.then(|| diagnostics::unformatted("gofmt", file))
}
