//! What must hold between the fields of a handoff.

use std::num::NonZeroU64;

use serde_json::Value;

use super::values::HttpUrl;
use crate::{Found, Problem};

/// Collects broken rules as problems of a document.
pub(super) struct Rules<'a> {
    /// The path of the document's root: `/handoff` in XML, empty in JSON.
    root: &'a str,
    problems: Vec<Problem>,
}

impl<'a> Rules<'a> {
    pub(super) fn new(root: &'a str) -> Self {
        Self {
            root,
            problems: Vec::new(),
        }
    }

    pub(super) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    pub(super) fn broken(&mut self, field: &str, found: impl Into<Value>, message: String) {
        self.problems.push(Problem {
            path: format!("{}/{field}", self.root),
            field: field.to_owned(),
            found: Found::Value(found.into()),
            message,
        });
    }

    pub(super) fn not_empty(&mut self, field: &str, listed: usize) {
        if listed == 0 {
            self.broken(
                field,
                Value::Array(Vec::new()),
                format!("`{field}` lists nothing, so the receiver has nothing to act on; list at least one"),
            );
        }
    }

    /// An address such as `…/pull/12` names the same thing as the number.
    pub(super) fn same_number(
        &mut self,
        url_field: &str,
        url: Option<&HttpUrl>,
        number_field: &str,
        number: Option<NonZeroU64>,
    ) {
        let (Some(url), Some(number)) = (url, number) else {
            return;
        };
        if url.trailing_number().is_some_and(|named| named != number) {
            self.broken(
                url_field,
                url.as_str(),
                format!(
                    "`{url_field}` is `{}`, but `{number_field}` is {number}; both must name the same one",
                    super::message::shortened(url.as_str())
                ),
            );
        }
    }
}
