//! The output of `resolve_review_thread`, for people.

use baton_protocol::short;
use baton_protocol::tools::resolve_review_thread::ResolveReviewThreadOutput;
use serde_json::Value;

use super::View;
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style};

impl View for ResolveReviewThreadOutput {
    fn show(&self, page: &mut Page) {
        let place = match self.line_number {
            Some(line) => format!("{}:{line}", self.file_path),
            None => self.file_path.clone(),
        };
        let (style, word) = match (self.resolved, self.changed) {
            (true, true) => (Style::Good, "resolved"),
            (true, false) => (Style::Good, "was resolved already"),
            (false, _) => (Style::Bad, "not resolved"),
        };
        let line = Line::new()
            .styled(Style::Heading, &self.pr)
            .text("  ")
            .link(Style::Heading, place, &self.html_url)
            .text("  ")
            .styled(style, word);
        page.line(0, line);
        page.line(0, &self.message);
        let evidence = &self.evidence;
        if let Some(commit) = &evidence.commit {
            let line = Line::new()
                .styled(Style::Doubtful, short(commit))
                .text(format!(
                    " {}",
                    evidence.subject.as_deref().unwrap_or_default()
                ));
            page.line(1, line);
        }
        if let Some(reason) = &evidence.reason {
            page.quote(1, reason, usize::MAX);
        }
        for fact in &evidence.facts {
            page.item(1, "- ", fact);
        }
        page.address(0, self.reply_url.as_ref().unwrap_or(&self.html_url));
        page.gap();
        page.line(0, Line::new().styled(Style::Dim, "to open it again:"));
        page.command(0, &self.undo_command);
    }

    fn exit(&self, _: &Value) -> Exit {
        if self.resolved {
            Exit::Done
        } else {
            Exit::Failed
        }
    }
}
