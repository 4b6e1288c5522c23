//! GitHub's own stacks.

use baton_testkit::Repo;
use serde_json::{Value, json};

use super::queue::start_queue;
use super::{PULLS, approve, message, mutate, pull, report};
use crate::world::{Client, Response, World};

const STACKS: &str = "/repos/octo/demo/stacks";

const NOT_LINEAR: &str =
    "Pull requests must form a stack, where each PR's base ref is the previous PR's head ref";

/// One pull request for each name, each with a file of that name and onto the one before.
fn open_chain(world: &World, repo: &Repo<'_>, names: &[&str]) {
    repo.checkout("main");
    let mut base = "main";
    for name in names {
        open_on(world, repo, base, name);
        base = name;
    }
}

fn open_on(world: &World, repo: &Repo<'_>, base: &str, name: &str) {
    repo.checkout(base);
    repo.branch(name);
    repo.checkout(name);
    repo.commit_file(&format!("{name}.txt"), "new\n", &format!("Write {name}"));
    repo.git(&["push", "--quiet", "origin", name]);
    let body = json!({ "title": format!("Add {name}"), "head": name, "base": base });
    world.client("octo").post(PULLS, &body).expect(201);
}

fn stack(client: &Client, numbers: &[u64]) -> Response {
    client.post(STACKS, &json!({ "pull_requests": numbers }))
}

fn add(client: &Client, numbers: &[u64]) -> Response {
    client.post(
        &format!("{STACKS}/1/add"),
        &json!({ "pull_requests": numbers }),
    )
}

fn unstack(client: &Client) -> Response {
    client.send("POST", &format!("{STACKS}/1/unstack"), None)
}

fn members(stack: &Value) -> Vec<u64> {
    let pulls = stack["pull_requests"].as_array().unwrap();
    pulls
        .iter()
        .map(|pull| pull["number"].as_u64().unwrap())
        .collect()
}

fn begin_merge(client: &Client, number: u64, body: &Value) -> Response {
    client.put(&format!("{PULLS}/{number}/merge-async"), body)
}

/// How a merge in the background ends.
fn merge(world: &World, number: u64, body: &Value) -> Value {
    let octo = world.client("octo");
    let begun = begin_merge(&octo, number, body).expect(202).json();
    assert_eq!(begun["status"], "pending");
    let id = begun["details"]["uuid"].as_str().unwrap();
    world.wait_for(|| {
        let now = octo.get(&format!("{PULLS}/{number}/merge-async/{id}"));
        let now = now.expect(200).json();
        (now["status"] != "pending").then_some(now)
    })
}

/// Subjects on `main`, the newest first.
fn history(repo: &Repo<'_>) -> Vec<String> {
    repo.git(&["fetch", "--quiet", "origin", "main"]);
    let log = repo.git(&["log", "--first-parent", "--format=%s", "FETCH_HEAD"]);
    log.lines().map(str::to_owned).collect()
}

/// Of a pull request that follows the merge of what is below it.
fn wait_for_base(world: &World, number: u64, base: &str) {
    let octo = world.client("octo");
    world.wait_for(|| (pull(&octo, number)["base"]["ref"] == base).then_some(()));
}

#[test]
fn a_stack_is_shown_by_itself_and_by_its_pull_requests() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two", "three"]);
    let octo = world.client("octo");
    assert_eq!(pull(&octo, 1)["stack"], Value::Null);
    assert_eq!(octo.get(STACKS).expect(200).json(), json!([]));

    let made = stack(&octo, &[1, 2]).expect(201).json();
    assert_eq!(made["number"], 1);
    assert_eq!(made["base"], json!({ "ref": "main" }));
    assert_eq!(made["open"], true);
    assert_eq!(members(&made), [1, 2]);
    let more = add(&octo, &[3]).expect(200).json();
    assert_eq!(members(&more), [1, 2, 3]);
    let shown = octo.get(&format!("{STACKS}/1")).expect(200).json();
    assert_eq!(shown, more);

    let main = repo.git(&["rev-parse", "main"]);
    let place = json!({
        "id": made["id"], "number": 1, "size": 3, "position": 2,
        "base": { "ref": "main", "sha": main.trim() },
    });
    assert_eq!(pull(&octo, 2)["stack"], place);
    let listed = octo.get(PULLS).expect(200).json();
    assert_eq!(listed[1]["stack"], place);
    let of_third = octo
        .get(&format!("{STACKS}?pull_request=3"))
        .expect(200)
        .json();
    assert_eq!(members(&of_third[0]), [1, 2, 3]);
    let of_none = octo
        .get(&format!("{STACKS}?pull_request=9"))
        .expect(200)
        .json();
    assert_eq!(of_none, json!([]));
    octo.get(&format!("{STACKS}?pull_request=x")).expect(422);
    octo.get(&format!("{STACKS}/2")).expect(404);
    octo.get(&format!("{STACKS}/x")).expect(404);
}

