//! `land_stack`: a stack is merged from the bottom up, however far it has come, and never past a
//! blocker.

use std::time::Duration;

use baton_testkit::world::{JobEnd, Withheld, World};
use serde_json::{Value, json};

use super::stacked_prs::Tower;
use super::world::ToolCaller;

const TOOL: &str = "land_stack";

fn land(tower: &Tower<'_>, more: &Value) -> Value {
    let mut input = json!({ "pr": "octo/demo#3" });
    for (key, value) in more.as_object().unwrap() {
        input[key] = value.clone();
    }
    tower.caller.ask(TOOL, &input)
}

/// `landed: 1 2 3; restacked: 2 3 3; remaining: none`.
fn course(answer: &Value) -> String {
    let number = |pr: &Value| {
        let pr = pr.as_str().unwrap();
        pr.rsplit_once('#').unwrap().1.to_owned()
    };
    let list = |key: &str| {
        let list = answer[key].as_array().into_iter().flatten();
        let numbers: Vec<String> = list
            .map(|one| number(if one.is_string() { one } else { &one["pr"] }))
            .collect();
        numbers.join(" ")
    };
    format!(
        "{}; landed: {}; restacked: {}; remaining: {}",
        answer["status"].as_str().unwrap(),
        list("landed"),
        list("restacked"),
        list("remaining")
    )
}

/// Every file and line of the stack is in `main` once, and every pull request is merged.
fn assert_landed(tower: &Tower<'_>) {
    for number in 1..=3 {
        let path = format!("/repos/octo/demo/pulls/{number}");
        let pull = tower.world.client("octo").get(&path).expect(200).json();
        assert_eq!(pull["merged"], true, "#{number}");
    }
    tower.repo.git(&[
        "fetch",
        "-q",
        &tower.world.git_url("octo", "octo/demo"),
        "main",
    ]);
    let log = tower.repo.git(&["show", "FETCH_HEAD:log.txt"]);
    assert_eq!(log, "a1\na2\nb1\nc1\nc2");
}

#[test]
fn a_stack_lands_by_every_method() {
    for (method, restacked) in [("squash", "2 3 3"), ("rebase", "2 3 3"), ("merge", "")] {
        let world = World::start();
        let tower = Tower::new(&world);
        let answer = land(&tower, &json!({ "method": method }));
        let expected = format!("landed; landed: 1 2 3; restacked: {restacked}; remaining: ");
        assert_eq!(course(&answer), expected, "{method}: {answer:#}");
        assert_landed(&tower);
        let again = land(&tower, &json!({}));
        assert_eq!(course(&again), "landed; landed: ; restacked: ; remaining: ");
    }
}

/// As if the call had been killed after the merge, or a person had merged it.
#[test]
fn a_stack_whose_lowest_one_was_merged_lands_the_rest() {
    for method in ["squash", "rebase", "merge"] {
        let world = World::start();
        let tower = Tower::new(&world);
        tower.merge(1, method);
        tower.delete_branch("feat/a");
        let answer = land(&tower, &json!({ "method": "squash" }));
        assert!(
            course(&answer).starts_with("landed; landed: 2 3;"),
            "{method}: {answer:#}"
        );
        assert_landed(&tower);
    }
}

#[test]
fn where_the_branch_of_a_merged_one_goes_on_a_person_decides() {
    let world = World::start();
    let tower = Tower::new(&world);
    tower.merge(1, "squash");
    let answer = land(&tower, &json!({}));
    assert_eq!(
        course(&answer),
        "blocked; landed: ; restacked: ; remaining: 2 3"
    );
    insta::assert_snapshot!(answer["message"].as_str().unwrap(), @"#2 goes to `feat/a`, which #1 brought to main: merged there, it would not reach main. `baton pr restack octo/demo#1 octo/demo#2` puts it on main; if `feat/a` goes on as a branch of its own, merge it with merge_pull_request.");
    tower.caller.ask(
        "restack",
        &json!({ "base_pr": "octo/demo#1", "dependent_pr": "octo/demo#2" }),
    );
    let answer = land(&tower, &json!({ "method": "squash" }));
    assert_eq!(
        course(&answer),
        "landed; landed: 2 3; restacked: 3; remaining: "
    );
    assert_landed(&tower);
}

