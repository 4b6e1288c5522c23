//! What a job's command finds in its environment.

use baton_host::cmd::Environment;

use super::claim::Claimed;
use super::workspace::Workspace;
use crate::app::App;

/// What jobs inherit from the forge, besides the locale (`LC_…`). Everything
/// else may be a secret, whatever its name.
const INHERITED: &[&str] = &["PATH", "LANG", "LANGUAGE", "TZ"];

/// What is inherited, what the administrator gives to all jobs, and what
/// GitHub's runners set. Home and temporary files are the job's own.
pub(super) fn for_job(app: &App, claimed: &Claimed, workspace: &Workspace) -> Environment {
    let settings = app.settings();
    let mut environment = inherited(&settings.environment);
    environment.set("HOME", workspace.home());
    environment.set("TMPDIR", workspace.temporary());
    environment.set("RUNNER_TEMP", workspace.temporary());
    for (name, value) in settings.job_environment.iter() {
        environment.set(name, value);
    }
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
    environment.set("GITHUB_WORKSPACE", workspace.path());
    environment
}

/// A copy from which variables are taken, so that whatever else an environment
/// carries stays.
fn inherited(environment: &Environment) -> Environment {
    let mut kept = environment.clone();
    for (name, _) in environment.iter() {
        let text = name.to_string_lossy();
        if !INHERITED.contains(&text.as_ref()) && !text.starts_with("LC_") {
            kept.remove(name);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_listed_is_inherited() {
        let given = [
            "PATH",
            "LANG",
            "LC_ALL",
            "TZ",
            "HOME",
            "TMPDIR",
            "DATABASE_URL",
            "GH_TOKEN",
            "GIT_DIR",
            "SSH_AUTH_SOCK",
            "LD_PRELOAD",
            "path",
        ];
        let kept = inherited(&given.map(|name| (name, "x")).into_iter().collect());
        let names: Vec<_> = kept.iter().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(names, ["LANG", "LC_ALL", "PATH", "TZ"]);
    }
}
