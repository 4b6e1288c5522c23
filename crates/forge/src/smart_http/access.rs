//! Who may fetch from and push to a repository.

use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::store::repositories::{self, Permission, Repository};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Service {
    /// Clone and fetch.
    Upload,
    /// Push.
    Receive,
}

impl Service {
    pub(super) fn asked_for(query: &str) -> Option<Self> {
        query.split('&').find_map(|pair| match pair {
            "service=git-upload-pack" => Some(Self::Upload),
            "service=git-receive-pack" => Some(Self::Receive),
            _ => None,
        })
    }
}

/// Why git is turned away.
#[derive(Debug)]
pub(super) enum Refused {
    /// Asks git for credentials.
    Unauthorized,
    NotFound,
    Forbidden(String),
    Failed(ApiError),
}

pub(super) enum Admitted {
    Here(Repository),
    /// It has another name now.
    Moved(Repository),
}

impl Admitted {
    pub(super) fn repository(self) -> Repository {
        match self {
            Self::Here(repository) | Self::Moved(repository) => repository,
        }
    }
}

pub(super) fn admit(
    app: &App,
    caller: &Caller,
    owner: &str,
    name: &str,
    service: Service,
) -> Result<Admitted, Refused> {
    let name = name.strip_suffix(".git").unwrap_or(name);
    let looked_up = app.read(|conn| {
        let admitted = match repositories::by_name(conn, owner, name)? {
            Some(repository) => Admitted::Here(repository),
            None => match repositories::by_old_name(conn, owner, name)? {
                Some(repository) => Admitted::Moved(repository),
                None => return Ok(None),
            },
        };
        let (Admitted::Here(repository) | Admitted::Moved(repository)) = &admitted;
        let permission = caller.permission(conn, repository)?;
        Ok(Some((admitted, permission)))
    });
    // Someone without a token is asked for one before being told that there
    // is nothing: it might be private.
    let missing = || match caller.user {
        Some(_) => Refused::NotFound,
        None => Refused::Unauthorized,
    };
    let (admitted, permission) = looked_up.map_err(Refused::from)?.ok_or_else(missing)?;
    if permission < Permission::Read {
        return Err(missing());
    }
    let (Admitted::Here(repository) | Admitted::Moved(repository)) = &admitted;
    if repository.suspended.is_some() {
        return Err(Refused::Forbidden(
            "Access to this repository has been disabled.".to_owned(),
        ));
    }
    if service == Service::Receive {
        may_push(caller, repository, permission)?;
    }
    Ok(admitted)
}

fn may_push(
    caller: &Caller,
    repository: &Repository,
    permission: Permission,
) -> Result<(), Refused> {
    let Some(user) = &caller.user else {
        return Err(Refused::Unauthorized);
    };
    if permission < Permission::Write {
        return Err(Refused::Forbidden(format!(
            "Permission to {}.git denied to {}.",
            repository.full_name(),
            user.login
        )));
    }
    if repository.archived {
        return Err(Refused::Forbidden(
            "This repository was archived so it is read-only.".to_owned(),
        ));
    }
    Ok(())
}
