//! The operations, called by a step.

use std::path::Path;
use std::sync::Arc;

use baton_host::cmd::Environment;
use baton_ops::pulls::{PullAccess, ResolveReviewThread};
use baton_ops::{
    Context, Event, GitHub, OpError, Operation as _, PollPolicy, Provided, Provider, Settings, pr,
};
use baton_protocol::Request as _;
use baton_protocol::tools::resolve_review_thread::ResolveReviewThreadInput;
use baton_remote::github::questions::review_discussion::ReviewThread;
use tokio_util::sync::CancellationToken;

use crate::AgentStep;
use crate::place::Place;
use crate::pull::Pull;
use crate::step_error::StepError;

/// For operations on the pull request.
pub(crate) fn context(step: &AgentStep<'_>) -> Context {
    let context = step.context.clone();
    environment_context(step, step.place.git_environment.clone()).with_events(move |event| {
        if let Event::Message(what) = event {
            context.say(what);
        }
    })
}

/// For operations that run programs. Their events are not reported yet.
pub(crate) fn environment_context(step: &AgentStep<'_>, environment: Environment) -> Context {
    let settings = &step.place.settings;
    let provider = PlaceProvider(Arc::clone(step.shared_place));
    Context {
        cancel: step.context.cancel.clone(),
        poll: PollPolicy {
            max_wait: settings.ci_patience,
            interval: settings.ci_interval,
        },
        ..Context::new(environment, Arc::new(provider))
    }
}

/// Resolves a thread for a reason that is written into it.
pub(crate) async fn resolve_thread(
    step: &AgentStep<'_>,
    pull: &Pull,
    thread: &ReviewThread,
    commit: Option<&str>,
    reason: &str,
) -> Result<(), StepError> {
    let input = ResolveReviewThreadInput {
        pr: pull.reference(step),
        thread: thread.place.id.as_str().to_owned(),
        commit: commit.map(str::to_owned),
        reason: Some(reason.to_owned()),
        key: Some(step.context.key().as_str().to_owned()),
        ..ResolveReviewThreadInput::defaults()
    };
    ResolveReviewThread::run(&context(step), input).await?;
    Ok(())
}

/// What a run was begun with, instead of what the user's configuration says now.
struct PlaceProvider(Arc<Place>);

impl Provider for PlaceProvider {
    fn folder(&self) -> &Path {
        &self.0.checkout
    }

    fn settings(&self, _: &Path) -> Result<Settings, OpError> {
        let settings = &self.0.settings;
        Ok(Settings {
            state_dir: self.0.state_dir.clone(),
            unchosen: settings.unchosen,
            threshold: settings.threshold,
            scanners: settings.scanners.clone(),
            pr: pr::Settings {
                adopt_existing: true,
                ..pr::Settings::default()
            },
            ..Settings::default()
        })
    }

    fn pulls<'a>(&'a self, _: &'a [&'a str], _: &'a CancellationToken) -> Provided<'a, PullAccess> {
        let place = &self.0;
        let connected = PullAccess {
            github: place.github.clone(),
            workplace: place.workplace.clone(),
            here: Some(place.repository.clone()),
            cursors: place.cursors.clone(),
            state: place.state_dir.clone(),
            optional_checks: place.settings.optional_checks,
        };
        Box::pin(async { Ok(connected) })
    }

    fn github<'a>(&'a self, _: &'a str, _: &'a CancellationToken) -> Provided<'a, GitHub> {
        Box::pin(async { Ok(self.0.github.clone()) })
    }
}
