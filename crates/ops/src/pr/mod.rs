//! The PR phase: push the branch, open the pull request, link and move the Jira
//! issue, mark it ready; exactly once, even after a crash.
//!
//! Everything is read before anything is written. Each step looks for its effect
//! before it makes it, and what is in progress is recorded, so that the next call
//! resumes an interrupted one. Once the pull request exists, every error is a
//! warning.

mod branch;
mod create_pull_request;
mod jira_issue;
mod place;
mod plan;
mod pull_request;
mod record;
mod retries;
mod transition;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use baton_host::git::{Authorization, Git};
use baton_protocol::phase::Verdict;
use baton_protocol::phase::pr::{JiraStatus, PrError, PrInput, PrOutput};
use baton_protocol::phase::pr_details::PrDetails;
use baton_remote::jira::Jira;
use baton_state::State;

use self::branch::Branch;
pub use self::create_pull_request::CreatePullRequest;
use self::jira_issue::JiraIssue;
use self::place::Place;
pub use self::plan::{Plan, PlannedIssue, PlannedMove, PlannedPull, plan};
use self::pull_request::{Found, PullRequests};
use self::record::Record;
pub use self::retries::Pauses;
use crate::context::Context;

/// What a caller decides besides the input.
pub struct Options {
    /// For git. Absent: it finds credentials by itself.
    pub login: Option<Authorization>,
    /// How to reach Jira; only used when there is an issue.
    pub jira: Result<Option<Jira>, String>,
    /// Where operations under way are remembered, if anywhere.
    pub state_dir: Option<PathBuf>,
    pub settings: Settings,
}

impl Options {
    /// With what the context provides.
    pub fn new(cx: &Context, input: &PrInput, settings: Settings) -> Self {
        let folder = Path::new(&input.working_directory);
        Self {
            login: None,
            jira: match input.jira_key {
                Some(_) => cx.provider.jira(folder),
                None => Ok(None),
            },
            state_dir: None,
            settings,
        }
    }
}

/// One call, for its parts.
struct Call<'a> {
    cx: &'a Context,
    options: &'a Options,
}

impl Call<'_> {
    fn records(&self) -> Option<State> {
        match State::open(self.options.state_dir.as_deref()?) {
            Ok(state) => Some(state),
            Err(error) => {
                tracing::warn!(%error, "what is under way will not be remembered");
                None
            }
        }
    }
}

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

impl Event<'_> {
    /// For people, in a few words.
    pub fn message(&self) -> String {
        match self {
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
    /// The caller has the answer. Until then the operation is under way: the
    /// next call resumes one that was interrupted before it has answered.
    pub fn delivered(self) {
        if let Some(record) = self.record {
            record.finish();
        }
    }
}

/// Runs the phase. Whatever goes wrong is part of the answer.
pub async fn run(cx: &Context, input: &PrInput, options: Options) -> Answer {
    let started = Instant::now();
    let mut details = PrDetails::default();
    let call = Call {
        cx,
        options: &options,
    };
    // On the heap: it holds the futures of every step.
    let outcome = Box::pin(create(input, &call, &mut details)).await;
    let (mut output, record) = match outcome {
        Ok((output, record)) => (output, Some(record)),
        Err(error) => (PrOutput::failed(0, vec![*error]), None),
    };
    output.execution_time_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    details.output = Some(output.clone());
    Answer {
        output,
        details,
        interrupted: cx.cancel.is_cancelled(),
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
    call: &Call<'_>,
    details: &mut PrDetails,
) -> Result<(PrOutput, Record), Box<PrError>> {
    let branch = Branch::find(input, call).await?;
    let place = Place::detect(&branch.git, &input.branch).await;
    describe(&place, input, details);
    if input.jira_key.is_some() {
        let jira = call.options.jira.as_ref().ok().and_then(Option::as_ref);
        details.jira_route = jira.map(Jira::route);
    }
    // What can be known is read side by side, before anything is written.
    let (known, issue) = tokio::join!(
        PullRequests::look(input, &place, call.cx),
        JiraIssue::look(input.jira_key.as_deref(), &call.options.jira),
    );
    let mut record = Record::begin(call.records(), input, &place);
    details.resumed = record.is_resumed();
    if let Ok(pulls) = &known
        && let Err(error) = pulls.refuse_existing(input, &record, &call.options.settings)
    {
        // Nothing was begun, so that nothing can be taken up.
        if !record.is_resumed() {
            record.finish();
        }
        return Err(error);
    }

    branch.push(input, &place, call, details).await?;

    let pulls = match known {
        Ok(pulls) => pulls,
        // It may have been a moment's trouble.
        Err(_) => PullRequests::look(input, &place, call.cx)
            .await
            .map_err(|reason| {
                Box::new(PrError::pr_creation_failed(&input.branch, &reason, &reason))
            })?,
    };
    let pull = pulls.create(input, &record.marker(), call, details).await?;
    let output = follow_up(input, &pulls, pull, issue, &mut record, call, details);
    Ok((output.await, record))
}

/// The pull request exists: nothing that happens from here on is a failure.
async fn follow_up(
    input: &PrInput,
    pulls: &PullRequests,
    pull: Found,
    issue: JiraIssue,
    record: &mut Record,
    call: &Call<'_>,
    details: &mut PrDetails,
) -> PrOutput {
    let mut errors = Vec::new();
    let jira_status = match &input.jira_key {
        None => JiraStatus::default(),
        Some(key) => {
            let (status, trouble) = issue.follow(key, &pull, record, call, details).await;
            errors.extend(trouble);
            status
        }
    };
    let marked_ready = match pulls.mark_ready(input, &pull, call).await {
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
async fn open_git(folder: &str, call: &Call<'_>) -> Result<Git, baton_host::git::GitError> {
    let git = Git::open(folder, &call.cx.environment).await?;
    Ok(git
        .with_login(call.options.login.clone())
        .with_cancellation(call.cx.cancel.clone()))
}

/// The same to push with: whether hooks act is the user's to say.
async fn open_git_to_push(folder: &str, call: &Call<'_>) -> Result<Git, baton_host::git::GitError> {
    if !call.options.settings.hooks {
        return open_git(folder, call).await;
    }
    let git = Git::open_trusting(folder, &call.cx.environment).await?;
    Ok(git.with_cancellation(call.cx.cancel.clone()))
}

fn describe(place: &Place, input: &PrInput, details: &mut PrDetails) {
    details.remote.clone_from(&place.remote);
    details.head_name = Some(place.head_name(&input.branch));
    let base = place.base.as_ref();
    details.repository = base.map(|home| format!("{}/{}", home.host, home.repository));
}
