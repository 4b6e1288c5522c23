//! What a run began with: its coding agents, and the settings by which it judges.
//! They are part of its first event, so that a changed configuration, or a process
//! without the flags of the first one, does not change a run that is under way.

use std::collections::BTreeMap;
use std::path::Path;

use baton_engine::agent::Agent;
use baton_host::cmd::Environment;
use baton_workflow::Goal;
use serde_json::{Value, json};

use super::agents;
use super::places::names;
use crate::config::Config;
use crate::error::CommandError;
use crate::terminal::sanitize;

/// The settings that are kept. How strictly programs are confined, and what they
/// see of the environment, is for this machine and its user to say at any time.
const KEPT: [&str; 16] = [
    "commands.build",
    "commands.format",
    "commands.generate",
    "commands.lint",
    "commands.serve",
    "commands.test",
    "readiness.optional_checks",
    "review.scanners",
    "review.threshold",
    "run.ci_minutes",
    "run.first_port",
    "run.health_path",
    "run.max_file_mb",
    "run.max_files",
    "run.require_ci",
    "validation.unchosen_tools",
];

/// The agent that writes, and why it cannot, if it cannot.
pub(super) struct Coder {
    pub(super) agent: Agent,
    pub(super) missing: Option<String>,
}

/// Puts the agents and settings of a new run beside its place.
pub(super) fn record(
    config: &Config,
    coder: &Agent,
    reviewer: Option<&Agent>,
    place: &mut BTreeMap<String, String>,
) {
    place.insert(names::CODER.to_owned(), to_json(coder).to_string());
    if let Some(reviewer) = reviewer {
        place.insert(names::READER.to_owned(), to_json(reviewer).to_string());
    }
    let settings = KEPT.iter().filter_map(|key| {
        let value = config.get(key)?;
        Some(((*key).to_owned(), Value::from(value.text.clone())))
    });
    let settings: serde_json::Map<String, Value> = settings.collect();
    place.insert(
        names::SETTINGS.to_owned(),
        Value::from(settings).to_string(),
    );
}

/// The configuration of now with the settings of the run. A run of an older baton
/// has kept none, and goes by the configuration of now.
pub(super) fn config(goal: &Goal, mut now: Config) -> Config {
    if let Some(settings) = settings(goal) {
        for key in KEPT {
            now.keep(key, settings.get(key).map(String::as_str));
        }
    }
    now
}

/// The agent that the run began with. Most steps need none, so that it is missing
/// is no error here.
pub(super) fn coder(goal: &Goal, config: &Config, environment: &Environment) -> Coder {
    let name = goal.place.get(names::AGENT).map(String::as_str);
    if let Some(agent) = kept_agent(goal, names::CODER) {
        let missing = is_missing(&agent, environment).then(|| {
            let (name, program) = (sanitize(&agent.name), sanitize(&agent.program));
            format!(
                "the coding agent `{name}` that the run began with is not on this machine: \
                 there is no program {program}. {}",
                how_to_get(&agent)
            )
        });
        return Coder { agent, missing };
    }
    match agents::choose(name, config, environment) {
        Ok(agent) => Coder {
            agent,
            missing: None,
        },
        Err(error) => Coder {
            agent: agents::unknown_agent(name.unwrap_or("none")),
            missing: Some(in_words(&error)),
        },
    }
}

/// The agent that reads, where the run began with one.
pub(super) fn reviewer(
    goal: &Goal,
    config: &Config,
    environment: &Environment,
) -> Result<Option<Agent>, CommandError> {
    if goal.place.contains_key(names::SETTINGS) {
        return Ok(kept_agent(goal, names::READER));
    }
    let name = goal.place.get(names::REVIEWER).map(String::as_str);
    agents::reviewer(name, config, environment)
}

/// What the configuration says now that the run does otherwise, a sentence each.
pub(crate) fn differences(goal: &Goal, now: &Config, environment: &Environment) -> Vec<String> {
    let mut told = Vec::new();
    let names_one = now.get("agent.name").or_else(|| now.get("agent.program"));
    if let (Some(begun), Some(_)) = (kept_agent(goal, names::CODER), names_one)
        && let Ok(configured) = agents::choose(None, now, environment)
        && configured != begun
    {
        told.push(format!(
            "This run goes on with the agent {}, as it began; the configuration now says {}.",
            command(&begun),
            command(&configured)
        ));
    }
    let Some(settings) = settings(goal) else {
        return told;
    };
    for key in KEPT {
        let begun = settings.get(key).map(String::as_str);
        let configured = now.get(key).map(|value| value.text.as_str());
        if begun != configured {
            let shown = |value: Option<&str>| value.map_or("nothing".to_owned(), sanitize);
            told.push(format!(
                "This run goes on with {key} = {}, as it began; the configuration now says {}.",
                shown(begun),
                shown(configured)
            ));
        }
    }
    told
}

fn settings(goal: &Goal) -> Option<BTreeMap<String, String>> {
    let text = goal.place.get(names::SETTINGS)?;
    serde_json::from_str(text).ok()
}

fn kept_agent(goal: &Goal, name: &str) -> Option<Agent> {
    let kept: Value = serde_json::from_str(goal.place.get(name)?).ok()?;
    let text = |name: &str| kept[name].as_str().map(str::to_owned);
    let name = text("name")?;
    let args = kept["args"].as_array()?.iter();
    Some(Agent {
        driver: agents::driver(&text("driver")?, &name)?,
        name,
        program: text("program")?,
        args: args
            .map(|arg| arg.as_str().map(str::to_owned))
            .collect::<Option<_>>()?,
    })
}

fn to_json(agent: &Agent) -> Value {
    json!({
        "name": agent.name,
        "driver": agents::word_of(agent.driver),
        "program": agent.program,
        "args": agent.args,
    })
}

/// A path that is relative means a file in the worktree, which is not known here.
fn is_missing(agent: &Agent, environment: &Environment) -> bool {
    let is_relative = agent.program.contains('/') && !Path::new(&agent.program).is_absolute();
    !is_relative && environment.find_program(&agent.program).is_none()
}

fn how_to_get(agent: &Agent) -> String {
    let known = agents::KNOWN.iter().find(|(name, _)| *name == agent.name);
    match known {
        Some((_, install)) if !agent.program.contains('/') => {
            format!("Install it, as in `{install}`, or add its folder to PATH; then go on.")
        }
        _ => "Put the program back there, or start a new run with another agent.".to_owned(),
    }
}

fn command(agent: &Agent) -> String {
    let words = std::iter::once(&agent.program).chain(&agent.args);
    let words: Vec<String> = words.map(|word| sanitize(word)).collect();
    format!("{} ({})", sanitize(&agent.name), words.join(" "))
}

fn in_words(error: &CommandError) -> String {
    let hints = error.hints().join(" ");
    format!("{}. {hints}", error.in_one_line())
        .trim_end()
        .to_owned()
}
