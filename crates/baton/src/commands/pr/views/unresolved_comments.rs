//! The output of `find_unresolved_comments`, for people.

use baton_protocol::tools::find_unresolved_comments::{
    AuthorAssociation, CommentFinding, CommentKind, CommentThread, FindUnresolvedCommentsOutput,
    UnresolvedComment,
};
use serde_json::Value;

use super::View;
use super::phrases::{counted, when};
use crate::exit::Exit;
use crate::terminal::{Line, Page, Style};

/// Of a comment. The rest is behind the link.
const MAX_LINES: usize = 20;

/// Of the code that it is about: the last lines, which a comment stands below.
const MAX_CODE_LINES: usize = 4;

impl View for FindUnresolvedCommentsOutput {
    fn show(&self, page: &mut Page) {
        page.line(0, outcome(self));
        if let Some(line) = counts(self) {
            page.line(0, Line::new().styled(Style::Dim, line));
        }
        if let Some(message) = &self.message {
            page.line(0, message);
        }
        for comment in &self.comments {
            page.gap();
            show_comment(comment, page);
        }
        if !self.other_comments.is_empty() {
            page.gap();
            page.line(0, Line::new().styled(Style::Heading, "said besides"));
        }
        for comment in &self.other_comments {
            page.gap();
            show_comment(comment, page);
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

fn outcome(output: &FindUnresolvedCommentsOutput) -> Line {
    let line = Line::new().styled(Style::Heading, &output.pr).text("  ");
    match output.total_unresolved {
        0 if !output.unreadable.is_empty() => line.styled(
            Style::Doubtful,
            "nothing unresolved among what could be read",
        ),
        0 => line.styled(Style::Good, "nothing unresolved"),
        many => line.styled(
            Style::Doubtful,
            counted(many, "unresolved comment", "unresolved comments"),
        ),
    }
}

/// `of reviewer 2, lint-bot 1; 1 resolved thread; left out: 3 of bots`
fn counts(output: &FindUnresolvedCommentsOutput) -> Option<String> {
    let summary = &output.summary;
    let mut parts = Vec::new();
    if !summary.by_author.is_empty() {
        let authors = summary.by_author.iter();
        let authors: Vec<String> = authors.map(|(author, n)| format!("{author} {n}")).collect();
        parts.push(format!("of {}", authors.join(", ")));
    }
    if let Some(resolved @ 1..) = summary.resolved_threads {
        parts.push(counted(resolved, "resolved thread", "resolved threads"));
    }
    if let Some(left_out) = &summary.left_out {
        let kinds = [
            (left_out.bots, "of bots"),
            (left_out.excluded_authors, "of excluded authors"),
            (left_out.hidden, "hidden"),
            (left_out.dismissed, "dismissed"),
        ];
        let kinds: Vec<String> = kinds
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if !kinds.is_empty() {
            parts.push(format!("left out: {}", kinds.join(", ")));
        }
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn show_comment(comment: &UnresolvedComment, page: &mut Page) {
    page.item(0, Line::new().styled(Style::Doubtful, "● "), title(comment));
    page.line(1, Line::new().styled(Style::Dim, facts(comment)));
    if let Some(hunk) = &comment.diff_hunk {
        let lines: Vec<&str> = hunk.lines().collect();
        let last = &lines[lines.len().saturating_sub(MAX_CODE_LINES)..];
        page.code(2, &last.join("\n"), MAX_CODE_LINES);
    }
    page.quote(1, &comment.body, MAX_LINES);
    for finding in comment.findings.iter().flatten() {
        show_finding(finding, page);
    }
    if let Some(more @ 1..) = comment.findings_left_out {
        page.line(
            1,
            format!("… and {}", counted(more, "more finding", "more findings")),
        );
    }
    if let Some(thread) = &comment.thread {
        show_thread(thread, page);
    }
    show_commands(comment, page);
    page.address(1, &comment.html_url);
}

fn title(comment: &UnresolvedComment) -> Line {
    let place = match (&comment.file_path, comment.start_line, comment.line_number) {
        (Some(file), Some(first), Some(last)) if first != last => format!("{file}:{first}-{last}"),
        (Some(file), _, Some(line)) => format!("{file}:{line}"),
        (Some(file), ..) => file.clone(),
        (None, ..) => match comment.kind {
            CommentKind::Review => "review".to_owned(),
            CommentKind::ReviewComment | CommentKind::IssueComment => "comment".to_owned(),
        },
    };
    Line::new()
        .link(Style::Heading, place, &comment.html_url)
        .text(format!("  {}", comment.author))
}

fn facts(comment: &UnresolvedComment) -> String {
    let mut facts = Vec::new();
    if comment.is_bot {
        facts.push("bot".to_owned());
    }
    if comment.by_pr_author == Some(true) {
        facts.push("opened the pull request".to_owned());
    }
    let association = match comment.author_association {
        AuthorAssociation::Owner => Some("owner"),
        AuthorAssociation::Member => Some("member"),
        AuthorAssociation::Collaborator => Some("collaborator"),
        AuthorAssociation::Contributor => Some("contributor"),
        AuthorAssociation::None => None,
    };
    facts.extend(association.map(str::to_owned));
    facts.extend(comment.severity.clone());
    facts.extend(
        comment
            .review_state
            .as_ref()
            .map(|state| state.to_lowercase().replace('_', " ")),
    );
    if let Some(thread) = &comment.thread {
        if thread.is_resolved {
            facts.push("resolved".to_owned());
        }
        if thread.is_outdated {
            facts.push("the code has changed since".to_owned());
        }
    }
    facts.push(when(&comment.created_at));
    facts.join(" · ")
}

fn show_finding(finding: &CommentFinding, page: &mut Page) {
    let place = match finding.line_number {
        Some(line) => format!("{}:{line}", finding.file_path),
        None => finding.file_path.clone(),
    };
    let labels: Vec<&str> = [&finding.severity, &finding.title]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let line = Line::new()
        .styled(Style::Heading, place)
        .styled(Style::Dim, format!("  {}", labels.join(" · ")));
    page.item(1, "- ", line);
    page.quote(2, &finding.body, MAX_LINES);
}

fn show_thread(thread: &CommentThread, page: &mut Page) {
    if let Some(more @ 1..) = thread.replies_left_out {
        let older = counted(more, "older reply", "older replies");
        page.line(2, Line::new().styled(Style::Dim, format!("… {older}")));
    }
    for reply in &thread.replies {
        let line = Line::new()
            .text(&reply.author)
            .styled(Style::Dim, format!("  {}", when(&reply.created_at)));
        page.item(2, Line::new().styled(Style::Dim, "↳ "), line);
        page.quote(3, &reply.body, MAX_LINES);
    }
}

fn show_commands(comment: &UnresolvedComment, page: &mut Page) {
    let commands = &comment.action_commands;
    page.line(1, Line::new().styled(Style::Dim, "to reply:"));
    page.command(1, &commands.reply_command);
    if let Some(resolve) = &commands.resolve_command {
        let condition = format!(
            "to resolve; {}:",
            commands.resolve_condition.trim_end_matches('.')
        );
        page.line(1, Line::new().styled(Style::Dim, condition));
        page.command(1, resolve);
    }
}
