//! Icons as inline SVG.

use std::fmt;

use askama::filters::HtmlSafe;

/// Small pictures of 16 by 16. Each comes with a word for those who do not see
/// it, unless one stands next to it anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Icon {
    IssueOpen,
    IssueClosed,
    IssueNotPlanned,
    PullOpen,
    PullDraft,
    PullMerged,
    PullClosed,
    Success,
    Failure,
    Pending,
    Running,
    Skipped,
    Comment,
    Approved,
    ChangesRequested,
}

impl Icon {
    /// The class that gives it its colour, and the shape.
    fn shape(self) -> (&'static str, &'static str) {
        match self {
            Self::IssueOpen => (
                "good",
                r#"<circle cx="8" cy="8" r="6.5" class="line"/><circle cx="8" cy="8" r="2" class="fill"/>"#,
            ),
            Self::IssueClosed => (
                "done",
                r#"<circle cx="8" cy="8" r="6.5" class="line"/><path d="M5 8.2l2.1 2.1L11 6.2" class="line"/>"#,
            ),
            Self::IssueNotPlanned | Self::Skipped => (
                "dim",
                r#"<circle cx="8" cy="8" r="6.5" class="line"/><path d="M5 11l6-6" class="line"/>"#,
            ),
            Self::PullOpen => ("good", PULL),
            Self::PullDraft => ("dim", PULL),
            Self::PullMerged => (
                "done",
                r#"<circle cx="4" cy="3" r="1.8" class="line"/><circle cx="4" cy="13" r="1.8" class="line"/><circle cx="12" cy="8.5" r="1.8" class="line"/><path d="M4 5v6M4 5.5c.5 2 3 3 6 3" class="line"/>"#,
            ),
            Self::PullClosed => (
                "bad",
                r#"<circle cx="4" cy="3" r="1.8" class="line"/><circle cx="4" cy="13" r="1.8" class="line"/><path d="M4 5v6M12 9v2.2M10 3l4 4M14 3l-4 4" class="line"/><circle cx="12" cy="13" r="1.8" class="line"/>"#,
            ),
            Self::Success => (
                "good",
                r#"<circle cx="8" cy="8" r="7" class="fill"/><path d="M4.8 8.3l2.2 2.2 4.2-4.4" class="knock"/>"#,
            ),
            Self::Failure => (
                "bad",
                r#"<circle cx="8" cy="8" r="7" class="fill"/><path d="M5.5 5.5l5 5M10.5 5.5l-5 5" class="knock"/>"#,
            ),
            Self::Pending => (
                "wait",
                r#"<circle cx="8" cy="8" r="6.5" class="line"/><path d="M8 4.5V8l2.4 1.6" class="line"/>"#,
            ),
            Self::Running => (
                "wait",
                r#"<circle cx="8" cy="8" r="6.5" class="line faint"/><path d="M8 1.5A6.5 6.5 0 0 1 14.5 8" class="line"/>"#,
            ),
            Self::Comment => (
                "dim",
                r#"<path d="M2 3h12v8H8l-3.2 2.8V11H2z" class="line"/>"#,
            ),
            Self::Approved => ("good", r#"<path d="M3 8.5l3.2 3.2L13 4.8" class="line"/>"#),
            Self::ChangesRequested => (
                "bad",
                r#"<path d="M2.5 2.5h11v8H8l-3 2.8v-2.8H2.5zM6 6.5h4" class="line"/>"#,
            ),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::IssueOpen | Self::PullOpen => "open",
            Self::IssueClosed | Self::PullClosed => "closed",
            Self::IssueNotPlanned => "not planned",
            Self::PullDraft => "draft",
            Self::PullMerged => "merged",
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Pending => "waiting",
            Self::Running => "running",
            Self::Skipped => "skipped",
            Self::Comment => "comments",
            Self::Approved => "approved",
            Self::ChangesRequested => "changes requested",
        }
    }
}

const PULL: &str = r#"<circle cx="4" cy="3" r="1.8" class="line"/><circle cx="4" cy="13" r="1.8" class="line"/><circle cx="12" cy="13" r="1.8" class="line"/><path d="M4 5v6M12 11V6.5c0-2-1-3-3-3H7.5M9.5 1.5l-2 2 2 2" class="line"/>"#;

impl fmt::Display for Icon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (colour, shape) = self.shape();
        let word = self.word();
        write!(
            f,
            r#"<svg class="icon {colour}" viewBox="0 0 16 16" width="16" height="16" role="img" aria-label="{word}"><title>{word}</title>{shape}</svg>"#
        )
    }
}

impl HtmlSafe for Icon {}
