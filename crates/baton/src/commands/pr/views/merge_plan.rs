//! In which order to merge, for people.

use baton_protocol::tools::plan_merges::{MergeNeed, PlanMergesOutput, PlannedMerge};
use serde_json::Value;

use super::View;
use super::phrases::counted;
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style};

impl View for PlanMergesOutput {
    fn show(&self, page: &mut Page) {
        let base = format!("{} into {}", self.repository, self.base.branch);
        let merge = counted(
            self.land_as_they_are,
            "pull request merges as it is",
            "pull requests merge as they are",
        );
        page.line(
            0,
            Line::new()
                .styled(Style::Heading, base)
                .text("  ")
                .text(merge),
        );
        if let Some(message) = &self.message {
            page.line(0, message);
        }
        for (index, planned) in self.order.iter().enumerate() {
            show_merge(index + 1, planned, page);
        }
        if !self.conflicts.is_empty() {
            page.heading("What does not fit together");
        }
        for pair in &self.conflicts {
            let line = format!("{} and {}: {}", pair.one, pair.other, pair.files.join(", "));
            page.item(0, "- ", line);
        }
    }

    /// A plan is an answer, not a verdict.
    fn exit(&self, _: &Value) -> Exit {
        Exit::Done
    }
}

fn show_merge(place: usize, planned: &PlannedMerge, page: &mut Page) {
    let line = Line::new()
        .styled(Style::Heading, &planned.pr)
        .text(format!(" {}  ", planned.title));
    let draft = if planned.draft { ", a draft" } else { "" };
    let (style, words) = match planned.needs {
        MergeNeed::Nothing => (Style::Good, "merges as it is".to_owned()),
        MergeNeed::Resolve => (
            Style::Doubtful,
            format!("conflicts then with {}", planned.because_of.join(", ")),
        ),
        MergeNeed::ResolveNow => (Style::Bad, "conflicts with the branch now".to_owned()),
    };
    page.item(
        0,
        format!("{place}. "),
        line.styled(style, words).text(draft),
    );
    if !planned.files.is_empty() {
        page.line(1, Line::new().styled(Style::Dim, planned.files.join(", ")));
    }
}
