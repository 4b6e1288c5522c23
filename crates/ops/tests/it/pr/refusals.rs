//! What cannot be done, and what is said about it.

use std::fmt::Write as _;
use std::path::Path;

use baton_testkit::jira::{FakeJira, TOKEN, TroubleKind};
use baton_testkit::world::World;
use baton_testkit::world::forge::{Fault, FaultKind};
use serde_json::{Value, json};

use super::{Call, add_branch, client, play, prepare, pulls};

#[test]
fn what_cannot_be_opened_says_why() {
    let world = World::start();
    let repo = prepare(&world);
    let reason = |more: Value| play(&world, &repo, Call::asking(more)).reason();
    insta::assert_snapshot!(reason(json!({ "base_branch": "nowhere" })), @"pr_creation_failed: Failed to create pull request: there is no branch 'nowhere' to merge into");
    repo.branch("same");
    repo.checkout("main");
    insta::assert_snapshot!(reason(json!({ "branch": "same" })), @"pr_creation_failed: Failed to create pull request: No commits between main and same");
    insta::assert_snapshot!(reason(json!({ "working_directory": "/no/such/folder" })), @"validation_error: Working directory must be valid absolute path");
    let denied = Fault::new(FaultKind::ServerError {
        status: 503,
        retry_after: None,
    });
    world
        .app()
        .faults()
        .add(denied.on("POST", "/repos/*/*/pulls"));
    insta::assert_snapshot!(reason(json!({})), @"pr_creation_failed: Failed to create pull request: cannot open a pull request from 'topic' in octo/demo: POST http://forge/api/v3/repos/octo/demo/pulls: the server answered 503 Service Unavailable: Server Error; Try again later; the server's status page may say more.");
    assert_eq!(pulls(&world), Vec::<Value>::new());
}

#[test]
fn who_may_not_open_one_is_told() {
    let world = World::start();
    let repo = prepare(&world);
    let with = |token: &str| Call {
        token: Some(token.to_owned()),
        ..Call::default()
    };
    let call = with(world.token("guest"));
    insta::assert_snapshot!(play(&world, &repo, call).reason(), @"pr_creation_failed: Failed to create pull request: must be a collaborator of octo/demo");
    let narrow = world.app().issue_token("octo", &["gist"], None);
    let narrow = world.block_on(narrow).unwrap();
    insta::assert_snapshot!(play(&world, &repo, with(&narrow)).reason(), @"pr_creation_failed: Failed to create pull request: must be a collaborator of octo/demo");
    let revoked = Fault::new(FaultKind::RevokedToken);
    world
        .app()
        .faults()
        .add(revoked.on("GET", "/repos/*/*/pulls"));
    insta::assert_snapshot!(play(&world, &repo, Call::default()).reason(), @"pr_creation_failed: Failed to create pull request: cannot find the pull request of branch 'topic' in octo/demo: GitHub does not accept the token (Bad credentials); The token is wrong, expired or revoked: make a new one, or log in again with `gh auth login`.");
}

#[test]
fn a_branch_that_only_the_remote_has_needs_no_push() {
    let world = World::start();
    let repo = prepare(&world);
    repo.git(&["push", "--quiet", "origin", "topic"]);
    repo.git(&["branch", "--quiet", "-D", "topic"]);
    let answer = play(&world, &repo, Call::default());
    assert_eq!(answer.output["pr_number"], 1);
    assert_eq!(answer.details["push"], "only_on_remote");
}

#[test]
fn a_branch_that_diverged_is_not_overwritten() {
    let world = World::start();
    let repo = prepare(&world);
    repo.git(&["push", "--quiet", "origin", "topic"]);
    repo.git(&["branch", "--quiet", "-D", "topic"]);
    repo.branch("topic");
    repo.commit_file("other.txt", "two\n", "Something else");
    insta::assert_snapshot!(play(&world, &repo, Call::default()).reason(), @"git_push_failed: Failed to push branch 'topic': the remote's branch has other commits; fetch and rebase or merge them first");
}

