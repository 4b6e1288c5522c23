//! The real agents with a scripted model.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

use baton_engine::agent::{Agent, Driver, Preset, Role};
use baton_testkit::peer;
use baton_testkit::scripted_model::{Deed, ScriptedModel};
use baton_workflow::StepLimits;

use super::Workshop;

fn writes() -> ScriptedModel {
    ScriptedModel::start(|_| {
        Deed::Write(vec![
            ("login.txt".to_owned(), "five a minute\n".to_owned()),
            ("docs/login.md".to_owned(), "# Logins\n".to_owned()),
        ])
    })
}

fn agent(name: &str, driver: Driver, program: &Path, args: &[String]) -> Agent {
    Agent {
        name: name.to_owned(),
        driver,
        program: program.to_str().unwrap().to_owned(),
        args: args.to_owned(),
    }
}

fn goose(driver: Driver) -> Option<Agent> {
    let program = peer("agents/node_modules/.bin/goose")?;
    let args = match driver {
        Driver::Acp => vec!["acp".to_owned()],
        _ => Vec::new(),
    };
    Some(agent("goose", driver, &program, &args))
}

fn codex(model: &ScriptedModel) -> Option<Agent> {
    let program = peer("agents/node_modules/.bin/codex")?;
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
    let args = args.map(str::to_owned);
    Some(agent("codex", Driver::Cli(Preset::Codex), &program, &args))
}

fn claude() -> Option<Agent> {
    // Its script only finds this one.
    let machine = if cfg!(target_arch = "aarch64") {
        "arm64"
    } else {
        "x64"
    };
    let program = peer(&format!(
        "agents/node_modules/@anthropic-ai/claude-code-linux-{machine}/claude"
    ))?;
    Some(agent("claude", Driver::Cli(Preset::Claude), &program, &[]))
}

/// The agents are scripts of Node, which is the machine's own.
#[expect(
    clippy::disallowed_methods,
    reason = "it is the way of the test's process to programs"
)]
fn path() -> (OsString, OsString) {
    let name = OsString::from("PATH");
    let value = std::env::var_os(&name).unwrap();
    (name, value)
}

impl Workshop {
    async fn with_model(&self, agent: Agent, role: Role, model: &ScriptedModel) -> String {
        let mut steps = self.steps(agent, role);
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
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let own = self.sandbox.environment().clone().into_iter();
        steps.environment = own.chain(variables).chain([path()]).collect();
        steps.limits = StepLimits {
            wall: Duration::from_mins(2),
            idle: Duration::from_mins(1),
        };
        let (report, verdict) = self.works(steps).await.pop().unwrap();
        format!("{verdict}; turns {}", report.usage.turns)
    }

    fn assert_written(&self) {
        let read = |file| fs::read_to_string(self.worktree().join(file)).unwrap_or_default();
        assert_eq!(read("login.txt"), "five a minute\n");
        assert_eq!(read("docs/login.md"), "# Logins\n");
    }
}

#[tokio::test]
async fn goose_works_over_the_agent_client_protocol() {
    let Some(agent) = goose(Driver::Acp) else {
        return;
    };
    let (workshop, model) = (Workshop::new(), writes());
    let came = workshop.with_model(agent, Role::Writer, &model).await;
    insta::assert_snapshot!(came, @"done; turns 3");
    workshop.assert_written();
    assert!(
        model
            .tasks()
            .iter()
            .any(|task| task.contains("Limit the logins."))
    );
}

#[tokio::test]
async fn goose_works_by_its_command_line() {
    let Some(agent) = goose(Driver::Cli(Preset::Goose)) else {
        return;
    };
    let (workshop, model) = (Workshop::new(), writes());
    let came = workshop.with_model(agent, Role::Writer, &model).await;
    insta::assert_snapshot!(came, @"done; turns 1");
    workshop.assert_written();
}

#[tokio::test]
async fn codex_works_by_its_command_line() {
    let (workshop, model) = (Workshop::new(), writes());
    let Some(agent) = codex(&model) else {
        return;
    };
    let came = workshop.with_model(agent, Role::Writer, &model).await;
    insta::assert_snapshot!(came, @"done; turns 1");
    workshop.assert_written();
}

#[tokio::test]
async fn claude_works_by_its_command_line() {
    let Some(agent) = claude() else {
        return;
    };
    let (workshop, model) = (Workshop::new(), writes());
    let came = workshop.with_model(agent, Role::Writer, &model).await;
    insta::assert_snapshot!(came, @"done; turns 5");
    workshop.assert_written();
}

#[tokio::test]
async fn an_agent_that_claims_success_without_changes_is_not_believed() {
    let model = ScriptedModel::start(|_| Deed::Say("Done, all logins are limited.".to_owned()));
    for agent in [goose(Driver::Acp), codex(&model), claude()] {
        let Some(agent) = agent else { continue };
        let (name, workshop) = (agent.name.clone(), Workshop::new());
        let came = workshop.with_model(agent, Role::Writer, &model).await;
        assert!(
            came.starts_with("Unproven: the agent says that it is done and has changed nothing"),
            "{name}: {came}"
        );
    }
}

#[tokio::test]
async fn a_refused_key_is_a_failure_with_any_exit_code() {
    let model = ScriptedModel::start(|_| Deed::Refuse(401));
    for agent in [
        goose(Driver::Acp),
        goose(Driver::Cli(Preset::Goose)),
        codex(&model),
    ] {
        let Some(agent) = agent else { continue };
        let (name, workshop) = (agent.name.clone(), Workshop::new());
        let came = workshop.with_model(agent, Role::Writer, &model).await;
        assert!(!came.starts_with("done"), "{name}: {came}");
    }
}

#[tokio::test]
async fn a_reader_leaves_everything_as_it_is() {
    let model = writes();
    for agent in [goose(Driver::Acp), codex(&model), claude()] {
        let Some(agent) = agent else { continue };
        let (name, workshop) = (agent.name.clone(), Workshop::new());
        let came = workshop.with_model(agent, Role::Reader, &model).await;
        assert!(!workshop.is_changed(), "{name}: {came}");
    }
}
