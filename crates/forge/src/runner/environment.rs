use std::ffi::OsStr;

use baton_host::cmd::Environment;

use super::claim::Claimed;
use crate::app::App;

/// What a check command finds in its environment: what the forge was started
/// with except for secrets and git's own state, and what GitHub's runners set.
pub(super) fn of_job(app: &App, claimed: &Claimed, workspace: &OsStr) -> Environment {
    let mut environment: Environment = app
        .settings()
        .environment
        .iter()
        .filter(|(name, _)| !is_withheld(&name.to_string_lossy()))
        .collect();
    let run = &claimed.run;
    let branch = run.head_branch.as_deref().unwrap_or_default();
    let actor = run.actor.as_ref().map_or("", |actor| actor.login.as_str());
    for (name, value) in [
        ("CI", "true"),
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_ACTOR", actor),
        ("GITHUB_API_URL", &app.urls().api("")),
        ("GITHUB_EVENT_NAME", &run.event),
        ("GITHUB_GRAPHQL_URL", &app.urls().graphql()),
        ("GITHUB_JOB", &claimed.job.name),
        ("GITHUB_REF", &format!("refs/heads/{branch}")),
        ("GITHUB_REF_NAME", branch),
        ("GITHUB_REPOSITORY", &claimed.repository.full_name()),
        ("GITHUB_REPOSITORY_OWNER", &claimed.repository.owner.login),
        ("GITHUB_RUN_ATTEMPT", &run.latest_attempt.to_string()),
        ("GITHUB_RUN_ID", &run.id.to_string()),
        ("GITHUB_RUN_NUMBER", &run.number.to_string()),
        ("GITHUB_SERVER_URL", &app.urls().page("")),
        ("GITHUB_SHA", &run.head_sha),
        ("GITHUB_WORKFLOW", &claimed.workflow.name),
        ("RUNNER_ENVIRONMENT", "self-hosted"),
        ("RUNNER_OS", "Linux"),
    ] {
        environment.set(name, value);
    }
    environment.set("GITHUB_WORKSPACE", workspace);
    environment
}

/// Whoever may push may run commands, but is not therefore given the tokens of
/// whoever started the forge.
fn is_withheld(name: &str) -> bool {
    const SECRET: &[&str] = &[
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "CREDENTIAL",
        "API_KEY",
    ];
    const STATE: &[&str] = &[
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_WORK_TREE",
        "SSH_AUTH_SOCK",
    ];
    let name = name.to_ascii_uppercase();
    SECRET.iter().any(|part| name.contains(part)) || STATE.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_stay_with_whoever_started_the_forge() {
        for name in [
            "GH_TOKEN",
            "npm_config_token",
            "AWS_SECRET_ACCESS_KEY",
            "GIT_DIR",
        ] {
            assert!(is_withheld(name), "{name}");
        }
        for name in ["PATH", "HOME", "CARGO_HOME", "GIT_CONFIG_GLOBAL", "TMPDIR"] {
            assert!(!is_withheld(name), "{name}");
        }
    }
}
