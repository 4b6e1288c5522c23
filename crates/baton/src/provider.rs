//! What operations get from this machine and its user.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use baton_ops::pulls::PullAccess;
use baton_ops::validation::ScannerLog;
use baton_ops::{OpError, Provided, Provider, Settings};
use baton_remote::github::GitHub;
use baton_remote::jira::Jira;
use tokio_util::sync::CancellationToken;

use crate::commands::sarif_logs;
use crate::error::CommandError;
use crate::github::GitHubAccess;
use crate::jira;
use crate::session::Session;
use crate::settings;

/// Nothing is opened, asked or started before the first operation needs it.
pub(crate) struct LocalProvider {
    session: Session,
    folder: PathBuf,
    github: OnceLock<GitHubAccess>,
}

impl LocalProvider {
    pub(crate) fn new(session: &Session) -> Result<Self, CommandError> {
        Ok(Self {
            session: session.clone(),
            folder: Session::working_directory()?,
            github: OnceLock::new(),
        })
    }

    fn access(&self) -> Result<&GitHubAccess, OpError> {
        if let Some(access) = self.github.get() {
            return Ok(access);
        }
        let access = GitHubAccess::new(&self.session)?;
        Ok(self.github.get_or_init(|| access))
    }
}

impl Provider for LocalProvider {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn settings(&self, folder: &Path) -> Result<Settings, OpError> {
        let config = self.session.config_at(folder)?;
        Ok(settings::from_config(&config, &self.session.environment))
    }

    fn scanner_logs(&self, folder: &Path) -> Result<Vec<ScannerLog>, OpError> {
        let config = self.session.config_at(folder)?;
        Ok(sarif_logs::configured(&config, folder)?)
    }

    fn pulls<'a>(
        &'a self,
        references: &'a [&'a str],
        cancel: &'a CancellationToken,
    ) -> Provided<'a, PullAccess> {
        Box::pin(async move { self.access()?.pulls(references, cancel).await })
    }

    fn github<'a>(&'a self, host: &'a str, cancel: &'a CancellationToken) -> Provided<'a, GitHub> {
        Box::pin(async move {
            let access = self.access()?;
            access.with_login(&access.server_of(host), cancel).await
        })
    }

    fn jira(&self, folder: &Path) -> Result<Option<Jira>, String> {
        let config = self.session.config_at(folder);
        let config = config.map_err(|error| error.in_one_line())?;
        jira::access(&config, &self.session.environment, folder)
    }
}
