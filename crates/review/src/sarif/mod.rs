//! SARIF 2.1.0: reads the findings of other programs, and writes ours.

mod read;
mod write;

use crate::finding::Finding;

pub use read::{Imported, MAX_BYTES, SarifError, read};
pub use write::log;

/// Adds what others found, unless it is known: the same place and the same sort
/// of problem. Of the two, the more severe judgement stays.
pub fn merge(own: &mut Vec<Finding>, others: Vec<Finding>) {
    for other in others {
        match own.iter_mut().find(|known| is_same(known, &other)) {
            Some(known) => known.severity = known.severity.max(other.severity),
            None => own.push(other),
        }
    }
    own.sort_by(|a, b| (&a.place, &a.rule).cmp(&(&b.place, &b.rule)));
}

fn is_same(a: &Finding, b: &Finding) -> bool {
    let lines = |finding: &Finding| finding.place.start_line..=finding.place.end_line;
    let place = a.place.path == b.place.path
        && (lines(a).contains(&b.place.start_line) || lines(b).contains(&a.place.start_line));
    let weakness = match (a.cwe, b.cwe) {
        (Some(a), Some(b)) => family(a) == family(b),
        _ => false,
    };
    place && (weakness || a.class == b.class || a.rule == b.rule)
}

/// Programs number the same weakness more or less exactly.
const fn family(cwe: u32) -> u32 {
    match cwe {
        23 | 36 | 73 => 22,
        77 | 88 => 78,
        80 | 116 => 79,
        95 | 96 => 94,
        259 | 321 | 522 => 798,
        326 | 328 | 916 => 327,
        330 | 335 | 336 => 338,
        297 | 599 => 295,
        other => other,
    }
}
