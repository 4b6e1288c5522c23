//! Calls of tools: results, errors, progress and cancellation.

use baton_serve::mcp::MAX_ANSWER_BYTES;
use serde_json::{Value, json};

use crate::client::{Client, NEWEST, text_of};
use crate::tools::{self, Waiting};

#[tokio::test]
async fn an_answer_is_structured_and_readable() {
    let (server, _) = tools::server();
    let mut client = Client::ready(&server, "2025-06-18", json!({})).await;
    let answer = client.call("greet", json!({ "name": "octo" })).await;
    insta::assert_snapshot!(format!("{:#}", answer["result"]), @r#"
    {
      "content": [
        {
          "type": "text",
          "text": "{\"error\":\"Hello, octo!\",\"category\":\"user\"}"
        }
      ],
      "structuredContent": {
        "error": "Hello, octo!",
        "category": "user"
      },
      "isError": false
    }
    "#);
}

/// Models pay for every copy.
#[tokio::test]
async fn a_client_that_reads_only_structured_content_gets_one_copy() {
    let (server, _) = tools::server();
    let mut client = Client::ready_as("claude-code", &server, "2025-11-25", json!({})).await;
    let answer = client.call("greet", json!({ "name": "octo" })).await;
    insta::assert_snapshot!(answer["result"], @r#"{"content":[{"type":"text","text":"error: Hello, octo!\ncategory: user\n"}],"structuredContent":{"error":"Hello, octo!","category":"user"},"isError":false}"#);
    let large = client.call("big", json!({})).await;
    assert!(large.to_string().len() < MAX_ANSWER_BYTES + 5000);
}

#[tokio::test]
async fn a_failed_tool_reports_the_error_in_its_result() {
    let (server, _) = tools::server();
    let mut client = Client::ready(&server, "2025-06-18", json!({})).await;
    let answer = client.call("test_error_handling", json!({})).await;
    insta::assert_snapshot!(format!("{:#}", answer["result"]), @r#"
    {
      "content": [
        {
          "type": "text",
          "text": "Error: GitHub said�[2J no\nWhat to do: Try again later.\nTry again in 30 seconds."
        }
      ],
      "structuredContent": {
        "error": "GitHub said\u001b[2J no",
        "category": "api",
        "suggestion": "Try again later.",
        "retry_after": 30
      },
      "isError": true
    }
    "#);
}

#[tokio::test]
async fn a_bug_of_ours_ends_one_call() {
    let (server, _) = tools::server();
    let mut client = Client::ready(&server, "2025-06-18", json!({})).await;
    let answer = client.call("protocol_error_job", json!({})).await;
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    let answer = client.call("greet", json!({})).await;
    assert!(answer.get("result").is_some(), "{answer}");
}

/// Some clients check structured content even of results that are errors.
#[tokio::test]
async fn all_structured_content_matches_the_output_schema() {
    let (server, _) = tools::server();
    let mut client = Client::ready(&server, "2025-11-25", json!({})).await;
    let listed = client.request("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    for name in ["greet", "test_error_handling", "big", "escapes"] {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        let validator = jsonschema::validator_for(&tool["outputSchema"]).unwrap();
        let answer = client.call(name, json!({})).await;
        let content = &answer["result"]["structuredContent"];
        assert!(validator.is_valid(content), "{name}: {content}");
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool["outputSchema"]["type"], "object");
    }
}

#[tokio::test]
async fn a_large_answer_is_cut_and_marked_as_truncated() {
    let (server, _) = tools::server();
    let mut client = Client::ready(&server, "2025-06-18", json!({})).await;
    let answer = client.call("big", json!({})).await;
    let result = &answer["result"];
    let size = result["structuredContent"].to_string().len();
    assert!(size <= MAX_ANSWER_BYTES, "{size}");
    assert_eq!(
        result["_meta"]["baton/truncated"],
        json!([
            "texts are cut to 250 characters",
            "/details/items has 5000 of its 10000 items"
        ])
    );
    let text = result["content"][1]["text"].as_str().unwrap();
    assert!(text.contains("Left out to keep the answer small"), "{text}");
    assert_eq!(text_of(&answer), result["structuredContent"]);
}

#[tokio::test]
async fn nothing_in_a_text_is_obeyed_by_a_terminal() {
    let (server, _) = tools::server();
    let mut client = Client::ready(&server, "2025-06-18", json!({})).await;
    for tool in ["escapes", "test_error_handling"] {
        let answer = client.call(tool, json!({})).await;
        for block in answer["result"]["content"].as_array().unwrap() {
            let text = block["text"].as_str().unwrap();
            let is_bad = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
            assert!(!text.contains(is_bad), "{tool}: {text:?}");
        }
    }
}

#[tokio::test]
async fn progress_is_sent_to_clients_that_asked_for_it() {
    for version in ["2024-11-05", NEWEST] {
        let (server, _) = tools::server();
        let mut client = Client::ready(&server, version, json!({})).await;
        let params = json!({ "name": "test_tool_with_progress", "arguments": {} });
        client.request("tools/call", params.clone()).await;
        assert_eq!(client.received, Vec::<Value>::new());

        let mut params = params;
        params["_meta"] = json!({ "progressToken": "mine" });
        client.request("tools/call", params).await;
        let told: Vec<_> = client
            .received
            .iter()
            .map(|message| {
                assert_eq!(message["method"], "notifications/progress");
                let params = &message["params"];
                assert_eq!(params["progressToken"], "mine");
                (
                    params["progress"].as_f64().unwrap(),
                    params["message"].as_str().unwrap(),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                (1.0, "0\u{fffd}[1m % of it"),
                (2.0, "50\u{fffd}[1m % of it"),
                (3.0, "100\u{fffd}[1m % of it")
            ],
            "{version}"
        );
    }
}

#[tokio::test]
async fn a_cancelled_call_stops_and_is_not_answered() {
    for version in ["2025-06-18", NEWEST] {
        let (server, mut waiting) = tools::server();
        let mut client = Client::ready(&server, version, json!({})).await;
        let params = json!({ "name": "waits", "arguments": {} });
        let id = client.begin("tools/call", params).await;
        assert_eq!(waiting.recv().await, Some(Waiting::Began));
        client
            .send(&json!({
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": { "requestId": id, "reason": "changed my mind" },
            }))
            .await;
        assert_eq!(waiting.recv().await, Some(Waiting::WasCancelled));
        client.call("greet", json!({})).await;
        assert!(
            client.received.iter().all(|message| message["id"] != id),
            "{version}: {:?}",
            client.received
        );
    }
}

/// An operation gets a moment to clean up when the client leaves, and then has to
/// stop. The clock is the test's, so the test does not wait.
#[tokio::test(start_paused = true)]
async fn what_is_under_way_ends_with_the_connection() {
    let (server, mut waiting) = tools::server();
    let mut client = Client::ready(&server, "2025-06-18", json!({})).await;
    let params = json!({ "name": "waits", "arguments": {} });
    client.begin("tools/call", params).await;
    assert_eq!(waiting.recv().await, Some(Waiting::Began));
    client.leave().await.unwrap();
    assert_eq!(waiting.recv().await, Some(Waiting::WasCancelled));
}
