//! What there is, for the administrator of the forge.

use crate::app::App;
use crate::setup::{SetupError, explain};
use crate::store::{repositories, users};

#[derive(Debug, Clone)]
pub struct AccountSummary {
    pub login: String,
    /// `User`, `Organization` or `Bot`.
    pub kind: &'static str,
    pub site_admin: bool,
}

#[derive(Debug, Clone)]
pub struct RepositorySummary {
    /// `octo/demo`
    pub full_name: String,
    pub private: bool,
    /// Where it lies when it is not in the forge's data folder.
    pub path: Option<String>,
    pub check_command: Option<String>,
    /// Whether the commands of a pushed checks file are executed.
    pub pushed_checks: bool,
}

impl App {
    /// In the order of their logins.
    pub fn accounts(&self) -> Result<Vec<AccountSummary>, SetupError> {
        let all = self.rows(users::all);
        let all = all.map_err(|error| explain("list the accounts", error))?;
        let summary = |user: users::User| AccountSummary {
            login: user.login,
            kind: user.kind.as_str(),
            site_admin: user.site_admin,
        };
        let mut all: Vec<_> = all.into_iter().map(summary).collect();
        all.sort_by(|one, other| one.login.cmp(&other.login));
        Ok(all)
    }

    /// In the order of their names, private ones included.
    pub fn repositories(&self) -> Result<Vec<RepositorySummary>, SetupError> {
        let all = self.rows(repositories::all);
        let all = all.map_err(|error| explain("list the repositories", error))?;
        let summary = |repository: repositories::Repository| RepositorySummary {
            full_name: repository.full_name(),
            private: repository.private,
            path: repository.path,
            check_command: repository.check_command,
            pushed_checks: repository.pushed_checks,
        };
        let mut all: Vec<_> = all.into_iter().map(summary).collect();
        all.sort_by(|one, other| one.full_name.cmp(&other.full_name));
        Ok(all)
    }
}
