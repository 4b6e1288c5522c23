//! What the CI workflows run. Good for a person to look at; never chosen,
//! because a step assumes the machine that the steps before it prepared.

use baton_protocol::detection::{Hint, Purpose};
use serde_json::Value;

use super::project_files::ProjectFiles;

const FOLDER: &str = ".github/workflows";
const MAX_WORKFLOWS: usize = 20;
const MAX_HINTS: usize = 50;
const MAX_COMMAND_CHARS: usize = 120;

/// Words that give a step's purpose away; the first match counts.
const WORDS: [(&str, Purpose); 14] = [
    ("lint", Purpose::Lint),
    ("clippy", Purpose::Lint),
    ("ruff check", Purpose::Lint),
    ("go vet", Purpose::Lint),
    ("fmt", Purpose::Format),
    ("format", Purpose::Format),
    ("prettier", Purpose::Format),
    ("test", Purpose::Test),
    ("rspec", Purpose::Test),
    ("build", Purpose::Build),
    ("compile", Purpose::Build),
    ("install", Purpose::Install),
    ("npm ci", Purpose::Install),
    ("sync", Purpose::Install),
];

pub(super) fn workflow_steps(files: &ProjectFiles) -> Vec<Hint> {
    let mut hints = Vec::new();
    let workflows = files.names_in(FOLDER).into_iter().filter(|name| {
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        matches!(extension, Some("yml" | "yaml"))
    });
    for name in workflows.take(MAX_WORKFLOWS) {
        let file = format!("{FOLDER}/{name}");
        let Some(workflow) = files.yaml(&file) else {
            continue;
        };
        for run in runs(&workflow) {
            if hints.len() >= MAX_HINTS {
                return hints;
            }
            let command = first_line(run);
            if !command.is_empty() {
                hints.push(Hint {
                    purpose: purpose_of(&command),
                    file: file.clone(),
                    command,
                });
            }
        }
    }
    hints
}

fn runs(workflow: &Value) -> impl Iterator<Item = &str> {
    workflow
        .get("jobs")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|jobs| jobs.values())
        .filter_map(|job| job.get("steps")?.as_array())
        .flatten()
        .filter_map(|step| step.get("run")?.as_str())
}

fn first_line(run: &str) -> String {
    let line = run.lines().map(str::trim).find(|line| !line.is_empty());
    line.unwrap_or_default()
        .chars()
        .filter(|character| !character.is_control())
        .take(MAX_COMMAND_CHARS)
        .collect()
}

fn purpose_of(command: &str) -> Option<Purpose> {
    WORDS
        .iter()
        .find(|(word, _)| command.contains(word))
        .map(|(_, purpose)| *purpose)
}
