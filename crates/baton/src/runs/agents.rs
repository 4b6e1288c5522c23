//! Which coding agent works: the one that was named, the user's own program, or
//! the first that is installed.

use baton_engine::agent::{Agent, Driver, Preset, installed};
use baton_host::cmd::Environment;

use crate::config::Config;
use crate::error::CommandError;
use crate::terminal::sanitize;

/// Agents that are known by name, and how each is installed.
pub(crate) const KNOWN: [(&str, &str); 6] = [
    ("claude", "npm install -g @anthropic-ai/claude-code"),
    ("codex", "npm install -g @openai/codex"),
    ("gemini", "npm install -g @google/gemini-cli"),
    ("goose", "npm install -g @aaif/goose"),
    ("opencode", "npm install -g opencode-ai"),
    ("aider", "pip install aider-chat"),
];

/// What an agent may be called that only `agent.program` names.
const UNNAMED: &str = "custom";

/// Says that no coding agent is to do it.
pub(crate) const NO_AGENT: &str = "none";

/// What agents log in with. They get these and no other secret of the user's.
const LOGINS: [&str; 14] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CODEX_API_KEY",
    "DEEPSEEK_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "OPENAI_API_KEY",
    "OPENCODE_API_KEY",
    "OPENROUTER_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "XAI_API_KEY",
];

/// What agents are set up with, as far as it does not look like a secret.
const SETTINGS: [&str; 8] = [
    "AIDER_*",
    "ANTHROPIC_*",
    "CLAUDE_*",
    "CODEX_*",
    "GEMINI_*",
    "GOOSE_*",
    "OPENAI_*",
    "OPENCODE_*",
];

/// The agent of that name; without one, the configured or the first that is
/// found.
pub(crate) fn choose(
    name: Option<&str>,
    config: &Config,
    environment: &Environment,
) -> Result<Agent, CommandError> {
    let configured = config.get("agent.name").map(|value| value.text.as_str());
    let driver = config.get("agent.driver").map(|value| value.text.as_str());
    if let Some(program) = config.get("agent.program") {
        let own_name = configured.unwrap_or(UNNAMED);
        if name.is_none_or(|name| name == own_name) {
            let args = config.list("agent.args");
            return own_program(own_name, driver, &program.text, args);
        }
    }
    let mut found = installed(environment);
    if let Some(word) = driver {
        found.retain(|agent| word_of(agent.driver) == word);
    }
    let Some(name) = name.or(configured) else {
        return found
            .into_iter()
            .next()
            .ok_or_else(|| none_is_there(driver));
    };
    let Some((_, install)) = KNOWN.iter().find(|(known, _)| *known == name) else {
        return Err(unknown(name));
    };
    found
        .into_iter()
        .find(|agent| agent.name == name)
        .ok_or_else(|| {
            let how = driver.map(|word| format!(" that speaks {word}"));
            CommandError::missing(format!(
                "there is no coding agent `{name}`{} on the PATH",
                how.unwrap_or_default()
            ))
            .hint(format!(
                "Install it, as in `{install}`, or choose another with --agent; `baton doctor` \
                 lists what is there."
            ))
        })
}

/// A second agent that only reads, where one is wanted.
pub(crate) fn reviewer(
    name: Option<&str>,
    config: &Config,
    environment: &Environment,
) -> Result<Option<Agent>, CommandError> {
    match name {
        None | Some(NO_AGENT) => Ok(None),
        Some(name) => choose(Some(name), config, environment).map(Some),
    }
}

/// All that a coding agent gets to see of the environment.
pub(crate) fn environment(all: &Environment, config: &Config) -> Environment {
    let mut extra = config.list("agent.environment");
    extra.extend(LOGINS.iter().chain(&SETTINGS).map(|&name| name.to_owned()));
    all.for_untrusted(&extra).with_proxies_of(all)
}

/// How an agent is talked to, in a word.
pub(crate) fn word_of(driver: Driver) -> &'static str {
    match driver {
        Driver::Acp => "acp",
        Driver::Cli(_) => "cli",
        Driver::Exec => "exec",
    }
}

/// The other way round, of an agent of that name.
pub(crate) fn driver(word: &str, name: &str) -> Option<Driver> {
    match word {
        "acp" => Some(Driver::Acp),
        "cli" => preset(name).map(Driver::Cli),
        "exec" => Some(Driver::Exec),
        _ => None,
    }
}

/// Stands for an agent that cannot be found; it is never started.
pub(crate) fn unknown_agent(name: &str) -> Agent {
    Agent {
        name: name.to_owned(),
        driver: Driver::Exec,
        program: name.to_owned(),
        args: Vec::new(),
    }
}

fn own_program(
    name: &str,
    driver: Option<&str>,
    program: &str,
    args: Vec<String>,
) -> Result<Agent, CommandError> {
    let driver = match driver {
        Some("acp") => Driver::Acp,
        Some("cli") => Driver::Cli(preset(name).ok_or_else(|| {
            CommandError::wrong_use(format!(
                "agent.driver is `cli`, and there is no agent `{}` whose command line is known",
                sanitize(name)
            ))
            .hint("Set agent.name to the agent that it is, or agent.driver to `exec` or `acp`.")
        })?),
        _ => Driver::Exec,
    };
    Ok(Agent {
        name: name.to_owned(),
        driver,
        program: program.to_owned(),
        args,
    })
}

fn preset(name: &str) -> Option<Preset> {
    Some(match name {
        "claude" => Preset::Claude,
        "codex" => Preset::Codex,
        "gemini" => Preset::Gemini,
        "goose" => Preset::Goose,
        "opencode" => Preset::OpenCode,
        "aider" => Preset::Aider,
        _ => return None,
    })
}

fn unknown(name: &str) -> CommandError {
    let names: Vec<_> = KNOWN.iter().map(|(name, _)| *name).collect();
    CommandError::wrong_use(format!("there is no coding agent `{}`", sanitize(name))).hint(format!(
        "Choose one of {}, or set agent.program in your configuration file for one of your own.",
        names.join(", ")
    ))
}

fn none_is_there(driver: Option<&str>) -> CommandError {
    let (_, install) = KNOWN[0];
    let names: Vec<_> = KNOWN.iter().map(|(name, _)| *name).collect();
    let how = driver.map(|word| format!(" that speaks {word}"));
    CommandError::missing(format!(
        "there is no coding agent{} on the PATH",
        how.unwrap_or_default()
    ))
    .hint(format!(
        "Install one of {}, as in `{install}`, or set agent.program in your configuration file.",
        names.join(", ")
    ))
    .hint("`baton demo` shows a whole run without one.")
}
