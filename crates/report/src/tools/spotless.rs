//! Reads spotless, through Maven or Gradle: which files are not formatted.

use baton_protocol::diagnostic::Diagnostic;

use super::Tool;
use crate::diagnostics::{self, DiagnosticsReader, Output};
use crate::place::looks_like_a_file;

pub(super) const TOOL: Tool = Tool {
    diagnostics: &[DiagnosticsReader::distinctive(
        diagnostics::Tool::Spotless,
        diagnostics,
    )],
    ..Tool::NONE
};

/// Files are listed between `The following files had format violations:` and
/// `Run '…' to fix these violations.`, their differences indented below.
pub(super) fn diagnostics(output: &Output) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut is_listing = false;
    for line in output.lines() {
        let line = line.strip_prefix("[ERROR] ").unwrap_or(line);
        if line.contains("files had format violations:") {
            is_listing = true;
            continue;
        }
        if line.trim_start().starts_with("Run '") {
            is_listing = false;
        }
        let name = line.trim();
        let is_name = looks_like_a_file(name) && !name.contains([' ', '@', '+']);
        if is_listing && is_name && !name.starts_with('-') {
            found.push(diagnostics::unformatted("spotless", name));
        }
    }
    found
}
