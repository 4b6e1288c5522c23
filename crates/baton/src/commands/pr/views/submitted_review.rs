//! The output of `submit_review`, for people.

use baton_protocol::short;
use baton_protocol::tools::submit_review::{ReviewVerdict, SubmitReviewOutput};
use serde_json::Value;

use super::View;
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style};

impl View for SubmitReviewOutput {
    fn show(&self, page: &mut Page) {
        let (style, word) = match self.verdict {
            ReviewVerdict::Approve => (Style::Good, "approved"),
            ReviewVerdict::RequestChanges => (Style::Bad, "changes requested"),
            ReviewVerdict::Comment => (Style::Doubtful, "commented"),
        };
        let line = Line::new()
            .styled(Style::Heading, &self.pr)
            .text(format!("  {}  ", short(&self.commit)))
            .styled(style, word);
        page.line(0, line);
        page.line(0, &self.message);
        page.address(0, &self.html_url);
    }

    fn exit(&self, _: &Value) -> Exit {
        Exit::Done
    }
}
