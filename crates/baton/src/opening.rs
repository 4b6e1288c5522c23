//! Opening a pull request from here: everything that the operation needs, from
//! configuration and environment. The phase, the verb for people and the tool
//! for agents all go this way.

use std::path::Path;

use baton_ops::pr::{self, Answer, Event, Plan, Settings, Surroundings};
use baton_ops::pulls::ToolError;
use baton_ops::question::{Ask, Nobody};
use baton_protocol::phase::pr::{PrError, PrInput};
use baton_remote::jira::Jira;
use baton_state::State;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::error::CommandError;
use crate::github::Desks;
use crate::jira;
use crate::session::Session;

/// One call, prepared. Nothing is asked or started yet.
pub(crate) struct Errand<'a> {
    session: &'a Session,
    desks: Desks,
    jira: Result<Option<Jira>, String>,
    records: Option<State>,
    settings: Settings,
}

impl<'a> Errand<'a> {
    pub(crate) fn prepare(input: &PrInput, session: &'a Session) -> Result<Self, CommandError> {
        let folder = Path::new(&input.working_directory);
        let config = session.config_at(folder)?;
        let jira = match input.jira_key {
            Some(_) => jira::access(&config, &session.environment, folder),
            None => Ok(None),
        };
        Ok(Self {
            session,
            desks: Desks::new(session)?,
            jira,
            records: records(&config, session),
            settings: settings(&config),
        })
    }

    /// For a caller that may not run what the checkout brings along.
    pub(crate) fn without_hooks(mut self) -> Self {
        self.settings.hooks = false;
        self
    }

    pub(crate) async fn run(
        self,
        input: &PrInput,
        cancel: &CancellationToken,
        ask: &mut (dyn Ask + Send),
        observe: &mut (dyn FnMut(Event<'_>) + Send),
    ) -> Answer {
        let desks = &self.desks;
        let surroundings = Surroundings {
            environment: &self.session.environment,
            login: None,
            cancel,
            connect: &|host| {
                Box::pin(async move {
                    let client = desks.for_pull_requests(&host, cancel).await;
                    client.map_err(sentence)
                })
            },
            jira: self.jira,
            records: self.records,
            settings: self.settings,
            ask,
            observe,
        };
        pr::run(input, surroundings).await
    }

    /// What [`Self::run`] would do.
    pub(crate) async fn plan(
        self,
        input: &PrInput,
        cancel: &CancellationToken,
    ) -> Result<Plan, Box<PrError>> {
        let desks = &self.desks;
        let surroundings = Surroundings {
            environment: &self.session.environment,
            login: None,
            cancel,
            connect: &|host| {
                Box::pin(async move {
                    let client = desks.for_pull_requests(&host, cancel).await;
                    client.map_err(sentence)
                })
            },
            jira: self.jira,
            records: None,
            settings: self.settings,
            ask: &mut Nobody,
            observe: &mut |_| {},
        };
        Box::pin(pr::plan(input, &surroundings)).await
    }
}

fn records(config: &Config, session: &Session) -> Option<State> {
    let folder = config.state_dir(&session.environment)?;
    match State::open(&folder) {
        Ok(state) => Some(state),
        Err(error) => {
            tracing::warn!(%error, "what is under way will not be remembered");
            None
        }
    }
}

fn settings(config: &Config) -> Settings {
    let acronyms = config.get("jira.review_acronyms");
    Settings {
        adopt_existing: config.flag("pr.adopt_existing").unwrap_or(false),
        acronyms: acronyms.map_or_else(Vec::new, |value| listed(&value.text)),
        hooks: config.flag("git.hooks").unwrap_or(true),
        ..Settings::default()
    }
}

fn listed(text: &str) -> Vec<String> {
    let words = text.split(',').map(str::trim);
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn sentence(error: ToolError) -> String {
    match error {
        ToolError::Failed { response, .. } => match &response.suggestion {
            Some(next) => format!("{}. {next}", response.error),
            None => response.error,
        },
        ToolError::Cancelled => "it was cancelled".to_owned(),
        ToolError::BadCursor(error) => error.to_string(),
    }
}

/// What happens, for whoever waits.
pub(crate) fn in_words(event: &Event<'_>) -> String {
    match event {
        Event::Pushing { branch, remote } => format!("pushing {branch} to {remote}"),
        Event::Creating { repository } => format!("opening the pull request in {repository}"),
        Event::Linking { issue } => format!("linking {issue}"),
        Event::Moving { issue, transition } => format!("moving {issue} by '{transition}'"),
        Event::MarkingReady => "marking it ready for review".to_owned(),
        Event::Waiting { what, pause } => {
            let seconds = pause.as_secs();
            format!("waiting {seconds} s before the next try to {what}")
        }
    }
}
