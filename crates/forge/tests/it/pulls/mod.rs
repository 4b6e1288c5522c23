//! Pull requests, with real pushes and real merges.

mod following;
mod merging;
mod opening;
mod queue;
mod reviewing;
mod rules;
mod stacks;

use baton_testkit::Repo;
use serde_json::{Value, json};

use crate::world::{Client, World};

const PULLS: &str = "/repos/octo/demo/pulls";

/// Pushes a branch off `main` that adds or changes a file, and opens a pull
/// request for it as `octo`.
#[track_caller]
fn open(world: &World, repo: &Repo<'_>, branch: &str, file: &str, content: &str) -> Value {
    push_branch(repo, branch, file, content);
    let body = json!({ "title": format!("Add {file}"), "head": branch, "base": "main" });
    world.client("octo").post(PULLS, &body).expect(201).json()
}

/// The commit at its tip.
fn push_branch(repo: &Repo<'_>, branch: &str, file: &str, content: &str) -> String {
    repo.checkout("main");
    repo.branch(branch);
    repo.checkout(branch);
    let head = repo.commit_file(file, content, &format!("Write {file}"));
    repo.git(&["push", "--quiet", "origin", branch]);
    head
}

fn pull(client: &Client, number: u64) -> Value {
    client.get(&format!("{PULLS}/{number}")).expect(200).json()
}

/// Asks until it is known whether a pull request can be merged, as clients of
/// GitHub do.
#[track_caller]
fn settled(world: &World, number: u64) -> Value {
    let octo = world.client("octo");
    world.wait_for(|| {
        let found = pull(&octo, number);
        (!found["mergeable"].is_null()).then_some(found)
    })
}

/// Reports a commit status as `ci-bot`.
fn report(world: &World, sha: &str, context: &str, state: &str) {
    let body = json!({ "context": context, "state": state });
    world
        .client("ci-bot")
        .post(&format!("/repos/octo/demo/statuses/{sha}"), &body)
        .expect(201);
}

/// Approves as `reviewer`.
fn approve(world: &World, number: u64) -> Value {
    world
        .client("reviewer")
        .post(
            &format!("{PULLS}/{number}/reviews"),
            &json!({ "event": "APPROVE" }),
        )
        .expect(200)
        .json()
}

/// The message of a refusal.
fn message(response: crate::world::Response) -> String {
    response.json()["message"].as_str().unwrap().to_owned()
}

/// What only GraphQL offers, as `octo`: one mutation that takes the pull
/// request's id. The data it answers with.
#[track_caller]
fn mutate(world: &World, number: u64, mutation: &str) -> Value {
    let octo = world.client("octo");
    let id = pull(&octo, number)["node_id"].clone();
    let query = format!("mutation($id: ID!) {{ {mutation} }}");
    let body = json!({ "query": query, "variables": { "id": id } });
    octo.post("/graphql", &body).expect(200).json()
}
