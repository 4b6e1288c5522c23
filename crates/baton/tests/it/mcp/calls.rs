use std::fs;

use baton_testkit::Sandbox;
use serde_json::{Value, json};

use super::client::Client;
use super::forge;
use crate::processes::{is_gone, wait_for_pid};

const PASSED: &str = "\
============================= test session starts ==============================
t.py .                                                                   [100%]

============================== 1 passed in 0.01s ===============================
";
const FAILED: &str = "\
============================= test session starts ==============================
t.py F                                                                   [100%]

=========================== short test summary info ============================
FAILED t.py::test_adds - assert 1 == 2
============================== 1 failed in 0.01s ===============================
";

/// Runs of a project whose tests print that.
const PASSES: &str = "cat passed.txt";
const FAILS: &str = "cat failed.txt; exit 1";

fn tests(sandbox: &Sandbox, command: &str) -> Value {
    sandbox.write("project/passed.txt", PASSED);
    sandbox.write("project/failed.txt", FAILED);
    json!({
        "working_directory": sandbox.folder("project").to_str().unwrap(),
        "language": "python",
        "test_command": command,
        "max_retries": 0,
    })
}

#[test]
fn tests_are_run_and_failing_ones_are_no_error() {
    let sandbox = Sandbox::new();
    let mut client = Client::ready(&sandbox, "2025-06-18", json!({}));
    let answer = client.call("run_tests", tests(&sandbox, PASSES));
    assert_eq!(answer["structuredContent"]["status"], "pass", "{answer}");
    assert_eq!(answer["structuredContent"]["tests_run"], 1);
    let answer = client.call("run_tests", tests(&sandbox, FAILS));
    assert_eq!(answer["isError"], false, "{answer}");
    let output = &answer["structuredContent"];
    assert_eq!(output["status"], "fail");
    assert_eq!(output["failing_tests"][0]["name"], "t.py::test_adds");
}

