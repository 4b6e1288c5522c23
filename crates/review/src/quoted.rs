//! Findings claimed by others, such as an agent: accepted only if the line they
//! quote is at the place they name.

use crate::engine::ChangedFile;
use crate::finding::{Finding, Kind, Place, Severity};
use crate::report;
use crate::secrets;

/// Sentences of a claim are cut to this length.
const MAX_TEXT_LEN: usize = 600;

/// A finding as it is claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub kind: Kind,
    pub severity: Severity,
    pub path: String,
    /// The first quoted line, counted from one.
    pub line: u32,
    /// One or more whole lines.
    pub quote: String,
    /// A few words that name the sort of problem: `sql-injection`.
    pub class: String,
    pub what: String,
    pub why: String,
    pub remedy: String,
}

/// Which claims hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judged {
    pub accepted: Vec<Finding>,
    pub rejected: Vec<(Claim, Rejection)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    #[error("the file is not part of the change")]
    UnknownFile,
    #[error("the file has no such line")]
    NoSuchLine,
    #[error("nothing is quoted")]
    NothingQuoted,
    #[error("the quoted line is not at that place")]
    NotThere,
    #[error("the change did not touch the line")]
    Untouched,
}

/// Accepts what is quoted rightly from lines that the change touched.
pub fn accept_quoted(claims: Vec<Claim>, files: &[ChangedFile<'_>], reviewer: &str) -> Judged {
    let mut judged = Judged::default();
    for claim in claims {
        match check(&claim, files) {
            Ok(excerpt) => judged.accepted.push(finding(claim, &excerpt, reviewer)),
            Err(rejection) => judged.rejected.push((claim, rejection)),
        }
    }
    report::fingerprint(&mut judged.accepted);
    judged
}

/// Gives the first line that was quoted.
fn check(claim: &Claim, files: &[ChangedFile<'_>]) -> Result<String, Rejection> {
    let file = files
        .iter()
        .find(|file| file.path == claim.path)
        .ok_or(Rejection::UnknownFile)?;
    let text = file
        .after
        .and_then(|bytes| str::from_utf8(bytes).ok())
        .ok_or(Rejection::UnknownFile)?;
    if !claim.quote.chars().any(char::is_alphanumeric) {
        return Err(Rejection::NothingQuoted);
    }
    let from = (claim.line as usize)
        .checked_sub(1)
        .ok_or(Rejection::NoSuchLine)?;
    let mut lines = text.lines().skip(from).peekable();
    let first = lines.peek().copied().ok_or(Rejection::NoSuchLine)?;
    for quoted in claim.quote.trim_end().lines() {
        let there = lines.next().ok_or(Rejection::NotThere)?;
        // Quoting often loses indentation, never words.
        if !quoted.split_whitespace().eq(there.split_whitespace()) {
            return Err(Rejection::NotThere);
        }
    }
    let quoted = u32::try_from(claim.quote.trim_end().lines().count()).unwrap_or(u32::MAX);
    let last = claim.line.saturating_add(quoted.saturating_sub(1));
    if !(claim.line..=last).any(|line| file.touched.contains(line)) {
        return Err(Rejection::Untouched);
    }
    Ok(first.to_owned())
}

fn finding(claim: Claim, excerpt: &str, reviewer: &str) -> Finding {
    let lines = u32::try_from(claim.quote.trim_end().lines().count()).unwrap_or(1);
    let class: String = claim
        .class
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-')
        .take(60)
        .collect();
    Finding {
        rule: format!("{reviewer}/{class}"),
        kind: claim.kind,
        class,
        cwe: None,
        severity: claim.severity,
        place: Place {
            path: claim.path,
            start_line: claim.line,
            start_column: 1,
            end_line: claim.line.saturating_add(lines.saturating_sub(1)),
            end_column: 1,
        },
        what: sentence(&claim.what),
        why: sentence(&claim.why),
        remedy: sentence(&claim.remedy),
        trace: Vec::new(),
        excerpt: report::excerpt(&secrets::masked(excerpt)),
        fingerprint: String::new(),
    }
}

/// Foreign text on one line, without secrets or what would steer a terminal.
fn sentence(text: &str) -> String {
    let masked = secrets::masked(text);
    let mut clean = String::new();
    for word in masked.split_whitespace() {
        if !clean.is_empty() {
            clean.push(' ');
        }
        clean.extend(word.chars().filter(|letter| !letter.is_control()));
        if clean.len() > MAX_TEXT_LEN {
            clean.truncate(clean.floor_char_boundary(MAX_TEXT_LEN));
            clean.push('…');
            break;
        }
    }
    clean
}