#[test]
fn nothing_lands_past_a_blocker() {
    let world = World::start();
    let tower = Tower::new(&world);
    let labels = json!({ "labels": ["do not merge"] });
    let octo = world.client("octo");
    octo.post("/repos/octo/demo/issues/2/labels", &labels)
        .expect(200);
    let answer = land(&tower, &json!({ "method": "squash" }));
    assert_eq!(
        course(&answer),
        "blocked; landed: 1; restacked: 2 3; remaining: 2 3"
    );
    let blocking = answer["remaining"][0]["blocking_issues"].to_string();
    assert!(blocking.contains("asks to wait"), "{blocking}");
    octo.delete("/repos/octo/demo/issues/2/labels/do%20not%20merge")
        .expect(200);
    let answer = land(&tower, &json!({ "method": "squash" }));
    assert_eq!(
        course(&answer),
        "landed; landed: 2 3; restacked: 3; remaining: "
    );
    assert_landed(&tower);
}

#[test]
fn a_call_waits_for_ci_and_the_next_goes_on() {
    let world = World::start();
    let mut tower = Tower::new(&world);
    tower.caller.poll.max_wait = Duration::from_millis(200);
    let run = world.start_run("CI", &tower.branch_head("feat/a"), &["test"]);
    let answer = land(&tower, &json!({ "method": "merge" }));
    assert_eq!(
        course(&answer),
        "waiting; landed: ; restacked: ; remaining: 1 2 3"
    );
    run.end("test", &JobEnd::success());
    tower.caller.poll.max_wait = Duration::from_secs(20);
    let answer = land(&tower, &json!({ "method": "merge" }));
    assert_eq!(
        course(&answer),
        "landed; landed: 1 2 3; restacked: ; remaining: "
    );
}

#[test]
fn a_failed_check_is_no_reason_to_wait() {
    let world = World::start();
    let tower = Tower::new(&world);
    let run = world.start_run("CI", &tower.branch_head("feat/a"), &["test"]);
    run.end("test", &JobEnd::failure());
    let answer = land(&tower, &json!({}));
    assert_eq!(
        course(&answer),
        "blocked; landed: ; restacked: ; remaining: 1 2 3"
    );
}

#[test]
fn a_rehearsal_changes_nothing() {
    let world = World::start();
    let tower = Tower::new(&world);
    let answer = land(&tower, &json!({ "dry_run": true }));
    assert_eq!(
        course(&answer),
        "rehearsed; landed: ; restacked: ; remaining: 1 2 3"
    );
    insta::assert_snapshot!(answer["message"].as_str().unwrap(), @"3 pull requests, one after the other, would be merged into main");
    let pull = world
        .client("octo")
        .get("/repos/octo/demo/pulls/1")
        .expect(200)
        .json();
    assert_eq!(pull["merged"], false);
}

#[test]
fn what_cannot_be_read_is_not_merged() {
    let world = World::start();
    let tower = Tower::new(&world);
    let run = world.start_run("CI", &tower.branch_head("feat/a"), &["test"]);
    run.end("test", &JobEnd::failure());
    let blind = ToolCaller::withholding(
        &world,
        &[Withheld::Field(
            "repository.pullRequest.commits.nodes.*.commit.statusCheckRollup",
        )],
    );
    let answer = blind.ask(TOOL, &json!({ "pr": "octo/demo#3" }));
    assert_eq!(
        course(&answer),
        "blocked; landed: ; restacked: ; remaining: 1 2 3"
    );
}

#[test]
fn a_guest_lands_nothing() {
    let world = World::start();
    let _tower = Tower::new(&world);
    let guest = ToolCaller::for_user(&world, "guest");
    let answer = guest.call(TOOL, &json!({ "pr": "octo/demo#3" }));
    if let Ok(answer) = answer {
        assert!(course(&answer).contains("landed: ;"), "{answer:#}");
        assert_ne!(answer["status"], "landed");
    }
    let pull = world
        .client("octo")
        .get("/repos/octo/demo/pulls/1")
        .expect(200)
        .json();
    assert_eq!(pull["merged"], false);
}

/// GitHub has the three pull requests as a stack of its own.
fn make_native(world: &World) {
    let stack = json!({ "pull_requests": [1, 2, 3] });
    let octo = world.client("octo");
    octo.post("/repos/octo/demo/stacks", &stack).expect(201);
}

