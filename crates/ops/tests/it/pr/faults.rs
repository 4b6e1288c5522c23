//! Every step meets every kind of trouble. Whatever happens, nothing is done
//! twice.

use std::fmt::Write as _;

use baton_testkit::jira::{FakeJira, TroubleKind};
use baton_testkit::world::World;
use baton_testkit::world::forge::{Fault, FaultKind};
use serde_json::{Value, json};

use super::{Call, Shown, add_branch, play, pulls};

fn told(answer: &Shown) -> String {
    let errors = answer.output["errors"].as_array().unwrap();
    let kinds = errors.iter().filter_map(|error| error["type"].as_str());
    let creation = answer.details["creation"].as_str();
    let words = answer.output["status"].as_str().into_iter();
    let words: Vec<&str> = words.chain(creation).chain(kinds).collect();
    words.join(" ")
}

fn server_error(status: u16) -> FaultKind {
    FaultKind::ServerError {
        status,
        retry_after: None,
    }
}

/// What may happen to a request, how often.
fn kinds() -> Vec<(&'static str, FaultKind, u32)> {
    vec![
        ("502 once", server_error(502), 1),
        ("502 always", server_error(502), 99),
        (
            "done, then 502",
            FaultKind::LateServerError { status: 502 },
            1,
        ),
        ("reset before", FaultKind::ResetBefore, 1),
        ("reset after", FaultKind::ResetAfter, 1),
        ("reset in the body", FaultKind::ResetMidBody, 1),
        ("half a body", FaultKind::TruncatedBody, 1),
        ("a page, 502", FaultKind::HtmlBody { status: 502 }, 1),
        ("a page, 200", FaultKind::HtmlBody { status: 200 }, 99),
        (
            "too fast once",
            FaultKind::SecondaryRateLimit {
                status: 403,
                retry_after: Some(0),
            },
            1,
        ),
        ("a bomb", FaultKind::GzipBomb { bytes: 1 << 30 }, 99),
        ("revoked", FaultKind::RevokedToken, 99),
    ]
}

fn matrix(world: &World, place: &dyn Fn(Fault) -> Fault) -> String {
    let repo = world.checkout();
    let mut table = String::new();
    for (number, (name, kind, times)) in (1..).zip(kinds()) {
        let branch = format!("topic-{number}");
        add_branch(&repo, &branch);
        world.app().faults().clear();
        world
            .app()
            .faults()
            .add(place(Fault::new(kind).times(times)));
        let call = Call::asking(json!({ "branch": branch, "mark_ready": true }));
        let answer = play(world, &repo, call);
        world.app().faults().clear();
        let all = pulls(world);
        let made = all
            .iter()
            .filter(|pull| pull["head"]["ref"] == branch.as_str());
        writeln!(table, "{name}: {}, {} made", told(&answer), made.count()).unwrap();
    }
    table
}

