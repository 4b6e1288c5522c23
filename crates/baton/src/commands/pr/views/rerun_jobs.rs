//! The output of `rerun_failed_jobs`, for people.

use baton_protocol::tools::rerun_failed_jobs::{RerunAction, RerunFailedJobsOutput, RerunWorkflow};
use serde_json::Value;

use super::View;
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style};

impl View for RerunFailedJobsOutput {
    fn show(&self, page: &mut Page) {
        let line = Line::new()
            .styled(Style::Heading, &self.pr)
            .text(format!("  {}", self.message));
        page.line(0, line);
        for run in &self.runs {
            let (style, word) = match run.action {
                RerunAction::Started => (Style::Good, "started again"),
                RerunAction::StillRunning => (Style::Doubtful, "still running"),
                RerunAction::Refused => (Style::Bad, "refused"),
            };
            let line = Line::new()
                .link(Style::Heading, &run.name, &run.html_url)
                .text("  ")
                .styled(style, word);
            page.item(0, "- ", line);
            if let Some(reason) = &run.reason {
                page.line(1, reason);
            }
        }
    }

    fn exit(&self, _: &Value) -> Exit {
        let is_refused = |run: &RerunWorkflow| run.action == RerunAction::Refused;
        if self.runs.iter().any(is_refused) {
            Exit::Failed
        } else {
            Exit::Done
        }
    }
}
