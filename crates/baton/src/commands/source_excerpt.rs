//! Findings and complaints with the code they are about.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use baton_protocol::diagnostic::{Diagnostic, TextRange};
use baton_protocol::review::{FindingSeverity, ReviewFinding};

use baton_review::secrets;

use crate::terminal::{Style, sanitize};

/// No one reads more at once; all of them are in the files that flags write.
const MAX_ISSUES: usize = 30;
const WIDEST: usize = 160;
const MAX_BYTES: u64 = 4 << 20;

/// What a tool complains about, as far as it failed the check.
pub(super) fn issues(
    text: &mut String,
    check: &str,
    diagnostics: &[Diagnostic],
    issues: &[String],
    folder: &Path,
) {
    let mut line = |content: &str| writeln!(text, "{content}").expect("a string takes all text");
    for issue in issues.iter().take(MAX_ISSUES) {
        let diagnostic = diagnostics.iter().find(|found| found.to_string() == *issue);
        let told = sanitize(issue);
        line(&format!("{} {check}: {told}", Style::Bad.paint("error:")));
        let place = diagnostic.and_then(|found| found.file.as_deref().zip(found.range));
        if let Some((file, range)) = place {
            for row in code(folder, file, range) {
                line(&row);
            }
        }
    }
    if let Some(more) = issues
        .len()
        .checked_sub(MAX_ISSUES)
        .filter(|more| *more > 0)
    {
        line(&format!("  … and {more} more of the {check}"));
    }
}

/// What a review found.
pub(super) fn finding(text: &mut String, finding: &ReviewFinding, folder: &Path) {
    let mut line = |content: &str| writeln!(text, "{content}").expect("a string takes all text");
    let word = match finding.severity {
        FindingSeverity::Critical | FindingSeverity::High => Style::Bad,
        FindingSeverity::Medium => Style::Hint,
        FindingSeverity::Low => Style::Dim,
    }
    .paint(finding.severity.name());
    let cwe = match finding.cwe {
        Some(cwe) => format!(", CWE-{cwe}"),
        None => String::new(),
    };
    let rule = sanitize(&finding.rule);
    let rule = Style::Dim.paint(format!("({rule}{cwe}) {}", finding.id));
    line(&format!("{word} {} {rule}", sanitize(&finding.to_string())));
    for step in &finding.trace {
        line(&format!(
            "  {}:{} {}",
            sanitize(&step.file),
            step.range.start.line,
            sanitize(&step.note)
        ));
    }
    for row in excerpt(finding, folder) {
        line(&row);
    }
    if !finding.remedy.is_empty() {
        line(&format!(
            "  {} {}",
            Style::Hint.paint("hint:"),
            sanitize(&finding.remedy)
        ));
    }
}

/// The excerpt of a finding, in which what is secret is masked, instead of the
/// line itself.
fn excerpt(finding: &ReviewFinding, folder: &Path) -> Vec<String> {
    let mut rows = code(folder, &finding.file, finding.range);
    let Some(first) = rows.first_mut() else {
        return rows;
    };
    let line = first.split_once(" | ").map_or("", |(_, line)| line);
    let indent = line.chars().take_while(|c| c.is_whitespace()).count();
    let told = sanitize(finding.excerpt.trim());
    let is_whole = told == line.trim();
    let shown = format!("{}{told}", " ".repeat(indent));
    let number = finding.range.start.line;
    *first = format!("  {number:>5} | {}", shortened(&shown));
    if !is_whole {
        // The carets would stand below something else.
        rows.truncate(1);
    }
    rows
}

/// The line of a place, and carets below it.
fn code(folder: &Path, file: &str, range: TextRange) -> Vec<String> {
    let Some(line) = line_of(folder, file, range.start.line) else {
        return Vec::new();
    };
    // A linter may well complain about the line that holds a secret.
    let masked = secrets::masked(&line);
    let is_masked = *masked != line;
    let shown = shortened(&sanitize(&masked.replace('\t', " ")));
    let mut rows = vec![format!("  {:>5} | {shown}", range.start.line)];
    // The mask is of another length than what it hides.
    if let Some(column) = range.start.column.filter(|c| *c > 0 && !is_masked) {
        let width = shown.chars().count() as u64;
        let end = match range.end {
            Some(end) if end.line == range.start.line => end.column.unwrap_or(column + 1),
            Some(_) => width + 1,
            None => column + 1,
        };
        if column <= width {
            let length = end.saturating_sub(column).clamp(1, width + 1 - column);
            let gap = " ".repeat(usize::try_from(column - 1).unwrap_or(0));
            let carets = "^".repeat(usize::try_from(length).unwrap_or(1));
            rows.push(format!("        | {gap}{}", Style::Bad.paint(carets)));
        }
    }
    rows
}

/// Of a file in the project, and of no other.
fn line_of(folder: &Path, file: &str, line: u64) -> Option<String> {
    let path = folder.join(file).canonicalize().ok()?;
    if !path.starts_with(folder.canonicalize().ok()?) || !path.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path)
        .ok()?
        .take(MAX_BYTES)
        .read_to_end(&mut bytes)
        .ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let at = usize::try_from(line).ok()?.checked_sub(1)?;
    text.lines().nth(at).map(str::to_owned)
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(WIDEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}
