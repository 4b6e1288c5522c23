use serde_json::{Value, json};

use super::{PULLS, message, mutate, open, pull, report};
use crate::world::World;

/// A queue on `main` that waits for the check `ci`.
pub(super) fn start_queue(world: &World, method: &str) {
    let body = json!({
        "name": "queue",
        "enforcement": "active",
        "conditions": { "ref_name": { "include": ["~DEFAULT_BRANCH"], "exclude": [] } },
        "rules": [
            { "type": "merge_queue", "parameters": {
                "check_response_timeout_minutes": 60,
                "grouping_strategy": "ALLGREEN",
                "max_entries_to_build": 5,
                "max_entries_to_merge": 5,
                "merge_method": method,
                "min_entries_to_merge": 1,
                "min_entries_to_merge_wait_minutes": 5,
            } },
            { "type": "required_status_checks", "parameters": {
                "strict_required_status_checks_policy": false,
                "required_status_checks": [{ "context": "ci" }],
            } },
        ],
    });
    world
        .client("octo")
        .post("/repos/octo/demo/rulesets", &body)
        .expect(201);
}

/// The commits that the queue has built, by the number of their pull request.
pub(super) fn groups(world: &World) -> Vec<(u64, String)> {
    let list = world
        .client("octo")
        .get("/repos/octo/demo/git/matching-refs/heads/gh-readonly-queue/main/")
        .expect(200)
        .json();
    let mut groups: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|found| {
            let name = found["ref"].as_str().unwrap();
            let number = name
                .rsplit("/pr-")
                .next()
                .unwrap()
                .split('-')
                .next()
                .unwrap();
            let sha = found["object"]["sha"].as_str().unwrap().to_owned();
            (number.parse().unwrap(), sha)
        })
        .collect();
    groups.sort();
    groups
}

#[track_caller]
fn built(world: &World, numbers: &[u64]) -> Vec<String> {
    world.wait_for(|| {
        let found = groups(world);
        let known: Vec<u64> = found.iter().map(|(number, _)| *number).collect();
        (known == numbers).then(|| found.into_iter().map(|(_, sha)| sha).collect())
    })
}

fn enqueue(world: &World, number: u64) {
    let answer = mutate(
        world,
        number,
        "enqueuePullRequest(input: { pullRequestId: $id }) { mergeQueueEntry { position } }",
    );
    assert!(answer["errors"].is_null(), "{answer}");
}

#[test]
fn entries_are_merged_in_order_once_their_checks_pass() {
    let world = World::start();
    let repo = world.checkout();
    let begin = repo.head();
    start_queue(&world, "SQUASH");
    for name in ["one", "two", "three"] {
        open(&world, &repo, name, &format!("{name}.txt"), "x\n");
        report(&world, &repo.head(), "ci", "success");
    }
    let octo = world.client("octo");
    let direct = octo
        .put(&format!("{PULLS}/1/merge"), &json!({}))
        .expect(405);
    insta::assert_snapshot!(message(direct), @r"
    Repository rule violations found

    Changes must be made through the merge queue
    ");
    for number in 1..=3 {
        enqueue(&world, number);
    }
    let heads = built(&world, &[1, 2, 3]);
    // Each is built on the one before it.
    repo.git(&[
        "fetch",
        "--quiet",
        "origin",
        "+refs/heads/gh-readonly-queue/*:refs/queue/*",
    ]);
    let log = repo.git(&["log", "--format=%H", &heads[2]]);
    let expected = [&heads[2], &heads[1], &heads[0], &begin].map(String::as_str);
    assert_eq!(log.lines().collect::<Vec<_>>(), expected);

    // The second is ready first, and waits for its turn.
    report(&world, &heads[1], "ci", "success");
    assert_eq!(pull(&octo, 2)["merged"], false);
    report(&world, &heads[0], "ci", "success");
    world.wait_for(|| (pull(&octo, 2)["merged"] == true).then_some(()));
    assert_eq!(pull(&octo, 1)["merge_commit_sha"], heads[0]);
    assert_eq!(pull(&octo, 2)["merge_commit_sha"], heads[1]);
    built(&world, &[3]);
    assert_eq!(pull(&octo, 3)["merged"], false);
    report(&world, &heads[2], "ci", "success");
    world.wait_for(|| (pull(&octo, 3)["merged"] == true).then_some(()));
    built(&world, &[]);
}

#[test]
fn a_failure_leaves_the_queue_and_the_rest_is_built_again() {
    let world = World::start();
    let repo = world.checkout();
    start_queue(&world, "MERGE");
    for name in ["one", "two"] {
        open(&world, &repo, name, &format!("{name}.txt"), "x\n");
        report(&world, &repo.head(), "ci", "success");
    }
    for number in 1..=2 {
        enqueue(&world, number);
    }
    let before = built(&world, &[1, 2]);
    report(&world, &before[0], "ci", "failure");
    let after = world.wait_for(|| {
        let found = groups(&world);
        match found.as_slice() {
            [(2, sha)] if *sha != before[1] => Some(sha.clone()),
            _ => None,
        }
    });
    let octo = world.client("octo");
    let first = pull(&octo, 1);
    assert_eq!(
        (&first["state"], &first["merged"]),
        (&json!("open"), &json!(false))
    );
    report(&world, &after, "ci", "success");
    world.wait_for(|| (pull(&octo, 2)["merged"] == true).then_some(()));
    assert_eq!(pull(&octo, 1)["merged"], Value::Bool(false));
}

#[test]
fn a_pull_request_merges_itself_once_it_may() {
    let world = World::start();
    let repo = world.checkout();
    let octo = world.client("octo");
    let protection = json!({
        "required_status_checks": { "strict": false, "contexts": ["ci"] },
        "enforce_admins": true,
        "required_pull_request_reviews": null,
        "restrictions": null,
    });
    octo.put("/repos/octo/demo/branches/main/protection", &protection)
        .expect(200);
    open(&world, &repo, "feature", "a.txt", "a\n");
    let enable = "enablePullRequestAutoMerge(input: { pullRequestId: $id, mergeMethod: SQUASH })
                  { pullRequest { autoMergeRequest { mergeMethod } } }";
    let refused = mutate(&world, 1, enable);
    assert_eq!(
        refused["errors"][0]["message"],
        "Auto merge is not allowed for this repository"
    );
    octo.patch("/repos/octo/demo", &json!({ "allow_auto_merge": true }))
        .expect(200);
    let enabled = mutate(&world, 1, enable);
    let request = &enabled["data"]["enablePullRequestAutoMerge"]["pullRequest"]["autoMergeRequest"];
    assert_eq!(request["mergeMethod"], "SQUASH", "{enabled}");
    let waiting = pull(&octo, 1);
    assert_eq!(waiting["auto_merge"]["merge_method"], "squash");
    assert_eq!(waiting["auto_merge"]["enabled_by"]["login"], "octo");

    report(&world, &repo.head(), "ci", "success");
    let merged = world.wait_for(|| Some(pull(&octo, 1)).filter(|found| found["merged"] == true));
    assert_eq!(merged["merged_by"]["login"], "octo");
    assert_eq!(merged["auto_merge"], Value::Null);

    open(&world, &repo, "second", "b.txt", "b\n");
    report(&world, &repo.head(), "ci", "success");
    let refused = mutate(&world, 2, enable);
    assert_eq!(
        refused["errors"][0]["message"],
        "Pull request is in clean status"
    );
}
