//! The permissions of users.

use baton_protocol::Repository;
use serde::Deserialize;

use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::enums::Permission;
use crate::github::errand::Errand;
use crate::github::error::{GitHubError, GitHubErrorKind};

#[derive(Deserialize)]
struct Granted {
    permission: Permission,
    /// Finer than `permission`, which has neither triage nor maintain.
    role_name: Option<Permission>,
}

impl GitHub {
    /// A user's permission in a repository. Custom roles of an organisation count
    /// as the role they are based on.
    pub async fn permission_of(
        &self,
        repository: &Repository,
        login: &str,
    ) -> Result<Permission, GitHubError> {
        let errand = Errand::new("read", format!("what {login} may do in {repository}"));
        let request = endpoint::COLLABORATOR_PERMISSION.read(repository, &[&login], errand);
        match self.get::<Granted>(request).await {
            Ok(granted) => Ok(match granted.role_name {
                None | Some(Permission::Unknown(_)) => granted.permission,
                Some(role) => role,
            }),
            Err(error) if matches!(error.kind(), GitHubErrorKind::NotFound { .. }) => {
                Ok(Permission::None)
            }
            Err(error) => Err(error),
        }
    }
}
