//! Real coding agents, with a scripted model behind them, from a request to the
//! merge: each in the sandbox that a user has who configures nothing.

use baton_testkit::peer;
use baton_testkit::scripted_model::{Deed, ScriptedModel};

use super::scene::Scene;

const UNSAFE: &str = "\
def notes(cursor, request):
    owner = request.args[\"owner\"]
    cursor.execute(\"SELECT * FROM notes WHERE owner = '\" + owner + \"'\")
    return cursor.fetchall()
";

const SAFE: &str = "\
def notes(cursor, request):
    owner = request.args[\"owner\"]
    cursor.execute(\"SELECT * FROM notes WHERE owner = %s\", (owner,))
    return cursor.fetchall()
";

/// Its first try can be broken out of; it does better when a review says so.
fn model() -> ScriptedModel {
    ScriptedModel::start(|task| {
        let content = if task.contains("review of the branch") {
            SAFE
        } else {
            UNSAFE
        };
        Deed::Write(vec![("notes.py".to_owned(), content.to_owned())])
    })
}

#[test]
fn goose_over_the_agent_client_protocol() {
    let Some(program) = peer("agents/node_modules/.bin/goose") else {
        return;
    };
    let config =
        format!("name = \"goose\"\ndriver = \"acp\"\nprogram = {program:?}\nargs = [\"acp\"]");
    carries_an_issue_to_its_merge(&model(), &config);
}

#[test]
fn codex_by_its_command_line() {
    let Some(program) = peer("agents/node_modules/.bin/codex") else {
        return;
    };
    let model = model();
    let provider = format!(
        r#"model_providers.scripted={{name="scripted",base_url="{}/v1",wire_api="responses",env_key="SCRIPTED_KEY"}}"#,
        model.url()
    );
    let args = [
        "-m",
        "scripted",
        "-c",
        r#"model_provider="scripted""#,
        "-c",
        &provider,
    ];
    let config =
        format!("name = \"codex\"\ndriver = \"cli\"\nprogram = {program:?}\nargs = {args:?}");
    carries_an_issue_to_its_merge(&model, &config);
}

#[test]
fn claude_by_its_command_line() {
    let machine = if cfg!(target_arch = "aarch64") {
        "arm64"
    } else {
        "x64"
    };
    let path = format!("agents/node_modules/@anthropic-ai/claude-code-linux-{machine}/claude");
    let Some(program) = peer(&path) else {
        return;
    };
    let config = format!("name = \"claude\"\ndriver = \"cli\"\nprogram = {program:?}");
    carries_an_issue_to_its_merge(&model(), &config);
}

fn carries_an_issue_to_its_merge(model: &ScriptedModel, agent: &str) {
    let mut scene = Scene::new();
    let url = model.url();
    let variables = [
        ("GOOSE_PROVIDER", "openai"),
        ("GOOSE_MODEL", "scripted"),
        ("GOOSE_DISABLE_KEYRING", "1"),
        ("OPENAI_HOST", &url),
        ("OPENAI_API_KEY", "none"),
        ("SCRIPTED_KEY", "none"),
        ("ANTHROPIC_BASE_URL", &url),
        ("ANTHROPIC_API_KEY", "none"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ];
    for (name, value) in variables {
        scene.world.sandbox.set(name, value);
    }
    // The agents are scripts of Node, which is the machine's own.
    scene.world.sandbox.link_tool("node");
    let text = format!("[agent]\n{agent}\nenvironment = [\"SCRIPTED_KEY\"]\n");
    scene.world.sandbox.write("config/baton/config.toml", &text);

    let answer = scene.ask(&["run", "Add a list of the notes of an owner"]);

    let logs = scene.ask(&["logs", "-"]).stdout;
    assert_eq!(answer.code, Some(0), "{answer}\n{logs}");
    // Some agents ask for news of their makers, which they can do without.
    let blamed: Vec<&str> = logs
        .lines()
        .filter(|line| line.contains("noticed") && !line.contains("was not let through"))
        .collect();
    assert_eq!(blamed, Vec::<&str>::new(), "an honest agent is blamed");
    let client = scene.world.client("octo");
    let issue = client.get("/repos/octo/demo/issues/1").expect(200).json();
    assert_eq!(issue["state"], "closed");
    let pull = client.get("/repos/octo/demo/pulls/2").expect(200).json();
    assert_eq!(pull["merged"], true);
    let merged = client.get("/repos/octo/demo/contents/notes.py").expect(200);
    assert_eq!(merged.json()["size"], SAFE.len());
    assert!(logs.contains("changes-requested"), "{logs}");
}
