//! Calls as tasks that a client polls.

use serde_json::{Value, json};

use crate::client::{Client, NEWEST};
use crate::tools;

fn capabilities() -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/tasks": {} }, "elicitation": {} })
}

/// Polls until a task has the status.
async fn until(client: &mut Client, task: &str, status: &str) -> Value {
    loop {
        let answer = client.request("tasks/get", json!({ "taskId": task })).await;
        let now = answer["result"]["status"].as_str().unwrap().to_owned();
        if now == status {
            return answer["result"].clone();
        }
        assert!(matches!(now.as_str(), "working"), "{answer}");
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

async fn start(client: &mut Client, tool: &str, arguments: Value) -> String {
    let answer = client.call(tool, arguments).await;
    assert_eq!(answer["result"]["resultType"], "task", "{answer}");
    answer["result"]["taskId"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn what_may_last_becomes_a_task_for_those_who_take_them() {
    let (server, _) = tools::server();
    let mut client = Client::ready(&server, NEWEST, capabilities()).await;
    let task = start(&mut client, "slow_compute", json!({ "seconds": 0 })).await;
    let done = until(&mut client, &task, "completed").await;
    assert_eq!(done["result"]["structuredContent"]["error"], "computed");
    // Other tools are answered at once, and for other clients all are.
    let answer = client.call("greet", json!({})).await;
    assert_eq!(answer["result"]["resultType"], "complete");
    let mut client = Client::ready(&server, NEWEST, json!({})).await;
    let answer = client.call("slow_compute", json!({ "seconds": 0 })).await;
    assert_eq!(answer["result"]["resultType"], "complete");
    // Results of earlier versions are of one type, even if a client announces
    // more.
    let mut client = Client::ready(&server, "2025-11-25", capabilities()).await;
    let answer = client.call("slow_compute", json!({ "seconds": 0 })).await;
    assert_eq!(answer["result"]["structuredContent"]["error"], "computed");
}

#[tokio::test]
async fn a_failed_task_distinguishes_errors_from_bugs() {
    let (server, _) = tools::server();
    let mut client = Client::ready(&server, NEWEST, capabilities()).await;
    let task = start(&mut client, "failing_job", json!({})).await;
    let done = until(&mut client, &task, "completed").await;
    assert_eq!(done["result"]["isError"], true);
    let task = start(&mut client, "protocol_error_job", json!({})).await;
    let failed = until(&mut client, &task, "failed").await;
    assert_eq!(failed["error"]["code"], -32603);
}

#[tokio::test]
async fn a_task_can_be_cancelled() {
    let (server, _) = tools::server();
    let mut client = Client::ready(&server, NEWEST, capabilities()).await;
    let task = start(&mut client, "slow_compute", json!({ "seconds": 3600 })).await;
    client
        .request("tasks/cancel", json!({ "taskId": task }))
        .await;
    until(&mut client, &task, "cancelled").await;
    let unknown = client
        .request("tasks/get", json!({ "taskId": "made-up" }))
        .await;
    assert_eq!(unknown["error"]["code"], -32602);
}

#[tokio::test]
async fn a_task_asks_and_goes_on_with_the_answer() {
    let (server, _) = tools::server();
    let mut client = Client::ready(&server, NEWEST, capabilities()).await;
    let task = start(&mut client, "confirm_delete", json!({})).await;
    let waiting = until(&mut client, &task, "input_required").await;
    let requests = waiting["inputRequests"].as_object().unwrap();
    let (key, request) = requests.iter().next().unwrap();
    assert_eq!(request["method"], "elicitation/create");
    let answer = json!({ "action": "accept", "content": { "choice": "Skip" } });
    let params = json!({ "taskId": task, "inputResponses": { key: answer } });
    client.request("tasks/update", params).await;
    let done = until(&mut client, &task, "completed").await;
    assert_eq!(
        done["result"]["structuredContent"]["error"],
        "state-ok [Some('s')]"
    );
}
