//! The output of `comment_on_pull_request`, for people.

use baton_protocol::tools::comment_on_pull_request::CommentOnPullRequestOutput;
use serde_json::Value;

use super::View;
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style};

impl View for CommentOnPullRequestOutput {
    fn show(&self, page: &mut Page) {
        let line = Line::new()
            .styled(Style::Heading, &self.pr)
            .text("  ")
            .styled(Style::Good, &self.message);
        page.line(0, line);
        page.address(0, &self.html_url);
    }

    fn exit(&self, _: &Value) -> Exit {
        Exit::Done
    }
}
