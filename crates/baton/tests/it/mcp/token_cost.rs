//! What agents get over MCP about a typical pull request, for `cargo xtask bench tokens` to count.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use baton_testkit::peer;
use baton_testkit::world::{JobEnd, World};
use serde_json::{Value, json};

use super::client::Client;
use super::every_tool::node;
use crate::command::baton;

/// Sends what a server for github.com asks to the local forge.
const TO_THE_FORGE: &str = "const ask = globalThis.fetch; globalThis.fetch = (url, options) => \
    ask(String(url).replace('https://api.github.com', process.env.FORGE_API), options);";

/// The seven tools of the contract.
const SEVEN: &str = "get_failing_tests,find_unresolved_comments,manage_stacked_prs,\
    detect_merge_conflicts,check_merge_readiness,analyze_pr_impact,get_review_suggestions";

/// `octo/demo#1`: five changed files, a failing job, five open threads and three remarks; #2 is on top of it.
fn typical() -> World {
    let mut world = World::start();
    let token = world.token("octo").to_owned();
    let api_url = world.api_url();
    world.sandbox.set("GITHUB_TOKEN", token);
    world.sandbox.set("BATON_GITHUB_API_URL", api_url);
    let repo = world.checkout();
    for name in ["cart", "price", "tax", "order"] {
        repo.write(format!("src/{name}.ts"), module(name, "0"));
    }
    repo.commit("Add the shop");
    world.push(&repo, "main");
    repo.branch("fix/cart");
    for name in ["cart", "price", "tax", "order"] {
        repo.write(format!("src/{name}.ts"), module(name, "total"));
    }
    repo.write("src/cart.test.ts", module("cart_test", "1"));
    let head = repo.commit("Sum up prices");
    world.push(&repo, "fix/cart");
    world.open_pull("Sum up prices", "fix/cart", "main");
    repo.branch("feat/discount");
    repo.commit_file("src/discount.ts", module("discount", "2"), "Add discounts");
    world.push(&repo, "feat/discount");
    world.open_pull("Add discounts", "feat/discount", "fix/cart");
    talk(&world, &head);
    let run = world.start_run("CI", &head, &["test"]);
    let failed = JobEnd::failure().failed_command("npx vitest run", vitest_log(), 1);
    run.end("test", &failed);
    world
}

fn module(name: &str, result: &str) -> String {
    let lines = (1..=40).map(|line| format!("  const step{line} = {name}.at({line});\n"));
    let body: String = lines.collect();
    format!(
        "export function {name}_of({name}: number[]): number {{\n{body}  return {result};\n}}\n"
    )
}

/// A thread in each changed file, and three remarks.
fn talk(world: &World, head: &str) {
    let reviewer = world.client("reviewer");
    for file in ["cart", "price", "tax", "order", "cart.test"] {
        let comment = json!({
            "path": format!("src/{file}.ts"), "line": 42, "side": "RIGHT", "commit_id": head,
            "body": "An empty cart has no first entry, so this needs a check and a test.",
        });
        let path = "/repos/octo/demo/pulls/1/comments";
        reviewer.post(path, &comment).expect(201);
    }
    for remark in [
        "Is this urgent?",
        "It fixes what support reported.",
        "Then I look at it today.",
    ] {
        let path = "/repos/octo/demo/issues/1/comments";
        let remark = json!({ "body": remark });
        world.client("octo").post(path, &remark).expect(201);
    }
}

/// 13 kB, as vitest prints them.
fn vitest_log() -> String {
    let mut passed = String::new();
    for number in 1..=150 {
        let name = format!("order > keeps line {number} as it was entered");
        writeln!(passed, " ✓ src/order.test.ts > {name} 2ms").unwrap();
    }
    format!(
        "\n RUN  v4.1.12 /home/runner/work/demo/demo\n\n{passed} ❯ src/cart.test.ts (2 tests | 1 failed) 5ms\n   \
         × cart > sums up prices 4ms\n     → expected 0 to be 12 // Object.is equality\n\n\
         ⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯\n\n FAIL  src/cart.test.ts > cart > sums up prices\n\
         AssertionError: expected 0 to be 12 // Object.is equality\n\n- Expected\n+ Received\n\n- 12\n+ 0\n\n \
         ❯ src/cart.test.ts:7:23\n\n Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 151 passed (152)\n"
    )
}