#[test]
fn stacks_are_listed_newest_first_in_pages() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two"]);
    open_chain(&world, &repo, &["three", "four"]);
    let octo = world.client("octo");
    stack(&octo, &[1, 2]).expect(201);
    stack(&octo, &[3, 4]).expect(201);
    let first = octo.get(&format!("{STACKS}?per_page=1")).expect(200);
    assert_eq!(first.json()[0]["number"], 2);
    let next = octo.follow(&first.link("next").unwrap()).expect(200).json();
    assert_eq!(next[0]["number"], 1);
}

#[test]
fn only_a_chain_of_open_pull_requests_is_a_stack() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two", "three"]);
    let octo = world.client("octo");
    let refused = |numbers: &[u64]| message(stack(&octo, numbers).expect(422));

    let missing = stack(&octo, &[1, 77, 2, 78]).expect(422).json();
    assert_eq!(missing["message"], "Validation Failed");
    assert_eq!(
        missing["errors"],
        json!([{ "resource": "Stack", "field": "pull_requests", "code": "missing",
                 "value": [77, 78] }])
    );
    assert_eq!(refused(&[1, 3]), NOT_LINEAR);
    assert_eq!(refused(&[2, 1]), NOT_LINEAR);
    assert_eq!(refused(&[1, 1]), NOT_LINEAR);
    for body in [
        json!({}),
        json!({ "pull_requests": [] }),
        json!({ "pull_requests": [1] }),
        json!({ "pull_requests": ["1", "2"] }),
        json!({ "pull_requests": vec![1; 101] }),
    ] {
        octo.post(STACKS, &body).expect(422);
    }
    octo.patch(&format!("{PULLS}/3"), &json!({ "state": "closed" }))
        .expect(200);
    assert_eq!(refused(&[2, 3]), "Pull request #3 is not open");
    stack(&octo, &[1, 2]).expect(201);
    assert_eq!(
        refused(&[1, 2]),
        "Pull request #1 is already part of a stack"
    );
    let again = add(&octo, &[2]).expect(422);
    assert_eq!(message(again), "Pull request #2 is already part of a stack");
}

#[test]
fn what_goes_in_a_circle_is_no_stack() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two"]);
    repo.checkout("one");
    repo.commit_file("more.txt", "more\n", "More");
    repo.git(&["push", "--quiet", "origin", "one"]);
    let octo = world.client("octo");
    let round = json!({ "title": "Round", "head": "one", "base": "two" });
    octo.post(PULLS, &round).expect(201);
    assert_eq!(message(stack(&octo, &[2, 3]).expect(422)), NOT_LINEAR);
    assert_eq!(message(stack(&octo, &[3, 2]).expect(422)), NOT_LINEAR);
    stack(&octo, &[1, 2]).expect(201);
    assert_eq!(message(add(&octo, &[3]).expect(422)), NOT_LINEAR);
}

#[test]
fn a_fork_is_in_no_stack() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one"]);
    let guest = world.client("guest");
    guest.post("/repos/octo/demo/forks", &json!({})).expect(202);
    repo.checkout("one");
    repo.branch("abroad");
    repo.checkout("abroad");
    repo.commit_file("abroad.txt", "far\n", "Go abroad");
    repo.git(&[
        "push",
        "--quiet",
        &world.git_url("guest", "guest/demo"),
        "abroad",
    ]);
    let body = json!({ "title": "From abroad", "head": "guest:abroad", "base": "one" });
    guest.post(PULLS, &body).expect(201);
    let octo = world.client("octo");
    assert_eq!(message(stack(&octo, &[1, 2]).expect(422)), NOT_LINEAR);
    // The pull requests of another repository are not known in this one.
    let body = json!({ "pull_requests": [1, 2] });
    guest.post("/repos/guest/demo/stacks", &body).expect(422);
}

