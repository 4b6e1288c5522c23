use serde_json::json;

use super::{PULLS, open, pull, push_branch, settled};
use crate::world::World;

#[test]
fn a_push_moves_the_head_at_once() {
    let world = World::start();
    let repo = world.checkout();
    open(&world, &repo, "feature", "a.txt", "a\n");
    let octo = world.client("octo");
    settled(&world, 1);
    let head = repo.commit_file("b.txt", "b\nb\n", "Write b.txt");
    repo.git(&["push", "--quiet", "origin", "feature"]);

    let found = pull(&octo, 1);
    assert_eq!(found["head"]["sha"], head);
    let counts = json!([found["commits"], found["additions"], found["changed_files"]]);
    assert_eq!(counts, json!([2, 3, 2]));
    repo.git(&["fetch", "--quiet", "origin", "refs/pull/1/head"]);
    assert_eq!(repo.git(&["rev-parse", "FETCH_HEAD"]).trim(), head);

    // Away with both, and something else instead.
    repo.git(&["reset", "--quiet", "--hard", "main"]);
    let head = repo.commit_file("c.txt", "c\n", "Write c.txt");
    repo.git(&["push", "--quiet", "--force", "origin", "feature"]);
    let found = pull(&octo, 1);
    assert_eq!(
        (&found["head"]["sha"], &found["commits"]),
        (&json!(head), &json!(1))
    );
}

#[test]
fn a_push_to_the_base_is_noticed() {
    let world = World::start();
    let repo = world.checkout();
    open(&world, &repo, "feature", "a.txt", "a\n");
    let octo = world.client("octo");
    assert_eq!(settled(&world, 1)["mergeable"], true);
    repo.checkout("main");
    let base = repo.commit_file("a.txt", "other\n", "Write a.txt, too");
    repo.git(&["push", "--quiet", "origin", "main"]);
    let found = pull(&octo, 1);
    assert_eq!(found["base"]["sha"], base);
    assert_ne!(found["mergeable"], true);
    assert_eq!(settled(&world, 1)["mergeable"], false);
}

#[test]
fn commits_that_reach_the_base_by_a_push_are_merged() {
    let world = World::start();
    let repo = world.checkout();
    open(&world, &repo, "feature", "a.txt", "a\n");
    open(&world, &repo, "other", "b.txt", "b\n");
    open(&world, &repo, "third", "c.txt", "c\n");
    repo.checkout("main");
    repo.git(&["merge", "--quiet", "--no-ff", "-m", "By hand", "feature"]);
    let by_hand = repo.head();
    repo.git(&["merge", "--quiet", "--no-ff", "-m", "By hand, too", "other"]);
    // With the branch's deletion in the same push.
    repo.git(&["push", "--quiet", "origin", "main", ":feature"]);

    let octo = world.client("octo");
    let merged = pull(&octo, 1);
    assert_eq!(
        (&merged["merged"], &merged["state"]),
        (&json!(true), &json!("closed"))
    );
    assert_eq!(merged["merge_commit_sha"], by_hand);
    assert_eq!(merged["merged_by"]["login"], "octo");
    assert_eq!(pull(&octo, 2)["merged"], true);
    assert_eq!(pull(&octo, 3)["state"], "open");
}

#[test]
fn deleted_branches_close_their_pull_requests() {
    let world = World::start();
    let repo = world.checkout();
    open(&world, &repo, "feature", "a.txt", "a\n");
    repo.git(&["push", "--quiet", "origin", "main:refs/heads/stable"]);
    push_branch(&repo, "other", "b.txt", "b\n");
    let octo = world.client("octo");
    let body = json!({ "title": "T", "head": "other", "base": "stable" });
    octo.post(PULLS, &body).expect(201);
    repo.git(&["push", "--quiet", "origin", ":feature", ":stable"]);
    for number in [1, 2] {
        let found = pull(&octo, number);
        assert_eq!(
            (&found["state"], &found["merged"]),
            (&json!("closed"), &json!(false))
        );
    }
}

#[test]
fn a_push_past_the_forge_is_caught_up_with() {
    let world = World::start();
    let head = {
        let repo = world.checkout();
        open(&world, &repo, "feature", "a.txt", "a\n");
        let head = repo.commit_file("b.txt", "b\n", "Write b.txt");
        let folder = world.folder();
        repo.git(&["push", "--quiet", folder.to_str().unwrap(), "feature"]);
        head
    };
    let world = world.restart();
    let octo = world.client("octo");
    world.wait_for(|| (pull(&octo, 1)["head"]["sha"] == head).then_some(()));
}
