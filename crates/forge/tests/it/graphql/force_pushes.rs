//! Pushes that took commits away, in the timelines of pull requests.

use serde_json::{Value, json};

use super::{of, open_pull, text, two_branches};
use crate::world::{Client, World};

fn events(client: &Client, id: &str, filter: &str) -> Vec<Value> {
    let selection = format!(
        "timelineItems(first: 9{filter}) {{ totalCount nodes {{ __typename
            ... on HeadRefForcePushedEvent {{ id actor {{ login }} createdAt ref {{ name }}
                beforeCommit {{ oid }} afterCommit {{ oid }} }}
            ... on BaseRefForcePushedEvent {{ id actor {{ login }} createdAt ref {{ name }}
                beforeCommit {{ oid }} afterCommit {{ oid }} }} }} }}"
    );
    let mut found = of(client, id, "PullRequest", &selection)["timelineItems"].take();
    let nodes = found["nodes"].as_array().unwrap().clone();
    assert_eq!(found["totalCount"].take(), json!(nodes.len()));
    nodes
}

#[test]
fn a_push_by_force_names_both_commits_and_the_old_one_can_be_fetched() {
    let world = World::start();
    let repo = two_branches(&world);
    let octo = world.client("octo");
    let id = open_pull(&octo);
    let first = repo.head();
    // One more commit takes nothing away.
    repo.commit_file("more.txt", "more\n", "Add more");
    repo.git(&["push", "--quiet", "origin", "feature"]);
    let before = repo.head();
    assert_eq!(events(&octo, &id, ""), Vec::<Value>::new());

    repo.git(&["reset", "--quiet", "--hard", &first]);
    let after = repo.commit_file("more.txt", "other\n", "Add something else");
    repo.git(&["push", "--quiet", "--force", "origin", "feature"]);
    let found = events(&octo, &id, ", itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT]");
    let [push] = found.as_slice() else {
        panic!("one push, not {found:#?}");
    };
    assert_eq!(push["__typename"], "HeadRefForcePushedEvent");
    assert_eq!(push["actor"]["login"], "octo");
    assert_eq!(push["ref"]["name"], "feature");
    assert_eq!(
        (&push["beforeCommit"]["oid"], &push["afterCommit"]["oid"]),
        (&json!(before), &json!(after))
    );
    let again = of(
        &octo,
        &text(&push["id"]),
        "HeadRefForcePushedEvent",
        "createdAt",
    );
    assert_eq!(again["createdAt"], push["createdAt"]);
    assert_eq!(
        events(&octo, &id, ", itemTypes: [BASE_REF_FORCE_PUSHED_EVENT]"),
        Vec::<Value>::new()
    );

    let other = world.sandbox.repo("other");
    other.git(&[
        "fetch",
        "--quiet",
        &world.git_url("octo", "octo/demo"),
        &before,
    ]);
    assert_eq!(other.git(&["cat-file", "-t", &before]), "commit");
}

#[test]
fn a_base_that_is_pushed_by_force_is_told() {
    let world = World::start();
    let repo = two_branches(&world);
    let octo = world.client("octo");
    repo.checkout("main");
    let begin = repo.head();
    let before = repo.commit_file("main.txt", "one\n", "Go on");
    repo.git(&["push", "--quiet", "origin", "main"]);
    let id = open_pull(&octo);
    repo.git(&["reset", "--quiet", "--hard", &begin]);
    let after = repo.commit_file("main.txt", "two\n", "Go on elsewhere");
    repo.git(&["push", "--quiet", "--force", "origin", "main"]);
    let found = events(&octo, &id, ", itemTypes: [BASE_REF_FORCE_PUSHED_EVENT]");
    let [push] = found.as_slice() else {
        panic!("one push, not {found:#?}");
    };
    assert_eq!(push["ref"]["name"], "main");
    assert_eq!(
        (&push["beforeCommit"]["oid"], &push["afterCommit"]["oid"]),
        (&json!(before), &json!(after))
    );
    assert_eq!(events(&octo, &id, "").len(), 1);
}
