//! Secrets in text: keyword → window → pattern → entropy and stop words.
//!
//! One automaton finds the keywords of all formats in one pass. Only around a
//! keyword is the pattern of its format tried, within a window, so the time
//! grows with the text and not with the number of formats. A hit must then look
//! random and not like a placeholder.
//!
//! The formats are data: a file per family of providers below `secrets/`, each
//! format with examples both ways. Examples are written as recipes
//! (`ghp_<alnum:36>`), so that the files hold nothing that looks alive.

mod assigned;
mod catalogue;
mod docstring;
mod explained;
mod login;
mod mask;
mod paths;
mod plausible;

use std::ops::Range;

use memchr::memchr_iter;

pub(crate) use explained::explained;
pub use mask::masked;
pub(crate) use mask::{hidden, without_quoted};

use self::catalogue::{CATALOGUE, Format};
use self::paths::Surroundings;
use crate::budget::{Budget, StopFlag};
use crate::finding::{Finding, Kind, Place, Severity};
use crate::language::Language;
use crate::report;

/// A file may hold thousands of keys; people do not read that many findings.
const MAX_PER_FILE: usize = 100;

/// The rest of a longer line is not displayed.
const MAX_LINE_LEN: usize = 4_000;

pub(crate) const CLASS: &str = "hardcoded-credential";
const CWE: u32 = 798;
const WHY: &str = "anyone who can read the repository or its history can use it";

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hit {
    rule: String,
    what: String,
    remedy: String,
    severity: Severity,
    /// The bytes of the secret itself.
    range: Range<usize>,
    certainty: Certainty,
}

/// Of two hits at one place, the more certain one is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    /// A name such as `password` and a value that is no placeholder.
    Name,
    /// The format of a provider.
    Format,
}

/// The secrets of a file or of a part of one, whatever its language or encoding.
/// In places where they are usually made up, such as tests, they are less severe.
pub fn in_file(path: &str, bytes: &[u8]) -> Vec<Finding> {
    let budget = Budget::for_bytes(bytes.len(), &StopFlag::default());
    findings(path, bytes, &budget)
}

/// The secrets of a file, whatever its language, size or encoding.
pub(crate) fn findings(path: &str, bytes: &[u8], budget: &Budget) -> Vec<Finding> {
    let surroundings = Surroundings::for_path(path);
    if surroundings == Surroundings::Generated {
        return Vec::new();
    }
    let mut hits = hits(bytes, path, surroundings, budget);
    hits.truncate(MAX_PER_FILE);
    let mut lines = Lines::new(bytes);
    let mut findings: Vec<_> = hits
        .into_iter()
        .map(|hit| finding(path, bytes, hit, surroundings, &mut lines))
        .collect();
    report::fingerprint(&mut findings);
    findings
}

/// In the order of the text, without overlaps.
fn hits(bytes: &[u8], path: &str, surroundings: Surroundings, budget: &Budget) -> Vec<Hit> {
    let mut hits = CATALOGUE.hits(bytes, budget);
    if surroundings == Surroundings::Product {
        hits.extend(assigned(bytes, path, budget));
        hits.extend(login::hits(bytes, budget));
    }
    hits.sort_by_key(|hit| (hit.range.start, std::cmp::Reverse(hit.certainty)));
    without_overlaps(hits)
}

/// Secrets by their names, outside of docstrings.
fn assigned(bytes: &[u8], path: &str, budget: &Budget) -> Vec<Hit> {
    let mut hits = assigned::hits(bytes, path, budget);
    if Language::from_path(path) == Some(Language::Python) && !hits.is_empty() {
        let docstrings = docstring::docstrings(bytes);
        hits.retain(|hit| {
            let at = hit.range.start;
            // They are in the order of the text.
            let after = docstrings.partition_point(|text| text.start <= at);
            !docstrings[..after]
                .last()
                .is_some_and(|text| text.contains(&at))
        });
    }
    hits
}

fn without_overlaps(hits: Vec<Hit>) -> Vec<Hit> {
    let mut kept: Vec<Hit> = Vec::new();
    for hit in hits {
        match kept.last_mut() {
            Some(last) if hit.range.start < last.range.end => {
                if hit.certainty > last.certainty {
                    *last = hit;
                }
            }
            _ => kept.push(hit),
        }
    }
    kept
}

fn finding(
    path: &str,
    bytes: &[u8],
    hit: Hit,
    surroundings: Surroundings,
    lines: &mut Lines<'_>,
) -> Finding {
    let secret = String::from_utf8_lossy(&bytes[hit.range.clone()]);
    let (line, start) = lines.locate(hit.range.start);
    let column = |at: usize| {
        let before = String::from_utf8_lossy(&bytes[start..at]);
        u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX)
    };
    let end = hit.range.end.min(lines.end_of_line(hit.range.start));
    let severity = match surroundings {
        Surroundings::Product => hit.severity,
        _ => Severity::Low,
    };
    Finding {
        rule: hit.rule,
        kind: Kind::Security,
        class: CLASS.to_owned(),
        cwe: Some(CWE),
        severity,
        place: Place {
            path: path.to_owned(),
            start_line: line,
            start_column: column(hit.range.start),
            end_line: line,
            end_column: column(end),
        },
        what: format!("{} {}", hit.what, mask::mask(&secret)),
        why: WHY.to_owned(),
        remedy: hit.remedy,
        trace: Vec::new(),
        excerpt: excerpt(&bytes[start..lines.end_of_line(hit.range.start)]),
        fingerprint: String::new(),
    }
}

/// The line, masked and cut. Cutting comes last: half a secret would not be known for one.
fn excerpt(line: &[u8]) -> String {
    let line = &line[..line.len().min(MAX_LINE_LEN)];
    report::excerpt(&masked(&String::from_utf8_lossy(line)))
}

/// Line numbers for ascending offsets, counted once.
struct Lines<'a> {
    bytes: &'a [u8],
    line: u32,
    start: usize,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            line: 1,
            start: 0,
        }
    }

    /// The number of the line and where it starts.
    fn locate(&mut self, at: usize) -> (u32, usize) {
        let from = self.start;
        for newline in memchr_iter(b'\n', &self.bytes[from..at.max(from)]) {
            self.line += 1;
            self.start = from + newline + 1;
        }
        (self.line, self.start)
    }

    fn end_of_line(&self, at: usize) -> usize {
        memchr::memchr(b'\n', &self.bytes[at..]).map_or(self.bytes.len(), |end| at + end)
    }
}

impl Format {
    fn hit(&self, range: Range<usize>) -> Hit {
        Hit {
            rule: format!("secrets/{}", self.id),
            what: self.what.clone(),
            remedy: format!(
                "Revoke it with {}, issue a new one, and read that from the environment or a secret store.",
                self.provider
            ),
            severity: self.severity,
            range,
            certainty: Certainty::Format,
        }
    }
}

#[cfg(test)]
mod tests;
