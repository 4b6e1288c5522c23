//! Every call that the client offers.

use std::fs;
use std::path::Path;
use std::pin::Pin;

use baton_remote::github::enums::{MergeMethod, Reaction};
use baton_remote::github::questions::pull_list::PullListFilter;
use baton_remote::github::resources::issues::{IssueChange, IssueFilter, NewIssue, StateReason};
use baton_remote::github::resources::labels::Label;
use baton_remote::github::resources::merging::MergeRequest;
use baton_remote::github::resources::pulls::{NewPullRequest, PullFilter, PullRequestChange};
use baton_remote::github::resources::reactions::Reactable;
use baton_remote::github::resources::reviews::{NewReview, Verdict};
use baton_remote::github::resources::search::SearchFor;
use baton_remote::github::{ArchiveLimits, GitHub, GitHubError};

use super::ground::Facts;

pub(super) struct Call {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) run: for<'a> fn(&'a GitHub, &'a Facts) -> Running<'a>,
}

/// What the call promises about being made twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Read,
    Idempotent,
    Write,
}

type Running<'a> = Pin<Box<dyn Future<Output = Result<(), GitHubError>> + 'a>>;

macro_rules! calls {
    ($github:ident, $repo:ident, $facts:ident: $($kind:ident $name:ident $call:expr;)*) => {
        pub(super) const CALLS: &[Call] = &[$(Call {
            name: stringify!($name),
            kind: Kind::$kind,
            run: |$github, $facts| {
                Box::pin(async move {
                    let $repo = &$facts.repository;
                    // Some are about no repository.
                    let _ = $repo;
                    $call.await.map(drop)
                })
            },
        },)*];
    };
}