#[test]
fn stacks_are_for_those_who_may_write() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two", "three"]);
    let (octo, guest) = (world.client("octo"), world.client("guest"));
    stack(&guest, &[1, 2]).expect(403);
    stack(&octo.without_token(), &[1, 2]).expect(401);
    stack(&octo, &[1, 2]).expect(201);
    add(&guest, &[3]).expect(403);
    unstack(&guest).expect(403);
    begin_merge(&guest, 2, &json!({})).expect(403);
    assert_eq!(members(&guest.get(STACKS).expect(200).json()[0]), [1, 2]);
    let private = json!({ "private": true });
    octo.patch("/repos/octo/demo", &private).expect(200);
    for path in [STACKS.to_owned(), format!("{STACKS}/1")] {
        guest.get(&path).expect(404);
    }
    stack(&guest, &[1, 2]).expect(404);
    add(&guest, &[3]).expect(404);
    unstack(&guest).expect(404);
    octo.patch("/repos/octo/demo", &json!({ "archived": true }))
        .expect(200);
    add(&octo, &[3]).expect(403);
    unstack(&octo).expect(403);
}

#[test]
fn unstacking_leaves_the_pull_requests_as_they_are() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two"]);
    let octo = world.client("octo");
    stack(&octo, &[1, 2]).expect(201);
    unstack(&octo).expect(204);
    octo.get(&format!("{STACKS}/1")).expect(404);
    unstack(&octo).expect(404);
    let second = pull(&octo, 2);
    assert_eq!(
        (&second["stack"], &second["base"]["ref"]),
        (&Value::Null, &json!("one"))
    );
    // The number is not given to another.
    assert_eq!(stack(&octo, &[1, 2]).expect(201).json()["number"], 2);
}

#[test]
fn nothing_but_a_merge_in_the_background_merges_a_member() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two"]);
    let octo = world.client("octo");
    octo.patch("/repos/octo/demo", &json!({ "allow_auto_merge": true }))
        .expect(200);
    stack(&octo, &[1, 2]).expect(201);
    for number in [1, 2] {
        let refused = octo
            .put(&format!("{PULLS}/{number}/merge"), &json!({}))
            .expect(403);
        assert_eq!(
            message(refused),
            "Merging stacked PRs via this endpoint is not supported. \
             Use the asynchronous merge endpoint instead."
        );
        let call =
            |name: &str| format!("{name}(input: {{pullRequestId: $id}}) {{ clientMutationId }}");
        for name in [
            "mergePullRequest",
            "enablePullRequestAutoMerge",
            "enqueuePullRequest",
        ] {
            let answer = mutate(&world, number, &call(name));
            assert!(
                answer["errors"][0]["message"]
                    .as_str()
                    .unwrap()
                    .contains("stack"),
                "{answer}"
            );
        }
        assert_eq!(pull(&octo, number)["state"], "open");
    }
    let moved = octo
        .patch(&format!("{PULLS}/2"), &json!({ "base": "main" }))
        .expect(422)
        .json();
    assert_eq!(
        moved["errors"][0]["message"],
        "Cannot change the base branch because the pull request is part of a stack."
    );
}

#[test]
fn one_merge_brings_the_whole_group() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two"]);
    let octo = world.client("octo");
    stack(&octo, &[1, 2]).expect(201);
    let merged = merge(&world, 2, &json!({}));
    assert_eq!(merged["status"], "merged");
    assert_eq!(
        history(&repo),
        ["Merge pull request #2 from octo/two", "Begin"]
    );
    for number in [1, 2] {
        let pull = pull(&octo, number);
        assert_eq!(pull["merged"], true);
        assert_eq!(pull["merge_commit_sha"], merged["details"]["sha"]);
    }
    let whole = octo.get(&format!("{STACKS}/1")).expect(200).json();
    assert_eq!(whole["open"], false);
    // It is complete: nothing is put on it or taken out of it.
    let refused = unstack(&octo).expect(422);
    assert_eq!(
        message(refused),
        "Pull requests in this stack cannot be removed"
    );
    open_on(&world, &repo, "two", "three");
    assert_eq!(
        message(add(&octo, &[3]).expect(422)),
        "Pull request #2 is not open"
    );
    let again = begin_merge(&octo, 2, &json!({})).expect(200).json();
    assert_eq!(again["status"], "merged");
}

