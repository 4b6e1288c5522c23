//! The explanation of each kind of secret.

use super::catalogue::CATALOGUE;
use super::{CLASS, CWE, Hit, WHY, assigned, login};
use crate::explained::Explained;
use crate::finding::Kind;

pub(crate) fn explained() -> impl Iterator<Item = Explained> {
    let formats = CATALOGUE.formats.iter().map(|format| format.hit(0..0));
    formats
        .chain(assigned::kinds())
        .chain([login::hit(0..0)])
        .map(explain_hit)
}

fn explain_hit(hit: Hit) -> Explained {
    let mut letters = hit.what.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    Explained {
        id: hit.rule,
        kind: Kind::Security,
        class: CLASS.to_owned(),
        cwe: Some(CWE),
        severity: hit.severity,
        what: first.chain(letters).collect(),
        why: WHY.to_owned(),
        remedy: hit.remedy,
        bad: Vec::new(),
        good: Vec::new(),
    }
}
