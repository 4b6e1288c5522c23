//! A list of pull requests, for people.

use baton_protocol::tools::list_pull_requests::{
    CiRollup, ListPullRequestsOutput, ListedPullRequest, MergesCleanly, PullRequestState,
    ReviewStanding,
};
use serde_json::Value;

use super::View;
use super::phrases::{counted, when};
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style};

impl View for ListPullRequestsOutput {
    fn show(&self, page: &mut Page) {
        let line = Line::new()
            .styled(Style::Heading, &self.repository)
            .text("  ")
            .text(counted(self.total, "pull request", "pull requests"));
        page.line(0, line);
        if let Some(message) = &self.message {
            page.line(0, message);
        }
        for pull in &self.pull_requests {
            page.gap();
            show_pull(pull, page);
        }
    }

    /// A list is an answer, not a verdict.
    fn exit(&self, _: &Value) -> Exit {
        Exit::Done
    }

    fn next_cursor(&self) -> Option<&str> {
        self.next_cursor.as_deref()
    }
}

fn show_pull(pull: &ListedPullRequest, page: &mut Page) {
    let number = format!("#{}", pull.number);
    let title = Line::new()
        .link(Style::Heading, number, &pull.html_url)
        .text(format!(" {}", pull.title));
    page.line(0, title);
    let standing = [
        state(pull),
        ci(pull.ci),
        review(pull.review),
        mergeable(pull.mergeable),
    ];
    let mut line = Line::new();
    for (index, (style, text)) in standing.into_iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        line = line.text(comma).styled(style, text);
    }
    page.line(1, line);
    let fork = if pull.from_fork { " (fork)" } else { "" };
    let labels = match pull.labels.as_deref() {
        Some([]) => String::new(),
        Some(labels) => format!("; {}", labels.join(", ")),
        None => "; labels unknown".to_owned(),
    };
    let origin = format!(
        "{}{fork} → {}, by {}, updated {}{labels}",
        pull.head,
        pull.base,
        pull.author,
        when(&pull.updated)
    );
    page.line(1, Line::new().styled(Style::Dim, origin));
}

fn state(pull: &ListedPullRequest) -> (Style, &'static str) {
    match pull.state {
        PullRequestState::Open if pull.draft => (Style::Dim, "draft"),
        PullRequestState::Open => (Style::Good, "open"),
        PullRequestState::Merged => (Style::Good, "merged"),
        PullRequestState::Closed => (Style::Bad, "closed"),
        PullRequestState::Unknown => (Style::Doubtful, "state unknown"),
    }
}

fn ci(rollup: CiRollup) -> (Style, &'static str) {
    match rollup {
        CiRollup::Passed => (Style::Good, "CI passed"),
        CiRollup::Failed => (Style::Bad, "CI failed"),
        CiRollup::Pending => (Style::Doubtful, "CI pending"),
        CiRollup::None => (Style::Dim, "no CI"),
        CiRollup::Unknown => (Style::Doubtful, "CI unknown"),
    }
}

fn review(standing: ReviewStanding) -> (Style, &'static str) {
    match standing {
        ReviewStanding::Approved => (Style::Good, "approved"),
        ReviewStanding::ChangesRequested => (Style::Bad, "changes requested"),
        ReviewStanding::Required => (Style::Doubtful, "review required"),
        ReviewStanding::None => (Style::Dim, "no review required"),
        ReviewStanding::Unknown => (Style::Doubtful, "reviews unknown"),
    }
}

fn mergeable(merges: MergesCleanly) -> (Style, &'static str) {
    match merges {
        MergesCleanly::Yes => (Style::Good, "no conflicts"),
        MergesCleanly::No => (Style::Bad, "conflicts"),
        MergesCleanly::Unknown => (Style::Doubtful, "conflicts unknown"),
    }
}
