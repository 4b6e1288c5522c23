//! The output of `get_pull_request_diff`, for people.

use baton_protocol::short;
use baton_protocol::tools::get_pull_request_diff::{DiffFile, GetPullRequestDiffOutput};
use serde_json::Value;

use super::View;
use super::phrases::counted;
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style};

impl View for GetPullRequestDiffOutput {
    fn show(&self, page: &mut Page) {
        let files = counted(self.total_files, "file", "files");
        let line = Line::new().styled(Style::Heading, &self.pr).text(format!(
            "  {files}, {} → {}",
            short(&self.head),
            self.base
        ));
        page.line(0, line);
        if let Some(message) = &self.message {
            page.line(0, message);
        }
        for file in &self.files {
            page.gap();
            show_file(file, page);
        }
    }

    fn exit(&self, _: &Value) -> Exit {
        Exit::Done
    }

    fn next_cursor(&self) -> Option<&str> {
        self.next_cursor.as_deref()
    }
}

fn show_file(file: &DiffFile, page: &mut Page) {
    let origin = match &file.previous_path {
        Some(previous) => format!(", was {previous}"),
        None => String::new(),
    };
    let line = Line::new()
        .styled(Style::Heading, &file.path)
        .text(format!("  {}{origin}  ", file.status))
        .styled(Style::Good, format!("+{}", file.additions))
        .text(" ")
        .styled(Style::Bad, format!("-{}", file.deletions));
    page.line(0, line);
    match &file.patch {
        Some(patch) => page.diff(0, patch),
        None => page.line(
            1,
            Line::new().styled(Style::Dim, "not shown: binary, or too large"),
        ),
    }
    if file.patch_is_cut {
        page.line(1, Line::new().styled(Style::Dim, "… and more of this file"));
    }
}
