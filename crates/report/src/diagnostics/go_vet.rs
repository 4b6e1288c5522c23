//! Reads `go vet`, `go build` and the compiler that both run.

use baton_protocol::diagnostic::Diagnostic;

use super::output::Output;
use super::plain;

pub(super) fn read(output: &Output, tool: &str) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for line in output.lines() {
        if let Some(more) = line.strip_prefix('\t')
            && let Some(last) = found.last_mut()
        {
            last.message = format!("{}\n{}", last.message, more.trim());
            continue;
        }
        let line = line.strip_prefix("vet: ").unwrap_or(line);
        found.extend(plain::parse_line(tool, line));
    }
    found
}
