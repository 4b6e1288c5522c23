//! Handoffs that claim what is not so. The receiver of one looks, and
//! rejects it.

use std::sync::Arc;

use baton_protocol::handoff::HandoffKind;
use baton_testkit::world::World;
use baton_workflow::FailureKind;
use serde_json::json;

use crate::stage::{Played, Stage};
use crate::whole_run::{CODER, REQUEST};

/// Someone else is at work, too: issue 1, the branch `theirs` with a worktree
/// of its own, and pull request 2, which is merged.
fn stage(world: &World) -> Stage<'_> {
    let mut stage = Stage::new(world, REQUEST, &[]);
    stage.without_tools();
    stage.coder(CODER);
    stage.all_real = true;
    let theirs = stage.open_issue("Write down how the colours are chosen", "");
    assert_eq!(theirs, 1);
    stage.repo.branch("theirs");
    stage
        .repo
        .commit_file("colours.md", "Blue.\n", "Choose blue");
    world.push(&stage.repo, "theirs");
    assert_eq!(world.open_pull("Choose blue", "theirs", "main"), 2);
    let merge = "/repos/octo/demo/pulls/2/merge";
    world.client("octo").put(merge, &json!({})).expect(200);
    stage.repo.git(&["checkout", "--quiet", "main"]);
    let elsewhere = world.sandbox.path("elsewhere");
    let elsewhere = elsewhere.to_string_lossy().into_owned();
    stage
        .repo
        .git(&["worktree", "add", "--quiet", &elsewhere, "theirs"]);
    stage
}

/// Plays a run in which an element of each handoff of that kind says something
/// else on its way.
fn forged(stage: &mut Stage<'_>, kind: HandoffKind, element: &'static str, text: &str) -> Played {
    let text = text.to_owned();
    let forge = move |honest: &str| match element {
        // The address and the number of a thing have to agree.
        "issue_number" => with_number(&with_element(honest, element, &text), "issues", &text),
        "pr_number" => with_number(&with_element(honest, element, &text), "pull", &text),
        _ => with_element(honest, element, &text),
    };
    stage.forgery = Some((kind, Arc::new(forge)));
    stage.play()
}

/// The first element or attribute of that name with another text.
fn with_element(document: &str, name: &str, text: &str) -> String {
    let (open, close) = match document.find(&format!("<{name}>")) {
        Some(_) => (format!("<{name}>"), format!("</{name}>")),
        None => (format!(" {name}=\""), "\"".to_owned()),
    };
    let begin = document.find(&open).unwrap() + open.len();
    let end = begin + document[begin..].find(&close).unwrap();
    format!("{}{text}{}", &document[..begin], &document[end..])
}

/// The addresses of things of that kind end in another number.
fn with_number(document: &str, kind: &str, number: &str) -> String {
    let before = format!("/octo/demo/{kind}/");
    let mut parts = document.split(&before);
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        format!("{text}{before}{number}{rest}")
    })
}

/// The step that rejects it, and its words.
#[track_caller]
fn rejection(kind: HandoffKind, element: &'static str, text: &str) -> String {
    let world = World::start();
    let mut stage = stage(&world);
    let text = text.replace("SANDBOX", &world.sandbox.root().to_string_lossy());
    let played = forged(&mut stage, kind, element, &text);
    let failure = played.failure();
    assert_eq!(failure.kind, FailureKind::Rejected, "{}", failure.message);
    let (by, _) = played.results.last().unwrap();
    let question = played.question();
    assert!(question.contains("r: repeat the step before"), "{question}");
    let told = stage.shown(&format!("{by}: {}", failure.message));
    told.trim_end().to_owned()
}

#[test]
fn an_issue_that_is_not_there_is_not_prepared_for() {
    let told = rejection(HandoffKind::IssueReady, "issue_number", "99");
    insta::assert_snapshot!(told, @"prepare: issue #99 was handed over, and is not there");
}

#[test]
fn a_workspace_that_is_not_the_runs_is_not_worked_in() {
    let kind = HandoffKind::WorkspaceReady;
    let told = [
        rejection(kind, "workspace_path", "SANDBOX/home"),
        rejection(kind, "workspace_path", "SANDBOX/elsewhere"),
        rejection(kind, "workspace_path", "SANDBOX/checkout"),
        rejection(kind, "branch", "theirs"),
        rejection(kind, "base_commit", &"ab".repeat(20)),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    implement: /sandbox/home with feature/issue-3-add-a-list-of-the-notes-of-an-owner was handed over, and the run holds /sandbox/checkout.baton/feature-issue-3-add-a-list-of-the-notes-of-an-owner with feature/issue-3-add-a-list-of-the-notes-of-an-owner
    implement: /sandbox/elsewhere with feature/issue-3-add-a-list-of-the-notes-of-an-owner was handed over, and the run holds /sandbox/checkout.baton/feature-issue-3-add-a-list-of-the-notes-of-an-owner with feature/issue-3-add-a-list-of-the-notes-of-an-owner
    implement: /sandbox/checkout with feature/issue-3-add-a-list-of-the-notes-of-an-owner was handed over, and the run holds /sandbox/checkout.baton/feature-issue-3-add-a-list-of-the-notes-of-an-owner with feature/issue-3-add-a-list-of-the-notes-of-an-owner
    implement: /sandbox/checkout.baton/feature-issue-3-add-a-list-of-the-notes-of-an-owner with theirs was handed over, and the run holds /sandbox/checkout.baton/feature-issue-3-add-a-list-of-the-notes-of-an-owner with feature/issue-3-add-a-list-of-the-notes-of-an-owner
    implement: feature/issue-3-add-a-list-of-the-notes-of-an-owner does not go back to COMMIT, where it is said to begin
    ");
}

#[test]
fn a_pull_request_that_is_not_the_runs_is_not_reviewed() {
    let kind = HandoffKind::Implemented;
    let told = [
        rejection(kind, "pr_number", "99"),
        rejection(kind, "pr_number", "2"),
        rejection(kind, "sha", &"ab".repeat(20)),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    review: pull request #99 was handed over, and is not there
    review: pull request #2 is about the branch theirs, and this run works on feature/issue-3-add-a-list-of-the-notes-of-an-owner
    review: the commit COMMIT was handed over and is not in feature/issue-3-add-a-list-of-the-notes-of-an-owner
    ");
}

#[test]
fn an_approval_of_another_pull_request_merges_nothing() {
    let told = rejection(HandoffKind::Approved, "pr_number", "2");
    insta::assert_snapshot!(told, @"validate: pull request #2 is about the branch theirs, and this run works on feature/issue-3-add-a-list-of-the-notes-of-an-owner");
}

#[test]
fn a_merge_that_is_not_the_one_closes_nothing() {
    let kind = HandoffKind::Merged;
    let told = [
        rejection(kind, "pr_number", "2"),
        rejection(kind, "merge_sha", &"ab".repeat(20)),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    close: pull request #2 is about the branch theirs, and this run works on feature/issue-3-add-a-list-of-the-notes-of-an-owner
    close: pull request #4 was merged as COMMIT, and not as COMMIT
    ");
}

#[test]
fn an_issue_that_is_not_the_runs_is_not_worked_on() {
    let world = World::start();
    let mut stage = stage(&world);
    let played = forged(&mut stage, HandoffKind::WorkspaceReady, "issue_number", "1");
    insta::assert_snapshot!(stage.shown(&played.question()), @"
    the same failure came 3 times: a handoff of the run is about issue #3, and this one about #1
    r: try again
    s: stop the run
    ");
}
