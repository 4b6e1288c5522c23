//! What users and repositories configure for operations.

use std::path::{Path, PathBuf};

use baton_protocol::detection::Purpose;
use baton_review::Severity;

use crate::pr;
use crate::testing::{self, FlakyPolicy, History};
use crate::validation::{self, Scanner, UnchosenTools};

#[derive(Clone, Debug)]
pub struct Settings {
    /// Commands that outrank what is detected.
    pub commands: Vec<ConfiguredCommand>,
    /// What is remembered between calls, if anything is.
    pub state_dir: Option<PathBuf>,
    pub flaky: FlakyPolicy,
    pub unchosen: UnchosenTools,
    /// Review findings below it do not count.
    pub threshold: Severity,
    /// Installed scanners that join the review.
    pub scanners: Vec<Scanner>,
    pub pr: pr::Settings,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfiguredCommand {
    pub purpose: Purpose,
    pub command: String,
    /// The key that sets it, and where that was found.
    pub key: &'static str,
    pub source: String,
}

/// Commands of a user that outrank what is detected.
#[derive(Clone, Debug, Default)]
pub struct Preferred {
    pub format: Option<String>,
    pub lint: Option<String>,
    pub build: Option<String>,
    pub test: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            commands: Vec::new(),
            state_dir: None,
            flaky: FlakyPolicy::default(),
            unchosen: UnchosenTools::Pass,
            threshold: Severity::Medium,
            scanners: Vec::new(),
            pr: pr::Settings::default(),
        }
    }
}

impl Settings {
    pub fn preferred(&self) -> Preferred {
        let command = |purpose: Purpose| {
            let mut commands = self.commands.iter();
            let is_meant = |command: &&ConfiguredCommand| {
                command.purpose == purpose && !command.command.trim().is_empty()
            };
            let found = commands.find(is_meant);
            found.map(|command| command.command.clone())
        };
        Preferred {
            format: command(Purpose::Format),
            lint: command(Purpose::Lint),
            build: command(Purpose::Build),
            test: command(Purpose::Test),
        }
    }

    fn history(&self, folder: &Path) -> Option<History> {
        let state = self.state_dir.clone()?;
        Some(History::new(state, folder))
    }

    /// For the testing phase in a folder.
    pub fn testing(&self, folder: &Path) -> testing::Options {
        testing::Options {
            preferred: self.preferred(),
            history: self.history(folder),
            flaky: self.flaky,
            ..testing::Options::default()
        }
    }

    /// For the validation phase in a folder.
    pub fn validation(&self, folder: &Path) -> validation::Options<'static> {
        validation::Options {
            preferred: self.preferred(),
            unchosen: self.unchosen,
            history: self.history(folder),
            threshold: self.threshold,
            scanners: self.scanners.clone(),
            ..validation::Options::default()
        }
    }
}
