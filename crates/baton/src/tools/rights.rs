//! Which tools the user's token cannot use.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::environment::{self, GH_TOKEN, GITHUB_TOKEN};
use crate::error::CommandError;
use crate::github::GitHubAccess;
use crate::session::Session;

/// Clients ask for the list of tools before anything else, and wait for it.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// How tokens begin that have no scopes: fine-grained ones, and those of apps.
const WITHOUT_SCOPES: [&str; 3] = ["github_pat_", "ghs_", "ghu_"];

/// The token's server.
pub(super) struct Asking(GitHubAccess);

impl Asking {
    /// `None` where there is no need to ask. `gh` gives its own logins the scopes that changes take.
    pub(super) fn new(session: &Session) -> Result<Option<Self>, CommandError> {
        let token = [GITHUB_TOKEN, GH_TOKEN]
            .iter()
            .find_map(|name| environment::text(&session.environment, name));
        let has_scopes = |token: &str| !WITHOUT_SCOPES.iter().any(|start| token.starts_with(start));
        match token {
            Some(token) if has_scopes(token.trim()) => Ok(Some(Self(GitHubAccess::new(session)?))),
            _ => Ok(None),
        }
    }
}

/// Those of `acting` that the token cannot use. What could not be found out is no reason to
/// withhold a tool: GitHub refuses what the token may not do.
pub(super) async fn without_scopes(
    asking: Arc<Asking>,
    acting: Vec<&'static str>,
) -> Vec<&'static str> {
    let Asking(access) = &*asking;
    let scopes = timeout(MAX_WAIT, async {
        let cancel = CancellationToken::new();
        let github = access.with_login(access.configured(), &cancel).await.ok()?;
        github.scopes().await.ok()?
    });
    match scopes.await {
        Ok(Some(scopes)) if !scopes.allow_changes() => {
            tracing::info!(
                scopes = scopes.joined(),
                "tools that act on GitHub are not offered"
            );
            acting
        }
        _ => Vec::new(),
    }
}
