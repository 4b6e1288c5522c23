//! The login that the user made with the `gh` program.

use std::time::Duration;

use baton_host::cmd::{Cmd, CmdError, Environment, Outcome};
use tokio_util::sync::CancellationToken;

use crate::http::{Secret, display};

/// Why `gh` gave no token.
#[derive(Debug, thiserror::Error)]
pub enum GhError {
    #[error("cannot start gh; install it from https://cli.github.com, or give a token in GH_TOKEN")]
    Start(#[source] CmdError),
    #[error("gh has no login for {host}; run `gh auth login --hostname {host}`")]
    NotLoggedIn { host: String },
    #[error("gh {outcome} when asked for its token: {said}")]
    Failed { outcome: Outcome, said: String },
    #[error("gh gave an unusable token for {host}; run `gh auth login --hostname {host}` again")]
    BadToken { host: String },
}

/// At most it has to query a keyring.
const LIMIT: Duration = Duration::from_secs(20);

/// Asks `gh` for the token of a host, such as `github.com`. `environment` has the
/// paths of `gh` and its configuration.
pub async fn token_from_gh(
    host: &str,
    environment: &Environment,
    cancel: &CancellationToken,
) -> Result<Secret, GhError> {
    let host_argument = format!("--hostname={host}");
    let finished = Cmd::new("gh", "/", environment)
        .args(["auth", "token"])
        .arg(host_argument)
        .env("GH_PROMPT_DISABLED", "1")
        .env("GH_NO_UPDATE_NOTIFIER", "1")
        .wall_limit(LIMIT)
        .run(cancel)
        .await
        .map_err(GhError::Start)?;
    let host = display::excerpt(host);
    match finished.outcome {
        Outcome::Exited(0) => {
            let token = finished.stdout.text();
            let token = token.trim();
            if token.is_empty() || token.contains(char::is_whitespace) {
                return Err(GhError::BadToken { host });
            }
            Ok(Secret::new(token))
        }
        // gh exits with 1 for all its errors, and with 4 where a login is needed.
        Outcome::Exited(1 | 4) => Err(GhError::NotLoggedIn { host }),
        outcome => Err(GhError::Failed {
            outcome,
            said: display::excerpt(&finished.stderr.text()),
        }),
    }
}