#[test]
fn squashes_are_one_commit_each_and_what_is_above_follows() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two", "three", "four"]);
    let octo = world.client("octo");
    stack(&octo, &[1, 2, 3, 4]).expect(201);
    let body = json!({ "merge_method": "squash", "commit_title": "Both" });
    let merged = merge(&world, 2, &body);
    assert_eq!(merged["status"], "merged", "{merged}");
    assert_eq!(history(&repo), ["Both", "Write one (#1)", "Begin"]);
    let of_first = pull(&octo, 1)["merge_commit_sha"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(repo.git(&["rev-parse", "FETCH_HEAD~1"]).trim(), of_first);

    wait_for_base(&world, 3, "main");
    let tip = repo.git(&["rev-parse", "FETCH_HEAD"]);
    world.wait_for(|| {
        repo.git(&["fetch", "--quiet", "origin", "three", "four"]);
        let log = repo.git(&[
            "log",
            "--format=%s",
            &format!("{}..origin/four", tip.trim()),
        ]);
        (log == "Write four\nWrite three").then_some(())
    });
    world.wait_for(|| (pull(&octo, 3)["commits"] == 1).then_some(()));
    assert_eq!(pull(&octo, 4)["base"]["ref"], "three");
    assert_eq!(pull(&octo, 3)["stack"]["position"], 3);
    // What was merged stays; the rest can leave.
    let rest = unstack(&octo).expect(200).json();
    assert_eq!(members(&rest), [1, 2]);
    assert_eq!(pull(&octo, 3)["stack"], Value::Null);
}

#[test]
fn a_rebase_puts_the_commits_of_all_on_the_base() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two"]);
    repo.checkout("main");
    repo.commit_file("else.txt", "else\n", "Else");
    repo.git(&["push", "--quiet", "origin", "main"]);
    stack(&world.client("octo"), &[1, 2]).expect(201);
    let merged = merge(&world, 2, &json!({ "merge_method": "rebase" }));
    assert_eq!(merged["status"], "merged", "{merged}");
    assert_eq!(history(&repo), ["Write two", "Write one", "Else", "Begin"]);
}

#[test]
fn what_is_not_ready_below_holds_up_all_and_nothing_is_merged() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two", "three"]);
    let octo = world.client("octo");
    stack(&octo, &[1, 2, 3]).expect(201);
    let failed = |number: u64, body: &Value| {
        let end = merge(&world, number, body);
        assert_eq!(end["status"], "failed", "{end}");
        assert_eq!(history(&repo), ["Begin"]);
        end["details"]["message"].as_str().unwrap().to_owned()
    };
    let draft = "convertPullRequestToDraft(input: {pullRequestId: $id}) { clientMutationId }";
    let ready = "markPullRequestReadyForReview(input: {pullRequestId: $id}) { clientMutationId }";
    mutate(&world, 1, draft);
    assert_eq!(failed(2, &json!({})), "Pull Request is still a draft");
    let refused = begin_merge(&octo, 1, &json!({})).expect(400).json();
    assert_eq!(refused["details"]["message"], "Pull request is a draft.");
    mutate(&world, 1, ready);

    octo.patch(&format!("{PULLS}/1"), &json!({ "state": "closed" }))
        .expect(200);
    assert_eq!(failed(2, &json!({})), "Pull Request is not mergeable");
    let state = world.wait_for(|| {
        let found = pull(&octo, 2);
        (!found["mergeable"].is_null()).then_some(found)
    });
    assert_eq!(state["mergeable_state"], "blocked");
    octo.patch(&format!("{PULLS}/1"), &json!({ "state": "open" }))
        .expect(200);

    let old = "0000000000000000000000000000000000000001";
    let moved = failed(2, &json!({ "sha": old }));
    assert_eq!(
        moved,
        "Head branch was modified. Review and try the merge again."
    );
    repo.checkout("one");
    repo.commit_file("more.txt", "more\n", "More");
    repo.git(&["push", "--quiet", "origin", "one"]);
    assert!(failed(2, &json!({})).contains("not linear"));
    begin_merge(&octo, 3, &json!({ "merge_action": "odd" })).expect(422);
}

#[test]
fn the_rules_of_the_stacks_base_hold_for_all_and_are_not_bypassed() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two"]);
    let octo = world.client("octo");
    let protection = json!({
        "required_status_checks": null, "enforce_admins": false, "restrictions": null,
        "required_pull_request_reviews": { "required_approving_review_count": 1 },
    });
    octo.put("/repos/octo/demo/branches/main/protection", &protection)
        .expect(200);
    stack(&octo, &[1, 2]).expect(201);
    approve(&world, 1);
    // The owner may bypass that for a pull request on its own.
    let end = merge(&world, 2, &json!({}));
    assert_eq!(end["status"], "failed");
    let why = end["details"]["message"].as_str().unwrap();
    assert!(why.contains("approving review is required"), "{why}");
    approve(&world, 2);
    assert_eq!(merge(&world, 2, &json!({}))["status"], "merged");
}