calls! { github, repo, facts:
    // Questions of one GraphQL document each.
    Read viewer github.viewer();
    Read overview github.overview(repo, facts.pull.number);
    Read pull_request_checks github.pull_request_checks(repo, facts.pull.number);
    Read pull_request_checks_and_base github.pull_request_checks_and_base(repo, facts.pull.number);
    Read commit_checks github.commit_checks(repo, &facts.pull.head);
    Read check_details github.check_details(std::slice::from_ref(&facts.check_run_id), &[]);
    Read readiness_files github.readiness_files(repo, facts.pull.number, &facts.pull.head, "main");
    Read stacked_pair github.stacked_pair(repo, facts.pull.number, facts.merging.number);
    Read mentioned_numbers github.mentioned_numbers(repo, &[facts.issue]);
    Read merge_readiness github.merge_readiness(repo, facts.pull.number);
    Read review_discussion github.review_discussion(repo, facts.pull.number);
    Read open_pulls github.open_pulls(repo);
    Read list_pulls github.list_pulls(repo, &PullListFilter::default());
    Read force_pushes github.force_pushes(repo, std::slice::from_ref(&facts.pull.id));
    Read recently_closed_pulls github.recently_closed_pulls(repo, 1);
    Read file_histories github.file_histories(repo, "main", &["README.md"]);

    // Reading by REST.
    Read repository github.repository(repo);
    Read allowances github.allowances();
    Read pull_request github.pull_request(repo, facts.pull.number);
    Read pull_requests github.pull_requests(repo, PullFilter::All);
    Read pull_requests_from github.pull_requests_from(repo, "octo", "topic", PullFilter::All);
    Read pull_requests_to github.pull_requests_to(repo, "main", PullFilter::All);
    Read scopes github.scopes();
    Read pull_requests_with_commit github.pull_requests_with_commit(repo, &facts.pull.head);
    Read pull_request_commits github.pull_request_commits(repo, facts.pull.number);
    Read changed_files github.changed_files(repo, facts.pull.number);
    Read reviews github.reviews(repo, facts.pull.number);
    Read review_comments github.review_comments(repo, facts.pull.number);
    Read issue github.issue(repo, facts.issue);
    Read issues github.issues(repo, &IssueFilter::default());
    Read issue_comments github.issue_comments(repo, facts.pull.number);
    Read search_issues github.search_issues(repo, SearchFor::Issues, &["wrong"], 5);
    Read labels github.labels(repo);
    Read commit github.commit(repo, "main");
    Read commits_touching github.commits_touching(repo, "main", "README.md", 5);
    Read compare github.compare(repo, "main", "topic");
    Read commit_statuses github.commit_statuses(repo, facts.queued.head.as_str());
    Read check_runs github.check_runs(repo, facts.pull.head.as_str());
    Read check_suites github.check_suites(repo, facts.pull.head.as_str());
    Read annotations github.annotations(repo, facts.check_run);
    Read workflow_runs github.workflow_runs(repo, &facts.pull.head);
    Read workflow_run github.workflow_run(repo, facts.run);
    Read jobs github.jobs(repo, facts.run);
    Read job github.job(repo, facts.job);
    Read job_log async { github.job_log(repo, facts.job, 1 << 20, &mut Vec::new()).await };
    Read run_logs github.run_logs(repo, facts.run, ArchiveLimits::default());
    Read artifacts github.artifacts(repo, facts.run);
    Read artifact github.artifact(repo, facts.artifact, ArchiveLimits::default());
    Read branch github.branch(repo, "main");
    Read branch_head github.branch_head(repo, "main");
    Read branch_protection github.branch_protection(repo, "main");
    Read branch_rules github.branch_rules(repo, "queued");
    Read ruleset github.ruleset(repo, facts.ruleset);
    Read native_stack github.native_stack(repo, facts.pull.number);
    Read background_merge github.background_merge(repo, facts.landed.0, &facts.landed.1);
    Read text_file github.text_file(repo, "main", "README.md");
    Read code_owners github.code_owners(repo, "main");
    Read permission_of github.permission_of(repo, "reviewer");

    // Changes that are the same done twice.
    Idempotent update_pull_request async {
        let change = PullRequestChange { title: Some("Another title"), ..PullRequestChange::default() };
        github.update_pull_request(repo, facts.pull.number, &change).await
    };
    Idempotent request_reviewers github.request_reviewers(repo, facts.pull.number, &["ci-bot"]);
    Idempotent mark_ready_for_review github.mark_ready_for_review(&facts.draft.id);
    Idempotent convert_to_draft github.convert_to_draft(&facts.ready.id);
    Read queue_entry github.queue_entry(&facts.queued.id, &facts.queued.head);
    Idempotent enqueue_pull_request github.enqueue_pull_request(&facts.queued.id, &facts.queued.head);
    Idempotent resolve_thread github.resolve_thread(&facts.open_thread);
    Idempotent unresolve_thread github.unresolve_thread(&facts.resolved_thread);
    Idempotent update_issue async {
        let change = IssueChange { title: Some("It is worse"), ..IssueChange::default() };
        github.update_issue(repo, facts.issue, &change).await
    };
    Idempotent close_issue github.close_issue(repo, facts.open_issue, &StateReason::Completed);
    Idempotent reopen_issue github.reopen_issue(repo, facts.closed_issue);
    Idempotent update_issue_comment github.update_issue_comment(repo, facts.comment, "Because.");
    Idempotent react github.react(repo, Reactable::IssueComment(facts.comment), &Reaction::Eyes);
    Idempotent ensure_label async {
        let label = Label { name: "baton".to_owned(), color: Some("00aa00".to_owned()), description: None };
        github.ensure_label(repo, &label).await
    };
    Idempotent add_labels github.add_labels(repo, facts.issue, &["bug"]);
    Idempotent remove_label github.remove_label(repo, facts.closed_issue, "bug");
    Idempotent update_branch github.update_branch(repo, facts.behind.number, &facts.behind.head);
    Idempotent merge_pull_request async {
        let merge = MergeRequest { head: &facts.merging.head, method: Some(MergeMethod::Squash), title: None, message: None };
        github.merge_pull_request(repo, facts.merging.number, &merge).await
    };
    Idempotent merge_in_background async {
        let merge = MergeRequest { head: &facts.requested.head, method: None, title: None, message: None };
        github.merge_in_background(repo, facts.requested.number, &merge).await
    };
    Idempotent delete_branch github.delete_branch(repo, "doomed");

    // Changes that are sent once.
    Write create_pull_request async {
        let new = NewPullRequest { title: "New", body: "", head: "unopened", base: "main", draft: false };
        github.create_pull_request(repo, &new).await
    };
    Write enable_auto_merge github.enable_auto_merge(&facts.waiting.id, &facts.waiting.head, &MergeMethod::Squash);
    Write create_review async {
        let review = NewReview { commit: &facts.pull.head, verdict: Verdict::Comment, body: "Seen", comments: Vec::new() };
        github.create_review(repo, facts.pull.number, &review).await
    };
    Write reply_to_review_comment github.reply_to_review_comment(repo, facts.pull.number, facts.review_comment, "Yes");
    Write reply_to_thread github.reply_to_thread(&facts.open_thread, "Indeed");
    Write create_issue async {
        let new = NewIssue { title: "New", body: "", labels: Vec::new() };
        github.create_issue(repo, &new).await
    };
    Write create_issue_comment github.create_issue_comment(repo, facts.issue, "Noted");
    Write rerun github.rerun(repo, facts.run);
    Write rerun_failed_jobs github.rerun_failed_jobs(repo, facts.other_run);
}

/// A call that is added later must be tried here as well.
#[test]
fn no_call_is_missing() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/github");
    let mut missing = Vec::new();
    for folder in ["resources", "questions"] {
        for file in fs::read_dir(source.join(folder)).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            let names = text.split("    pub async fn ").skip(1);
            let names = names.filter_map(|rest| rest.split('(').next());
            missing.extend(
                names
                    .filter(|name| !CALLS.iter().any(|call| call.name == *name))
                    .map(str::to_owned),
            );
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}
