//! Runs over MCP.

use serde_json::{Value, json};

use super::scene::Scene;
use crate::mcp::client::Client;

fn call(client: &mut Client, tool: &str, arguments: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    client.request("tools/call", params)["result"].clone()
}

#[test]
fn an_agent_starts_a_run_and_waits_for_its_end() {
    let scene = Scene::new();
    let mut client = Client::ready(&scene.world.sandbox, "2025-11-25", json!({}));
    let wanted = json!({
        "request": "Greet everyone who comes in",
        "repository": scene.checkout,
        "mode": "semi",
    });
    let started = call(&mut client, "start_workflow", &wanted);
    assert_eq!(started["isError"], false, "{started}");
    let run = started["structuredContent"]["run"].clone();
    let too_long = json!({ "run": run, "wait_seconds": 46 });
    let refused = call(&mut client, "get_workflow", &too_long);
    insta::assert_snapshot!(refused["structuredContent"]["error"].as_str().unwrap(), @"Invalid input: /wait_seconds: wait_seconds must be an integer between 0 and 45, found the number 46");
    let wait = json!({ "run": run, "wait_seconds": 45 });
    let mut answered = 0;
    let end = loop {
        let seen = call(&mut client, "get_workflow", &wait)["structuredContent"].clone();
        match seen["status"].as_str().unwrap() {
            "waiting" => {
                assert_eq!(seen["question"]["options"][0]["choice"], "y", "{seen}");
                let answer = json!({ "run": run, "choice": "y" });
                let told = call(&mut client, "answer_workflow", &answer);
                assert_eq!(told["isError"], false, "{told}");
                answered += 1;
                let asked = &seen["question"]["text"];
                scene.world.wait_for("the end of the question", || {
                    let now = call(&mut client, "get_workflow", &json!({ "run": run }));
                    (now["structuredContent"]["question"]["text"] != *asked).then_some(())
                });
            }
            "closed" | "failed" | "cancelled" | "blocked" => break seen,
            _ => {}
        }
    };
    assert_eq!(end["status"], "closed", "{end}");
    assert!(answered >= 2, "{answered}");
    let listed = call(&mut client, "list_workflows", &json!({ "limit": 5 }));
    assert_eq!(listed["structuredContent"]["workflows"][0]["run"], run);
    let uri = format!("baton://run/{}", run.as_str().unwrap());
    let read = client.request("resources/read", json!({ "uri": uri }));
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), end, "{read}");
    let missing = client.request("resources/read", json!({ "uri": "baton://run/nobody" }));
    assert_eq!(missing["error"]["code"], -32002, "{missing}");
    let late = call(&mut client, "cancel_workflow", &json!({ "run": run }));
    assert_eq!(late["isError"], true, "{late}");
}