#[test]
fn a_stack_waits_in_the_queue_together() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two", "three"]);
    start_queue(&world, "MERGE");
    let octo = world.client("octo");
    stack(&octo, &[1, 2, 3]).expect(201);
    // The checks of each head have to have passed before.
    let early = begin_merge(&octo, 3, &json!({})).expect(400).json();
    assert_eq!(early["status"], "failed");
    for number in 1..=3 {
        let head = pull(&octo, number)["head"]["sha"].clone();
        report(&world, head.as_str().unwrap(), "ci", "success");
    }
    let direct = merge(&world, 3, &json!({ "merge_action": "direct_merge" }));
    assert_eq!(direct["status"], "failed");
    let old = json!({ "sha": "0000000000000000000000000000000000000001" });
    begin_merge(&octo, 3, &old).expect(400);
    let queued = begin_merge(&octo, 3, &json!({})).expect(200).json();
    assert_eq!(queued["status"], "enqueued");
    let refused = unstack(&octo).expect(422);
    assert_eq!(
        message(refused),
        "Pull requests in this stack cannot be removed"
    );

    let groups = world.wait_for(|| {
        let groups = super::queue::groups(&world);
        (groups.len() == 3).then_some(groups)
    });
    report(&world, &groups[0].1, "ci", "success");
    world.wait_for(|| (pull(&octo, 1)["merged"] == true).then_some(()));
    // What fails takes along what builds on it.
    report(&world, &groups[1].1, "ci", "failure");
    world.wait_for(|| super::queue::groups(&world).is_empty().then_some(()));
    wait_for_base(&world, 2, "main");
    assert_eq!(pull(&octo, 2)["state"], "open");
    assert_eq!(pull(&octo, 3)["base"]["ref"], "two");
    assert_eq!(members(&unstack(&octo).expect(200).json()), [1]);
}

#[test]
fn a_merge_by_push_retargets_what_is_above() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two"]);
    stack(&world.client("octo"), &[1, 2]).expect(201);
    repo.git(&["push", "--quiet", "origin", "one:main"]);
    wait_for_base(&world, 2, "main");
}

#[test]
fn branches_of_a_merged_group_go_where_the_repository_wants_it() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two", "three"]);
    let octo = world.client("octo");
    let setting = json!({ "delete_branch_on_merge": true });
    octo.patch("/repos/octo/demo", &setting).expect(200);
    stack(&octo, &[1, 2, 3]).expect(201);
    assert_eq!(
        merge(&world, 2, &json!({ "merge_method": "squash" }))["status"],
        "merged"
    );
    wait_for_base(&world, 3, "main");
    for branch in ["one", "two"] {
        let path = format!("/repos/octo/demo/branches/{branch}");
        world.wait_for(|| (octo.get(&path).status == 404).then_some(()));
    }
    assert_eq!(pull(&octo, 3)["state"], "open");
}

#[test]
fn a_branch_that_may_not_be_forced_is_left_to_its_author() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two"]);
    let octo = world.client("octo");
    let ruleset = json!({
        "name": "no force", "enforcement": "active",
        "conditions": { "ref_name": { "include": ["refs/heads/two"], "exclude": [] } },
        "rules": [{ "type": "non_fast_forward" }],
    });
    octo.post("/repos/octo/demo/rulesets", &ruleset).expect(201);
    stack(&octo, &[1, 2]).expect(201);
    let head = pull(&octo, 2)["head"]["sha"].clone();
    let body = json!({ "merge_method": "squash" });
    assert_eq!(merge(&world, 1, &body)["status"], "merged");
    wait_for_base(&world, 2, "main");
    let left = pull(&octo, 2);
    assert_eq!(left["head"]["sha"], head);
    assert_eq!(left["state"], "open");
}

#[test]
fn a_result_is_told_only_at_its_own_pull_request() {
    let world = World::start();
    let repo = world.checkout();
    open_chain(&world, &repo, &["one", "two"]);
    let (octo, guest) = (world.client("octo"), world.client("guest"));
    let begun = begin_merge(&octo, 1, &json!({})).expect(202).json();
    let id = begun["details"]["uuid"].as_str().unwrap();
    octo.get(&format!("{PULLS}/2/merge-async/{id}")).expect(404);
    octo.get(&format!("{PULLS}/1/merge-async/{id}0"))
        .expect(404);
    octo.patch("/repos/octo/demo", &json!({ "private": true }))
        .expect(200);
    guest
        .get(&format!("{PULLS}/1/merge-async/{id}"))
        .expect(404);
}