#[test]
fn a_change_is_reviewed_and_validated() {
    const SEARCH: &str = "\
import os

from flask import request


def search():
    os.system(\"grep \" + request.args[\"word\"] + \" words.txt\")
";
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    repo.write("app.py", "import os\n");
    repo.commit("Begin");
    repo.write("app.py", SEARCH);
    let folder = sandbox.path("project");
    let mut client = Client::ready(&sandbox, "2025-06-18", json!({}));
    let answer = client.call("review_change", json!({ "working_directory": folder }));
    let output = &answer["structuredContent"];
    assert_eq!(output["files"], 1, "{answer}");
    let shown = |finding: &Value| {
        let line = &finding["range"]["start"]["line"];
        format!("{} {line} {}", finding["severity"], finding["rule"])
    };
    let findings = output["findings"].as_array().unwrap();
    let found: Vec<String> = findings.iter().map(shown).collect();
    assert_eq!(
        found,
        [r#""critical" 7 "python/command-injection""#],
        "{answer}"
    );
    let files = json!({ "working_directory": folder, "files": ["nothing.py"] });
    let refused = client.call("review_change", files);
    assert_eq!(refused["isError"], true, "{refused}");

    sandbox.write("project/passed.txt", PASSED);
    let change = json!({
        "working_directory": folder,
        "changed_files": ["app.py"],
        "language": "python",
        "format_command": "true",
        "lint_command": "true",
        "test_command": PASSES,
        "skip_build": true,
    });
    let answer = client.call("validate_change", change);
    assert_eq!(answer["isError"], false, "{answer}");
    let output = &answer["structuredContent"];
    assert_eq!(output["status"], "fail");
    let checks = &output["checks"];
    assert_eq!(checks["tests"]["status"], "pass", "{checks}");
    assert_eq!(checks["security_review"]["status"], "fail", "{checks}");
}

#[test]
fn a_bad_input_is_told_whole() {
    let sandbox = Sandbox::new();
    let mut client = Client::ready(&sandbox, "2025-06-18", json!({}));
    let answer = client.call("run_tests", json!({ "max_retries": 99, "wokring": 1 }));
    assert_eq!(answer["isError"], true);
    insta::assert_snapshot!(answer["content"][0]["text"].as_str().unwrap(), @r#"Error: Invalid input: /working_directory: missing required parameter 'working_directory'; /max_retries: max_retries must be an integer between 0 and 10, found the number 99; /wokring: unknown key "wokring"; did you mean 'working_directory'?"#);
}

#[test]
fn cancelling_a_call_ends_its_processes() {
    let sandbox = Sandbox::new();
    let mut client = Client::ready(&sandbox, "2025-06-18", json!({}));
    let pid_file = sandbox.path("pid");
    let command = format!("echo $$ > {}; exec sleep 600", pid_file.display());
    let params = json!({ "name": "run_tests", "arguments": tests(&sandbox, &command) });
    let id = client.begin("tools/call", params);
    let pid = wait_for_pid(&pid_file);
    client.send(&json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": { "requestId": id },
    }));
    while !is_gone(&pid) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    client.call("detect_project", json!({}));
    assert!(client.heard.iter().all(|message| message["id"] != id));
}

/// The agent that started us is gone, and so are its tests.
#[test]
fn leaving_ends_the_processes_of_a_call() {
    let sandbox = Sandbox::new();
    let mut client = Client::ready(&sandbox, "2025-06-18", json!({}));
    let pid_file = sandbox.path("pid");
    let command = format!("echo $$ > {}; exec sleep 600", pid_file.display());
    let params = json!({ "name": "run_tests", "arguments": tests(&sandbox, &command) });
    client.begin("tools/call", params);
    let pid = wait_for_pid(&pid_file);
    client.close_stdin();
    let (status, _) = client.end();
    assert!(status.success());
    assert!(is_gone(&pid));
}

#[test]
fn when_the_retries_are_used_up_the_person_is_asked() {
    let sandbox = Sandbox::new();
    let mut client = Client::ready(&sandbox, "2025-06-18", json!({ "elicitation": {} }));
    let mut arguments = tests(&sandbox, FAILS);
    arguments["max_retries"] = json!(1);
    arguments["retry_backoff_ms"] = json!([0]);
    let params = json!({ "name": "run_tests", "arguments": arguments });
    let id = client.begin("tools/call", params);
    let question = client.asked("elicitation/create");
    let message = question["params"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("Tests failed after 1 retry attempts"),
        "{message}"
    );
    let field = &question["params"]["requestedSchema"]["properties"]["choice"];
    let go_on = field["enum"][1].as_str().unwrap();
    assert!(go_on.starts_with("Skip tests"), "{question}");
    let content = json!({ "action": "accept", "content": { "choice": go_on } });
    client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": content }));
    let answer = client.answer(id);
    let errors = &answer["result"]["structuredContent"]["errors"];
    assert!(errors.to_string().contains("user_override"), "{answer}");
}

#[test]
fn progress_says_what_runs() {
    let sandbox = Sandbox::new();
    let mut client = Client::ready(&sandbox, "2025-06-18", json!({}));
    let params = json!({
        "name": "run_tests",
        "arguments": tests(&sandbox, PASSES),
        "_meta": { "progressToken": 1 },
    });
    client.request("tools/call", params);
    let told: Vec<_> = client
        .heard
        .iter()
        .map(|message| message["params"]["message"].as_str().unwrap())
        .collect();
    assert_eq!(
        told,
        [&format!("testing: {PASSES}"), "attempt 1: 1 run, 0 failed"]
    );
}

#[test]
fn reports_are_read_from_text_and_from_files() {
    let sandbox = Sandbox::new();
    let mut client = Client::ready(&sandbox, "2025-06-18", json!({}));
    let from_text = client.call("read_test_report", json!({ "text": FAILED }));
    let file = sandbox.write("log.txt", FAILED);
    let from_file = client.call(
        "read_test_report",
        json!({ "file": file.to_str().unwrap() }),
    );
    assert_eq!(from_text, from_file);
    assert_eq!(from_text["structuredContent"]["counts"]["failed"], 1);
    for file in [sandbox.path("nope"), sandbox.root(), "/dev/zero".into()] {
        let arguments = json!({ "file": file.to_str().unwrap() });
        let refused = client.call("read_test_report", arguments);
        assert_eq!(refused["isError"], true, "{refused}");
    }
}

/// The configuration is that of the project in question, not of the folder
/// that the server happens to run in.
#[test]
fn a_project_brings_its_own_configuration() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("ledger");
    repo.write("Cargo.toml", "[package]\nname = \"ledger\"\n");
    repo.write(".baton/config.toml", "commands.test = \"just test\"\n");
    let mut client = Client::ready(&sandbox, "2025-06-18", json!({}));
    let folder = repo.path().to_str().unwrap();
    let found = client.call("detect_project", json!({ "folder": folder }));
    let command = &found["structuredContent"]["languages"][0]["testing"]["test"][0]["command"];
    assert_eq!(command, "just test", "{found}");
    fs::write(repo.path().join(".baton/config.toml"), "nonsense = 1\n").unwrap();
    let refused = client.call("detect_project", json!({ "folder": folder }));
    assert_eq!(refused["isError"], true);
    let error = refused["structuredContent"]["error"].as_str().unwrap();
    assert!(
        error.ends_with("config.toml:1: unknown key `nonsense`"),
        "{error}"
    );
}

#[test]
fn a_pull_request_that_is_not_there_is_an_error_result() {
    let mut sandbox = Sandbox::new();
    sandbox.set("BATON_GITHUB_API_URL", forge::that_knows_no_one());
    sandbox.set("GITHUB_TOKEN", "octo-token");
    let mut client = Client::ready(&sandbox, "2025-06-18", json!({}));
    let answer = client.call("detect_merge_conflicts", json!({ "pr": "octo/demo#1" }));
    assert_eq!(answer["isError"], true, "{answer}");
    assert_eq!(answer["structuredContent"]["category"], "user", "{answer}");
}

/// A URL may come from a stranger's comment; the token must not go there.
#[test]
fn a_host_without_a_login_is_not_asked() {
    let mut sandbox = Sandbox::new();
    sandbox.set("GITHUB_TOKEN", "octo-token");
    sandbox.set("GH_ENTERPRISE_TOKEN", "octo-token");
    let elsewhere = forge::that_knows_no_one();
    let host = elsewhere.split('/').nth(2).unwrap();
    let mut client = Client::ready(&sandbox, "2025-06-18", json!({}));
    let pr = format!("http://{host}/octo/demo/pull/1");
    let answer = client.call("detect_merge_conflicts", json!({ "pr": pr }));
    let text = answer["content"][0]["text"].as_str().unwrap();
    insta::assert_snapshot!(text.replace(host, "[host]"), @"
    Error: there is no login for [host], and a token for another host is not sent there
    What to do: Run `gh auth login --hostname [host]`, or set github.api_url if it is the server you work with. To ask the configured server, write `owner/repo#number`.
    ");
}
