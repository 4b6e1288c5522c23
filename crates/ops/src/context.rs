//! The only way from an operation to the world.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use baton_host::cmd::Environment;
use baton_host::detect;
use baton_remote::github::GitHub;
use baton_remote::jira::Jira;
use tokio_util::sync::CancellationToken;

use crate::error::OpError;
use crate::event::{Event, EventSink};
use crate::pulls::{PullAccess, PullContext};
use crate::question::{Ask, NonInteractive, Question};
use crate::settings::Settings;
use crate::validation::ScannerLog;

/// What an operation may use: this machine, as far as the environment and its
/// sandbox allow, and the caller who waits for the result.
#[derive(Clone)]
pub struct Context {
    /// For child processes, which run in its sandbox if it has one.
    pub environment: Environment,
    pub provider: Arc<dyn Provider>,
    pub cancel: CancellationToken,
    pub events: EventSink,
    pub questions: Arc<dyn Ask>,
    pub poll: PollPolicy,
    /// Shows only words of people who may write to a repository.
    pub lockdown: bool,
    /// The server of all pull requests of this call, where it is known already.
    pub connected: Option<PullAccess>,
}

/// Provides what depends on the user, or on the run of the workflow.
pub trait Provider: Send + Sync {
    /// The folder that relative paths and numbers of pull requests refer to.
    fn folder(&self) -> &Path;

    /// What the configuration says about the project in a folder.
    fn settings(&self, _folder: &Path) -> Result<Settings, OpError> {
        Ok(Settings::default())
    }

    /// The scanner logs that the configuration names for a project.
    fn scanner_logs(&self, _folder: &Path) -> Result<Vec<ScannerLog>, OpError> {
        Ok(Vec::new())
    }

    /// The server that these pull requests are on, as the caller wrote them;
    /// without any, that of the checkout.
    fn pulls<'a>(
        &'a self,
        references: &'a [&'a str],
        cancel: &'a CancellationToken,
    ) -> Provided<'a, PullAccess>;

    /// The client for changes on the server of a host.
    fn github<'a>(&'a self, host: &'a str, cancel: &'a CancellationToken) -> Provided<'a, GitHub>;

    /// `Ok(None)`: Jira is not configured. The error is a sentence.
    fn jira(&self, _folder: &Path) -> Result<Option<Jira>, String> {
        Ok(None)
    }
}

pub type Provided<'a, T> = Pin<Box<dyn Future<Output = Result<T, OpError>> + Send + 'a>>;

/// How long the caller can wait for CI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PollPolicy {
    pub max_wait: Duration,
    /// Between two requests.
    pub interval: Duration,
}

impl PollPolicy {
    /// A person, or a script, at a terminal.
    pub const TERMINAL: Self = Self {
        max_wait: Duration::from_mins(30),
        interval: Duration::from_secs(15),
    };
    /// Clients of a tool server give up on calls after a minute or two.
    pub const TOOL_CALL: Self = Self {
        max_wait: Duration::from_secs(45),
        interval: Duration::from_secs(10),
    };
}

impl Context {
    /// For a caller that ignores events and cannot be asked.
    pub fn new(environment: Environment, provider: Arc<dyn Provider>) -> Self {
        Self {
            environment,
            provider,
            cancel: CancellationToken::new(),
            events: EventSink::default(),
            questions: Arc::new(NonInteractive),
            poll: PollPolicy::TOOL_CALL,
            lockdown: false,
            connected: None,
        }
    }

    #[must_use]
    pub fn with_cancel(self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self }
    }

    #[must_use]
    pub fn with_environment(self, environment: Environment) -> Self {
        Self {
            environment,
            ..self
        }
    }

    /// For the commands of a project that a user wants to run: the project's own virtual
    /// environment is active. Not for runs, whose agents could put one there.
    #[must_use]
    pub fn in_project(self, folder: &Path) -> Self {
        let environment = detect::activated(folder, &self.environment);
        self.with_environment(environment)
    }

    #[must_use]
    pub fn with_events(self, receive: impl Fn(Event<'_>) + Send + Sync + 'static) -> Self {
        Self {
            events: EventSink::new(receive),
            ..self
        }
    }

    #[must_use]
    pub fn with_questions(self, questions: impl Ask + 'static) -> Self {
        Self {
            questions: Arc::new(questions),
            ..self
        }
    }

    pub(crate) fn emit<'a>(&self, event: impl Into<Event<'a>>) {
        self.events.emit(event);
    }

    /// `None` where no one can be asked, there is no answer, or the call is
    /// cancelled.
    pub(crate) async fn ask(&self, question: &Question) -> Option<char> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            answer = self.questions.ask(question) => answer,
        }
    }

    /// The server that these pull requests are on.
    pub async fn pulls(&self, references: &[&str]) -> Result<PullContext, OpError> {
        let access = if let Some(access) = &self.connected {
            access.clone()
        } else {
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => return Err(OpError::Cancelled),
                access = self.provider.pulls(references, &self.cancel) => access?,
            }
        };
        let github = access.github.waiting_at_most(self.poll.max_wait);
        let pulls = PullContext {
            call: self.clone(),
            access: PullAccess { github, ..access },
        };
        if self.lockdown {
            // What is not a pull request is for the operation to judge.
            let named = references
                .iter()
                .filter_map(|text| pulls.reference(text).ok());
            for reference in named {
                let checked = pulls.require_writer(&reference);
                pulls.until_cancelled(checked).await?;
            }
        }
        Ok(pulls)
    }
}