#[test]
fn a_push_that_is_not_allowed_says_by_what() {
    let world = World::start();
    let repo = prepare(&world);
    let url = world.git_url("guest", "octo/demo");
    repo.git(&["remote", "set-url", "--push", "origin", &url]);
    insta::assert_snapshot!(play(&world, &repo, Call::default()).reason(), @"git_push_failed: Failed to push branch 'topic': this account may not push there; push to a fork or ask for the right");
    repo.git(&[
        "remote",
        "set-url",
        "--push",
        "origin",
        "http://127.0.0.1:9/octo/demo.git",
    ]);
    insta::assert_snapshot!(play(&world, &repo, Call::default()).reason(), @"git_push_failed: Failed to push branch 'topic': cannot push the branch topic with the remote origin: it cannot be reached; check the connection and try again");
}

#[test]
fn a_hook_of_the_checkout_that_declines_is_named() {
    let world = World::start();
    let repo = prepare(&world);
    write_hook(
        &repo.path().join(".git/hooks/pre-push"),
        "run the linter first",
    );
    insta::assert_snapshot!(play(&world, &repo, Call::default()).errors(), @r#"
    [
      {
        "type": "git_push_failed",
        "message": "Failed to push branch 'topic': a hook declined it; do what the hook says",
        "context": {
          "branch": "topic",
          "error_output": "run the linter first\nerror: failed to push some refs to 'http://forge/octo/demo.git'"
        }
      }
    ]
    "#);
    assert_eq!(pulls(&world), Vec::<Value>::new());
}

#[test]
fn a_push_that_the_server_declines_says_why() {
    let world = World::start();
    let repo = prepare(&world);
    let server = tempfile::tempdir().unwrap();
    let bare = server.path().join("demo.git");
    let bare = bare.to_str().unwrap();
    repo.git(&["init", "--quiet", "--bare", bare]);
    repo.git(&["remote", "set-url", "--push", "origin", bare]);
    let said = |by_the_hook: &str| {
        let hook = format!("{bare}/hooks/pre-receive");
        write_hook(Path::new(&hook), by_the_hook);
        play(&world, &repo, Call::default()).reason()
    };
    let told = [
        "subjects begin with a ticket",
        "error: GH001: Large files detected.",
        "error: GH006: Protected branch update failed for refs/heads/topic.",
    ]
    .map(said);
    insta::assert_snapshot!(told.join("\n"), @"
    git_push_failed: Failed to push branch 'topic': a hook declined it; do what the hook says
    git_push_failed: Failed to push branch 'topic': something in it is too large; take large files out of the history
    git_push_failed: Failed to push branch 'topic': the branch is protected; push to another one
    ");
}

#[test]
fn a_checkout_on_no_branch_and_a_worktree_do() {
    let world = World::start();
    let repo = prepare(&world);
    repo.git(&["checkout", "--quiet", "--detach", "main"]);
    assert_eq!(play(&world, &repo, Call::default()).output["pr_number"], 1);
    add_branch(&repo, "other");
    let tree = world.sandbox.path("tree");
    repo.git(&[
        "worktree",
        "add",
        "--quiet",
        tree.to_str().unwrap(),
        "other",
    ]);
    let call = Call::asking(json!({ "branch": "other", "working_directory": tree }));
    assert_eq!(play(&world, &repo, call).output["pr_number"], 2);
}

#[test]
fn a_closed_pull_request_is_not_in_the_way() {
    let world = World::start();
    let repo = prepare(&world);
    play(&world, &repo, Call::default());
    let closed = json!({ "state": "closed" });
    world
        .client("octo")
        .patch("/repos/octo/demo/pulls/1", &closed)
        .expect(200);
    assert_eq!(play(&world, &repo, Call::default()).output["pr_number"], 2);
}

/// Jira's ways of saying no.
#[test]
fn what_jira_refuses_is_a_warning() {
    let world = World::start();
    let repo = prepare(&world);
    let jira = FakeJira::start(&["Code Review"]);
    let captcha = TroubleKind::Answer {
        status: 403,
        content_type: "text/html",
        header: "X-Authentication-Denied-Reason: CAPTCHA_CHALLENGE; login-url=http://jira/login.jsp",
        body: String::new(),
    };
    let denied = json!({ "errorMessages": ["You may not link issues."], "errors": {} });
    let fields = json!({ "errorMessages": [], "errors": { "resolution": "It is required." } });
    let mut said = String::new();
    for (what, method, path, kind) in [
        ("captcha", "GET", "/PROJ-123", captcha),
        ("login page", "GET", "/PROJ-123", TroubleKind::page(200)),
        (
            "403 on the issue",
            "GET",
            "/PROJ-123",
            TroubleKind::status(403, &denied),
        ),
        (
            "500 on the issue",
            "GET",
            "/PROJ-123",
            TroubleKind::page(500),
        ),
        (
            "401 on the link",
            "POST",
            "/remotelink",
            TroubleKind::status(401, &json!({})),
        ),
        (
            "400 on the move",
            "POST",
            "/transitions",
            TroubleKind::status(400, &fields),
        ),
        (
            "403 on the transitions",
            "GET",
            "/transitions",
            TroubleKind::status(403, &denied),
        ),
    ] {
        jira.inside().troubles.clear();
        jira.inside().status = "In Progress".to_owned();
        jira.trouble(method, path, 9, kind);
        let call = Call {
            adopt: true,
            jira: Some(client(&jira, TOKEN)),
            ..Call::with(&jira)
        };
        let answer = play(&world, &repo, call);
        assert_eq!(answer.output["status"], "success");
        writeln!(
            said,
            "{what}: {}\n  {}",
            answer.reason(),
            answer.output["jira_status"]["error"]
                .as_str()
                .unwrap_or_default(),
        )
        .unwrap();
    }
    insta::assert_snapshot!(said.replace(&jira.url(), "http://jira"), @"
    captcha: jira_authentication_failed: Jira refused the credentials
      cannot read PROJ-123: Jira wants a captcha solved before it lets this account in again
    login page: jira_authentication_failed: Jira refused the credentials
      cannot read PROJ-123: GET http://jira/rest/api/2/issue/PROJ-123?fields=status: an HTML page came instead of JSON; it begins: <!DOCTYPE html><html><body>Log in</body></html>
    403 on the issue: jira_issue_not_found: Jira issue PROJ-123 does not exist or you don't have permission to view it
      cannot read PROJ-123: this account may not do that: You may not link issues.
    500 on the issue: jira_link_failed: Could not link the pull request to PROJ-123
      cannot read PROJ-123: GET http://jira/rest/api/2/issue/PROJ-123?fields=status: the server answered 500 Internal Server Error: <!DOCTYPE html><html><body>Log in</body></html> (after 4 attempts)
    401 on the link: jira_authentication_failed: Jira refused the credentials
      cannot link PROJ-123: Jira refuses the credentials
    400 on the move: jira_transition_failed: Could not transition PROJ-123 to Code Review state
      cannot move PROJ-123: Jira refuses: resolution: It is required.
    403 on the transitions: jira_transition_failed: Could not transition PROJ-123 to Code Review state
      cannot read the transitions of PROJ-123: this account may not do that: You may not link issues.
    ");
}

/// One that declines, with these words.
fn write_hook(hook: &Path, words: &str) {
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(hook, format!("#!/bin/sh\necho '{words}' >&2\nexit 1\n")).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(hook, mode).unwrap();
}

#[test]
fn a_folder_without_a_repository_is_a_wrong_folder() {
    let world = World::start();
    let repo = world.checkout();
    let folder = world.sandbox.path("plain");
    std::fs::create_dir(&folder).unwrap();
    let call = Call::asking(json!({ "branch": "topic", "working_directory": folder }));
    let answer = play(&world, &repo, call);
    let error = &answer.output["errors"][0];
    assert_eq!(error["type"], "validation_error", "{error}");
    assert_eq!(error["context"]["field"], "working_directory");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("is not in a git repository"), "{message}");
}
