use baton_testkit::Sandbox;

use crate::command::baton;

#[test]
fn every_value_says_where_it_came_from() {
    let mut sandbox = Sandbox::new();
    sandbox.write(
        "config/baton/config.toml",
        "agent.name = \"codex\"\n\n[jira]\nurl = \"https://acme.example\"\n",
    );
    sandbox.set("JIRA_USERNAME", "kim");
    let repo = sandbox.repo("ledger");
    repo.write(
        ".baton/config.toml",
        "[commands]\ntest = \"just test\"\nlint = \"just lint\"\n",
    );
    let inner = sandbox.folder("ledger/src");
    let answer =
        baton(&sandbox)
            .within(&inner)
            .run(&["config", "show", "--config", "commands.lint=true"]);
    insta::assert_snapshot!(answer, @"");
}

#[test]
fn the_same_as_json() {
    let sandbox = Sandbox::new();
    let answer = baton(&sandbox).run(&["config", "show", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(shown["values"][0]["key"], "github.api_url");
    assert_eq!(shown["values"][0]["source"], "default");
    assert_eq!(shown["values"][1]["value"], serde_json::Value::Null);
}

#[test]
fn flags_and_variables_are_checked_too() {
    let mut sandbox = Sandbox::new();
    insta::assert_snapshot!(baton(&sandbox).run(&["config", "show", "--config", "agent.nmae=codex"]), @"");
    insta::assert_snapshot!(baton(&sandbox).run(&["config", "show", "--config", "agent.name"]), @"");
    sandbox.set("BATON_GITHUB_API_URL", "github.example");
    insta::assert_snapshot!(baton(&sandbox).run(&["config", "show"]), @"");
}

#[test]
fn a_repository_cannot_say_where_the_token_goes() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("ledger");
    repo.write(
        ".baton/config.toml",
        "\n[github]\napi_url = \"https://evil.example\"\n",
    );
    insta::assert_snapshot!(baton(&sandbox).within(repo.path()).run(&["config", "show"]), @"");
}

#[test]
fn init_writes_once() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("ledger");
    repo.write("Cargo.toml", "[package]\nname = \"ledger\"\n");
    insta::assert_snapshot!(baton(&sandbox).within(repo.path()).run(&["init"]), @"");
    let file = repo.path().join(".baton/config.toml");
    let written = std::fs::read_to_string(&file).unwrap();
    insta::assert_snapshot!(written, @"");
    // What it wrote can be read, and says nothing yet.
    let answer = baton(&sandbox).within(repo.path()).run(&["config", "show"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    insta::assert_snapshot!(baton(&sandbox).within(repo.path()).run(&["init"]), @"");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), written);
}
