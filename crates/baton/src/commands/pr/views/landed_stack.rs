//! The output of `land_stack`, for people.

use baton_protocol::short;
use baton_protocol::tools::land_stack::{LandStackOutput, LandStatus};
use serde_json::Value;

use super::View;
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style};

impl View for LandStackOutput {
    fn show(&self, page: &mut Page) {
        let (style, word) = match self.status {
            LandStatus::Landed => (Style::Good, "landed"),
            LandStatus::Waiting => (Style::Doubtful, "under way"),
            LandStatus::Blocked => (Style::Bad, "blocked"),
            LandStatus::Rehearsed => (Style::Doubtful, "nothing was changed"),
        };
        let line = Line::new()
            .styled(Style::Heading, &self.pr)
            .text(format!("  into {}  ", self.base))
            .styled(style, word);
        page.line(0, line);
        page.line(0, &self.message);
        for one in &self.landed {
            let commit = one.merge_commit.as_deref();
            let commit = commit.map_or_else(String::new, |commit| format!(" as {}", short(commit)));
            let line = Line::new().styled(Style::Good, "✓ ");
            page.item(0, line, format!("{} merged{commit}", one.pr));
        }
        for pr in &self.restacked {
            page.item(
                0,
                Line::new().styled(Style::Dim, "↻ "),
                format!("{pr} restacked"),
            );
        }
        for one in &self.remaining {
            let line = Line::new().styled(Style::Doubtful, "· ");
            page.item(0, line, format!("{}  {}", one.pr, one.branch));
            for issue in &one.blocking_issues {
                page.item(1, Line::new().styled(Style::Bad, "✗ "), issue);
            }
        }
    }

    fn exit(&self, _: &Value) -> Exit {
        match self.status {
            LandStatus::Landed | LandStatus::Rehearsed => Exit::Done,
            LandStatus::Waiting | LandStatus::Blocked => Exit::Failed,
        }
    }
}
