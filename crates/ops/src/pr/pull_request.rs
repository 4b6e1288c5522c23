//! The pull request: looked for, made, marked ready.

use baton_protocol::Repository;
use baton_protocol::phase::pr::{PrError, PrInput};
use baton_protocol::phase::pr_details::{CreationResult, PrDetails};
use baton_remote::github::resources::pulls::{
    NewPullRequest, PullFilter, PullRequest, PullRequestChange,
};
use baton_remote::github::{FieldProblem, GitHub, GitHubError, GitHubErrorKind, NodeId};

use super::place::Place;
use super::record::Record;
use super::retries::{self, TryFailed};
use super::{Call, Event, Settings};
use crate::context::Context;

/// The pull requests of the branch, and the client that can make one.
pub(super) struct PullRequests {
    github: GitHub,
    repository: Repository,
    head_owner: String,
    head_name: String,
    /// Newest first, of all states.
    known: Vec<PullRequest>,
}

/// The one that the phase is about.
pub(super) struct Found {
    pub(super) number: u32,
    pub(super) url: String,
    pub(super) title: String,
    id: NodeId,
    is_draft: bool,
}

impl From<PullRequest> for Found {
    fn from(pull: PullRequest) -> Self {
        Self {
            number: pull.number,
            url: pull.html_url,
            title: pull.title,
            id: pull.node_id,
            is_draft: pull.draft,
        }
    }
}

impl PullRequests {
    /// The error is a sentence.
    pub(super) async fn look(input: &PrInput, place: &Place, cx: &Context) -> Result<Self, String> {
        let (Some(base), Some(owner)) = (&place.base, place.head_owner()) else {
            return Err("the remote is not a repository on GitHub; set its URL to one".to_owned());
        };
        let github = cx.provider.github(&base.host, &cx.cancel);
        let github = github.await.map_err(|error| error.sentence())?;
        let found = github
            .pull_requests_from(&base.repository, owner, &input.branch, PullFilter::All)
            .await
            .map_err(|error| sentence(&error))?;
        let mut known = found.items;
        known.retain(|pull| pull.base.branch == input.base_branch);
        known.sort_unstable_by_key(|pull| std::cmp::Reverse(pull.number));
        Ok(Self {
            github,
            repository: base.repository.clone(),
            head_owner: owner.to_owned(),
            head_name: place.head_name(&input.branch),
            known,
        })
    }

    pub(super) fn requests(&self) -> u64 {
        self.github.requests()
    }

    /// An open pull request that this operation did not make is in the way,
    /// unless it may be adopted.
    pub(super) fn refuse_existing(
        &self,
        input: &PrInput,
        record: &Record,
        settings: &Settings,
    ) -> Result<(), Box<PrError>> {
        match self.open() {
            Some(pull) if !is_ours(pull, &record.marker()) && !settings.adopt_existing => {
                Err(Box::new(already_exists(input, pull)))
            }
            _ => Ok(()),
        }
    }

    fn open(&self) -> Option<&PullRequest> {
        self.known.iter().find(|pull| is_open(pull))
    }

    pub(super) async fn create(
        &self,
        input: &PrInput,
        marker: &str,
        call: &Call<'_>,
        details: &mut PrDetails,
    ) -> Result<Found, Box<PrError>> {
        if let Some(pull) = self.open().filter(|pull| is_ours(pull, marker)) {
            details.creation = Some(CreationResult::Resumed);
            return Ok(pull.clone().into());
        }
        if let Some(pull) = self.open() {
            details.creation = Some(CreationResult::Adopted);
            return self.adopt(input, pull, marker).await;
        }
        call.cx.emit(Event::Creating {
            repository: self.repository.to_string(),
        });
        let body = with_marker(&input.description, marker);
        let new = NewPullRequest {
            title: &input.title,
            body: &body,
            head: &self.head_name,
            base: &input.base_branch,
            draft: input.draft,
        };
        let mut pauses = call.options.settings.pauses.create.clone().into_iter();
        loop {
            let github = self.github.trying_once();
            let error = match github.create_pull_request(&self.repository, &new).await {
                Ok(pull) => {
                    details.creation = Some(CreationResult::Created);
                    return Ok(pull.into());
                }
                Err(error) => error,
            };
            // Whatever the answer was, or that there was none: it may be there.
            if let Some(pull) = self.find_ours(input, marker).await {
                details.creation = Some(CreationResult::Resumed);
                return Ok(pull.into());
            }
            let setback = TryFailed {
                is_transient: error.is_transient(),
                retry_after: error.retry_after(),
            };
            if !retries::wait("create", &mut pauses, setback, call).await {
                return Err(Box::new(not_created(input, &error)));
            }
        }
    }

