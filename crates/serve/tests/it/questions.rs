//! Questions to the client's user.

use serde_json::{Value, json};

use crate::client::{Client, NEWEST, text_of};
use crate::tools;

fn forms() -> Value {
    json!({ "elicitation": {} })
}

fn accepts(choice: &str) -> Value {
    json!({ "action": "accept", "content": { "choice": choice } })
}

fn answered(answer: &Value) -> String {
    text_of(answer)["error"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn older_clients_are_asked_during_the_call() {
    let (server, _) = tools::server();
    for version in ["2025-06-18", "2025-11-25"] {
        for (answer, expected) in [
            (accepts("Skip"), "state-ok [Some('s')]"),
            (accepts("Retry again"), "state-ok [Some('r')]"),
            (accepts("s"), "state-ok [None]"),
            (json!({ "action": "decline" }), "state-ok [None]"),
            (json!({ "action": "cancel" }), "state-ok [None]"),
        ] {
            let mut client = Client::ready(&server, version, forms()).await;
            let params = json!({ "name": "test_elicitation", "arguments": {} });
            let id = client.begin("tools/call", params).await;
            let question = client.asked("elicitation/create").await;
            assert_eq!(question["params"]["message"], "Tests fail. What now?");
            assert_eq!(
                question["params"]["requestedSchema"]["properties"]["choice"]["enum"],
                json!(["Retry again", "Skip"])
            );
            let reply = json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer });
            client.send(&reply).await;
            let answer = client.answer(id).await;
            assert_eq!(answered(&answer), expected, "{version}: {reply}");
        }
    }
}

#[tokio::test]
async fn a_client_without_elicitation_gets_no_question() {
    let (server, _) = tools::server();
    for version in ["2024-11-05", "2025-11-25", NEWEST] {
        for capabilities in [json!({}), json!({ "elicitation": { "url": {} } })] {
            let mut client = Client::ready(&server, version, capabilities).await;
            let answer = client.call("test_elicitation", json!({})).await;
            assert_eq!(answered(&answer), "state-ok [None]", "{version}");
        }
    }
}

#[tokio::test]
async fn the_newest_clients_come_back_with_the_answer() {
    let (server, _) = tools::server();
    let mut client = Client::ready(&server, NEWEST, forms()).await;
    let tool = "test_input_required_result_multi_round";
    let first = client.call(tool, json!({ "a": 1 })).await;
    let result = &first["result"];
    assert_eq!(result["resultType"], "input_required", "{first}");
    let (key, request) = result["inputRequests"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    assert_eq!(request["method"], "elicitation/create");
    assert_eq!(request["params"]["message"], "Tests fail. What now?");
    let again = |state: &Value, responses: Value| {
        json!({
            "name": tool,
            "arguments": { "a": 1 },
            "requestState": state,
            "inputResponses": responses,
        })
    };
    // Without the answer the question is asked again.
    let missing = client
        .request("tools/call", again(&result["requestState"], json!({})))
        .await;
    assert_eq!(missing["result"]["requestState"], result["requestState"]);
    let params = again(&result["requestState"], json!({ key: accepts("Skip") }));
    let second = client.request("tools/call", params).await;
    let state = &second["result"]["requestState"];
    assert_ne!(state, &result["requestState"]);
    let declined = json!({ key: { "action": "decline" } });
    let last = client.request("tools/call", again(state, declined)).await;
    assert_eq!(answered(&last), "state-ok [Some('s'), None]");
    assert_eq!(last["result"]["resultType"], "complete");
}

#[tokio::test]
async fn a_state_is_good_for_its_own_call_and_once() {
    let (server, _) = tools::server();
    let mut client = Client::ready(&server, NEWEST, forms()).await;
    let tool = "test_input_required_result_request_state";
    let first = client.call(tool, json!({})).await;
    let state = first["result"]["requestState"].as_str().unwrap().to_owned();
    let again = |tool: &str, arguments: Value, state: &str| {
        json!({
            "name": tool,
            "arguments": arguments,
            "requestState": state,
            "inputResponses": { "question": accepts("Skip") },
        })
    };
    for wrong in [
        again("test_elicitation", json!({}), &state),
        again(tool, json!({ "other": 1 }), &state),
        again(tool, json!({}), "made up"),
    ] {
        let refused = client.request("tools/call", wrong).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let right = again(tool, json!({}), &state);
    let answer = client.request("tools/call", right.clone()).await;
    assert_eq!(answered(&answer), "state-ok [Some('s')]");
    let twice = client.request("tools/call", right).await;
    assert_eq!(twice["error"]["code"], -32602, "{twice}");
}
