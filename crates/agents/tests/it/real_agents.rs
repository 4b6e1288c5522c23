//! Real coding agents, with a scripted model behind them, from a request to the
//! merge.

use std::ffi::OsString;

use baton_engine::agent::{Agent, Driver, Preset};
use baton_testkit::peer;
use baton_testkit::scripted_model::{Deed, ScriptedModel};
use baton_testkit::world::World;
use baton_workflow::Ending;

use crate::stage::Stage;

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
    carries_an_issue_to_its_merge(&model(), |_| Agent {
        name: "goose".to_owned(),
        driver: Driver::Acp,
        program: program.to_string_lossy().into_owned(),
        args: vec!["acp".to_owned()],
    });
}

#[test]
fn codex_by_its_command_line() {
    let Some(program) = peer("agents/node_modules/.bin/codex") else {
        return;
    };
    carries_an_issue_to_its_merge(&model(), |model| {
        let provider = format!(
            r#"model_providers.scripted={{name="scripted",base_url="{}/v1",wire_api="responses",env_key="SCRIPTED_KEY"}}"#,
            model.url()
        );
        let choice = r#"model_provider="scripted""#;
        Agent {
            name: "codex".to_owned(),
            driver: Driver::Cli(Preset::Codex),
            program: program.to_string_lossy().into_owned(),
            args: ["-m", "scripted", "-c", choice, "-c", &provider]
                .map(str::to_owned)
                .to_vec(),
        }
    });
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
    carries_an_issue_to_its_merge(&model(), |_| Agent {
        name: "claude".to_owned(),
        driver: Driver::Cli(Preset::Claude),
        program: program.to_string_lossy().into_owned(),
        args: Vec::new(),
    });
}

fn carries_an_issue_to_its_merge(
    model: &ScriptedModel,
    agent: impl FnOnce(&ScriptedModel) -> Agent,
) {
    let world = World::start();
    let mut stage = Stage::new(&world, "Add a list of the notes of an owner", &[]);
    stage.without_tools();
    stage.place.coder = agent(model);
    stage.place.agent_environment = environment(&world, &model.url());
    stage.all_real = true;
    let played = stage.play();
    let question = played
        .state
        .question()
        .map(|question| question.reason.to_string());
    assert_eq!(question, None, "{:#?}", played.results.last());
    assert_eq!(played.ending(), Some(&Ending::Closed));
    let kinds: Vec<String> = played
        .state
        .passed()
        .iter()
        .map(|passed| passed.handoff.kind().to_string())
        .collect();
    insta::allow_duplicates! {
        insta::assert_snapshot!(kinds.join("\n"), @"
        issue-ready
        workspace-ready
        implemented
        changes-requested
        fixed
        approved
        merged
        workflow-complete
        ");
    }
    assert_eq!(stage.get("issues/1")["state"], "closed");
    assert_eq!(stage.get("pulls/2")["merged"], true);
    assert_eq!(stage.repo.git(&["ls-remote", "origin", "feat/*"]), "");
    stage.repo.git(&["fetch", "--quiet", "origin", "main"]);
    let merged = stage.repo.git(&["show", "FETCH_HEAD:notes.py"]);
    assert_eq!(merged.trim_end(), SAFE.trim_end());
}

/// The agents are scripts of Node, which is the machine's own.
#[expect(
    clippy::disallowed_methods,
    reason = "it is the way of the test's process to programs"
)]
fn environment(world: &World, model: &str) -> baton_host::cmd::Environment {
    let variables = [
        ("GOOSE_PROVIDER", "openai"),
        ("GOOSE_MODEL", "scripted"),
        ("GOOSE_DISABLE_KEYRING", "1"),
        ("OPENAI_HOST", model),
        ("OPENAI_API_KEY", "none"),
        ("SCRIPTED_KEY", "none"),
        ("ANTHROPIC_BASE_URL", model),
        ("ANTHROPIC_API_KEY", "none"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ];
    let variables = variables.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let path = (OsString::from("PATH"), std::env::var_os("PATH").unwrap());
    let own = world.sandbox.environment().clone().into_iter();
    own.chain(variables).chain([path]).collect()
}
