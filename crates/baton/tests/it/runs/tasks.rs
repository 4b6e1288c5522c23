//! Runs as tasks of MCP clients that take them.

use serde_json::{Value, json};

use super::scene::Scene;
use crate::mcp::client::Client;

fn client(scene: &Scene) -> Client {
    let tasks = json!({ "io.modelcontextprotocol/tasks": {} });
    let capabilities = json!({ "extensions": tasks, "elicitation": {} });
    Client::newest(&scene.world.sandbox, capabilities)
}

/// Begins a run, whose name is that of the task.
fn start(scene: &Scene, mode: &str) -> String {
    let mut client = client(scene);
    let wanted = json!({
        "request": "Greet everyone who comes in",
        "repository": scene.checkout,
        "mode": mode,
    });
    let task = client.call("start_workflow", wanted);
    assert_eq!(task["resultType"], "task", "{task}");
    let run = task["taskId"].as_str().unwrap().to_owned();
    assert_eq!(scene.json(&["runs"])["workflows"][0]["run"], run.as_str());
    run
}

fn get(client: &mut Client, run: &str) -> Value {
    client.request("tasks/get", json!({ "taskId": run }))["result"].clone()
}

/// Looks until the task has another status than that of being under way.
fn until_news(scene: &Scene, run: &str, answered: &[String]) -> Value {
    let mut client = client(scene);
    scene.world.wait_for("news of the task", || {
        let task = get(&mut client, run);
        let is_old = |key: &String| task["inputRequests"].get(key).is_some();
        let is_news = task["status"] != "working" && !answered.iter().any(is_old);
        is_news.then_some(task)
    })
}

#[test]
fn a_run_is_a_task_that_outlives_its_server() {
    let scene = Scene::new();
    let run = start(&scene, "semi");
    let mut answered = Vec::new();
    // Each look is that of another server.
    let end = loop {
        let task = until_news(&scene, &run, &answered);
        if task["status"] != "input_required" {
            break task;
        }
        let requests = task["inputRequests"].as_object().unwrap();
        let (key, request) = requests.iter().next().unwrap();
        assert_eq!(
            request["params"]["requestedSchema"]["properties"]["choice"]["enum"],
            json!(["go on", "stop the run"])
        );
        let content = json!({ "choice": "go on", "comment": "fine" });
        let response = json!({ "action": "accept", "content": content });
        let params = json!({ "taskId": run, "inputResponses": { key: response } });
        let told = client(&scene).request("tasks/update", params);
        assert_eq!(told["result"]["resultType"], "complete", "{told}");
        answered.push(key.clone());
    };
    assert_eq!(end["status"], "completed", "{end}");
    assert_eq!(answered.len(), 2, "{answered:?}");
    let output = &end["result"]["structuredContent"];
    assert_eq!(output["run"], run.as_str());
    assert_eq!(output["status"], "closed");
    insta::assert_snapshot!(scene.on_the_forge(), @r#"
    issue #1: "closed"
    merged pull request #2: "closed"
    "#);
    // What has ended stays as it is.
    let cancelled = client(&scene).request("tasks/cancel", json!({ "taskId": run }));
    assert_eq!(cancelled["result"]["resultType"], "complete", "{cancelled}");
    assert_eq!(get(&mut client(&scene), &run), end);
}

#[test]
fn cancelling_the_task_cancels_the_run() {
    let scene = Scene::new();
    let run = start(&scene, "supervised");
    let asked = until_news(&scene, &run, &[]);
    assert_eq!(asked["status"], "input_required", "{asked}");
    let cancelled = client(&scene).request("tasks/cancel", json!({ "taskId": run }));
    assert_eq!(cancelled["result"]["resultType"], "complete", "{cancelled}");
    let keys = asked["inputRequests"].as_object().unwrap().keys();
    let keys: Vec<String> = keys.cloned().collect();
    let end = until_news(&scene, &run, &keys);
    assert_eq!(end["status"], "cancelled", "{end}");
    let shown = scene.json(&["show", &run]);
    assert_eq!(shown["ending"]["reason"], "a client cancelled its task");
    // A run that never was is no task.
    let params = json!({ "taskId": "20310506-00000000" });
    let unknown = client(&scene).request("tasks/get", params);
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}
