//! `merge_pull_request`: what it merges, in which way, and what it leaves alone.

use baton_testkit::world::Withheld;

use super::*;

const MERGE: &str = "merge_pull_request";

impl Scene<'_> {
    fn merge(&self, more: &Value) -> Value {
        self.caller.ask(MERGE, &input(more))
    }

    fn pull(&self) -> Value {
        let path = "/repos/octo/demo/pulls/1";
        self.world.client("octo").get(path).expect(200).json()
    }

    fn allow_auto_merge(&self) {
        let body = json!({ "allow_auto_merge": true });
        let octo = self.world.client("octo");
        octo.patch("/repos/octo/demo", &body).expect(200);
    }
}

fn input(more: &Value) -> Value {
    let mut input = json!({ "pr": "octo/demo#1" });
    for (name, value) in more.as_object().unwrap() {
        input[name] = value.clone();
    }
    input
}

#[test]
fn what_is_ready_is_merged_once() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.run(&["test"]).pass();
    let done = scene.merge(&json!({ "commit": &scene.head[..9], "method": "squash" }));
    assert_eq!(
        (&done["status"], &done["changed"], &done["head"]),
        (&json!("merged"), &json!(true), &json!(scene.head))
    );
    let again = scene.merge(&json!({}));
    assert_eq!(
        (&again["status"], &again["changed"], &again["merge_commit"]),
        (&json!("merged"), &json!(false), &done["merge_commit"])
    );
    assert_eq!(scene.pull()["merged"], true);
}

#[test]
fn what_is_not_known_to_be_ready_is_not_merged() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.protect(&json!({ "required_status_checks": { "strict": false, "contexts": ["test"] } }));
    let blocked = scene.merge(&json!({}));
    assert_eq!(blocked["status"], "refused");
    insta::assert_snapshot!(blocked["blocking_issues"], @r#"["required check `test` has not reported"]"#);
    scene.run(&["test"]).pass();
    let withheld = [Withheld::Path("/rules/branches/")];
    let unread = ToolCaller::withholding(&world, &withheld).ask(MERGE, &input(&json!({})));
    assert_eq!(unread["status"], "refused", "{unread}");
    let other = scene
        .caller
        .error(MERGE, &input(&json!({ "commit": "0".repeat(40) })));
    assert!(other.contains("is not the head"), "{other}");
    assert_eq!(scene.pull()["merged"], false);
    assert_eq!(
        scene.merge(&json!({}))["status"],
        "merged",
        "the honest twin"
    );
}

#[test]
fn a_method_that_is_not_allowed_is_refused() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.protect(&json!({ "required_linear_history": true }));
    let refused = scene.merge(&json!({ "method": "merge" }));
    assert_eq!(refused["status"], "refused");
    insta::assert_snapshot!(refused["message"], @r#""main does not allow this method; it allows: squash, rebase""#);
    assert_eq!(scene.merge(&json!({}))["status"], "merged");
}

#[test]
fn where_there_is_a_queue_it_is_put_in() {
    let world = World::start();
    let scene = queue::scene(&world, "[pull_request, merge_group]");
    let queued = scene.merge(&json!({}));
    assert_eq!(
        (&queued["status"], &queued["changed"]),
        (&json!("queued"), &json!(true))
    );
    assert_eq!(scene.merge(&json!({}))["changed"], false);
    let undo = queued["undo_command"].as_str().unwrap();
    let Some(shell) = Shell::new(&world, "octo") else {
        return;
    };
    shell.done(undo);
    assert_eq!(scene.merge(&json!({}))["changed"], true, "it was taken out");
}

#[test]
fn the_server_merges_it_when_its_rules_allow_that() {
    let world = World::start();
    let scene = Scene::new(&world);
    let when_ready = json!({ "when_ready": true });
    scene.protect(&json!({ "required_status_checks": { "strict": false, "contexts": ["test"] } }));
    let run = scene.run(&["test"]);
    run.begin("test");
    let refused = scene.merge(&when_ready);
    assert_eq!(refused["status"], "refused", "the repository has it off");
    scene.allow_auto_merge();
    let armed = scene.merge(&when_ready);
    assert_eq!(
        (&armed["status"], &armed["changed"]),
        (&json!("auto_merge"), &json!(true))
    );
    assert_eq!(scene.merge(&when_ready)["changed"], false);
    run.pass();
    world.wait_for("the server to merge it", || {
        (scene.pull()["merged"] == true).then_some(())
    });
}

/// The server knows nothing of a label that says stop, nor of a check that no rule asks for.
#[test]
fn what_the_server_would_not_wait_for_is_not_left_to_it() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.allow_auto_merge();
    scene.protect(&json!({ "required_status_checks": { "strict": false, "contexts": ["test"] } }));
    let run = scene.run(&["test", "lint"]);
    run.begin("test");
    run.end("lint", &JobEnd::failure());
    let refused = scene.merge(&json!({ "when_ready": true }));
    assert_eq!(refused["status"], "refused", "{refused}");
    let message = refused["message"].as_str().unwrap();
    assert!(
        message.starts_with("The server would not wait"),
        "{message}"
    );
    assert!(scene.pull()["auto_merge"].is_null());
}
