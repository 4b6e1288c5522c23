//! With which login a server is asked.
//!
//! A token in the environment is for the server that the user configured. A
//! pull request's URL may name any host, and may come from a stranger's
//! comment through an agent: such a host gets a login that the user made for
//! it with `gh`, or is not asked at all.

use baton_host::cmd::Environment;
use baton_ops::{Fault, OpError};
use baton_protocol::tools::ErrorCategory;
use baton_remote::github::auth::{GhError, token_from_gh};
use baton_remote::github::{Auth, Server};
use baton_remote::http::Secret;
use tokio_util::sync::CancellationToken;

use crate::environment::{
    self, GH_ENTERPRISE_TOKEN, GH_TOKEN, GITHUB_ENTERPRISE_TOKEN, GITHUB_TOKEN,
};

/// Public things can be asked without any login.
const PUBLIC_HOST: &str = "github.com";

pub(super) async fn for_configured(
    server: &Server,
    environment: &Environment,
    cancel: &CancellationToken,
) -> Auth {
    for name in [GITHUB_TOKEN, GH_TOKEN] {
        if let Some(token) = environment::text(environment, name) {
            return Auth::Token(Secret::new(token.trim()));
        }
    }
    match token_from_gh(&server.host(), environment, cancel).await {
        Ok(token) => Auth::Token(token),
        Err(error) => {
            tracing::debug!(%error, "asking without a login");
            Auth::Anonymous
        }
    }
}

pub(super) async fn for_named(
    server: &Server,
    environment: &Environment,
    cancel: &CancellationToken,
) -> Result<Auth, OpError> {
    // `gh` would give these for any host that it is asked about.
    let mut environment = environment.clone();
    for name in [
        GITHUB_TOKEN,
        GH_TOKEN,
        GITHUB_ENTERPRISE_TOKEN,
        GH_ENTERPRISE_TOKEN,
    ] {
        environment.remove(name);
    }
    let host = server.host();
    match token_from_gh(&host, &environment, cancel).await {
        Ok(token) => Ok(Auth::Token(token)),
        Err(_) if cancel.is_cancelled() => Err(OpError::Cancelled),
        Err(_) if host == PUBLIC_HOST => Ok(Auth::Anonymous),
        Err(error @ (GhError::Start(_) | GhError::NotLoggedIn { .. })) => {
            tracing::debug!(%error, "not asking");
            Err(no_login(&host))
        }
        Err(error) => Err(OpError::failed(
            Fault::Local,
            ErrorCategory::User,
            error.to_string(),
            "Run `gh auth status`.",
        )),
    }
}

fn no_login(host: &str) -> OpError {
    OpError::failed(
        Fault::Local,
        ErrorCategory::User,
        format!("there is no login for {host}, and a token for another host is not sent there"),
        format!(
            "Run `gh auth login --hostname {host}`, or set github.api_url if it is the server \
             you work with. To ask the configured server, write `owner/repo#number`."
        ),
    )
}