#[test]
fn while_pull_requests_are_looked_for() {
    let world = World::start();
    insta::assert_snapshot!(matrix(&world, &|fault| fault.on("GET", "/repos/*/*/pulls")), @"
    502 once: success created, 1 made
    502 always: failed pr_creation_failed, 0 made
    done, then 502: success created, 1 made
    reset before: success created, 1 made
    reset after: success created, 1 made
    reset in the body: success created, 1 made
    half a body: success created, 1 made
    a page, 502: success created, 1 made
    a page, 200: failed pr_creation_failed, 0 made
    too fast once: success created, 1 made
    a bomb: failed pr_creation_failed, 0 made
    revoked: failed pr_creation_failed, 0 made
    ");
}

#[test]
fn while_the_pull_request_is_made() {
    let world = World::start();
    insta::assert_snapshot!(matrix(&world, &|fault| fault.on("POST", "/repos/*/*/pulls")), @"
    502 once: success created, 1 made
    502 always: failed pr_creation_failed, 0 made
    done, then 502: success resumed, 1 made
    reset before: success created, 1 made
    reset after: success resumed, 1 made
    reset in the body: success resumed, 1 made
    half a body: success resumed, 1 made
    a page, 502: success created, 1 made
    a page, 200: failed pr_creation_failed, 0 made
    too fast once: success created, 1 made
    a bomb: failed pr_creation_failed, 0 made
    revoked: failed pr_creation_failed, 0 made
    ");
}

#[test]
fn while_it_is_marked_ready() {
    let world = World::start();
    insta::assert_snapshot!(matrix(&world, &|fault| fault.on("POST", "/graphql")), @"
    502 once: success created, 1 made
    502 always: success created mark_ready_failed, 1 made
    done, then 502: success created, 1 made
    reset before: success created, 1 made
    reset after: success created, 1 made
    reset in the body: success created, 1 made
    half a body: success created, 1 made
    a page, 502: success created, 1 made
    a page, 200: success created mark_ready_failed, 1 made
    too fast once: success created, 1 made
    a bomb: success created mark_ready_failed, 1 made
    revoked: success created mark_ready_failed, 1 made
    ");
}

#[test]
fn while_git_pushes() {
    let world = World::start();
    insta::assert_snapshot!(matrix(&world, &|fault| fault.on("POST", "/*/*/git-receive-pack")), @"
    502 once: success created, 1 made
    502 always: failed git_push_failed, 0 made
    done, then 502: success created, 1 made
    reset before: success created, 1 made
    reset after: success created, 1 made
    reset in the body: success created, 1 made
    half a body: success created, 1 made
    a page, 502: success created, 1 made
    a page, 200: failed git_push_failed, 0 made
    too fast once: failed git_push_failed, 0 made
    a bomb: failed git_push_failed, 0 made
    revoked: failed git_push_failed, 0 made
    ");
}

/// `Retry-After` wins over our own pause, and one that is too long is not waited
/// for.
#[test]
fn a_used_up_allowance_is_not_waited_for_an_hour() {
    let world = World::start();
    let repo = world.checkout();
    add_branch(&repo, "topic");
    let limit = Fault::new(FaultKind::PrimaryRateLimit { reset_after: 3600 });
    world
        .app()
        .faults()
        .add(limit.on("POST", "/repos/*/*/pulls"));
    let answer = play(&world, &repo, Call::default());
    assert_eq!(answer.output["errors"][0]["type"], "pr_creation_failed");
    assert_eq!(pulls(&world), Vec::<Value>::new());
}

#[test]
fn while_jira_is_asked() {
    let world = World::start();
    let repo = world.checkout();
    let mut table = String::new();
    let mut number = 0;
    for (method, path) in [
        ("GET", "/PROJ-123"),
        ("GET", "/transitions"),
        ("POST", "/remotelink"),
        ("POST", "/comment"),
        ("POST", "/transitions"),
    ] {
        for (name, times, kind) in [
            ("502 once", 1, TroubleKind::page(502)),
            ("502 always", 99, TroubleKind::page(502)),
            ("gone before", 1, TroubleKind::GoneBefore),
            ("gone after", 1, TroubleKind::GoneAfter),
        ] {
            number += 1;
            let branch = format!("topic-{number}");
            add_branch(&repo, &branch);
            let jira = FakeJira::start(&["Code Review"]);
            jira.inside().has_remote_links = path != "/comment";
            jira.trouble(method, path, times, kind);
            let mut call = Call::with(&jira);
            call.more["branch"] = json!(branch);
            let answer = play(&world, &repo, call);
            let inside = jira.inside();
            writeln!(
                table,
                "{method} {path} {name}: {}, {} links, {} comments, {} moves",
                told(&answer),
                inside.links.len(),
                inside.comments.len(),
                inside.moves.len(),
            )
            .unwrap();
        }
    }
    insta::assert_snapshot!(table, @"
    GET /PROJ-123 502 once: success created, 1 links, 0 comments, 1 moves
    GET /PROJ-123 502 always: success created jira_link_failed, 0 links, 0 comments, 0 moves
    GET /PROJ-123 gone before: success created, 1 links, 0 comments, 1 moves
    GET /PROJ-123 gone after: success created, 1 links, 0 comments, 1 moves
    GET /transitions 502 once: success created, 1 links, 0 comments, 1 moves
    GET /transitions 502 always: success created jira_transition_failed, 1 links, 0 comments, 0 moves
    GET /transitions gone before: success created, 1 links, 0 comments, 1 moves
    GET /transitions gone after: success created, 1 links, 0 comments, 1 moves
    POST /remotelink 502 once: success created, 1 links, 0 comments, 1 moves
    POST /remotelink 502 always: success created jira_link_failed, 0 links, 0 comments, 1 moves
    POST /remotelink gone before: success created, 1 links, 0 comments, 1 moves
    POST /remotelink gone after: success created, 1 links, 0 comments, 1 moves
    POST /comment 502 once: success created, 0 links, 1 comments, 1 moves
    POST /comment 502 always: success created jira_link_failed, 0 links, 0 comments, 1 moves
    POST /comment gone before: success created, 0 links, 1 comments, 1 moves
    POST /comment gone after: success created, 0 links, 1 comments, 1 moves
    POST /transitions 502 once: success created jira_transition_failed, 1 links, 0 comments, 0 moves
    POST /transitions 502 always: success created jira_transition_failed, 1 links, 0 comments, 0 moves
    POST /transitions gone before: success created jira_transition_failed, 1 links, 0 comments, 0 moves
    POST /transitions gone after: success created, 1 links, 0 comments, 1 moves
    ");
}

/// As often as the contract says, and no more: nothing below multiplies the tries.
#[test]
fn each_step_is_tried_as_often_as_the_contract_says() {
    let world = World::start();
    let repo = world.checkout();
    let create = |fault: Fault| fault.on("POST", "/repos/*/*/pulls");
    let mark = |fault: Fault| fault.operation("MarkReadyForReview");
    let failing = || Fault::new(server_error(502));
    for (number, (step, fault, tries)) in (1..).zip([
        ("create", create(failing()), 3),
        ("mark ready", mark(failing()), 2),
    ]) {
        let branch = format!("topic-{number}");
        add_branch(&repo, &branch);
        let fault = world.app().faults().add(fault);
        let call = Call::asking(json!({ "branch": branch, "mark_ready": true, "draft": true }));
        play(&world, &repo, call);
        assert_eq!(world.app().faults().hits(fault), tries, "{step}");
        world.app().faults().clear();
    }
    for (has_remote_links, path) in [(true, "/remotelink"), (false, "/comment")] {
        let branch = format!("topic-jira-{has_remote_links}");
        add_branch(&repo, &branch);
        let jira = FakeJira::start(&["Code Review"]);
        jira.inside().has_remote_links = has_remote_links;
        jira.trouble("POST", path, 99, TroubleKind::page(502));
        let mut call = Call::with(&jira);
        call.more["branch"] = json!(branch);
        play(&world, &repo, call);
        let calls = jira.calls();
        let sent = calls
            .iter()
            .filter(|call| call.starts_with("POST") && call.contains(path));
        assert_eq!(sent.count(), 2, "{path}: {calls:#?}");
    }
}
