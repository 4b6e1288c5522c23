//! What a classic token may do.

use reqwest::header::HeaderName;

use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::http::Safety;

const SCOPES: HeaderName = HeaderName::from_static("x-oauth-scopes");

/// The scopes of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scopes(Vec<String>);

impl Scopes {
    fn parse(header: &str) -> Self {
        let scopes = header.split(',').map(str::trim);
        Self(
            scopes
                .filter(|scope| !scope.is_empty())
                .map(str::to_owned)
                .collect(),
        )
    }

    /// Whether they allow changes to any repository. Public ones take less.
    pub fn allow_changes(&self) -> bool {
        self.has("repo") || self.has("public_repo")
    }

    pub fn has(&self, scope: &str) -> bool {
        self.0.iter().any(|one| one == scope)
    }

    /// As GitHub writes them.
    pub fn joined(&self) -> String {
        self.0.join(", ")
    }
}

impl GitHub {
    /// The scopes of the token, without spending its quota. `None` for those that have none:
    /// fine-grained tokens and those of apps.
    pub async fn scopes(&self) -> Result<Option<Scopes>, GitHubError> {
        let errand = Errand::new("read", "the scopes of the token");
        let request = endpoint::RATE_LIMIT.global(&[], Safety::Read, errand);
        let reply = self.send(request).await?;
        Ok(reply.header(&SCOPES).map(Scopes::parse))
    }
}

#[cfg(test)]
mod tests {
    use super::Scopes;

    #[test]
    fn changes_take_a_scope_for_repositories() {
        for (header, expected) in [
            ("repo, gist", true),
            ("public_repo", true),
            ("repo:status, read:org", false),
            ("", false),
        ] {
            assert_eq!(Scopes::parse(header).allow_changes(), expected, "{header}");
        }
    }
}
