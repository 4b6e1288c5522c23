//! The output of `get_review_suggestions`, for people.

use baton_protocol::tools::get_review_suggestions::{
    BreakingChange, ChecklistSection, FileStatus, GetReviewSuggestionsOutput, ReviewFile,
};
use serde_json::Value;

use super::View;
use super::phrases::counted;
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style};

/// Of a description. The rest is on the page.
const MAX_LINES: usize = 20;

impl View for GetReviewSuggestionsOutput {
    fn show(&self, page: &mut Page) {
        let metadata = &self.metadata;
        let line = Line::new()
            .styled(Style::Heading, &self.pr)
            .text(format!("  {}", metadata.title))
            .styled(Style::Dim, format!("  {}", metadata.author));
        page.line(0, line);
        if !metadata.labels.is_empty() {
            page.line(
                0,
                Line::new().styled(Style::Dim, metadata.labels.join(", ")),
            );
        }
        page.quote(0, &metadata.description, MAX_LINES);
        show_context(self, page);
        for file in &self.files {
            page.gap();
            show_file(file, page);
        }
        if let Some(more) = self.more_files {
            page.gap();
            page.line(
                0,
                format!("… and {}", counted(more, "more file", "more files")),
            );
        }
        show_checklist(&self.review_checklist, page);
    }

    fn exit(&self, _: &Value) -> Exit {
        Exit::Done
    }
}

fn show_context(output: &GetReviewSuggestionsOutput, page: &mut Page) {
    let context = &output.context;
    if let Some(message) = &output.message {
        page.line(0, message);
    }
    if context.breaking_changes_detected {
        page.heading("It breaks what others may rely on");
    }
    for broken in &context.breaking_changes {
        show_broken(broken, page);
    }
    for (what, numbers) in [
        ("issues", &context.related_issues),
        ("pull requests", &context.mentioned_prs),
    ] {
        if !numbers.is_empty() {
            let numbers: Vec<String> = numbers.iter().map(|number| format!("#{number}")).collect();
            page.line(0, format!("It mentions {what}: {}", numbers.join(", ")));
        }
    }
}

fn show_broken(broken: &BreakingChange, page: &mut Page) {
    let place = match (&broken.path, broken.line) {
        (Some(path), Some(line)) => format!("{path}:{line}  "),
        (Some(path), None) => format!("{path}  "),
        (None, _) => String::new(),
    };
    let line = Line::new().styled(Style::Heading, place).text(&broken.what);
    page.item(0, Line::new().styled(Style::Bad, "✗ "), line);
    for (mark, text) in [("-", &broken.before), ("+", &broken.after)] {
        if let Some(text) = text {
            page.diff(1, &format!("{mark}{text}"));
        }
    }
}

fn show_file(file: &ReviewFile, page: &mut Page) {
    let (style, mark) = match file.status {
        FileStatus::Added => (Style::Good, "A "),
        FileStatus::Modified => (Style::Doubtful, "M "),
        FileStatus::Deleted => (Style::Bad, "D "),
        FileStatus::Renamed => (Style::Doubtful, "R "),
    };
    let line = Line::new()
        .styled(Style::Heading, &file.path)
        .text("  ")
        .styled(Style::Good, format!("+{}", file.additions))
        .text(" ")
        .styled(Style::Bad, format!("−{}", file.deletions));
    page.item(0, Line::new().styled(style, mark), line);
    for point in &file.focus_points {
        page.item(1, "- ", point);
    }
    if let Some(before) = &file.previous_path {
        page.line(1, Line::new().styled(Style::Dim, format!("was {before}")));
    }
    if let Some(diff) = &file.diff_excerpt {
        page.diff(1, diff);
    }
    if let Some(omitted) = file.omitted_lines {
        let note = counted(omitted, "line is", "lines are");
        page.line(
            1,
            Line::new().styled(Style::Dim, format!("… {note} left out")),
        );
    }
}

fn show_checklist(checklist: &[ChecklistSection], page: &mut Page) {
    if checklist.is_empty() {
        return;
    }
    page.heading("Checklist");
    for section in checklist {
        page.line(0, Line::new().styled(Style::Heading, &section.category));
        for item in &section.items {
            page.item(0, "□ ", Line::from(&item.question));
            page.line(1, Line::new().styled(Style::Dim, &item.guidance));
        }
    }
}
