use baton_testkit::Sandbox;
use serde_json::json;
use std::fmt::Write as _;

use super::client::Client;
use crate::processes;

#[test]
fn every_version_that_has_a_handshake_is_spoken() {
    let sandbox = Sandbox::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::ready(&sandbox, version, json!({}));
        let listed = client.request("tools/list", json!({}));
        assert!(
            listed["result"]["tools"].as_array().unwrap().len() > 3,
            "{listed}"
        );
        client.close_stdin();
        let (status, stderr) = client.end();
        assert!(status.success());
        assert_eq!(stderr, "");
    }
}

#[test]
fn the_newest_version_needs_no_handshake() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = client.request("server/discover", json!({ "_meta": meta }));
    assert_eq!(
        found["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "baton",
        "{found}"
    );
    let params = json!({ "name": "detect_project", "arguments": {}, "_meta": meta });
    let answer = client.request("tools/call", params);
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
}

#[test]
fn the_tools_have_names_titles_and_hints() {
    let sandbox = Sandbox::new();
    let mut client = Client::ready(&sandbox, "2025-11-25", json!({}));
    let listed = client.request("tools/list", json!({}));
    let mut shown = String::new();
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let hint = |name: &str| tool["annotations"][name].as_bool().unwrap();
        writeln!(
            shown,
            "{}: {}; {}{}{}{}",
            tool["name"].as_str().unwrap(),
            tool["title"].as_str().unwrap(),
            if hint("readOnlyHint") {
                "reads"
            } else {
                "acts"
            },
            if hint("destructiveHint") {
                ", destructive"
            } else {
                ""
            },
            if hint("idempotentHint") {
                ", idempotent"
            } else {
                ""
            },
            if hint("openWorldHint") {
                ", open world"
            } else {
                ""
            },
        )
        .unwrap();
        assert!(tool["description"].as_str().unwrap().len() > 80, "{tool}");
    }
    insta::assert_snapshot!(shown, @"
    get_failing_tests: Get failing tests; reads, idempotent, open world
    find_unresolved_comments: Find unresolved comments; reads, idempotent, open world
    manage_stacked_prs: Manage stacked pull requests; reads, idempotent, open world
    detect_merge_conflicts: Detect merge conflicts; reads, idempotent, open world
    check_merge_readiness: Check merge readiness; reads, idempotent, open world
    analyze_pr_impact: Analyze the impact of a pull request; reads, idempotent, open world
    get_review_suggestions: Get review suggestions; reads, idempotent, open world
    list_pull_requests: List pull requests; reads, idempotent, open world
    resolve_review_thread: Resolve a review thread; acts, idempotent, open world
    restack: Restack pull requests; acts, destructive, idempotent, open world
    run_tests: Run a project's tests; acts, destructive, open world
    review_change: Review a change; reads, idempotent
    validate_change: Validate a change; acts, destructive, open world
    create_pull_request: Open a pull request; acts, destructive, idempotent, open world
    read_test_report: Read a test report; reads, idempotent
    detect_project: Detect a project's tools; reads, idempotent
    start_workflow: Start a workflow; acts, destructive, open world
    get_workflow: Look at a workflow; reads, idempotent
    answer_workflow: Answer a workflow's question; acts, destructive, open world
    cancel_workflow: Cancel a workflow; acts, destructive, open world
    list_workflows: List workflows; reads, idempotent
    ");
}

#[test]
fn garbage_is_passed_over() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox);
    client.send_line("\u{1b}[31mnot JSON");
    client.send_line("{\"jsonrpc\":");
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/early" }));
    client.send(&json!([1, 2, 3]));
    assert_eq!(client.next().unwrap()["error"]["code"], -32600);
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    client.close_stdin();
    let (status, stderr) = client.end();
    assert!(status.success());
    assert_eq!(stderr, "");
}

#[test]
fn a_signal_ends_it() {
    let sandbox = Sandbox::new();
    let mut client = Client::ready(&sandbox, "2025-06-18", json!({}));
    client.request("ping", json!({}));
    processes::interrupt(client.id());
    let (status, _) = client.end();
    assert_eq!(status.code(), Some(0));
}

/// Logs are wanted sometimes, and never where the protocol is.
#[test]
fn logs_go_to_standard_error() {
    let sandbox = Sandbox::new();
    let answer = crate::command::baton(&sandbox)
        .reading("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")
        .run(&["-vv", "mcp"]);
    assert_eq!(
        answer.stdout,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
    );
    assert!(!answer.stderr.is_empty());
}
