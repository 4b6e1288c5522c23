//! Parses `git range-diff`.

use super::{lines, oid, text};
use crate::git::Oid;

/// A commit of one series and what became of it in the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitPair {
    pub status: PairStatus,
    /// Number in the old series, from 1, and id.
    pub old: Option<(u64, Oid)>,
    /// Number in the new series, from 1, and id.
    pub new: Option<(u64, Oid)>,
    pub subject: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairStatus {
    Same,
    Changed,
    OnlyOld,
    OnlyNew,
}

/// Reads `git range-diff --no-patch` with full ids:
/// `1:  <id> = 2:  <id> <subject>`, where one side may be `-:  -------`.
pub fn range_diff(bytes: &[u8]) -> Vec<CommitPair> {
    lines(bytes).filter_map(pair).collect()
}

fn pair(line: &[u8]) -> Option<CommitPair> {
    let (old, rest) = side(line)?;
    let (status, rest) = word(rest)?;
    let status = match status {
        b"=" => PairStatus::Same,
        b"!" => PairStatus::Changed,
        b"<" => PairStatus::OnlyOld,
        b">" => PairStatus::OnlyNew,
        _ => return None,
    };
    let (new, rest) = side(rest)?;
    Some(CommitPair {
        status,
        old,
        new,
        subject: text(rest.strip_prefix(b" ").unwrap_or(rest)),
    })
}

type Side = Option<(u64, Oid)>;

fn side(line: &[u8]) -> Option<(Side, &[u8])> {
    let (number, rest) = word(line)?;
    let (id, rest) = word(rest)?;
    let number = number.strip_suffix(b":")?;
    if number == b"-" {
        return Some((None, rest));
    }
    let number = str::from_utf8(number).ok()?.parse().ok()?;
    Some((Some((number, oid(id)?)), rest))
}

/// The next word, and the rest. Numbers are padded on the left.
fn word(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii_start();
    let end = line
        .iter()
        .position(|&byte| byte == b' ')
        .unwrap_or(line.len());
    (end > 0).then(|| line.split_at(end))
}
