//! tox, in `tox.ini`, `tox.toml`, `setup.cfg` or `pyproject.toml`.

use baton_protocol::detection::Purpose;
use serde_json::Value;

use super::{Runner, known_tasks};
use crate::detect::parse::{self, Ini};
use crate::detect::project_files::ProjectFiles;
use crate::detect::proposal::{Proposal, Surroundings, Tier};

pub(super) fn proposals(surroundings: Surroundings<'_>) -> Vec<Proposal> {
    let Some((file, environments)) = environments(surroundings.files) else {
        return Vec::new();
    };
    let runner = Runner::new(surroundings, "tox", Tier::Environment);
    let mut proposals: Vec<Proposal> = known_tasks(&environments)
        // An environment is a place to run checks in, not a server.
        .filter(|(purpose, _)| *purpose != Purpose::Start)
        .map(|(purpose, environment)| {
            runner.proposal(
                purpose,
                format!("tox -e {environment}"),
                (file, environment),
                format!("{file} has the environment {environment}"),
            )
        })
        .collect();
    // `py` is whatever interpreter runs tox, with the base environment's commands.
    proposals.push(runner.proposal(
        Purpose::Test,
        "tox -e py",
        (file, "testenv"),
        format!("{file} defines how tox runs the tests"),
    ));
    proposals
}

fn environments(files: &ProjectFiles) -> Option<(&'static str, Vec<String>)> {
    for file in ["tox.ini", "setup.cfg"] {
        if let Some(text) = files.text(file) {
            let ini = parse::ini(&text);
            // A tox.ini may hold only the settings of other tools.
            if ini.sections().any(is_tox_section) {
                return Some((file, environments_from_ini(&ini)));
            }
        }
    }
    if let Some(document) = files.toml("tox.toml") {
        return Some(("tox.toml", environments_from_table(&document)));
    }
    let pyproject = files.toml("pyproject.toml")?;
    let tox = pyproject.pointer("/tool/tox")?;
    let environments = match tox.get("legacy_tox_ini").and_then(Value::as_str) {
        Some(text) => environments_from_ini(&parse::ini(text)),
        None => environments_from_table(tox),
    };
    Some(("pyproject.toml", environments))
}

fn is_tox_section(section: &str) -> bool {
    section == "tox" || section == "tox:tox" || section.starts_with("testenv")
}

fn environments_from_ini(ini: &Ini) -> Vec<String> {
    let mut found: Vec<String> = ini
        .sections()
        .filter_map(|section| section.strip_prefix("testenv:"))
        .map(str::to_owned)
        .collect();
    for key in ["env_list", "envlist"] {
        if let Some(list) = ini.value("tox", key) {
            found.extend(
                list.split([',', '\n'])
                    .map(|name| name.trim().to_owned())
                    .filter(|name| !name.is_empty()),
            );
        }
    }
    found
}

fn environments_from_table(tox: &Value) -> Vec<String> {
    let tables = tox
        .get("env")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|environments| environments.keys().cloned());
    let listed = tox
        .get("env_list")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned));
    tables.chain(listed).take(parse::MAX_ENTRIES).collect()
}
