//! Proposes the tasks of go-task.

use serde_json::Value;

use super::{Runner, known_tasks};
use crate::detect::proposal::{Proposal, Surroundings, Tier};

/// In the order of go-task itself.
const FILES: [&str; 8] = [
    "Taskfile.yml",
    "taskfile.yml",
    "Taskfile.yaml",
    "taskfile.yaml",
    "Taskfile.dist.yml",
    "taskfile.dist.yml",
    "Taskfile.dist.yaml",
    "taskfile.dist.yaml",
];

pub(super) fn proposals(surroundings: Surroundings<'_>) -> Vec<Proposal> {
    let files = surroundings.files;
    let Some(file) = files.first(&FILES) else {
        return Vec::new();
    };
    let tasks = files.yaml(file).map(|document| callable_tasks(&document));
    let runner = Runner::new(surroundings, "task", Tier::Target);
    known_tasks(&tasks.unwrap_or_default())
        .map(|(purpose, task)| {
            runner.proposal(
                purpose,
                format!("task {task}"),
                (file, task),
                format!("{file} has the task {task}"),
            )
        })
        .collect()
}

/// Internal tasks are for other tasks.
fn callable_tasks(document: &Value) -> Vec<String> {
    let Some(tasks) = document.get("tasks").and_then(Value::as_object) else {
        return Vec::new();
    };
    let is_internal = |task: &Value| task.get("internal").and_then(Value::as_bool) == Some(true);
    tasks
        .iter()
        .filter(|(_, task)| !is_internal(task))
        .map(|(name, _)| name.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internal_tasks_cannot_be_called() {
        let document = serde_json::json!({"version": "3", "tasks": {
            "test": "go test ./...",
            "lint": {"cmds": ["x"]},
            "build": {"internal": true, "cmds": ["x"]},
        }});
        assert_eq!(callable_tasks(&document), ["test", "lint"]);
    }
}
