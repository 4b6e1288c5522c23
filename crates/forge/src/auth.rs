//! Who asks, and what they may do.

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use crate::app::App;
use crate::error::{ApiError, Result};
use crate::hex::hex;
use crate::store::repositories::{self, Permission, Repository};
use crate::store::users::{self, User};

/// The sender of a request; anonymous without a token.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) user: Option<User>,
    /// As in `X-OAuth-Scopes`; empty without a token.
    pub(crate) scopes: String,
}

impl Caller {
    /// For what the forge does on a user's behalf, as they have asked for.
    pub(crate) fn acting_for(user: User) -> Self {
        Self {
            user: Some(user),
            scopes: "repo".to_owned(),
        }
    }

    pub(crate) fn user_id(&self) -> Option<i64> {
        self.user.as_ref().map(|user| user.id)
    }

    /// The user, or the answer that a token is needed.
    pub(crate) fn user(&self) -> Result<&User> {
        self.user
            .as_ref()
            .ok_or(ApiError::Unauthorized("Requires authentication"))
    }

    /// The repository, when the caller may read it. One that was renamed is
    /// found under its old name, too; `rest` answers that with a redirect.
    pub(crate) fn repository(
        &self,
        conn: &Connection,
        owner: &str,
        name: &str,
        needed: Permission,
    ) -> Result<Repository> {
        let repository = match repositories::by_name(conn, owner, name)? {
            Some(repository) => repository,
            None => repositories::by_old_name(conn, owner, name)?.ok_or(ApiError::NotFound)?,
        };
        self.check(conn, &repository, needed)?;
        Ok(repository)
    }

    /// Like [`repository`](Self::repository), for a request that changes
    /// something there.
    pub(crate) fn repository_to_change(
        &self,
        conn: &Connection,
        owner: &str,
        name: &str,
        needed: Permission,
    ) -> Result<Repository> {
        let repository = self.repository(conn, owner, name, needed)?;
        self.user()?;
        if repository.archived {
            return Err(ApiError::Forbidden(
                "Repository was archived so is read-only.".to_owned(),
            ));
        }
        Ok(repository)
    }

    pub(crate) fn has_scope(&self, needed: &str) -> bool {
        self.scopes.split(", ").any(|scope| scope == needed)
    }

    /// What the user may do there, as far as the token's scopes allow it.
    pub(crate) fn permission(
        &self,
        conn: &Connection,
        repository: &Repository,
    ) -> Result<Permission> {
        let given = repositories::permission(conn, repository, self.user.as_ref())?;
        let is_enough =
            self.has_scope("repo") || (!repository.private && self.has_scope("public_repo"));
        let most = if is_enough {
            Permission::Admin
        } else if repository.private {
            Permission::None
        } else {
            Permission::Read
        };
        Ok(given.min(most))
    }

    /// Anyone who may not read is not told that there is something; anyone who may
    /// not write is told so.
    pub(crate) fn check(
        &self,
        conn: &Connection,
        repository: &Repository,
        needed: Permission,
    ) -> Result<()> {
        let given = self.permission(conn, repository)?;
        if given < Permission::Read {
            return Err(ApiError::NotFound);
        }
        if let Some(reason) = &repository.suspended {
            return Err(ApiError::Blocked {
                reason: reason.clone(),
                since: repository.updated_at.clone(),
            });
        }
        if given >= needed {
            return Ok(());
        }
        self.user()?;
        Err(ApiError::not_accessible())
    }
}

/// How a token is kept.
pub(crate) fn fingerprint(token: &str) -> String {
    hex(&Sha256::digest(token.as_bytes()))
}

impl FromRequestParts<App> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        // Known since the request came in; looked up only where no middleware was passed.
        match parts.extensions.get::<Self>() {
            Some(caller) => Ok(caller.clone()),
            None => identify(app, &parts.headers),
        }
    }
}

pub(crate) fn identify(app: &App, headers: &HeaderMap) -> Result<Caller> {
    let Some(token) = presented(headers) else {
        return Ok(Caller {
            user: None,
            scopes: String::new(),
        });
    };
    let known = app.rows(|conn| users::token(conn, &fingerprint(&token)))?;
    let now = app.now();
    let valid = known
        .filter(|token| !token.revoked && token.expires_at.as_ref().is_none_or(|at| *at > now));
    let token = valid.ok_or(ApiError::Unauthorized("Bad credentials"))?;
    Ok(Caller {
        user: Some(token.user),
        scopes: token.scopes,
    })
}

/// `token X`, `Bearer X`, or `Basic` with the token as the password, as git sends it.
fn presented(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, rest) = value.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("token") || scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.trim().to_owned());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = STANDARD.decode(rest.trim()).ok()?;
    let text = String::from_utf8(decoded).ok()?;
    let (user, password) = text.split_once(':')?;
    // `https://TOKEN@host/…` puts the token where the user belongs.
    let token = if password.is_empty() || password == "x-oauth-basic" {
        user
    } else {
        password
    };
    Some(token.to_owned())
}
