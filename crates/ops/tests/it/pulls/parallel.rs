//! Many calls at once in one checkout, and in one clone of baton's own.

use baton_ops::pulls;
use baton_protocol::Repository;
use baton_testkit::world::World;
use serde_json::json;
use tokio::task::JoinSet;

use super::world::ToolCaller;

const CALLS: usize = 50;

/// How many calls found that the pull request would merge.
fn asked_at_once(world: &World, caller: &ToolCaller<'_>) -> usize {
    let mut tools = pulls::operations().into_iter();
    let tool = tools.find(|one| one.meta.name == "detect_merge_conflicts");
    let tool = tool.expect("there is such a tool");
    world.block_on(async {
        let mut calls = JoinSet::new();
        for _ in 0..CALLS {
            calls.spawn(tool.call(caller.context(), json!({ "pr": "octo/demo#1" })));
        }
        let mut merging = 0;
        while let Some(done) = calls.join_next().await {
            let answer = done.unwrap().unwrap().to_json();
            merging += usize::from(answer["has_conflicts"] == false);
        }
        merging
    })
}

#[test]
fn fifty_calls_at_once_all_answer() {
    let world = World::start();
    let repo = world.checkout();
    repo.branch("topic");
    repo.commit_file("topic.txt", "topic\n", "Add topic");
    world.push(&repo, "topic");
    world.open_pull("Add topic", "topic", "main");
    let mut caller = ToolCaller::new(&world);
    // The commits are nowhere yet.
    assert_eq!(asked_at_once(&world, &caller), CALLS);

    let url = repo.git(&["remote", "get-url", "origin"]);
    let checkout = world.sandbox.path("fresh");
    let place = checkout.to_str().unwrap();
    repo.git(&["clone", "--quiet", "--single-branch", &url, place]);
    caller.server.here = Some(Repository::new("octo", "demo").unwrap());
    caller.server.workplace.folder = Some(checkout);
    assert_eq!(asked_at_once(&world, &caller), CALLS);
}
