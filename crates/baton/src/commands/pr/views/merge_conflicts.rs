//! The output of `detect_merge_conflicts`, for people.

use baton_protocol::short;
use baton_protocol::tools::detect_merge_conflicts::{
    ConflictCause, ConflictType, DetectMergeConflictsOutput, MergeConflict, MergeableState,
};
use serde_json::Value;

use super::View;
use super::phrases::counted;
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style, Table};

/// Of each side of a conflict.
const MAX_LINES: usize = 10;

impl View for DetectMergeConflictsOutput {
    fn show(&self, page: &mut Page) {
        page.line(0, outcome(self));
        page.line(0, Line::new().styled(Style::Dim, forge_says(self)));
        if let Some(message) = &self.message {
            page.line(0, message);
        }
        for conflict in self.conflicts.iter().flatten() {
            page.gap();
            show_conflict(conflict, target(self), page);
        }
        show_others(self, page);
        if let Some(instructions) = &self.instructions {
            page.heading("To resolve");
            page.line(
                0,
                Line::new().styled(Style::Dim, &instructions.estimated_time),
            );
            for step in &instructions.resolution_steps {
                match step.strip_prefix("# ") {
                    Some(decision) => page.item(0, Line::new().styled(Style::Dim, "# "), decision),
                    None => page.command(0, step),
                }
            }
        }
    }

    fn exit(&self, _: &Value) -> Exit {
        if self.has_conflicts {
            Exit::Failed
        } else {
            Exit::Done
        }
    }
}

fn target(output: &DetectMergeConflictsOutput) -> &str {
    let target = output.target.as_ref();
    target.map_or("its base", |target| &target.branch)
}

fn outcome(output: &DetectMergeConflictsOutput) -> Line {
    let line = Line::new().styled(Style::Heading, &output.pr).text("  ");
    let line = if output.has_conflicts {
        let files = output.conflicts.as_ref().map_or(0, Vec::len);
        let files = counted(files, "file", "files");
        line.styled(Style::Bad, format!("conflicts in {files}"))
            .text(" with ")
    } else {
        line.styled(Style::Good, "merges").text(" into ")
    };
    let line = line.text(target(output));
    match &output.target {
        Some(target) => line.styled(
            Style::Dim,
            format!("  ({} into {})", short(&target.head), short(&target.commit)),
        ),
        None => line,
    }
}

fn forge_says(output: &DetectMergeConflictsOutput) -> String {
    let word = match output.mergeable_state {
        MergeableState::Clean => "clean",
        MergeableState::Unstable => "unstable",
        MergeableState::Dirty => "dirty",
        MergeableState::Unknown => "unknown",
    };
    match &output.merge_state_status {
        Some(status) => format!("state: {word}; the forge says {status}"),
        None => format!("state: {word}"),
    }
}

fn show_conflict(conflict: &MergeConflict, target: &str, page: &mut Page) {
    let kind = match conflict.conflict_type {
        ConflictType::Content => "content",
        ConflictType::Rename => "rename",
        ConflictType::Delete => "delete",
        ConflictType::Mode => "mode",
    };
    let kind = conflict.git_conflict.as_deref().unwrap_or(kind);
    let title = Line::new()
        .styled(Style::Heading, &conflict.file_path)
        .styled(Style::Dim, format!("  {kind}"));
    page.item(0, Line::new().styled(Style::Bad, "✗ "), title);
    let sides = [
        (
            "both began with",
            conflict
                .ancestor_content_preview
                .as_deref()
                .unwrap_or_default(),
        ),
        (target, &conflict.base_content_preview),
        ("the pull request", &conflict.head_content_preview),
    ];
    for (whose, text) in sides.into_iter().filter(|(_, text)| !text.is_empty()) {
        page.line(1, Line::new().styled(Style::Dim, format!("{whose}:")));
        page.code(1, text, MAX_LINES);
    }
    for cause in conflict.caused_by.iter().flatten() {
        page.line(1, caused_by(cause));
    }
    if let Some(resolution) = &conflict.suggested_resolution {
        page.line(1, resolution);
    }
}

fn caused_by(cause: &ConflictCause) -> Line {
    let line = Line::new()
        .styled(Style::Dim, "changed by ")
        .styled(Style::Doubtful, short(&cause.commit))
        .text(format!(" {}", cause.subject))
        .styled(Style::Dim, format!("  {}", cause.author));
    match cause.pr {
        Some(number) => line.styled(Style::Dim, format!(", #{number}")),
        None => line,
    }
}

fn show_others(output: &DetectMergeConflictsOutput, page: &mut Page) {
    let Some(others) = &output.other_pull_requests else {
        return;
    };
    if others.is_empty() {
        page.gap();
        page.line(0, "It merges with every other open pull request.");
        return;
    }
    page.heading("Other pull requests in conflict with it");
    let mut table = Table::new();
    for other in others {
        table.row([
            Line::from(&other.pr),
            Line::from(&other.title),
            Line::new().styled(Style::Dim, other.files.join(", ")),
        ]);
    }
    page.table(0, &table);
}
