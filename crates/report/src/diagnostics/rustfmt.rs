//! Reads rustfmt and `cargo fmt`: differences, and files that cannot be parsed.

use baton_protocol::diagnostic::{Diagnostic, Fix, TextRange};

use super::cargo;
use super::output::Output;
use super::place::Place;

const TOOL: &str = "rustfmt";

pub(super) fn read(output: &Output) -> Vec<Diagnostic> {
    let mut found = cargo::rendered(output, TOOL);
    found.extend(output.lines().filter_map(difference));
    found
}

/// `Diff in src/lib.rs:3:`, and `Diff in src/lib.rs at line 3:` of older
/// versions.
fn difference(line: &str) -> Option<Diagnostic> {
    let rest = line.strip_prefix("Diff in ")?;
    let unformatted = |file: &str, line: u64| {
        Diagnostic::new(TOOL, "is not formatted")
            .in_file(file)
            .at(TextRange::point(line, None))
            .mended_by(Fix::automatic())
    };
    if let Some((file, at)) = rest.rsplit_once(" at line ") {
        return Some(unformatted(file, at.trim_end_matches(':').parse().ok()?));
    }
    let place = Place::leading(rest)?;
    Some(unformatted(place.file, place.line))
}
