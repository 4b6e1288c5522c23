//! Which part of a list is asked for.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::errors::QueryError;
use super::field::Field;

/// GitHub's limit for `first` and `last`.
const MAX_PAGE: i64 = 100;

/// Which part of a list was asked for.
#[derive(Debug)]
pub(super) struct Page {
    after: Option<i64>,
    before: Option<i64>,
    first: Option<usize>,
    last: Option<usize>,
    /// Whether what is in it is asked for, or only its length.
    pub(super) wanted: bool,
}

impl Page {
    /// From the arguments that every list has: `after` and `before`, `first` and `last`. A page needs
    /// a size unless only the length of the list is asked for.
    pub(super) fn new(field: &Field<'_>) -> Result<Self, QueryError> {
        let (name, arguments) = (field.name, &field.arguments);
        let (first, last) = (arguments.number("first"), arguments.number("last"));
        if field.wants_items && first.is_none() && last.is_none() {
            return Err(QueryError::new(
                "MISSING_PAGINATION_BOUNDARIES",
                format!(
                    "You must provide a `first` or `last` value to properly paginate the `{name}` connection."
                ),
            ));
        }
        if first.is_some() && last.is_some() {
            return Err(QueryError::new(
                "INVALID_PAGINATION_BOUNDARIES",
                format!(
                    "Passing both `first` and `last` to paginate the `{name}` connection is not supported."
                ),
            ));
        }
        Ok(Self {
            after: arguments.text("after").map(position).transpose()?,
            before: arguments.text("before").map(position).transpose()?,
            first: first.map(|n| size(name, "first", n)).transpose()?,
            last: last.map(|n| size(name, "last", n)).transpose()?,
            wanted: field.wants_items,
        })
    }

    /// What the page shows of a list that never changes.
    pub(super) fn window(&self, total: usize) -> Range<usize> {
        let keys: Vec<i64> = (1..).take(total).collect();
        self.cut(&keys)
    }

    /// What the page shows of a list with these keys. A cursor whose entry is
    /// gone does not cut anything off.
    pub(super) fn cut(&self, keys: &[i64]) -> Range<usize> {
        let find = |key: Option<i64>| {
            let key = key?;
            keys.iter().position(|known| *known == key)
        };
        let mut start = find(self.after).map_or(0, |at| at + 1);
        let mut end = find(self.before).unwrap_or(keys.len()).max(start);
        if let Some(first) = self.first {
            end = end.min(start.saturating_add(first));
        }
        if let Some(last) = self.last {
            start = start.max(end.saturating_sub(last));
        }
        start..end
    }
}

fn size(connection: &str, argument: &str, value: i64) -> Result<usize, QueryError> {
    if value > MAX_PAGE {
        return Err(QueryError::new(
            "EXCESSIVE_PAGINATION",
            format!(
                "Requesting {value} records on the `{connection}` connection exceeds the `{argument}` limit of {MAX_PAGE} records."
            ),
        ));
    }
    usize::try_from(value).map_err(|_| {
        QueryError::new(
            "INVALID_PAGINATION_BOUNDARIES",
            format!("`{argument}` on the `{connection}` connection cannot be less than zero."),
        )
    })
}

const CURSOR_PREFIX: &str = "cursor:v2:";

pub(super) fn cursor(key: i64) -> String {
    STANDARD.encode(format!("{CURSOR_PREFIX}{key}"))
}

fn position(cursor: &str) -> Result<i64, QueryError> {
    let read = || {
        let bytes = STANDARD.decode(cursor).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        text.strip_prefix(CURSOR_PREFIX)?.parse().ok()
    };
    read().ok_or_else(|| {
        QueryError::new(
            "INVALID_CURSOR_ARGUMENTS",
            format!("`{cursor}` does not appear to be a valid cursor."),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(
        first: Option<usize>,
        last: Option<usize>,
        after: Option<i64>,
        before: Option<i64>,
    ) -> Page {
        Page {
            after,
            before,
            first,
            last,
            wanted: true,
        }
    }

    #[test]
    fn pages_are_cut_from_either_end() {
        let keys = [11, 12, 13, 14, 15];
        assert_eq!(page(Some(2), None, None, None).cut(&keys), 0..2);
        assert_eq!(page(Some(2), None, Some(12), None).cut(&keys), 2..4);
        assert_eq!(page(Some(9), None, Some(14), None).cut(&keys), 4..5);
        assert_eq!(page(None, Some(2), None, None).cut(&keys), 3..5);
        assert_eq!(page(None, Some(2), None, Some(13)).cut(&keys), 0..2);
        assert_eq!(page(None, Some(2), Some(11), None).cut(&keys), 3..5);
        assert_eq!(page(Some(0), None, None, None).cut(&keys), 0..0);
        assert_eq!(page(None, None, Some(15), Some(11)).cut(&keys), 5..5);
        assert_eq!(page(Some(2), None, Some(99), None).cut(&keys), 0..2);
        assert_eq!(page(Some(2), None, None, None).cut(&[]), 0..0);
    }

    #[test]
    fn a_cursor_comes_back_and_others_are_refused() {
        assert_eq!(position(&cursor(42)), Ok(42));
        insta::assert_snapshot!(
            position("Y3Vyc29yOnYyOg").unwrap_err(),
            @"`Y3Vyc29yOnYyOg` does not appear to be a valid cursor."
        );
    }
}