#[test]
fn githubs_own_stack_lands_as_one() {
    for method in ["squash", "rebase", "merge"] {
        let world = World::start();
        let tower = Tower::new(&world);
        make_native(&world);
        let answer = land(&tower, &json!({ "method": method }));
        assert_eq!(
            course(&answer),
            "landed; landed: 1 2 3; restacked: ; remaining: ",
            "{method}: {answer:#}"
        );
        assert_landed(&tower);
    }
}

#[test]
fn a_blocker_below_stops_githubs_own_stack() {
    let world = World::start();
    let tower = Tower::new(&world);
    make_native(&world);
    let labels = json!({ "labels": ["do not merge"] });
    let octo = world.client("octo");
    octo.post("/repos/octo/demo/issues/1/labels", &labels)
        .expect(200);
    let answer = land(&tower, &json!({}));
    assert_eq!(
        course(&answer),
        "blocked; landed: ; restacked: ; remaining: 1 2 3"
    );
    let below = json!({ "pr": "octo/demo#2" });
    let refused = tower.caller.ask("merge_pull_request", &below);
    assert_eq!(refused["status"], "refused");
    let blocking = refused["blocking_issues"].to_string();
    assert!(blocking.contains("#1, below it: "), "{blocking}");
}

#[test]
fn merging_one_of_githubs_own_stack_merges_what_is_below_it() {
    let world = World::start();
    let tower = Tower::new(&world);
    make_native(&world);
    let input = json!({ "pr": "octo/demo#2", "method": "squash" });
    let answer = tower.caller.ask("merge_pull_request", &input);
    assert_eq!(answer["status"], "merged", "{answer:#}");
    let octo = world.client("octo");
    let is_merged = |number: u32| {
        let path = format!("/repos/octo/demo/pulls/{number}");
        octo.get(&path).expect(200).json()["merged"].clone()
    };
    assert_eq!(
        (is_merged(1), is_merged(2), is_merged(3)),
        (json!(true), json!(true), json!(false))
    );
}

#[test]
fn githubs_own_stack_goes_into_the_queue_of_its_base_together() {
    let world = World::start();
    let tower = Tower::new(&world);
    make_native(&world);
    let queue = json!({
        "name": "queue", "enforcement": "active", "target": "branch",
        "conditions": { "ref_name": { "include": ["~DEFAULT_BRANCH"], "exclude": [] } },
        "rules": [{ "type": "merge_queue", "parameters": {
            "merge_method": "SQUASH", "check_response_timeout_minutes": 10,
            "grouping_strategy": "ALLGREEN", "max_entries_to_build": 5, "max_entries_to_merge": 5,
            "min_entries_to_merge": 3, "min_entries_to_merge_wait_minutes": 1,
        } }],
    });
    let octo = world.client("octo");
    octo.post("/repos/octo/demo/rulesets", &queue).expect(201);
    let input = json!({ "pr": "octo/demo#3" });
    let answer = tower.caller.ask("merge_pull_request", &input);
    assert!(
        ["queued", "merged"].contains(&answer["status"].as_str().unwrap()),
        "{answer:#}"
    );
    let landed = land(&tower, &json!({}));
    assert_eq!(landed["status"], "landed", "{landed:#}");
    assert_landed(&tower);
}

/// `develop` goes on by itself, whether or not a pull request brings it to `main` right now.
#[test]
fn a_release_is_nothing_that_a_feature_stands_on() {
    let world = World::start();
    let repo = world.checkout();
    repo.branch("develop");
    repo.commit_file("base.txt", "one\n", "Begin to develop");
    world.push(&repo, "develop");
    for (number, name) in [(1, "first"), (3, "second")] {
        repo.checkout("develop");
        repo.branch(name);
        repo.commit_file(&format!("{name}.txt"), "new\n", &format!("Add {name}"));
        world.push(&repo, name);
        assert_eq!(
            world.open_pull(&format!("Add {name}"), name, "develop"),
            number
        );
        if number == 1 {
            let body = json!({ "merge_method": "squash" });
            let octo = world.client("octo");
            octo.put("/repos/octo/demo/pulls/1/merge", &body)
                .expect(200);
            assert_eq!(world.open_pull("Release", "develop", "main"), 2);
        }
    }
    let caller = ToolCaller::new(&world);
    let refused = caller.error(TOOL, &json!({ "pr": "octo/demo#3" }));
    assert!(
        refused.contains("`develop` seems to be a branch of its own"),
        "{refused}"
    );
    let release = world
        .client("octo")
        .get("/repos/octo/demo/pulls/2")
        .expect(200)
        .json();
    assert_eq!(release["merged"], false);
}

