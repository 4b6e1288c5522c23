//! The PR phase: push the branch, open the pull request, link and move the Jira
//! issue, mark it ready; once, whatever happens in between.
//!
//! Everything is read before anything is written. Each step looks for its effect
//! before it makes it, and what is under way is on record, so that a call which
//! was cut off is taken up by the next one. Once the pull request exists, all
//! trouble is a warning.

mod branch;
mod jira_issue;
mod place;
mod plan;
mod pull_request;
mod record;
mod retries;
mod transition;

use std::pin::Pin;
use std::time::{Duration, Instant};

use baton_host::cmd::Environment;
use baton_host::git::{Authorization, Git};
use baton_protocol::phase::Verdict;
use baton_protocol::phase::pr::{JiraStatus, PrError, PrInput, PrOutput};
use baton_protocol::phase::pr_details::PrDetails;
use baton_remote::github::GitHub;
use baton_remote::jira::Jira;
use baton_state::State;
use tokio_util::sync::CancellationToken;

use self::branch::Branch;
use self::jira_issue::JiraIssue;
use self::place::Place;
pub use self::plan::{Plan, PlannedIssue, PlannedMove, PlannedPull, plan};
use self::pull_request::{Found, PullRequests};
use self::record::Record;
pub use self::retries::Pauses;
use crate::question::Ask;

/// What the operation needs of its surroundings.
pub struct Surroundings<'a> {
    /// For git.
    pub environment: &'a Environment,
    /// For git. Absent: it finds credentials by itself.
    pub login: Option<Authorization>,
    pub cancel: &'a CancellationToken,
    /// Gives the client for the host that the pull request goes to.
    pub connect: &'a Connect<'a>,
    /// How to reach Jira; only asked for when there is an issue.
    pub jira: Result<Option<Jira>, String>,
    /// Where operations under way are remembered, if anywhere.
    pub records: Option<State>,
    pub settings: Settings,
    /// Whoever can be asked which transition is meant.
    pub ask: &'a mut (dyn Ask + Send),
    pub observe: &'a mut (dyn FnMut(Event<'_>) + Send),
}

/// The client for a host, or why there is none.
pub type Connect<'a> =
    dyn Fn(String) -> Pin<Box<dyn Future<Output = Result<GitHub, String>> + Send + 'a>> + Sync + 'a;

#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// An open pull request of the branch is updated instead of refused.
    pub adopt_existing: bool,
    /// What the team calls code review for short, such as `CR`.
    pub acronyms: Vec<String>,
    /// The push runs the hooks of the checkout and follows its configuration.
    /// The login is not used then.
    pub hooks: bool,
    pub pauses: Pauses,
}

