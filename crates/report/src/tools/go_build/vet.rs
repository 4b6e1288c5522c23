//! Reads `go vet`, `go build` and the compiler that both run.

use baton_protocol::diagnostic::Diagnostic;

use crate::diagnostics::{DiagnosticsReader, Output, Tool};
use crate::tools::plain;

pub(super) const DIAGNOSTICS: [DiagnosticsReader; 2] = [
    DiagnosticsReader::generic(Tool::GoVet, |output| read(output, Tool::GoVet)),
    DiagnosticsReader::shared(Tool::GoBuild, |output| read(output, Tool::GoBuild)),
];

fn read(output: &Output, tool: Tool) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for line in output.lines() {
        if let Some(more) = line.strip_prefix('\t')
            && let Some(last) = found.last_mut()
        {
            last.message = format!("{}\n{}", last.message, more.trim());
            continue;
        }
        let line = line.strip_prefix("vet: ").unwrap_or(line);
        found.extend(plain::parse_line(tool.name(), line));
    }
    found
}
