//! A visitor, and what frames every page.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use jiff::Timestamp;
use rusqlite::Connection;
use serde::{Deserialize, Deserializer};

use super::html::in_path;
use super::prelude::*;
use crate::auth::Caller;
use crate::git::GitRepository;
use crate::store::issue_lists::{self, IssueList, ListedState};
use crate::store::repositories::{self, Permission};
use crate::store::{pull_lists, users};

/// One look at the forge: by whom, and when.
pub(super) struct Visit {
    pub(super) app: App,
    caller: Caller,
    now: Timestamp,
}

/// What is around every page.
pub(super) struct Chrome {
    pub(super) title: String,
    pub(super) viewer: Option<Person>,
    pub(super) style: &'static str,
}

/// What is above every page of a repository.
pub(super) struct Masthead {
    pub(super) owner: String,
    pub(super) name: String,
    /// `/octo/demo`
    pub(super) home: String,
    pub(super) private: bool,
    pub(super) archived: bool,
    pub(super) fork_of: Option<String>,
    pub(super) open_issues: usize,
    pub(super) open_pulls: usize,
    pub(super) tab: Tab,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    Code,
    Issues,
    Pulls,
    Actions,
}

impl Masthead {
    /// For `aria-current`.
    pub(super) fn is(&self, tab: &str) -> bool {
        let current = match self.tab {
            Tab::Code => "code",
            Tab::Issues => "issues",
            Tab::Pulls => "pulls",
            Tab::Actions => "actions",
        };
        current == tab
    }
}

impl FromRequestParts<App> for Visit {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, PageError> {
        let caller = Caller::from_request_parts(parts, app).await?;
        Ok(Self {
            app: app.clone(),
            caller,
            now: app.timestamp(),
        })
    }
}

impl Visit {
    pub(super) fn chrome(&self, title: impl Into<String>) -> Chrome {
        Chrome {
            title: title.into(),
            viewer: self.caller.user.as_ref().map(Person::from),
            style: super::style::address(),
        }
    }

    pub(super) fn moment(&self, text: &str) -> Moment {
        Moment::new(text, self.now)
    }

    pub(super) fn person(conn: &Connection, id: i64) -> Result<Person> {
        Ok(Person::from(&users::by_id(conn, id)?))
    }

    pub(super) fn viewer(&self) -> Option<&users::User> {
        self.caller.user.as_ref()
    }

    /// A repository that the visitor may see.
    pub(super) fn repository(&self, owner: &str, name: &str) -> Result<Repository, PageError> {
        let found = self
            .app
            .read(|conn| self.caller.repository(conn, owner, name, Permission::Read))?;
        // Under an old name: a browser is sent on, so that links hold.
        if !found.name.eq_ignore_ascii_case(name) || !found.owner.login.eq_ignore_ascii_case(owner)
        {
            return Err(PageError::Moved(home_of(&found)));
        }
        Ok(found)
    }

    /// Those that the visitor may see, by name.
    pub(super) fn repositories(&self, owner_id: Option<i64>) -> Result<Vec<Repository>> {
        self.app.read(|conn| {
            let mut shown = Vec::new();
            for repository in repositories::all(conn)? {
                let is_wanted = owner_id.is_none_or(|id| id == repository.owner.id);
                let user = self.caller.user.as_ref();
                if is_wanted
                    && repository.suspended.is_none()
                    && repositories::permission(conn, &repository, user)? >= Permission::Read
                {
                    shown.push(repository);
                }
            }
            shown.sort_by_key(|repository| repository.full_name().to_lowercase());
            Ok(shown)
        })
    }

    pub(super) fn masthead(&self, repository: &Repository, tab: Tab) -> Result<Masthead> {
        self.app.read(|conn| {
            let parent = match repository.fork_of {
                Some(id) => {
                    let parent = repositories::by_id(conn, id)?;
                    let user = self.caller.user.as_ref();
                    let given = repositories::permission(conn, &parent, user)?;
                    (given >= Permission::Read).then(|| parent.full_name())
                }
                None => None,
            };
            Ok(Masthead {
                owner: repository.owner.login.clone(),
                name: repository.name.clone(),
                home: home_of(repository),
                private: repository.private,
                archived: repository.archived,
                fork_of: parent,
                open_issues: open_issues(conn, repository.id)?,
                open_pulls: open_pulls(conn, repository.id)?,
                tab,
            })
        })
    }

    pub(super) fn git(&self, repository: &Repository) -> GitRepository {
        self.app.git(repository)
    }
}

/// `/octo/demo`
pub(super) fn home_of(repository: &Repository) -> String {
    format!(
        "/{}/{}",
        in_path(&repository.owner.login),
        in_path(&repository.name)
    )
}

/// A number in an address. What is none names nothing: no row has the number 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number(pub(super) i64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(Self(text.parse().unwrap_or_default()))
    }
}

pub(super) fn open_issues(conn: &Connection, repository_id: i64) -> Result<usize> {
    let list = IssueList {
        repository_id: Some(repository_id),
        states: vec![ListedState::Open],
        ..IssueList::default()
    };
    Ok(issue_lists::ids(conn, &list)?.len())
}

pub(super) fn open_pulls(conn: &Connection, repository_id: i64) -> Result<usize> {
    let open = pull_lists::Filter::default();
    Ok(pull_lists::count(conn, repository_id, &open)?)
}
