//! The output of `merge_pull_request`, for people.

use baton_protocol::tools::merge_pull_request::{MergePullRequestOutput, MergeResult};
use serde_json::Value;

use super::View;
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style};

impl View for MergePullRequestOutput {
    fn show(&self, page: &mut Page) {
        let (style, word) = match self.status {
            MergeResult::Merged => (Style::Good, "merged"),
            MergeResult::Queued => (Style::Good, "queued"),
            MergeResult::AutoMerge => (Style::Good, "auto-merge is on"),
            MergeResult::Pending => (Style::Doubtful, "under way"),
            MergeResult::Refused => (Style::Bad, "not merged"),
        };
        let line = Line::new()
            .styled(Style::Heading, &self.pr)
            .text(format!("  into {}  ", self.base))
            .styled(style, word);
        page.line(0, line);
        page.line(0, &self.message);
        for issue in &self.blocking_issues {
            page.item(0, Line::new().styled(Style::Bad, "✗ "), issue);
        }
        if let Some(undo) = &self.undo_command {
            page.gap();
            page.line(0, Line::new().styled(Style::Dim, "to take it back:"));
            page.command(0, undo);
        }
    }

    fn exit(&self, _: &Value) -> Exit {
        match self.status {
            MergeResult::Merged | MergeResult::Queued | MergeResult::AutoMerge => Exit::Done,
            MergeResult::Pending | MergeResult::Refused => Exit::Failed,
        }
    }
}