/// One line for each answer: who, what, JSON.
#[expect(clippy::print_stdout, reason = "what it prints is counted")]
fn print(server: &str, what: &str, result: &Value) {
    assert!(result.is_object(), "{server}: {what}");
    assert_ne!(result["isError"], true, "{server}: {what}: {result}");
    println!("answer\t{server}\t{what}\t{result}");
}

fn as_client(name: &str, command: Command) -> Client {
    let mut client = Client::from_command(command);
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": name, "version": "1" },
    });
    client.request("initialize", hello);
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    client
}

fn ask(client: &mut Client, server: &str, tool: &str, input: &Value) {
    let params = json!({ "name": tool, "arguments": input });
    let answer = client.request("tools/call", params);
    print(server, tool, &answer["result"]);
}

#[test]
#[ignore = "measures: `cargo xtask bench tokens` counts what it prints"]
fn answers_about_a_typical_pull_request() {
    let world = typical();
    let sandbox = &world.sandbox;
    let pr = json!({ "pr": "octo/demo#1" });
    for (name, server) in [("claude-code", "one copy"), ("test", "both copies")] {
        let mut client = as_client(name, baton(sandbox).command(&["mcp"]));
        if name == "test" {
            let tools = client.request("tools/list", json!({}));
            print("baton mcp", "tools/list", &tools["result"]);
        }
        for tool in [
            "get_failing_tests",
            "find_unresolved_comments",
            "check_merge_readiness",
            "detect_merge_conflicts",
            "analyze_pr_impact",
            "get_review_suggestions",
            "get_pull_request_diff",
        ] {
            ask(&mut client, server, tool, &pr);
        }
        let pair = json!({ "base_pr": "octo/demo#1", "dependent_pr": "octo/demo#2" });
        ask(&mut client, server, "manage_stacked_prs", &pair);
        let repository = json!({ "repository": "octo/demo" });
        ask(&mut client, server, "list_pull_requests", &repository);
        let job = json!({ "repository": "octo/demo", "job": "1" });
        ask(&mut client, server, "get_job_log", &job);
    }
    let mut seven = as_client("test", baton(sandbox).command(&["mcp", "--tools", SEVEN]));
    let tools = seven.request("tools/list", json!({}));
    print("baton mcp --tools", "tools/list", &tools["result"]);
    ask_server_github(&world);
}

/// The npm server about the same.
fn ask_server_github(world: &World) {
    let server = peer("mcp/node_modules/@modelcontextprotocol/server-github/dist/index.js");
    let (Ok(node), Some(server)) = (node(), server) else {
        return;
    };
    let preload = world.sandbox.path("preload.cjs");
    std::fs::write(&preload, TO_THE_FORGE).unwrap();
    let mut command = Command::new(node);
    command
        .arg("--require")
        .arg(&preload)
        .arg(server)
        .env_clear()
        .envs(world.sandbox.environment())
        .env("FORGE_API", world.api_url())
        .env("GITHUB_PERSONAL_ACCESS_TOKEN", world.token("octo"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut client = as_client("test", command);
    let tools = client.request("tools/list", json!({}));
    print("server-github", "tools/list", &tools["result"]);
    let pull = json!({ "owner": "octo", "repo": "demo", "pull_number": 1 });
    for tool in [
        "get_pull_request_comments",
        "get_pull_request_reviews",
        "get_pull_request",
        "get_pull_request_files",
        "get_pull_request_status",
    ] {
        ask(&mut client, "server-github", tool, &pull);
    }
    let repository = json!({ "owner": "octo", "repo": "demo" });
    ask(
        &mut client,
        "server-github",
        "list_pull_requests",
        &repository,
    );
}
