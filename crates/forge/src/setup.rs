//! Setting a forge up from the same process: accounts, tokens, repositories.
//! There is no address for these: a user who can start the forge may do them.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::actions::{pushes, repositories as actions};
use crate::app::App;
use crate::auth::fingerprint;
use crate::error::ApiError;
use crate::middleware::surface::is_reserved;
use crate::random;
use crate::store::repositories::{self, Permission, Repository};
use crate::store::users::{self, NewUser, User, UserKind};

#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("`{0}` is not a usable login: letters, digits and single dashes, at most 39")]
    BadLogin(String),
    #[error("the login `{0}` is part of the forge's own addresses; choose another")]
    ReservedLogin(String),
    #[error("the login `{0}` is taken; choose another")]
    LoginTaken(String),
    #[error("there is no account `{0}`; add it first")]
    NoAccount(String),
    #[error("there is no repository `{0}`; add it first")]
    NoRepository(String),
    #[error("{} is not a git repository; run `git init` there or choose another folder", .0.display())]
    NotARepository(PathBuf),
    #[error("cannot {doing}: {reason}")]
    Refused { doing: String, reason: String },
    #[error("cannot {doing}")]
    Failed {
        doing: String,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountKind {
    User,
    Organization,
    Bot,
}

#[derive(Debug, Clone)]
pub struct NewAccount {
    pub login: String,
    pub kind: AccountKind,
    pub name: Option<String>,
    pub email: Option<String>,
    /// May do everything everywhere.
    pub site_admin: bool,
}

impl NewAccount {
    pub fn user(login: impl Into<String>) -> Self {
        Self {
            login: login.into(),
            kind: AccountKind::User,
            name: None,
            email: None,
            site_admin: false,
        }
    }

    pub fn organization(login: impl Into<String>) -> Self {
        Self {
            kind: AccountKind::Organization,
            ..Self::user(login)
        }
    }
}

#[derive(Debug, Clone)]
pub struct NewRepository {
    pub owner: String,
    pub name: String,
    pub description: Option<String>,
    pub private: bool,
    pub default_branch: String,
    /// An existing git repository, which stays where it is and may be pushed
    /// to directly; a new one in the forge's data folder when not given.
    pub path: Option<PathBuf>,
}

impl NewRepository {
    pub fn new(owner: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            owner: owner.into(),
            name: name.into(),
            description: None,
            private: false,
            default_branch: "main".to_owned(),
            path: None,
        }
    }
}

/// What a user may do in a repository, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Read,
    Triage,
    Write,
    Maintain,
    Admin,
}

impl App {
    pub async fn create_account(&self, new: NewAccount) -> Result<(), SetupError> {
        if !is_login(&new.login) {
            return Err(SetupError::BadLogin(new.login));
        }
        if is_reserved(&new.login) {
            return Err(SetupError::ReservedLogin(new.login));
        }
        let login = new.login.clone();
        let at = self.now();
        let created = self
            .write(move |tx| {
                if users::by_login(tx, &new.login)?.is_some() {
                    return Ok(false);
                }
                let user = NewUser {
                    login: &new.login,
                    kind: match new.kind {
                        AccountKind::User => UserKind::User,
                        AccountKind::Organization => UserKind::Organization,
                        AccountKind::Bot => UserKind::Bot,
                    },
                    name: new.name.as_deref(),
                    email: new.email.as_deref(),
                    site_admin: new.site_admin,
                    at: &at,
                };
                users::create(tx, &user)?;
                Ok(true)
            })
            .await
            .map_err(|error| explain("add an account", error))?;
        if created {
            Ok(())
        } else {
            Err(SetupError::LoginTaken(login))
        }
    }

    /// Makes a user a member of an organisation, or changes their role there.
    pub async fn add_member(
        &self,
        organization: &str,
        login: &str,
        is_admin: bool,
    ) -> Result<(), SetupError> {
        let (organization, user) = (self.account(organization)?, self.account(login)?);
        self.write(move |tx| Ok(users::set_member(tx, organization.id, user.id, is_admin)?))
            .await
            .map_err(|error| explain("add a member", error))
    }

    /// A new token. It is not kept: only here it can be seen. `scopes` are
    /// GitHub's (`repo`, `read:org`, `gist`, `workflow`, …); `expires_at` is
    /// RFC 3339 in UTC.
    pub async fn issue_token(
        &self,
        login: &str,
        scopes: &[&str],
        expires_at: Option<&str>,
    ) -> Result<String, SetupError> {
        let user = self.account(login)?;
        let token = new_token();
        let (sha256, scopes) = (fingerprint(&token), scopes.join(", "));
        let (expires_at, at) = (expires_at.map(str::to_owned), self.now());
        self.write(move |tx| {
            let expires_at = expires_at.as_deref();
            users::add_token(tx, user.id, &sha256, &scopes, expires_at, &at)?;
            Ok(())
        })
        .await
        .map_err(|error| explain("issue a token", error))?;
        Ok(token)
    }

    pub async fn revoke_token(&self, token: &str) -> Result<(), SetupError> {
        let sha256 = fingerprint(token);
        self.write(move |tx| Ok(users::revoke_token(tx, &sha256)?))
            .await
            .map_err(|error| explain("revoke a token", error))
    }