/// What happens on the way.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    Pushing { branch: &'a str, remote: &'a str },
    Creating { repository: String },
    Linking { issue: &'a str },
    Moving { issue: &'a str, transition: &'a str },
    MarkingReady,
    Waiting { what: &'static str, pause: Duration },
}

/// The phase's output, and everything beyond it.
pub struct Answer {
    pub output: PrOutput,
    pub details: PrDetails,
    /// The caller's token was cancelled; the output is what was known by then.
    pub interrupted: bool,
    /// Of a pull request that exists.
    record: Option<Record>,
}

impl Answer {
    /// Whoever asked has the answer. Until then the operation is under way: a
    /// call that is cut off before it has answered is taken up by the next.
    pub fn delivered(self) {
        if let Some(record) = self.record {
            record.finish();
        }
    }
}

/// Runs the phase. Whatever goes wrong is part of the answer.
pub async fn run(input: &PrInput, mut surroundings: Surroundings<'_>) -> Answer {
    let started = Instant::now();
    let mut details = PrDetails::default();
    // On the heap: it holds the futures of every step.
    let outcome = Box::pin(create(input, &mut surroundings, &mut details)).await;
    let (mut output, record) = match outcome {
        Ok((output, record)) => (output, Some(record)),
        Err(error) => (PrOutput::failed(0, vec![*error]), None),
    };
    output.execution_time_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    details.output = Some(output.clone());
    Answer {
        output,
        details,
        interrupted: surroundings.cancel.is_cancelled(),
        record,
    }
}

/// The answer to a request that was refused before anything was done.
pub fn refused(errors: Vec<PrError>) -> Answer {
    Answer {
        output: PrOutput::failed(0, errors),
        details: PrDetails::default(),
        interrupted: false,
        record: None,
    }
}

async fn create(
    input: &PrInput,
    surroundings: &mut Surroundings<'_>,
    details: &mut PrDetails,
) -> Result<(PrOutput, Record), Box<PrError>> {
    let branch = Branch::find(input, surroundings).await?;
    let place = Place::of(&branch.git, &input.branch).await;
    describe(&place, input, details);
    if input.jira_key.is_some() {
        let jira = surroundings.jira.as_ref().ok().and_then(Option::as_ref);
        details.jira_route = jira.map(Jira::route);
    }
    // What can be known is read side by side, before anything is written.
    let (known, issue) = tokio::join!(
        PullRequests::look(input, &place, surroundings.connect),
        JiraIssue::look(input.jira_key.as_deref(), &surroundings.jira),
    );
    let mut record = Record::begin(surroundings.records.take(), input, &place);
    details.resumed = record.is_resumed();
    if let Ok(pulls) = &known
        && let Err(error) = pulls.refuse_existing(input, &record, &surroundings.settings)
    {
        // Nothing was begun, so that nothing can be taken up.
        if !record.is_resumed() {
            record.finish();
        }
        return Err(error);
    }

    branch.push(input, &place, surroundings, details).await?;

    let pulls = match known {
        Ok(pulls) => pulls,
        // It may have been a moment's trouble.
        Err(_) => PullRequests::look(input, &place, surroundings.connect)
            .await
            .map_err(|reason| {
                Box::new(PrError::pr_creation_failed(&input.branch, &reason, &reason))
            })?,
    };
    let pull = pulls
        .create(input, &mut record, surroundings, details)
        .await?;
    let output = follow_up(
        input,
        &pulls,
        pull,
        issue,
        &mut record,
        surroundings,
        details,
    );
    Ok((output.await, record))
}

/// The pull request exists: nothing that happens from here on is a failure.
async fn follow_up(
    input: &PrInput,
    pulls: &PullRequests,
    pull: Found,
    issue: JiraIssue,
    record: &mut Record,
    surroundings: &mut Surroundings<'_>,
    details: &mut PrDetails,
) -> PrOutput {
    let mut errors = Vec::new();
    let jira_status = match &input.jira_key {
        None => JiraStatus::default(),
        Some(key) => {
            let (status, trouble) = issue
                .follow(key, &pull, record, surroundings, details)
                .await;
            errors.extend(trouble);
            status
        }
    };
    let marked_ready = match pulls.mark_ready(input, &pull, surroundings).await {
        Ok(is_ready) => is_ready,
        Err(error) => {
            errors.push(*error);
            false
        }
    };
    details.github_requests = Some(pulls.requests());
    PrOutput {
        status: Verdict::Pass,
        execution_time_ms: 0,
        pr_url: Some(pull.url),
        pr_number: Some(u64::from(pull.number)),
        jira_status,
        marked_ready,
        errors,
    }
}

/// Git in the folder of the request.
async fn open_git(
    folder: &str,
    surroundings: &Surroundings<'_>,
) -> Result<Git, baton_host::git::GitError> {
    let git = Git::open(folder, surroundings.environment).await?;
    Ok(git
        .with_login(surroundings.login.clone())
        .with_cancellation(surroundings.cancel.clone()))
}

/// The same to push with: whether hooks act is the user's to say.
async fn open_git_to_push(
    folder: &str,
    surroundings: &Surroundings<'_>,
) -> Result<Git, baton_host::git::GitError> {
    if !surroundings.settings.hooks {
        return open_git(folder, surroundings).await;
    }
    let git = Git::open_trusting(folder, surroundings.environment).await?;
    Ok(git.with_cancellation(surroundings.cancel.clone()))
}

fn describe(place: &Place, input: &PrInput, details: &mut PrDetails) {
    details.remote.clone_from(&place.remote);
    details.head_name = Some(place.head_name(&input.branch));
    let base = place.base.as_ref();
    details.repository = base.map(|home| format!("{}/{}", home.host, home.repository));
}
