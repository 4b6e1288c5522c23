//! What could not be read, as answers tell of it.

use baton_protocol::tools::UnreadablePart;
use baton_remote::github::Unreadable;

/// One permission may hide many parts; the first ones say which.
const MAX_PARTS: usize = 20;

/// Each part once.
pub(super) fn parts<'u>(all: impl IntoIterator<Item = &'u Unreadable>) -> Vec<UnreadablePart> {
    let mut parts: Vec<UnreadablePart> = Vec::new();
    for one in all {
        let part = UnreadablePart {
            what: one.what.clone(),
            reason: one.reason.clone(),
            remedy: one.remedy.clone(),
        };
        if parts.len() < MAX_PARTS && !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts
}

/// For a message: what is missing, and how to get it.
pub(super) fn in_words(parts: &[UnreadablePart]) -> Option<String> {
    let first = parts.first()?;
    let UnreadablePart {
        what,
        reason,
        remedy,
    } = first;
    let remedy = remedy.trim_end_matches('.');
    let more = match parts.len() - 1 {
        0 => String::new(),
        count => format!(" ({count} more in `unreadable`)"),
    };
    Some(format!(
        "{what} could not be read: {reason}{more}. {remedy}"
    ))
}