    pub async fn create_repository(&self, new: NewRepository) -> Result<(), SetupError> {
        let owner = self.account(&new.owner)?;
        let path = new.path.as_deref().map(git_folder).transpose()?;
        let creation = actions::Creation {
            name: new.name,
            description: new.description,
            private: new.private,
            default_branch: new.default_branch,
            path,
        };
        let explain = |error| explain("add a repository", error);
        let repository = actions::create(self, &owner, creation)
            .await
            .map_err(explain)?;
        pushes::notice(self, &repository, None)
            .await
            .map(drop)
            .map_err(explain)
    }

    pub async fn set_collaborator(
        &self,
        owner: &str,
        name: &str,
        login: &str,
        role: Role,
    ) -> Result<(), SetupError> {
        let (repository, user) = (self.named_repository(owner, name)?, self.account(login)?);
        let permission = match role {
            Role::Read => Permission::Read,
            Role::Triage => Permission::Triage,
            Role::Write => Permission::Write,
            Role::Maintain => Permission::Maintain,
            Role::Admin => Permission::Admin,
        };
        self.write(move |tx| {
            let id = repository.id;
            Ok(repositories::set_collaborator(tx, id, user.id, permission)?)
        })
        .await
        .map_err(|error| explain("add a collaborator", error))
    }

    /// What the built-in runner executes for every pushed commit.
    pub async fn set_check_command(
        &self,
        owner: &str,
        name: &str,
        command: Option<String>,
    ) -> Result<(), SetupError> {
        let repository = self.named_repository(owner, name)?;
        self.write(move |tx| {
            let command = command.as_deref();
            Ok(repositories::set_check_command(tx, repository.id, command)?)
        })
        .await
        .map_err(|error| explain("set the check command", error))
    }

    /// Whether the commands of a checks file (`.baton/forge-checks.toml`) that
    /// is pushed are executed. Anyone who may push then runs commands as the
    /// forge's user.
    pub async fn set_pushed_checks(
        &self,
        owner: &str,
        name: &str,
        enabled: bool,
    ) -> Result<(), SetupError> {
        let repository = self.named_repository(owner, name)?;
        self.write(move |tx| {
            let id = repository.id;
            Ok(repositories::set_pushed_checks(tx, id, enabled)?)
        })
        .await
        .map_err(|error| explain("switch pushed checks", error))
    }

    /// Blocks access to a repository, for the reason given, or allows it again.
    pub async fn suspend_repository(
        &self,
        owner: &str,
        name: &str,
        reason: Option<String>,
    ) -> Result<(), SetupError> {
        let repository = self.named_repository(owner, name)?;
        self.write(move |tx| {
            let reason = reason.as_deref();
            Ok(repositories::set_suspended(tx, repository.id, reason)?)
        })
        .await
        .map_err(|error| explain("suspend the repository", error))
    }

    /// The folder of a repository's git data.
    pub fn repository_folder(&self, owner: &str, name: &str) -> Result<PathBuf, SetupError> {
        let repository = self.named_repository(owner, name)?;
        Ok(self.git(&repository).path().to_path_buf())
    }

    fn account(&self, login: &str) -> Result<User, SetupError> {
        self.rows(|conn| users::by_login(conn, login))
            .map_err(|error| explain("look up an account", error))?
            .ok_or_else(|| SetupError::NoAccount(login.to_owned()))
    }

    pub(crate) fn named_repository(
        &self,
        owner: &str,
        name: &str,
    ) -> Result<Repository, SetupError> {
        self.rows(|conn| repositories::by_name(conn, owner, name))
            .map_err(|error| explain("look up a repository", error))?
            .ok_or_else(|| SetupError::NoRepository(format!("{owner}/{name}")))
    }
}

/// The `.git` folder of a checkout, or a bare repository itself.
fn git_folder(path: &Path) -> Result<String, SetupError> {
    let inside = path.join(".git");
    let folder = if inside.is_dir() {
        inside
    } else {
        path.to_path_buf()
    };
    let real = folder
        .canonicalize()
        .ok()
        .filter(|folder| folder.join("HEAD").is_file() && folder.join("objects").is_dir());
    real.and_then(|folder| folder.into_os_string().into_string().ok())
        .ok_or_else(|| SetupError::NotARepository(path.to_path_buf()))
}

pub(crate) fn explain(doing: &str, error: ApiError) -> SetupError {
    let doing = doing.to_owned();
    match error {
        ApiError::Invalid(fields) => SetupError::Refused {
            doing,
            reason: fields
                .iter()
                .map(|field| match &field.message {
                    Some(message) => message.clone(),
                    None => format!(
                        "{} is {}",
                        field.field.unwrap_or(field.resource),
                        field.code
                    ),
                })
                .collect::<Vec<_>>()
                .join(", "),
        },
        error => SetupError::Failed {
            doing,
            source: Box::new(error),
        },
    }
}

/// GitHub's rule for names of accounts. A bot's ends in `[bot]`.
fn is_login(login: &str) -> bool {
    let name = login.strip_suffix("[bot]").unwrap_or(login);
    (1..=39).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

/// In the form of GitHub's: the prefix lets scanners for secrets find it.
fn new_token() -> String {
    let text: String = URL_SAFE_NO_PAD
        .encode(random::bytes())
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(36)
        .collect();
    format!("ghp_{text}")
}
