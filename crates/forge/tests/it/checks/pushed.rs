//! Whether the commands of a pushed checks file are executed: for an
//! administrator of the forge to decide, repository by repository.

use std::path::PathBuf;

use baton_forge::App;
use serde_json::{Value, json};

use super::runner::{RUNS, enable_pushed_checks, push_checks, world_with_command};
use super::{ended_run, eventually, jobs_outline};
use crate::world::{Client, World};

const CHECKS: &str = "[[jobs]]\nname = 'evil'\ncommand = 'touch $OUTSIDE/executed'\n";

fn executed(world: &World) -> PathBuf {
    world.sandbox.home().join("executed")
}

/// Name, conclusion and summary of each.
fn check_runs(client: &Client, repository: &str, branch: &str) -> Vec<Value> {
    let path = format!("/repos/{repository}/commits/{branch}/check-runs");
    let answer = client.get(&path).expect(200).json();
    let runs = answer["check_runs"].as_array().unwrap().iter();
    runs.map(|run| json!([run["name"], run["conclusion"], run["output"]["summary"]]))
        .collect()
}

#[test]
fn a_push_to_a_repository_of_ones_own_runs_no_commands() {
    let world = World::start();
    let guest = world.client("guest");
    let own = json!({ "name": "own" });
    guest.post("/user/repos", &own).expect(201);
    let repo = world.sandbox.repo("own");
    repo.git(&[
        "remote",
        "add",
        "origin",
        &world.git_url("guest", "guest/own"),
    ]);
    push_checks(&repo, CHECKS);
    let runs = guest
        .get("/repos/guest/own/actions/runs")
        .expect(200)
        .json();
    let run = &runs["workflow_runs"][0];
    assert_eq!(run["status"], "completed");
    assert_eq!(run["conclusion"], "skipped");
    let checks = check_runs(&guest, "guest/own", "main");
    insta::assert_snapshot!(json!(checks), @r#"[[".baton/forge-checks.toml","skipped","The commands of .baton/forge-checks.toml are not executed in this repository. An administrator of the forge switches them on with `baton forge repo pushed-checks guest/own on`."]]"#);
    // Nor once more.
    let again = format!("/repos/guest/own/actions/runs/{}/rerun", run["id"]);
    guest.post(&again, &json!({})).expect(403);
    let runs = guest
        .get("/repos/guest/own/actions/runs")
        .expect(200)
        .json();
    assert_eq!(runs["workflow_runs"][0]["conclusion"], "skipped");
    assert!(!executed(&world).exists());
}

#[test]
fn they_are_executed_where_an_administrator_wants_it() {
    let world = World::start();
    enable_pushed_checks(&world, true);
    let repo = world.checkout();
    push_checks(&repo, CHECKS);
    let client = world.client("octo");
    assert_eq!(ended_run(&client)["conclusion"], "success");
    assert!(executed(&world).exists());
    // The setting is the forge's own: no answer of the API has it, and no
    // request changes it.
    let body = client.get("/repos/octo/demo").expect(200).json();
    assert_eq!(body.get("pushed_checks"), None);
}

#[test]
fn owners_cannot_switch_them_on_over_the_api() {
    let world = World::start();
    let repo = world.checkout();
    let octo = world.client("octo");
    let change = json!({ "pushed_checks": true, "name": "demo" });
    octo.patch("/repos/octo/demo", &change).expect(200);
    push_checks(&repo, CHECKS);
    assert_eq!(ended_run(&octo)["conclusion"], "skipped");
    assert!(!executed(&world).exists());
}

#[test]
fn the_administrators_own_command_runs_instead_of_a_file() {
    let world = world_with_command("touch $OUTSIDE/own");
    let repo = world.checkout();
    let client = world.client("octo");
    ended_run(&client);
    push_checks(&repo, CHECKS);
    let run = ended_run(&client);
    assert_eq!(run["display_title"], "Ask for checks");
    assert_eq!(run["conclusion"], "success");
    let names: Vec<Value> = check_runs(&client, "octo/demo", "main")
        .into_iter()
        .map(|check| json!([check[0], check[1]]))
        .collect();
    let expected = [
        json!([".baton/forge-checks.toml", "skipped"]),
        json!(["check", "success"]),
    ];
    assert!(
        expected.iter().all(|check| names.contains(check)),
        "{names:?}"
    );
    assert_eq!(names.len(), 2);
    assert!(world.sandbox.home().join("own").exists());
    assert!(!executed(&world).exists());
}

/// The order of a job is kept, so what was planned while they were on must not
/// run once they are off.
#[test]
fn what_is_planned_or_repeated_after_they_were_switched_off_is_skipped() {
    let world = World::start();
    enable_pushed_checks(&world, true);
    let repo = world.checkout();
    push_checks(&repo, CHECKS);
    let client = world.client("octo");
    let run = ended_run(&client);
    assert_eq!(run["conclusion"], "success");
    std::fs::remove_file(executed(&world)).unwrap();
    enable_pushed_checks(&world, false);
    let again = format!("{RUNS}/{}/rerun", run["id"]);
    client.post(&again, &json!({})).expect(201);
    let run = ended_run(&client);
    assert_eq!(run["run_attempt"], 2);
    assert_eq!(run["conclusion"], "skipped");
    assert_eq!(jobs_outline(&client, &run), "evil: completed/skipped\n");
    assert!(!executed(&world).exists());
    enable_pushed_checks(&world, true);
    client.post(&again, &json!({})).expect(201);
    assert_eq!(ended_run(&client)["conclusion"], "success");
    assert!(executed(&world).exists());
}

#[test]
fn a_fork_is_held_to_the_setting_of_its_base() {
    let world = world_with_command("touch $OUTSIDE/own");
    let repo = world.checkout();
    let octo = world.client("octo");
    ended_run(&octo);
    let reviewer = world.client("reviewer");
    reviewer
        .post("/repos/octo/demo/forks", &json!({}))
        .expect(202);
    let set = App::set_pushed_checks(world.app(), "reviewer", "demo", true);
    world.run(set).unwrap();
    repo.git(&["checkout", "--quiet", "-b", "feature"]);
    repo.write(".baton/forge-checks.toml", CHECKS);
    repo.commit("Ask for checks");
    let url = world.git_url("reviewer", "reviewer/demo");
    repo.git(&["push", "--quiet", &url, "feature:main"]);
    // The fork has its own setting for what is pushed to it.
    eventually("the fork's own run", || {
        executed(&world).exists().then_some(())
    });
    std::fs::remove_file(executed(&world)).unwrap();
    let body = json!({ "title": "A feature", "head": "reviewer:main", "base": "main" });
    reviewer.post("/repos/octo/demo/pulls", &body).expect(201);
    let run = eventually("the run", || {
        let run = octo.get(RUNS).expect(200).json()["workflow_runs"][0].clone();
        (run["event"] == "pull_request" && run["status"] == "completed").then_some(run)
    });
    assert_eq!(run["conclusion"], "success");
    assert_eq!(run["name"], "Checks");
    assert!(!executed(&world).exists());
}
