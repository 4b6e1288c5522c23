//! The output of `update_branch`, for people.

use baton_protocol::tools::update_branch::{UpdateBranchOutput, UpdateStatus};
use serde_json::Value;

use super::View;
use super::phrases::counted;
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style};

impl View for UpdateBranchOutput {
    fn show(&self, page: &mut Page) {
        let (style, word) = match self.status {
            UpdateStatus::Accepted => (Style::Good, "update started"),
            UpdateStatus::UpToDate => (Style::Good, "up to date"),
            UpdateStatus::Refused => (Style::Bad, "not updated"),
        };
        let line = Line::new()
            .styled(Style::Heading, &self.pr)
            .text("  ")
            .styled(style, word);
        page.line(0, line);
        page.line(0, &self.message);
        if let Some(behind) = self.behind_by.filter(|behind| *behind > 0) {
            let lacked = counted(behind, "commit", "commits");
            page.line(0, format!("it lacked {lacked} of {}", self.base));
        }
    }

    fn exit(&self, _: &Value) -> Exit {
        match self.status {
            UpdateStatus::Accepted | UpdateStatus::UpToDate => Exit::Done,
            UpdateStatus::Refused => Exit::Failed,
        }
    }
}
