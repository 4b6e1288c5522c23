//! Reads Gradle: compiler errors, checkstyle and spotless, and why a build
//! failed.

use baton_protocol::diagnostic::{Diagnostic, DiagnosticSeverity};

use crate::diagnostics::Output;
use crate::place::{Place, trailing_rule};
use crate::tools::{javac, spotless};

pub(super) fn read(output: &Output) -> Vec<Diagnostic> {
    let mut found = javac::diagnostics(output);
    found.extend(output.lines().filter_map(styled));
    if found.is_empty() {
        found = spotless::diagnostics(output);
    }
    if found.is_empty() {
        found.extend(went_wrong(output));
    }
    found
}

/// `[ant:checkstyle] [ERROR] /a/Total.java:6:24: Parameter … [FinalParameters]`.
fn styled(line: &str) -> Option<Diagnostic> {
    let rest = line.strip_prefix("[ant:checkstyle] ")?;
    let (severity, rest) = match rest.split_once("] ")? {
        ("[ERROR", rest) => (DiagnosticSeverity::Error, rest),
        ("[WARN", rest) => (DiagnosticSeverity::Warning, rest),
        (_, rest) => (DiagnosticSeverity::Note, rest),
    };
    let place = Place::leading(rest)?;
    let (message, rule) = trailing_rule(place.rest.strip_prefix(": ")?, ['[', ']']);
    let mut diagnostic = place
        .diagnostic("checkstyle", message)
        .with_severity(severity);
    diagnostic.rule = rule.map(str::to_owned);
    Some(diagnostic)
}

/// The lines between `* What went wrong:` and `* Try:`.
fn went_wrong(output: &Output) -> Option<Diagnostic> {
    let mut lines = output.lines().skip_while(|l| *l != "* What went wrong:");
    lines.next()?;
    let reasons: Vec<&str> = lines
        .take_while(|line| !line.starts_with("* ") && !line.is_empty())
        .map(str::trim)
        .take(12)
        .collect();
    (!reasons.is_empty()).then(|| Diagnostic::new("gradle", reasons.join("; ")))
}
