//! Ranks candidates for commands.

use baton_protocol::detection::{Candidate, Commands, Fallback, FallbackWhen, Purpose, Source};

use super::project_files::ProjectFiles;

/// What the ecosystems and task runners look at.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) files: &'a ProjectFiles,
    pub(crate) on_path: &'a dyn Fn(&str) -> bool,
}

/// How close a command is to what the project's authors run. Earlier is better.
///
/// A hook or task runner that is not installed here ranks after a tool that the
/// project configures directly, but stays ahead of a mere default: then the
/// failed check names the missing program. Environments (tox, nox) create
/// virtual environments and install into them, so they come after configured
/// tools and, when not installed, after everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tier {
    Script,
    Hook,
    Target,
    Configured,
    MissingRunner,
    Environment,
    Default,
    MissingEnvironment,
}

impl Tier {
    /// The tier of a runner's tasks on this machine.
    pub(crate) fn when_installed(self, is_installed: bool) -> Self {
        match self {
            Self::Environment if !is_installed => Self::MissingEnvironment,
            Self::Hook | Self::Target if !is_installed => Self::MissingRunner,
            tier => tier,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Proposal {
    pub(crate) purpose: Purpose,
    pub(crate) tier: Tier,
    pub(crate) candidate: Candidate,
}

impl Proposal {
    /// The project defines `key` in `file`.
    pub(crate) fn task(
        purpose: Purpose,
        tier: Tier,
        command: impl Into<String>,
        (file, key): (&str, &str),
        reason: impl Into<String>,
    ) -> Self {
        Self {
            purpose,
            tier,
            candidate: candidate(
                command,
                Source::Task {
                    file: file.to_owned(),
                    key: key.to_owned(),
                },
                reason,
            ),
        }
    }

    /// The project configures the tool in `file`.
    pub(crate) fn configured(
        purpose: Purpose,
        command: impl Into<String>,
        file: &str,
        reason: impl Into<String>,
    ) -> Self {
        let source = Source::Configuration {
            file: file.to_owned(),
        };
        Self {
            purpose,
            tier: Tier::Configured,
            candidate: candidate(command, source, reason),
        }
    }

    pub(crate) fn default(
        purpose: Purpose,
        command: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self {
            purpose,
            tier: Tier::Default,
            candidate: candidate(command, Source::LanguageDefault, reason),
        }
    }

    /// A candidate as it is; its source decides how close it is to the project.
    pub(crate) fn from_candidate(purpose: Purpose, candidate: Candidate) -> Self {
        let tier = match candidate.source {
            Source::Task { .. } => Tier::Script,
            Source::Configuration { .. } => Tier::Configured,
            Source::LanguageDefault => Tier::Default,
        };
        Self {
            purpose,
            tier,
            candidate,
        }
    }
}

pub(crate) fn candidate(
    command: impl Into<String>,
    source: Source,
    reason: impl Into<String>,
) -> Candidate {
    Candidate {
        command: command.into(),
        source,
        reason: reason.into(),
        fallbacks: Vec::new(),
    }
}

/// Adds what to try when the command is not found.
pub(crate) trait WithFallback {
    fn or(self, command: impl Into<String>) -> Self;

    fn or_each(self, commands: &[&str]) -> Self
    where
        Self: Sized,
    {
        commands
            .iter()
            .fold(self, |this, command| this.or(*command))
    }
}

impl WithFallback for Proposal {
    fn or(mut self, command: impl Into<String>) -> Self {
        self.candidate = self.candidate.or(command);
        self
    }
}

impl WithFallback for Candidate {
    fn or(mut self, command: impl Into<String>) -> Self {
        let command = command.into();
        let is_known =
            self.command == command || self.fallbacks.iter().any(|known| known.command == command);
        if !is_known {
            self.fallbacks.push(Fallback {
                command,
                when: FallbackWhen::NotFound,
            });
        }
        self
    }
}

/// Sorts by tier; within a tier the order of proposing stays.
pub(crate) fn rank(mut proposals: Vec<Proposal>) -> Commands {
    proposals.sort_by_key(|proposal| proposal.tier);
    let mut commands = Commands::default();
    for Proposal {
        purpose, candidate, ..
    } in proposals
    {
        let list = commands.for_purpose_mut(purpose);
        if list.iter().all(|known| known.command != candidate.command) {
            list.push(candidate);
        }
    }
    commands
}
