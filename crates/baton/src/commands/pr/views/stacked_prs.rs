//! The output of `manage_stacked_prs`, for people.

use baton_protocol::short;
use baton_protocol::tools::manage_stacked_prs::{
    ChangeSummary, ManageStackedPrsOutput, RebaseKind, StackCommand, StackMember,
};
use serde_json::Value;

use super::View;
use super::phrases::{counted, risk};
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style, Table};

/// Of commits that came in below. The latest say enough.
const MAX_COMMITS: usize = 10;

impl View for ManageStackedPrsOutput {
    fn show(&self, page: &mut Page) {
        page.line(0, outcome(self));
        page.line(0, &self.summary.reason);
        page.gap();
        page.drawing(0, &self.stack_info.visualization);
        if let Some(landing) = &self.landing {
            page.gap();
            page.line(0, &landing.evidence);
        }
        show_members(&self.stack, page);
        if let Some(changes) = &self.change_summary {
            show_changes(changes, page);
        }
        show_strategy(self, page);
        show_commands(&self.commands, page);
    }

    /// Two that are not stacked have nothing to be brought up to date.
    fn exit(&self, _: &Value) -> Exit {
        if self.is_stacked {
            Exit::Done
        } else {
            Exit::Failed
        }
    }

    fn next_cursor(&self) -> Option<&str> {
        self.next_cursor.as_deref()
    }
}

fn outcome(output: &ManageStackedPrsOutput) -> Line {
    let line = Line::new().styled(
        Style::Heading,
        format!("{} on {}", output.dependent_pr, output.base_pr),
    );
    let (style, word) = match (output.is_stacked, output.summary.action_required) {
        (false, _) => (Style::Bad, "not stacked"),
        (true, true) => (Style::Doubtful, "has to be rebased"),
        (true, false) => (Style::Good, "up to date"),
    };
    let line = line.text("  ").styled(style, word);
    if !output.summary.action_required {
        return line;
    }
    line.text("  ")
        .followed_by(risk(output.summary.risk_level))
        .styled(
            Style::Dim,
            format!(", {}", output.summary.estimated_total_time),
        )
}

fn show_members(stack: &[StackMember], page: &mut Page) {
    if stack.is_empty() {
        return;
    }
    page.heading("Stack");
    let mut table = Table::new();
    for member in stack {
        let state = match (member.moves, member.potential_conflicts.is_empty()) {
            (_, false) => Line::new().styled(
                Style::Bad,
                format!("conflicts: {}", member.potential_conflicts.join(", ")),
            ),
            (true, true) => Line::new().styled(Style::Doubtful, "moves"),
            (false, true) => Line::new().styled(Style::Good, "stays"),
        };
        table.row([
            Line::new().styled(Style::Heading, &member.pr),
            Line::from(&member.title),
            Line::new().styled(Style::Dim, &member.branch),
            state,
        ]);
    }
    page.table(0, &table);
}

fn show_changes(changes: &ChangeSummary, page: &mut Page) {
    page.heading(&counted(
        changes.new_commits_in_base,
        "new commit below",
        "new commits below",
    ));
    let mut table = Table::new();
    for commit in changes.commits.iter().take(MAX_COMMITS) {
        let subject = commit.message.lines().next().unwrap_or_default();
        table.row([
            Line::new().styled(Style::Doubtful, short(&commit.sha)),
            Line::from(subject),
            Line::new().styled(Style::Dim, &commit.author),
        ]);
    }
    page.table(0, &table);
    if changes.commits.len() > MAX_COMMITS {
        let more = changes.commits.len() - MAX_COMMITS;
        page.line(
            0,
            Line::new().styled(Style::Dim, format!("… and {more} more")),
        );
    }
    for file in &changes.potential_conflicts {
        let line = Line::new()
            .styled(Style::Heading, file)
            .text(" will conflict");
        page.item(0, Line::new().styled(Style::Bad, "✗ "), line);
    }
}

fn show_strategy(output: &ManageStackedPrsOutput, page: &mut Page) {
    let strategy = &output.rebase_strategy;
    if strategy.regular_command.is_none() && strategy.onto_command.is_none() {
        // Nothing is to be rebased, and why was said above.
        for consideration in &strategy.considerations {
            page.item(0, "- ", consideration);
        }
        return;
    }
    let way = match strategy.recommended {
        _ if strategy.merge_command.is_some() => "a merge of what is below",
        RebaseKind::Regular => "a plain rebase",
        RebaseKind::Onto => "a rebase with --onto",
    };
    page.heading(&format!("How: {way}"));
    page.line(0, &strategy.reason);
    for consideration in &strategy.considerations {
        page.item(0, "- ", consideration);
    }
}

fn show_commands(commands: &[StackCommand], page: &mut Page) {
    if commands.is_empty() {
        return;
    }
    page.heading("Commands");
    for command in commands {
        let mut line = Line::from(&command.description);
        if let Some(skip) = &command.skip_if {
            line = line.styled(Style::Dim, format!("  skip if: {skip}"));
        }
        page.item(0, format!("{}. ", command.step), line);
        page.command(1, &command.command);
    }
}
