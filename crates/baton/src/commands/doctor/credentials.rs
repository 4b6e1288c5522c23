//! Tokens of GitHub and Jira.

use std::path::Path;
use std::time::Duration;

use baton_host::cmd::{Cmd, Outcome};
use baton_remote::github::Server;
use baton_remote::github::auth::token_from_gh;
use baton_remote::jira::Jira;
use tokio_util::sync::CancellationToken;

use super::checks::Check;
use super::programs;
use crate::checkout;
use crate::environment::{
    self, GH_ENTERPRISE_TOKEN, GH_TOKEN, GITHUB_ENTERPRISE_TOKEN, GITHUB_TOKEN, JIRA_API_TOKEN,
};
use crate::jira;
use crate::session::Session;

const PATIENCE: Duration = Duration::from_secs(10);
const GITHUB: &str = "GitHub";
const JIRA: &str = "Jira";

pub(super) async fn github(
    here: &Path,
    session: &Session,
    offline: bool,
    cancel: &CancellationToken,
) -> Vec<Check> {
    let mut checks = Vec::new();
    if let Some((host, repository)) = checkout::repository(here, &session.environment, cancel).await
    {
        checks.push(Check::fine(
            GITHUB,
            format!("repository: {repository} on {host}"),
        ));
    }
    let gh = programs::version("gh", here, session, cancel).await;
    checks.push(match &gh {
        Some(version) => Check::fine(GITHUB, version.clone()),
        None => Check::note(
            GITHUB,
            "gh is not installed; the commands that baton prints for pull requests use it",
            "Install GitHub's command line, `gh`.",
        ),
    });
    let Some(server) = server(session) else {
        // The check of baton's own files tells of it.
        return checks;
    };
    let Some((token, source)) = token(&server, session, gh.is_some(), cancel).await else {
        checks.push(Check::note(
            GITHUB,
            "there is no token",
            "Set GITHUB_TOKEN, or run `gh auth login`.",
        ));
        return checks;
    };
    checks.push(Check::fine(GITHUB, format!("token: from {source}")));
    // `gh` speaks https only, and a local forge has nothing to say about rights.
    if gh.is_some() && !offline && server.api_url().starts_with("https://") {
        checks.push(rights(&server, here, session, &token, cancel).await);
    }
    checks
}

/// The server that the token is for.
fn server(session: &Session) -> Option<Server> {
    let config = session.config().ok()?;
    config
        .get("github.api_url")
        .map(|url| Server::at(&url.text))
}

/// The token and where it came from.
async fn token(
    server: &Server,
    session: &Session,
    gh: bool,
    cancel: &CancellationToken,
) -> Option<(String, &'static str)> {
    for name in [GITHUB_TOKEN, GH_TOKEN] {
        if let Some(token) = environment::text(&session.environment, name) {
            return Some((token.to_owned(), name));
        }
    }
    if !gh {
        return None;
    }
    let token = token_from_gh(&server.host(), &session.environment, cancel).await;
    Some((token.ok()?.expose().to_owned(), "gh auth token"))
}

/// Asks the server of the token, through `gh`, whose it is and what it may do.
async fn rights(
    server: &Server,
    here: &Path,
    session: &Session,
    token: &str,
    cancel: &CancellationToken,
) -> Check {
    let host = server.host();
    let mut cmd = Cmd::new("gh", here, &session.environment)
        .args(["api", "--hostname", &host, "--include", "user"])
        .env("GH_PROMPT_DISABLED", "1")
        .wall_limit(PATIENCE);
    for name in [
        GITHUB_TOKEN,
        GH_TOKEN,
        GITHUB_ENTERPRISE_TOKEN,
        GH_ENTERPRISE_TOKEN,
    ] {
        cmd = cmd.env_remove(name);
    }
    // `gh` sends each variable to its own kind of host only.
    let variable = if host == "github.com" || host.ends_with(".ghe.com") {
        GH_TOKEN
    } else {
        GH_ENTERPRISE_TOKEN
    };
    let cmd = cmd.secret_env(variable, token);
    let finished = match cmd.run(cancel).await {
        Ok(finished) => finished,
        Err(error) => return Check::note(GITHUB, error.to_string(), "Run `gh auth status`."),
    };
    if finished.outcome != Outcome::Exited(0) {
        let said = finished.stderr.text();
        let line = said.lines().next().unwrap_or("gh said nothing").to_owned();
        return Check::note(
            GITHUB,
            format!("the token's rights could not be asked for: {line}"),
            "Check the network and run `gh auth status`; `--offline` leaves this out.",
        );
    }
    let answer = finished.stdout.text();
    let scopes = answer.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("x-oauth-scopes")
            .then(|| value.trim().to_owned())
    });
    judge(scopes.as_deref())
}

