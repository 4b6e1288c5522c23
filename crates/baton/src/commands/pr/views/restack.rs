//! The output of `restack`, for people.

use baton_protocol::short;
use baton_protocol::tools::restack::{RestackOutput, RestackPlace, RestackStatus, RestackedPr};
use serde_json::Value;

use super::View;
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style, Table};

impl View for RestackOutput {
    fn show(&self, page: &mut Page) {
        let (style, word) = match self.status {
            RestackStatus::Restacked => (Style::Good, "restacked"),
            RestackStatus::NothingToDo => (Style::Good, "nothing to do"),
            RestackStatus::Rehearsed => (Style::Doubtful, "would work; nothing was changed"),
            RestackStatus::Undone => (Style::Good, "taken back"),
        };
        let pair = format!("{} on {}", self.dependent_pr, self.base_pr);
        let line = Line::new().styled(Style::Heading, pair).text("  ");
        page.line(0, line.styled(style, word));
        page.line(0, &self.message);
        let ids = Ids::for_status(self.status);
        for pull in &self.pull_requests {
            page.gap();
            show_pull(pull, ids, page);
        }
        show_moves(self, page);
        if let Some(command) = &self.undo_command {
            page.gap();
            page.line(0, Line::new().styled(Style::Dim, "to take it back:"));
            page.command(0, command);
        }
    }

    /// What cannot be done is an error, so there is no other answer.
    fn exit(&self, _: &Value) -> Exit {
        Exit::Done
    }
}

/// Whether the ids of new commits say anything: those of a rehearsal are gone
/// with it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ids {
    Lasting,
    Rehearsed,
}

impl Ids {
    fn for_status(status: RestackStatus) -> Self {
        if status == RestackStatus::Rehearsed {
            Self::Rehearsed
        } else {
            Self::Lasting
        }
    }
}

fn show_pull(pull: &RestackedPr, ids: Ids, page: &mut Page) {
    let line = Line::new()
        .styled(Style::Heading, &pull.pr)
        .styled(Style::Dim, format!("  {}  ", pull.branch))
        .followed_by(arrow(&pull.old_head, &pull.new_head, ids));
    page.line(0, line);
    let mut table = Table::new();
    for commit in &pull.commits {
        let new = match &commit.new {
            Some(_) if pull.merged == Some(true) => Line::new().styled(Style::Dim, "stays"),
            Some(_) if ids == Ids::Rehearsed => Line::new().styled(Style::Doubtful, "recreated"),
            Some(new) => Line::new().styled(Style::Doubtful, short(new)),
            None => Line::new().styled(Style::Dim, "was there already"),
        };
        table.row([
            Line::new().styled(Style::Dim, short(&commit.old)),
            new,
            Line::from(&commit.subject),
        ]);
    }
    page.table(1, &table);
    for commit in &pull.left_out {
        let line = Line::from(commit).styled(Style::Dim, "  is below no longer");
        page.item(1, Line::new().styled(Style::Doubtful, "left out: "), line);
    }
}

fn show_moves(output: &RestackOutput, page: &mut Page) {
    if output.moves.is_empty() {
        return;
    }
    let ids = Ids::for_status(output.status);
    page.heading(match ids {
        Ids::Lasting => "What moved",
        Ids::Rehearsed => "What would move",
    });
    let mut table = Table::new();
    for moved in &output.moves {
        let place = match moved.place {
            RestackPlace::Local => "here",
            RestackPlace::Forge => "on the forge",
            RestackPlace::BaseBranch => "base of",
        };
        let way = match moved.place {
            RestackPlace::Local | RestackPlace::Forge => arrow(&moved.from, &moved.to, ids),
            RestackPlace::BaseBranch => Line::from(format!("{} → {}", moved.from, moved.to)),
        };
        table.row([
            Line::new().styled(Style::Dim, place),
            Line::from(&moved.name),
            way,
        ]);
    }
    page.table(0, &table);
}

fn arrow(from: &str, to: &str, ids: Ids) -> Line {
    let to = match ids {
        Ids::Lasting => short(to),
        Ids::Rehearsed => "a new commit",
    };
    Line::new()
        .styled(Style::Dim, short(from))
        .text(" → ")
        .styled(Style::Doubtful, to)
}