#[test]
fn what_goes_to_the_default_branch_stands_on_nothing() {
    let world = World::start();
    let tower = Tower::new(&world);
    let url = world.git_url("octo", "octo/demo");
    tower.repo.checkout("main");
    tower
        .repo
        .git(&["push", "-q", &url, "main:refs/heads/next"]);
    tower.repo.commit_file("news.txt", "new\n", "Add news");
    world.push(&tower.repo, "main");
    assert_eq!(world.open_pull("Merge back", "main", "next"), 4);
    let answer = land(&tower, &json!({ "pr": "octo/demo#1", "method": "merge" }));
    assert_eq!(
        course(&answer),
        "landed; landed: 1; restacked: ; remaining: "
    );
    let back = world
        .client("octo")
        .get("/repos/octo/demo/pulls/4")
        .expect(200)
        .json();
    assert_eq!(back["merged"], false);
}

/// CI runs on every head, but no rule asks for it: the restacked head waits for its own.
#[test]
fn a_restacked_head_is_not_merged_before_its_own_ci() {
    let world = World::start();
    let mut tower = Tower::new(&world);
    tower.caller.poll.max_wait = Duration::from_millis(200);
    let run = world.start_run("CI", &tower.branch_head("feat/a"), &["test"]);
    run.end("test", &JobEnd::success());
    let squash = json!({ "method": "squash" });
    let answer = land(&tower, &squash);
    assert!(
        course(&answer).starts_with("waiting; landed: 1; restacked: 2 3;"),
        "{answer:#}"
    );
}

/// A person decides whose commits they are, instead of a call that never ends.
#[test]
fn a_branch_that_was_moved_back_is_a_question() {
    let world = World::start();
    let mut tower = Tower::new(&world);
    let old = tower.branch_head("feat/b");
    let labels = json!({ "labels": ["do not merge"] });
    let octo = world.client("octo");
    octo.post("/repos/octo/demo/issues/2/labels", &labels)
        .expect(200);
    let squash = json!({ "method": "squash" });
    land(&tower, &squash);
    let back = format!("+{old}:refs/heads/feat/b");
    let url = world.git_url("octo", "octo/demo");
    tower.repo.git(&["push", "-q", &url, &back]);
    tower.caller.poll.max_wait = Duration::from_millis(500);
    let answer = land(&tower, &squash);
    assert_eq!(answer["status"], "blocked", "{answer:#}");
    let message = answer["message"].as_str().unwrap();
    assert!(
        message.contains("Which commits of #3 are its own?"),
        "{message}"
    );
    assert!(!message.contains(".."), "{message}");
}

#[test]
fn a_method_that_is_not_allowed_is_said_at_once() {
    let world = World::start();
    let tower = Tower::new(&world);
    let methods = json!({ "allow_rebase_merge": false });
    world
        .client("octo")
        .patch("/repos/octo/demo", &methods)
        .expect(200);
    let answer = land(&tower, &json!({ "method": "rebase" }));
    assert_eq!(answer["status"], "blocked", "{answer:#}");
    assert!(
        answer["message"]
            .as_str()
            .unwrap()
            .contains("does not allow this method"),
        "{answer:#}"
    );
}

/// Anyone can open a pull request from a fork onto a branch of a stack.
#[test]
fn a_fork_on_top_does_not_stop_a_stack() {
    let world = World::start();
    let tower = Tower::new(&world);
    let guest = world.client("guest");
    guest.post("/repos/octo/demo/forks", &json!({})).expect(202);
    tower.repo.checkout("feat/c");
    tower.repo.branch("squat");
    tower
        .repo
        .commit_file("log.txt", "mine\n", "Take over the log");
    tower
        .repo
        .git(&["push", "-q", &world.git_url("guest", "guest/demo"), "squat"]);
    let pull = json!({ "title": "Squat", "head": "guest:squat", "base": "feat/b" });
    guest.post("/repos/octo/demo/pulls", &pull).expect(201);
    let answer = land(&tower, &json!({ "method": "squash" }));
    assert_eq!(answer["status"], "landed", "{answer:#}");
    assert_landed(&tower);
}