    /// After a lost answer. The list may be a moment behind, so it is asked
    /// only for what would prove that it was made.
    async fn find_ours(&self, input: &PrInput, marker: &str) -> Option<PullRequest> {
        let found = self
            .github
            .pull_requests_from(
                &self.repository,
                &self.head_owner,
                &input.branch,
                PullFilter::All,
            )
            .await
            .ok()?;
        let is_it = |pull: &PullRequest| is_open(pull) && is_ours(pull, marker);
        found.items.into_iter().find(is_it)
    }

    async fn adopt(
        &self,
        input: &PrInput,
        pull: &PullRequest,
        marker: &str,
    ) -> Result<Found, Box<PrError>> {
        let body = with_marker(&input.description, marker);
        let change = PullRequestChange {
            title: Some(&input.title),
            body: Some(&body),
            ..PullRequestChange::default()
        };
        self.github
            .update_pull_request(&self.repository, pull.number, &change)
            .await
            .map(Found::from)
            .map_err(|error| Box::new(not_created(input, &error)))
    }

    /// Whether it was asked for and the pull request is ready at the end.
    pub(super) async fn mark_ready(
        &self,
        input: &PrInput,
        pull: &Found,
        call: &Call<'_>,
    ) -> Result<bool, Box<PrError>> {
        if !input.mark_ready || !pull.is_draft {
            return Ok(input.mark_ready);
        }
        call.cx.emit(Event::MarkingReady);
        let mut pauses = call.options.settings.pauses.mark_ready.clone().into_iter();
        loop {
            let github = self.github.trying_once();
            let error = match github.mark_ready_for_review(&pull.id).await {
                Ok(state) => return Ok(!state.is_draft),
                Err(error) => error,
            };
            if self.is_ready(pull).await {
                return Ok(true);
            }
            let setback = TryFailed {
                is_transient: error.is_transient(),
                retry_after: error.retry_after(),
            };
            if !retries::wait("mark ready", &mut pauses, setback, call).await {
                let said = sentence(&error);
                return Err(Box::new(PrError::mark_ready_failed(&input.branch, &said)));
            }
        }
    }

    /// After a lost answer.
    async fn is_ready(&self, pull: &Found) -> bool {
        let now = self
            .github
            .pull_request(&self.repository, pull.number)
            .await;
        now.is_ok_and(|pull| !pull.draft)
    }

    /// The open one of the branch, with its number and address.
    pub(super) fn existing(&self) -> Option<(u32, &str)> {
        let pull = self.open()?;
        Some((pull.number, &pull.html_url))
    }
}

fn is_open(pull: &PullRequest) -> bool {
    pull.state.as_str() == "open"
}

fn is_ours(pull: &PullRequest, marker: &str) -> bool {
    pull.body.contains(marker)
}

fn with_marker(description: &str, marker: &str) -> String {
    format!("{}\n\n{marker}\n", description.trim_end())
}

fn already_exists(input: &PrInput, pull: &PullRequest) -> PrError {
    let branch = &input.branch;
    let reason = format!("A pull request for branch '{branch}' already exists");
    let said = format!("{reason}: {}", pull.html_url);
    PrError::pr_creation_failed(branch, &reason, &said)
}

fn not_created(input: &PrInput, error: &GitHubError) -> PrError {
    let branch = &input.branch;
    let reason = match error.kind() {
        _ if error.already_exists() => {
            format!("A pull request for branch '{branch}' already exists")
        }
        GitHubErrorKind::Invalid { message, problems } => {
            let told: Vec<String> = problems
                .iter()
                .filter_map(|problem| told(problem, input))
                .collect();
            if told.is_empty() {
                message.clone()
            } else {
                told.join("; ")
            }
        }
        _ => format!("{error}; {}", error.hint()),
    };
    PrError::pr_creation_failed(branch, &reason, &sentence(error))
}

/// Some refusals name only a field.
fn told(problem: &FieldProblem, input: &PrInput) -> Option<String> {
    if problem.message.is_some() {
        return problem.message.clone();
    }
    match problem.field.as_deref()? {
        "base" => Some(format!(
            "there is no branch '{}' to merge into",
            input.base_branch
        )),
        "head" => Some(format!("the remote has no branch '{}'", input.branch)),
        field => Some(format!("the field '{field}' is refused")),
    }
}

fn sentence(error: &GitHubError) -> String {
    format!("{error}; {}", error.hint())
}
