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
    fn command(&self, purpose: Purpose) -> Option<String> {
        let mut commands = self.commands.iter();
        let found = commands.find(|command| command.purpose == purpose);
        found.map(|command| command.command.clone())
    }

    fn history(&self, folder: &Path) -> Option<History> {
        let state = self.state_dir.clone()?;
        Some(History::new(state, folder))
    }

    /// For the testing phase in a folder.
    pub fn testing(&self, folder: &Path) -> testing::Options {
        testing::Options {
            preferred: testing::Preferred {
                test: self.command(Purpose::Test),
                build: self.command(Purpose::Build),
            },
            history: self.history(folder),
            flaky: self.flaky,
            ..testing::Options::default()
        }
    }

    /// For the validation phase in a folder.
    pub fn validation(&self, folder: &Path) -> validation::Options<'static> {
        validation::Options {
            preferred: validation::Preferred {
                format: self.command(Purpose::Format),
                lint: self.command(Purpose::Lint),
                build: self.command(Purpose::Build),
                test: self.command(Purpose::Test),
            },
            unchosen: self.unchosen,
            history: self.history(folder),
            threshold: self.threshold,
            scanners: self.scanners.clone(),
            ..validation::Options::default()
        }
    }
}
