use std::collections::BTreeMap;
use std::fmt::Write as _;

use baton_testkit::Sandbox;
use serde_json::json;

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
fn tools_that_act_say_how() {
    let sandbox = Sandbox::new();
    let mut client = Client::ready(&sandbox, "2025-11-25", json!({}));
    let mut shown = String::new();
    for tool in client.tools() {
        let hint = |name: &str, word: &'static str| {
            let is_so = tool["annotations"][name].as_bool().unwrap();
            if is_so { word } else { "" }
        };
        let hints = [
            hint("destructiveHint", ", destructive"),
            hint("idempotentHint", ", idempotent"),
            hint("openWorldHint", ", open world"),
        ];
        if hint("readOnlyHint", "reads") == "reads" {
            assert_eq!(hints[..2], ["", ", idempotent"], "{tool}");
        } else {
            let (name, title) = (&tool["name"], &tool["title"]);
            let (name, title) = (name.as_str().unwrap(), title.as_str().unwrap());
            writeln!(shown, "{name}: {title}{}", hints.concat()).unwrap();
        }
        assert!(tool["title"].as_str().unwrap().contains(' '), "{tool}");
        assert!(tool["description"].as_str().unwrap().len() > 80, "{tool}");
    }
    insta::assert_snapshot!(shown, @"
    comment_on_pull_request: Comment on a pull request, idempotent, open world
    submit_review: Submit a review, idempotent, open world
    resolve_review_thread: Resolve a review thread, idempotent, open world
    update_branch: Update the branch of a pull request, idempotent, open world
    rerun_failed_jobs: Re-run failed jobs, open world
    merge_pull_request: Merge a pull request, destructive, idempotent, open world
    land_stack: Land a stack, destructive, idempotent, open world
    restack: Restack pull requests, destructive, idempotent, open world
    create_pull_request: Open a pull request, destructive, idempotent, open world
    run_tests: Run a project's tests, destructive, open world
    validate_change: Validate a change, destructive, open world
    start_workflow: Start a workflow, destructive, open world
    tend_pull_request: Tend a pull request, destructive, open world
    answer_workflow: Answer a workflow's question, destructive, open world
    cancel_workflow: Cancel a workflow, destructive, open world
    ");
}

/// The table in `docs/mcp.md` names every tool, and says which of them act.
#[test]
fn the_documentation_lists_the_tools() {
    let documentation = include_str!("../../../../../docs/mcp.md");
    let (_, table) = documentation
        .split_once("| tool | gives | acts? |\n|---|---|---|\n")
        .expect("there is a table of tools");
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let documented: BTreeMap<&str, bool> = rows
        .flat_map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let acts = cells[3] != "no";
            let names = cells[1].split(", ");
            names.map(move |name| (name.trim_matches('`'), acts))
        })
        .collect();
    let sandbox = Sandbox::new();
    let mut client = Client::ready(&sandbox, "2025-11-25", json!({}));
    let tools = client.tools();
    let served: BTreeMap<&str, bool> = tools
        .iter()
        .map(|tool| {
            let reads = tool["annotations"]["readOnlyHint"].as_bool().unwrap();
            (tool["name"].as_str().unwrap(), !reads)
        })
        .collect();
    assert_eq!(served, documented);
}

#[test]
fn garbage_is_refused() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox);
    client.send_line("\u{1b}[31mnot JSON");
    client.send_line("{\"jsonrpc\":");
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/early" }));
    client.send(&json!([1, 2, 3]));
    for code in [-32700, -32700, -32600] {
        assert_eq!(client.next().unwrap()["error"]["code"], code);
    }
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
