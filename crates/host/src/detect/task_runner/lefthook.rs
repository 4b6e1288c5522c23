//! lefthook. It runs a hook as a whole, so a hook is proposed for formatting
//! or linting when one of its jobs does that for the language.

use std::rc::Rc;

use baton_protocol::Language;
use baton_protocol::detection::Purpose;
use serde_json::Value;

use super::{Runner, known_tasks, known_tools};
use crate::detect::project_files::ProjectFiles;
use crate::detect::proposal::{Proposal, Surroundings, Tier};

const STEMS: [&str; 3] = ["lefthook", ".lefthook", ".config/lefthook"];

pub(super) fn proposals(surroundings: Surroundings<'_>, language: Language) -> Vec<Proposal> {
    let Some((file, document)) = configuration(surroundings.files) else {
        return Vec::new();
    };
    let Some(hooks) = document.as_object() else {
        return Vec::new();
    };
    let runner = Runner::new(surroundings, "lefthook", Tier::Hook);
    let propose = |purpose: Purpose, hook: &str, reason: String| {
        let command = format!("lefthook run {hook} --all-files");
        runner.proposal(purpose, command, (&file, hook), reason)
    };
    // Hooks may have any name, so some projects define `lint` and `test` ones.
    let names: Vec<String> = hooks.keys().cloned().collect();
    let mut proposals: Vec<Proposal> = known_tasks(&names)
        .map(|(purpose, hook)| propose(purpose, hook, format!("{file} has the hook {hook}")))
        .collect();
    let jobs = hooks.get("pre-commit").map(jobs).unwrap_or_default();
    for tool in known_tools(language) {
        if jobs.iter().any(|job| job_uses(job, tool.name)) {
            let reason = format!("the pre-commit hook of {file} runs {}", tool.name);
            proposals.push(propose(tool.purpose, "pre-commit", reason));
        }
    }
    proposals
}

fn configuration(files: &ProjectFiles) -> Option<(String, Rc<Value>)> {
    for stem in STEMS {
        for (extension, read) in [
            ("yml", ProjectFiles::yaml as fn(&ProjectFiles, &str) -> _),
            ("yaml", ProjectFiles::yaml),
            ("toml", ProjectFiles::toml),
            ("json", ProjectFiles::json),
        ] {
            let file = format!("{stem}.{extension}");
            if let Some(document) = read(files, &file) {
                return Some((file, document));
            }
        }
    }
    None
}

/// The text of every job: its name and what it runs.
fn jobs(hook: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for key in ["commands", "scripts"] {
        for (name, job) in hook
            .get(key)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            found.push(name.clone());
            found.extend(run_of(job));
        }
    }
    for job in hook
        .get("jobs")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        found.extend(job.get("name").and_then(Value::as_str).map(str::to_owned));
        found.extend(run_of(job));
    }
    found
}

fn run_of(job: &Value) -> Option<String> {
    job.get("run").and_then(Value::as_str).map(str::to_owned)
}

fn job_uses(job: &str, tool: &str) -> bool {
    job.split(|c: char| c.is_whitespace() || matches!(c, '/' | ';' | '&' | '|'))
        .any(|word| word == tool)
}
