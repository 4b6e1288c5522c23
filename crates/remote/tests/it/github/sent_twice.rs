//! Idempotent calls are retried; all others are sent once.

use baton_protocol::Oid;
use baton_remote::github::enums::{MergeMethod, Reaction};
use baton_remote::github::resources::issues::{IssueChange, NewIssue, StateReason};
use baton_remote::github::resources::labels::Label;
use baton_remote::github::resources::merging::MergeRequest;
use baton_remote::github::resources::pulls::{NewPullRequest, PullRequestChange};
use baton_remote::github::resources::reactions::Reactable;
use baton_remote::github::resources::reviews::{NewReview, Verdict};
use baton_remote::github::{Auth, GitHub, GitHubError, NodeId, Observer, Server};
use baton_remote::http::Secret;

use super::server::Scripted;
use super::{HEAD, repository, settings};

/// Counts how often each change is sent by a client that tries three times.
struct Tally {
    github: GitHub,
    noted: u64,
    lines: Vec<String>,
}

impl Tally {
    /// The script knows no route, so everything is answered with 500.
    fn new(server: &Scripted) -> Self {
        let mut settings = settings(server);
        settings.retry.attempts = 3;
        let auth = Auth::Token(Secret::new("token-of-octo"));
        let place = Server::at(&server.api_url());
        Self {
            github: GitHub::new(&place, auth, settings, Observer::default()).unwrap(),
            noted: 0,
            lines: Vec::new(),
        }
    }

    fn note<T>(&mut self, what: &str, result: &Result<T, GitHubError>) {
        assert!(result.is_err(), "{what}");
        let sent = self.github.requests() - self.noted;
        self.noted += sent;
        self.lines.push(format!("{sent} {what}"));
    }
}

#[tokio::test]
async fn only_what_may_be_done_twice_to_a_pull_request_is_sent_twice() {
    let server = Scripted::start().await;
    let mut tally = Tally::new(&server);
    let github = tally.github.clone();
    let (repo, head, thread) = (
        &repository(),
        &Oid::parse(HEAD).unwrap(),
        &NodeId::new("T_1"),
    );
    let new = &NewPullRequest {
        title: "t",
        body: "b",
        head: "h",
        base: "main",
        draft: true,
    };
    tally.note("open", &github.create_pull_request(repo, new).await);
    let change = &PullRequestChange {
        title: Some("t"),
        ..PullRequestChange::default()
    };
    tally.note(
        "change",
        &github.update_pull_request(repo, 12, change).await,
    );
    tally.note(
        "ask for reviews",
        &github.request_reviewers(repo, 12, &["reviewer"]).await,
    );
    let request = &MergeRequest {
        head,
        method: Some(MergeMethod::Merge),
        title: None,
        message: None,
    };
    tally.note("merge", &github.merge_pull_request(repo, 12, request).await);
    tally.note(
        "merge in the background",
        &github.merge_in_background(repo, 12, request).await,
    );
    tally.note(
        "update the branch",
        &github.update_branch(repo, 12, head).await,
    );
    let review = &NewReview {
        commit: head,
        verdict: Verdict::Comment,
        body: "b",
        comments: Vec::new(),
    };
    tally.note("review", &github.create_review(repo, 12, review).await);
    tally.note(
        "reply to a comment",
        &github.reply_to_review_comment(repo, 12, 5, "b").await,
    );
    tally.note("resolve a thread", &github.resolve_thread(thread).await);
    tally.note(
        "open a thread again",
        &github.unresolve_thread(thread).await,
    );
    tally.note(
        "reply in a thread",
        &github.reply_to_thread(thread, "b").await,
    );
    tally.note("mark ready", &github.mark_ready_for_review(thread).await);
    tally.note("convert to a draft", &github.convert_to_draft(thread).await);
    tally.note("queue", &github.enqueue_pull_request(thread, head).await);
    let squash = &MergeMethod::Squash;
    let armed = github.enable_auto_merge(thread, head, squash).await;
    tally.note("have merged", &armed);
    insta::assert_snapshot!(tally.lines.join("\n"), @"
    1 open
    3 change
    3 ask for reviews
    3 merge
    3 merge in the background
    3 update the branch
    1 review
    1 reply to a comment
    3 resolve a thread
    3 open a thread again
    1 reply in a thread
    3 mark ready
    3 convert to a draft
    3 queue
    1 have merged
    ");
}

#[tokio::test]
async fn only_what_may_be_done_twice_elsewhere_is_sent_twice() {
    let server = Scripted::start().await;
    let mut tally = Tally::new(&server);
    let github = tally.github.clone();
    let repo = &repository();
    tally.note("comment", &github.create_issue_comment(repo, 12, "b").await);
    tally.note(
        "change a comment",
        &github.update_issue_comment(repo, 5, "b").await,
    );
    let comment = Reactable::IssueComment(5);
    tally.note("react", &github.react(repo, comment, &Reaction::Eyes).await);
    let issue = &NewIssue {
        title: "t",
        body: "b",
        labels: Vec::new(),
    };
    tally.note("open an issue", &github.create_issue(repo, issue).await);
    let change = &IssueChange {
        title: Some("t"),
        ..IssueChange::default()
    };
    tally.note(
        "change an issue",
        &github.update_issue(repo, 7, change).await,
    );
    tally.note(
        "close an issue",
        &github.close_issue(repo, 7, &StateReason::Completed).await,
    );
    tally.note("open an issue again", &github.reopen_issue(repo, 7).await);
    let label = &Label {
        name: "bug".to_owned(),
        color: None,
        description: None,
    };
    tally.note("make a label", &github.ensure_label(repo, label).await);
    tally.note("add labels", &github.add_labels(repo, 7, &["bug"]).await);
    tally.note(
        "take a label off",
        &github.remove_label(repo, 7, "bug").await,
    );
    tally.note("delete a branch", &github.delete_branch(repo, "door").await);
    tally.note("re-run", &github.rerun(repo, 1).await);
    tally.note(
        "re-run failed jobs",
        &github.rerun_failed_jobs(repo, 1).await,
    );
    insta::assert_snapshot!(tally.lines.join("\n"), @r"
    1 comment
    3 change a comment
    3 react
    1 open an issue
    3 change an issue
    3 close an issue
    3 open an issue again
    3 make a label
    3 add labels
    3 take a label off
    3 delete a branch
    1 re-run
    1 re-run failed jobs
    ");
}
