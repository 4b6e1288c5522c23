//! pre-commit and prek, which read the same configuration.

use baton_protocol::Language;
use baton_protocol::detection::Purpose;
use serde_json::Value;

use super::{Runner, known_tools};
use crate::detect::project_files::ProjectFiles;
use crate::detect::proposal::{Proposal, Surroundings, Tier};

pub(super) fn proposals(surroundings: Surroundings<'_>, language: Language) -> Vec<Proposal> {
    let Some((file, hooks)) = hooks(surroundings.files) else {
        return Vec::new();
    };
    // prek.toml is prek's alone; otherwise whichever of the two is installed.
    let only_prek = file == "prek.toml";
    let on_path = surroundings.on_path;
    let program = if only_prek || (!on_path("pre-commit") && on_path("prek")) {
        "prek"
    } else {
        "pre-commit"
    };
    let runner = Runner::new(surroundings, program, Tier::Hook);
    let mut proposals = Vec::new();
    for purpose in [Purpose::Format, Purpose::Lint] {
        let known: Vec<&str> = known_tools(language)
            .filter(|tool| tool.purpose == purpose && hooks.iter().any(|hook| hook == tool.name))
            .map(|tool| tool.name)
            .collect();
        if known.is_empty() {
            continue;
        }
        // One call takes one hook.
        let command = known
            .iter()
            .map(|hook| format!("{program} run {hook} --all-files"))
            .collect::<Vec<_>>()
            .join(" && ");
        let names = known.join(", ");
        let purposes: &[Purpose] = if purpose == Purpose::Format {
            &[Purpose::Format, Purpose::FormatFix]
        } else {
            &[Purpose::Lint]
        };
        proposals.extend(purposes.iter().map(|purpose| {
            let reason = format!("{file} has {names}");
            runner.proposal(*purpose, command.as_str(), (file, &names), reason)
        }));
    }
    proposals
}

/// The hook ids of the configuration that is there.
fn hooks(files: &ProjectFiles) -> Option<(&'static str, Vec<String>)> {
    let (file, document) = if let Some(document) = files.toml("prek.toml") {
        ("prek.toml", document)
    } else {
        let file = files.first(&[".pre-commit-config.yaml", ".pre-commit-config.yml"])?;
        (file, files.yaml(file)?)
    };
    let ids = document
        .get("repos")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|repo| repo.get("hooks")?.as_array())
        .flatten()
        .filter_map(|hook| hook.get("id")?.as_str())
        .map(str::to_owned)
        .collect();
    Some((file, ids))
}
