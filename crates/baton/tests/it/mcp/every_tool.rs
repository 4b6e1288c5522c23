//! Clients of others list the tools and call each of them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use baton_testkit::Sandbox;
use serde_json::{Value, json};

use super::client::Client;
use super::forge;
use crate::testing::equipment::{is_there, peer};

/// A test run that passes, in the words of pytest.
const PASSES: &str = "\
echo '============================= test session starts =============================='; \
echo 't.py .                                                                   [100%]'; \
echo '============================== 1 passed in 0.01s ==============================='";

fn hermetic_sandbox() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.set("BATON_GITHUB_API_URL", forge::that_knows_no_one());
    sandbox.set("GITHUB_TOKEN", "octo-token");
    sandbox.folder("project");
    sandbox
}

/// Arguments that a tool's schema asks for.
fn arguments(tool: &Value, sandbox: &Sandbox) -> Value {
    let project = sandbox.path("project");
    let mut arguments = json!({});
    for field in tool["inputSchema"]["required"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let field = field.as_str().unwrap();
        arguments[field] = match field {
            "working_directory" => json!(project.to_str().unwrap()),
            _ => json!("octo/demo#1"),
        };
    }
    match tool["name"].as_str().unwrap() {
        "run_tests" => {
            arguments["language"] = json!("python");
            arguments["test_command"] = json!(PASSES);
        }
        "validate_change" => {
            arguments["changed_files"] = json!([]);
            arguments["language"] = json!("python");
            arguments["test_command"] = json!(PASSES);
        }
        "review_change" => arguments["files"] = json!(["."]),
        "create_pull_request" => {
            arguments["branch"] = json!("nowhere");
            arguments["title"] = json!("feat: add a topic");
            arguments["description"] = json!("Adds a topic, and says why.");
        }
        "comment_on_pull_request" => arguments["body"] = json!("Thanks."),
        "submit_review" => {
            arguments["verdict"] = json!("comment");
            arguments["body"] = json!("Thanks.");
        }
        "get_job_log" => {
            arguments["job"] = json!("1");
            arguments["repository"] = json!("octo/demo");
        }
        "read_test_report" => arguments["text"] = json!("1 passed"),
        _ => {}
    }
    arguments
}

/// A tool with arguments for it.
struct Call {
    name: String,
    given: Value,
    /// It only reads, and not only on this machine.
    reads_github: bool,
}

/// What our own client is told.
fn calls(sandbox: &Sandbox) -> Vec<Call> {
    let mut client = Client::ready(sandbox, "2025-11-25", json!({}));
    let tools = client.tools();
    tools
        .iter()
        .map(|tool| {
            let hints = &tool["annotations"];
            Call {
                name: tool["name"].as_str().unwrap().to_owned(),
                given: arguments(tool, sandbox),
                reads_github: hints["readOnlyHint"] == true && hints["openWorldHint"] == true,
            }
        })
        .collect()
}

/// It checks structured content against output schemas, and would raise.
#[test]
fn the_python_client_calls_every_tool() {
    let python = peer("mcp-python/bin/python");
    if !is_there(python.clone().map(drop)) {
        return;
    }
    let sandbox = hermetic_sandbox();
    let calls = calls(&sandbox);
    let pairs = calls.iter().map(|call| json!([call.name, call.given]));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp/every_tool.py");
    let output = Command::new(python.unwrap())
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_baton"))
        .arg(Value::Array(pairs.collect()).to_string())
        .env_clear()
        .envs(sandbox.environment())
        .current_dir(sandbox.path("project"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}");
    let answers: Vec<(String, bool)> = serde_json::from_slice(&output.stdout).unwrap();
    check(&calls, &answers);
}

#[test]
fn the_inspector_calls_every_tool() {
    let node = node();
    let inspector =
        peer("mcp/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    if !is_there(node.clone().and(inspector.clone()).map(drop)) {
        return;
    }
    let sandbox = hermetic_sandbox();
    let ask = |arguments: &[&str]| -> Value {
        let output = Command::new(node.as_ref().unwrap())
            .arg(inspector.as_ref().unwrap())
            .args(["--cli", env!("CARGO_BIN_EXE_baton"), "mcp"])
            .args(arguments)
            .env_clear()
            .envs(sandbox.environment())
            .current_dir(sandbox.path("project"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
    };
    let listed = ask(&["--method", "tools/list"]);
    let calls = calls(&sandbox);
    assert_eq!(listed["tools"].as_array().unwrap().len(), calls.len());
    let mut answers = Vec::new();
    for Call { name, given, .. } in &calls {
        let mut words = vec!["--method", "tools/call", "--tool-name", name];
        let pairs: Vec<String> = given
            .as_object()
            .unwrap()
            .iter()
            .map(|(field, value)| match value.as_str() {
                Some(text) => format!("{field}={text}"),
                None => format!("{field}={value}"),
            })
            .collect();
        for pair in &pairs {
            words.extend(["--tool-arg", pair]);
        }
        let answer = ask(&words);
        answers.push((name.clone(), answer["isError"] == true));
    }
    check(&calls, &answers);
}

/// The forge knows no one, so tools about pull requests answer with an error;
/// the others work.
fn check(calls: &[Call], answers: &[(String, bool)]) {
    assert_eq!(answers.len(), calls.len());
    for (call, (answered, is_error)) in calls.iter().zip(answers) {
        assert_eq!(call.name, *answered);
        let about_pulls = call.reads_github || call.given.to_string().contains("octo/demo#1");
        assert_eq!(*is_error, about_pulls, "{answered}");
    }
}

pub(super) fn node() -> Result<PathBuf, String> {
    let machine = match std::env::consts::ARCH {
        "aarch64" => "arm64",
        _ => "x64",
    };
    peer(&format!("mcp/node_modules/node-linux-{machine}/bin/node"))
}
