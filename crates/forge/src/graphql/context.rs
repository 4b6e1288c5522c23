//! What every resolver is given: the forge, and who asks.

use rusqlite::Connection;

use super::errors::QueryError;
use super::limits::Demand;
use crate::actions::change::RepoContext;
use crate::app::App;
use crate::auth::Caller;
use crate::error::Result;
use crate::store::repositories::{Permission, Repository};
use crate::store::users::User;
use crate::views::View;

pub(super) struct Context {
    pub(super) app: App,
    pub(super) caller: Caller,
    pub(super) demand: Demand,
}

impl Context {
    /// For the many resolvers that do one look.
    pub(super) fn read<T>(
        &self,
        look: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T, QueryError> {
        Ok(self.app.read(look)?)
    }

    /// The same for a look that is nothing but rows.
    pub(super) fn rows<T>(
        &self,
        look: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, QueryError> {
        Ok(self.app.rows(look)?)
    }

    /// The same, to show something.
    pub(super) fn show<T>(
        &self,
        look: impl FnOnce(View<'_>) -> Result<T>,
    ) -> Result<T, QueryError> {
        Ok(self.app.show(look)?)
    }

    pub(super) fn on<'a>(&'a self, repository: &'a Repository) -> RepoContext<'a> {
        RepoContext {
            app: &self.app,
            caller: &self.caller,
            repository,
        }
    }

    /// Who asks. The endpoint serves none without a token.
    pub(super) fn viewer(&self) -> Result<&User, QueryError> {
        Ok(self.caller.user()?)
    }

    pub(super) fn viewer_id(&self) -> Option<i64> {
        self.caller.user_id()
    }

    /// What the viewer may do in the repository.
    pub(super) fn permission(&self, repository: &Repository) -> Result<Permission, QueryError> {
        self.read(|conn| self.caller.permission(conn, repository))
    }

    /// An address for people, below a repository.
    pub(super) fn page(&self, repository: &Repository, path: &str) -> String {
        let name = repository.full_name();
        self.app.urls().page(&format!("/{name}{path}"))
    }
}
