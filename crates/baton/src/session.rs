//! What every verb may need: environment, configuration, context.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use baton_host::cmd::Environment;
use baton_ops::Context;

use crate::cli::Cli;
use crate::config::Config;
use crate::environment;
use crate::error::CommandError;
use crate::provider::LocalProvider;

/// What every verb may need, made available without doing anything yet: a
/// verb that reads no configuration pays for none.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) environment: Environment,
    flags: Vec<String>,
}

impl Session {
    pub(crate) fn new(cli: &Cli) -> Self {
        Self {
            environment: if cli.command.lives_beside_others() {
                environment::without_traces_of_tokens()
            } else {
                environment::current()
            },
            flags: cli.config.clone(),
        }
    }

    /// Another one, for a program with another environment than ours.
    pub(crate) fn with(environment: Environment, flags: Vec<String>) -> Self {
        Self { environment, flags }
    }

    /// Configuration values of this call, as `KEY=VALUE`.
    pub(crate) fn flags(&self) -> &[String] {
        &self.flags
    }

    pub(crate) fn working_directory() -> Result<PathBuf, CommandError> {
        std::env::current_dir().map_err(|error| {
            CommandError::missing("the working directory is not there any more")
                .because(error)
                .hint("Change to a folder that exists and try again.")
        })
    }

    /// What operations run in, for a caller that ignores events and cannot be
    /// asked.
    pub(crate) fn context(&self) -> Result<Context, CommandError> {
        let provider = LocalProvider::new(self)?;
        Ok(Context::new(self.environment.clone(), Arc::new(provider)))
    }

    /// The configuration as it applies in the working directory.
    pub(crate) fn config(&self) -> Result<Config, CommandError> {
        let here = Self::working_directory()?;
        self.config_at(&here)
    }

    /// The configuration as it applies in a folder.
    pub(crate) fn config_at(&self, folder: &Path) -> Result<Config, CommandError> {
        Config::load(folder, &self.environment, &self.flags)
    }
}
