//! `update_branch` and `rerun_failed_jobs`: what they start, and what they leave alone.

use baton_testkit::world::{JobEnd, World};
use serde_json::{Value, json};

use super::discussion::{FILE, Scene, lines};

const UPDATE: &str = "update_branch";
const RERUN: &str = "rerun_failed_jobs";

impl Scene<'_> {
    fn head_on_the_server(&self) -> String {
        let path = "/repos/octo/demo/pulls/1";
        let pull = self.world.client("octo").get(path).expect(200).json();
        pull["head"]["sha"].as_str().unwrap().to_owned()
    }

    fn move_the_base_on(&self, file: &str, content: &str) {
        self.repo.checkout("main");
        self.repo.commit_file(file, content, "Move on");
        self.world.push(&self.repo, "main");
    }
}

#[test]
fn a_branch_that_is_behind_is_updated() {
    let world = World::start();
    let scene = Scene::new(&world);
    let update = |more: Value| {
        let mut input = json!({ "pr": "octo/demo#1" });
        for (name, value) in more.as_object().unwrap() {
            input[name] = value.clone();
        }
        scene.caller.call(UPDATE, &input)
    };
    assert_eq!(update(json!({})).unwrap()["status"], "up_to_date");
    scene.move_the_base_on("README.md", "# Moved\n");
    let other = update(json!({ "expected_head": "0".repeat(40) })).unwrap_err();
    assert!(other.sentence().contains("is not the head"));
    assert_eq!(scene.head_on_the_server(), scene.head);
    let done = update(json!({ "expected_head": &scene.head[..10] })).unwrap();
    assert_eq!(
        (&done["status"], &done["behind_by"]),
        (&json!("accepted"), &json!(1))
    );
    world.wait_for("the merge of the base", || {
        (scene.head_on_the_server() != scene.head).then_some(())
    });
    assert_eq!(update(json!({})).unwrap()["status"], "up_to_date");
}

#[test]
fn a_conflict_is_told_and_changes_nothing() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.move_the_base_on(FILE, &lines(&[(5, "fünf")]));
    let refused = scene.caller.ask(UPDATE, &json!({ "pr": "octo/demo#1" }));
    assert_eq!(refused["status"], "refused", "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("conflict"));
    assert_eq!(scene.head_on_the_server(), scene.head);
    let close = json!({ "state": "closed" });
    let octo = world.client("octo");
    octo.patch("/repos/octo/demo/pulls/1", &close).expect(200);
    let error = scene.caller.error(UPDATE, &json!({ "pr": "octo/demo#1" }));
    assert!(error.contains("is not open"), "{error}");
}

#[test]
fn only_what_failed_last_runs_again() {
    let world = World::start();
    let scene = Scene::new(&world);
    let failing = JobEnd::failure();
    let superseded = world.start_run("CI", &scene.head, &["test"]);
    superseded.end("test", &failing);
    let mut failed = world.start_run("CI", &scene.head, &["test", "lint"]);
    failed.end("lint", &JobEnd::success());
    failed.end("test", &failing);
    world.start_run("Docs", &scene.head, &["build"]).pass();
    let running = world.start_run("Slow", &scene.head, &["soak"]);
    running.begin("soak");

    let input = json!({ "pr": "octo/demo#1" });
    let answer = scene.caller.ask(RERUN, &input);
    let actions = |answer: &Value| -> Vec<(u64, String)> {
        let runs = answer["runs"].as_array().unwrap().iter();
        runs.map(|run| {
            let action = run["action"].as_str().unwrap().to_owned();
            (run["run"].as_u64().unwrap(), action)
        })
        .collect()
    };
    let expected = [
        (running.id, "still_running".to_owned()),
        (failed.id, "started".to_owned()),
    ];
    assert_eq!(actions(&answer), expected);
    assert_eq!(answer["changed"], true);
    assert_eq!(
        answer["message"],
        "Workflow runs: 1 started again, 1 still running"
    );
    let again = scene.caller.ask(RERUN, &input);
    assert_eq!(again["changed"], false, "it is under way");
    let other = json!({ "pr": "octo/demo#1", "run": superseded.id });
    let error = scene.caller.error(RERUN, &other);
    assert!(error.contains("is not the newest"), "{error}");
    failed.look();
    failed.end("test", &JobEnd::success());
    running.pass();
    let nothing = scene.caller.ask(RERUN, &input);
    assert_eq!(nothing["message"], "No workflow run has failed at the head");
}