/// A classic token tells its scopes; a fine-grained one does not.
fn judge(scopes: Option<&str>) -> Check {
    match scopes {
        None | Some("") => Check::fine(
            GITHUB,
            "the token is accepted; it is fine-grained, so its rights depend on the repository",
        ),
        Some(scopes) if scopes.split(',').any(|scope| scope.trim() == "repo") => {
            Check::fine(GITHUB, format!("the token is accepted; scopes: {scopes}"))
        }
        Some(scopes) => Check::note(
            GITHUB,
            if scopes.split(',').any(|scope| scope.trim() == "public_repo") {
                format!("the token can change public repositories only; scopes: {scopes}")
            } else {
                format!(
                    "the token lacks the scope `repo`, so `baton mcp` does not offer the tools that act on GitHub; \
                     it has: {scopes}"
                )
            },
            "Create a token with `repo`, or run `gh auth refresh --scopes repo`.",
        ),
    }
}

pub(super) fn jira(session: &Session) -> Vec<Check> {
    let Ok(config) = session.config() else {
        // The check of baton's own files tells of it.
        return Vec::new();
    };
    let here = Session::working_directory().unwrap_or_default();
    if let Ok(Some(jira @ Jira::Mcp(_))) = jira::access(&config, &session.environment, &here) {
        let route = jira.route();
        return vec![Check::fine(JIRA, format!("{route} (it was not started)"))];
    }
    let parts = [
        ("JIRA_URL", config.get("jira.url").is_some()),
        ("JIRA_USERNAME", config.get("jira.username").is_some()),
        (
            JIRA_API_TOKEN,
            environment::get(&session.environment, JIRA_API_TOKEN).is_some(),
        ),
    ];
    let absent: Vec<_> = parts
        .iter()
        .filter(|(_, there)| !there)
        .map(|(name, _)| *name)
        .collect();
    vec![match (absent.len(), config.get("jira.url")) {
        (0, Some(url)) => Check::fine(
            JIRA,
            format!("credentials for {} are set (Jira was not asked)", url.text),
        ),
        (3, _) => Check::note(
            JIRA,
            "not configured; pull requests are made without it",
            "Set JIRA_URL, JIRA_USERNAME and JIRA_API_TOKEN if you use Jira.",
        ),
        _ => Check::note(
            JIRA,
            "configured in part",
            format!("Set {} too.", absent.join(" and ")),
        ),
    }]
}

#[cfg(test)]
mod tests {
    use super::judge;
    use crate::commands::doctor::checks::Status;

    #[test]
    fn scopes_are_judged() {
        assert_eq!(judge(Some("gist, repo, workflow")).status, Status::Fine);
        assert_eq!(judge(None).status, Status::Fine);
        let public = judge(Some("gist, public_repo"));
        assert_eq!(public.status, Status::Note);
        insta::assert_snapshot!(public.finding, @"the token can change public repositories only; scopes: gist, public_repo");
        let lacking = judge(Some("gist"));
        assert_eq!(lacking.status, Status::Note);
        insta::assert_snapshot!(lacking.finding, @"the token lacks the scope `repo`, so `baton mcp` does not offer the tools that act on GitHub; it has: gist");
    }
}
