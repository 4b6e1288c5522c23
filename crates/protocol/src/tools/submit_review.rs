//! A review of a pull request: a verdict, and comments on lines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::request::{
    list_of, optional, pull_request, request, required, text, text_that, unlisted_default, word,
};

request! {
    pub struct SubmitReviewInput, unknown keys Refused {
        /// The pull request: `owner/repo#number`, `owner/repo/pulls/number` or its URL.
        pr: String = required(pull_request()),
        /// What the review comes to.
        verdict: ReviewVerdict = required(word()),
        /// What the review says as a whole, in Markdown. Needed unless it approves or has comments.
        body: Option<String> = optional(text()),
        /// Comments on lines of the diff, each as `path:line: text`, or `path:first-last: text` for several lines.
        comments: Vec<String> = unlisted_default(Vec::new(), list_of(line_comment())),
        /// The commit that was reviewed. The review is refused when it is no longer the head. Needed to approve.
        commit: Option<String> = optional(text()),
        /// Names this review: a second call with the same key submits nothing a
        /// second time (default: made from what it says).
        key: Option<String> = optional(text()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewVerdict {
    Approve,
    RequestChanges,
    #[default]
    Comment,
}

impl ReviewVerdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::RequestChanges => "request_changes",
            Self::Comment => "comment",
        }
    }
}

/// A comment of a review, as a call has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineComment<'a> {
    pub path: &'a str,
    /// The first of several lines.
    pub start_line: Option<u64>,
    pub line: u64,
    pub text: &'a str,
}

impl<'a> LineComment<'a> {
    /// `path:line: text`, or `path:first-last: text`.
    pub fn parse(comment: &'a str) -> Option<Self> {
        // A path may have colons, and so may the text.
        let (mut from, separator) = (0, ": ");
        while let Some(at) = comment[from..].find(separator) {
            let end = from + at;
            let text = comment[end + separator.len()..].trim();
            if let Some((path, lines)) = comment[..end].rsplit_once(':')
                && let Some((start_line, line)) = line_range(lines)
            {
                let is_complete = !path.is_empty() && !text.is_empty();
                return is_complete.then_some(Self {
                    path,
                    start_line,
                    line,
                    text,
                });
            }
            from = end + separator.len();
        }
        None
    }
}

/// `12`, or `8-12`.
fn line_range(lines: &str) -> Option<(Option<u64>, u64)> {
    let line = |text: &str| text.parse::<u64>().ok().filter(|line| *line > 0);
    match lines.split_once('-') {
        None => Some((None, line(lines)?)),
        Some((first, last)) => {
            let (first, last) = (line(first)?, line(last)?);
            match first.cmp(&last) {
                std::cmp::Ordering::Less => Some((Some(first), last)),
                std::cmp::Ordering::Equal => Some((None, last)),
                std::cmp::Ordering::Greater => None,
            }
        }
    }
}

fn line_comment() -> crate::request::Shape<String> {
    text_that("'path:line: text'", |text| {
        LineComment::parse(text).is_some()
    })
    .described("pattern", r"^[\s\S]+:[1-9][0-9]*(-[1-9][0-9]*)?: [\s\S]*\S")
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubmitReviewOutput {
    /// The pull request as `owner/repo#number`.
    pub pr: String,
    pub verdict: ReviewVerdict,
    /// The reviewed commit.
    pub commit: String,
    /// The review.
    pub html_url: String,
    /// This call submitted it; otherwise it was there before.
    pub changed: bool,
    /// The key of this review.
    pub key: String,
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_has_a_place_and_a_text() {
        let parsed = |text| {
            let comment = LineComment::parse(text)?;
            let LineComment {
                path, line, text, ..
            } = comment;
            Some((path, comment.start_line, line, text))
        };
        assert_eq!(
            parsed("src/cart.py:5: Why: five?"),
            Some(("src/cart.py", None, 5, "Why: five?"))
        );
        assert_eq!(
            parsed("a: b/c.rs:3-7: No."),
            Some(("a: b/c.rs", Some(3), 7, "No."))
        );
        assert_eq!(parsed("a.rs:3-3: No."), Some(("a.rs", None, 3, "No.")));
        for wrong in [
            "",
            "a.rs",
            "a.rs:5",
            "a.rs:5: ",
            "a.rs:0: x",
            "a.rs:7-3: x",
            ":5: x",
            "a.rs: x",
        ] {
            assert_eq!(LineComment::parse(wrong), None, "{wrong}");
        }
    }
}
