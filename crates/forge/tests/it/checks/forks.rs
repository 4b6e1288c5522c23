//! Pull requests from forks: whose commands the forge executes.

use std::fs;

use baton_forge::Role;
use baton_testkit::Repo;
use serde_json::{Value, json};

use super::runner::{RUNS, first_job, world_with_command};
use super::{ended_run, eventually, job_log, jobs_outline};
use crate::world::World;

/// Forks `octo/demo` as `login`, pushes a commit there and asks for it to be
/// merged.
fn pull_request_from_fork(world: &World, repo: &Repo<'_>, login: &str) -> Value {
    let client = world.client(login);
    client
        .post("/repos/octo/demo/forks", &json!({}))
        .expect(202);
    repo.git(&["checkout", "--quiet", "-b", "feature"]);
    repo.commit_file("feature.txt", login, "Add a feature");
    let url = world.git_url(login, &format!("{login}/demo"));
    repo.git(&["push", "--quiet", &url, "feature"]);
    let body = json!({ "title": "A feature", "head": format!("{login}:feature"), "base": "main" });
    client
        .post("/repos/octo/demo/pulls", &body)
        .expect(201)
        .json()
}

#[test]
fn a_pull_request_from_a_fork_is_checked() {
    let world = world_with_command("cat feature.txt || true");
    let repo = world.checkout();
    let client = world.client("octo");
    ended_run(&client);
    pull_request_from_fork(&world, &repo, "reviewer");
    let run = eventually("the run", || {
        let run = client.get(RUNS).expect(200).json()["workflow_runs"][0].clone();
        (run["event"] == "pull_request" && run["status"] == "completed").then_some(run)
    });
    assert_eq!(run["conclusion"], "success");
    assert_eq!(run["display_title"], "A feature");
    assert_eq!(run["head_branch"], "feature");
    assert_eq!(run["head_sha"], json!(repo.head()));
    assert_eq!(run["head_repository"]["full_name"], "reviewer/demo");
    assert_eq!(run["repository"]["full_name"], "octo/demo");
    let log = job_log(&client, &first_job(&client, &run)["id"]);
    assert!(log.contains("\nreviewer\n"), "{log}");
    let forked = client.get("/repos/reviewer/demo/actions/runs");
    assert_eq!(forked.expect(200).json()["total_count"], 0);
}

#[test]
fn a_stranger_s_commands_wait_for_approval() {
    let world = world_with_command("touch $OUTSIDE/executed");
    let repo = world.checkout();
    let client = world.client("octo");
    ended_run(&client);
    let executed = world.sandbox.home().join("executed");
    fs::remove_file(&executed).unwrap();
    pull_request_from_fork(&world, &repo, "guest");
    let run = eventually("the run", || {
        let run = client.get(RUNS).expect(200).json()["workflow_runs"][0].clone();
        (run["event"] == "pull_request").then_some(run)
    });
    assert_eq!(run["status"], "completed");
    assert_eq!(run["conclusion"], "action_required");
    assert_eq!(jobs_outline(&client, &run), "");
    let approve = format!("{RUNS}/{}/approve", run["id"]);
    world.client("guest").post(&approve, &json!({})).expect(403);
    assert!(!executed.exists());
    client.post(&approve, &json!({})).expect(201);
    assert_eq!(ended_run(&client)["conclusion"], "success");
    assert!(executed.exists());
    client.post(&approve, &json!({})).expect(403);
}

/// The author of the pull request may push to the base; the user who pushes to its
/// branch may not.
#[test]
fn a_stranger_s_push_to_a_trusted_pull_request_waits_for_approval() {
    let world = world_with_command("touch $OUTSIDE/executed");
    let repo = world.checkout();
    let client = world.client("octo");
    ended_run(&client);
    let executed = world.sandbox.home().join("executed");
    let latest = |sha: &str| {
        eventually("the run", || {
            let run = client.get(RUNS).expect(200).json()["workflow_runs"][0].clone();
            (run["head_sha"] == sha && run["status"] == "completed").then_some(run)
        })
    };
    // Honest: the owner of the fork may push to the base.
    pull_request_from_fork(&world, &repo, "reviewer");
    assert_eq!(latest(&repo.head())["conclusion"], "success");
    // The owner lets a stranger push to the fork.
    let invited = world
        .app()
        .set_collaborator("reviewer", "demo", "guest", Role::Write);
    world.run(invited).unwrap();
    fs::remove_file(&executed).unwrap();
    repo.commit_file("evil.txt", "", "Add something else");
    let url = world.git_url("guest", "reviewer/demo");
    repo.git(&["push", "--quiet", &url, "feature"]);
    assert_eq!(latest(&repo.head())["conclusion"], "action_required");
    assert!(!executed.exists());
}

#[test]
fn a_stranger_s_branch_is_not_trusted_for_who_opens_its_pull_request() {
    let world = world_with_command("touch $OUTSIDE/executed");
    let repo = world.checkout();
    let client = world.client("octo");
    ended_run(&client);
    let executed = world.sandbox.home().join("executed");
    fs::remove_file(&executed).unwrap();
    let guest = world.client("guest");
    guest.post("/repos/octo/demo/forks", &json!({})).expect(202);
    repo.git(&["checkout", "--quiet", "-b", "feature"]);
    repo.commit_file("evil.txt", "", "Add something");
    let url = world.git_url("guest", "guest/demo");
    repo.git(&["push", "--quiet", &url, "feature"]);
    let invited = world
        .app()
        .set_collaborator("guest", "demo", "octo", Role::Write);
    world.run(invited).unwrap();
    let body = json!({ "title": "Theirs", "head": "guest:feature", "base": "main" });
    client.post("/repos/octo/demo/pulls", &body).expect(201);
    let run = eventually("the run", || {
        let run = client.get(RUNS).expect(200).json()["workflow_runs"][0].clone();
        (run["event"] == "pull_request").then_some(run)
    });
    assert_eq!(run["conclusion"], "action_required");
    assert!(!executed.exists());
}
