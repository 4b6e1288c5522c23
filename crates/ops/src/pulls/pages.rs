//! Answers in pages: everything is fetched and sorted first, so that the order
//! stays the same from page to page.

use baton_protocol::cursor::{self, BadCursor, CursorKey, CursorScope};
use serde::Serialize;

/// Where one answer of a tool begins and ends.
pub(super) struct Page {
    scope: CursorScope,
    start: usize,
    size: usize,
}

impl Page {
    /// `input` is the tool's whole input, its `cursor` the one given with it.
    pub(super) fn new(
        key: &CursorKey,
        tool: &str,
        input: &impl Serialize,
        given: Option<&str>,
        size: usize,
    ) -> Result<Self, BadCursor> {
        let scope = CursorScope::new(tool, input);
        let start = match given {
            Some(given) => cursor::redeem(key, &scope, given)? as usize,
            None => 0,
        };
        Ok(Self { scope, start, size })
    }

    /// The items of this page, and the cursor of the next one if there is one.
    pub(super) fn cut<T>(&self, key: &CursorKey, items: Vec<T>) -> (Vec<T>, Option<String>) {
        let total = items.len();
        let page: Vec<T> = items.into_iter().skip(self.start).take(self.size).collect();
        let end = self.start.saturating_add(self.size);
        let next = (end < total)
            .then(|| u32::try_from(end).ok())
            .flatten()
            .map(|offset| cursor::issue(key, &self.scope, offset));
        (page, next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_each_other_to_the_end() {
        let key = CursorKey::new([7; 32]);
        let input = serde_json::json!({ "pr": "octo/demo#1" });
        let mut cursor: Option<String> = None;
        let mut seen = Vec::new();
        loop {
            let page = Page::new(&key, "a_tool", &input, cursor.as_deref(), 2).unwrap();
            let (items, next) = page.cut(&key, vec![1, 2, 3, 4, 5]);
            seen.push(items);
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, [vec![1, 2], vec![3, 4], vec![5]]);
        assert!(Page::new(&key, "a_tool", &input, Some("made up"), 2).is_err());
    }
}
