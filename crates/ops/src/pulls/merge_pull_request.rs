//! Merges a pull request in the way that its base demands: by the merge queue, in
//! the background, at once, or by the server as soon as it may.

use baton_protocol::tools::merge_pull_request::{
    MergePullRequestInput, MergePullRequestOutput, MergeResult, MergeWord,
};
use baton_protocol::{PrReference, short};
use baton_remote::github::GitHubErrorKind;
use baton_remote::github::enums::MergeMethod;
use baton_remote::github::resources::background_merges::BackgroundMerge;
use baton_remote::github::resources::merging::{MergeOutcome, MergeRequest};
use baton_remote::github::resources::pulls::PullRequest;
use tokio::time::{Instant, sleep};

use super::context::PullContext;
use super::readiness::{self, Blocker, Standing};
use super::{gh, head};
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};

pub struct MergePullRequest;

impl Operation for MergePullRequest {
    const META: Meta = Meta {
        name: "merge_pull_request",
        title: "Merge a pull request",
        about: "Merge a pull request, if nothing stands in the way",
        description: "Merges a pull request when every rule is known to be satisfied, in the way that its base demands: \
            by the merge queue, in the background (GitHub's stacks), or at once. With `when_ready` the server merges it \
            as soon as its rules allow that. Merges the head that was checked and no other. The same call again goes \
            on where the first was.",
        input: "merge_pull_request.input",
        output: "merge_pull_request.output",
        effects: Effects::DESTRUCTIVE,
        may_last: operation::always,
    };
    type Input = MergePullRequestInput;
    type Output = MergePullRequestOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let cx = cx.pulls(&[&input.pr]).await?;
        cx.until_cancelled(merge(&cx, &input)).await
    }
}

/// What came of it.
pub(super) struct End {
    pub(super) status: MergeResult,
    pub(super) merge_commit: Option<String>,
    pub(super) changed: bool,
    pub(super) undo_command: Option<String>,
    pub(super) message: String,
    /// The same call again ends in the same way.
    pub(super) is_final: bool,
}

async fn merge(
    cx: &PullContext,
    input: &MergePullRequestInput,
) -> Result<MergePullRequestOutput, OpError> {
    let reference = cx.reference(&input.pr)?;
    let (repository, number) = (reference.repository(), reference.number());
    let pull = cx.github.pull_request(repository, number).await?;
    if pull.is_merged() {
        return Ok(merged_before(&reference, pull));
    }
    if pull.state.as_str() != "open" {
        return Err(OpError::logical(
            format!("{repository}#{number} is closed"),
            "Open it again first, or look for the one that took its place.",
        ));
    }
    let asked = Request {
        commit: input.commit.as_deref(),
        method: input.method,
        when_ready: input.when_ready,
    };
    let Attempt { standing, end } = attempt(cx, &reference, asked).await?;
    Ok(MergePullRequestOutput {
        pr: format!("{repository}#{number}"),
        status: end.status,
        head: standing.head.as_str().to_owned(),
        base: standing.base.clone(),
        merge_commit: end.merge_commit,
        changed: end.changed,
        blocking_issues: standing.blocking_issues(),
        undo_command: end.undo_command,
        message: end.message,
    })
}

/// How an open pull request is to be merged.
#[derive(Clone, Copy, Default)]
pub(super) struct Request<'a> {
    /// The head that was checked before.
    pub(super) commit: Option<&'a str>,
    pub(super) method: Option<MergeWord>,
    pub(super) when_ready: bool,
}

/// What was found, and what came of it.
pub(super) struct Attempt {
    pub(super) standing: Standing,
    pub(super) end: End,
}

/// Merges an open pull request, if nothing stands in the way.
pub(super) async fn attempt(
    cx: &PullContext,
    reference: &PrReference,
    asked: Request<'_>,
) -> Result<Attempt, OpError> {
    let mut standing = readiness::standing(cx, reference.repository(), reference.number()).await?;
    if standing.is_in_native_stack {
        add_what_is_below(cx, reference, &mut standing).await?;
    }
    head::require(asked.commit, standing.head.as_str())?;
    let call = Merge {
        cx,
        reference,
        standing: &standing,
        wanted: asked.method,
    };
    let end = if let Some(position) = standing.queued_at {
        call.queued(position, false)
    } else if standing.blockers.is_empty() {
        call.now().await?
    } else if asked.when_ready {
        call.when_ready().await?
    } else {
        End::refused("Something stands in the way, or could not be read".to_owned())
    };
    Ok(Attempt { standing, end })
}

/// GitHub merges a stack of its own with everything below, so that all of it has to be ready.
async fn add_what_is_below(
    cx: &PullContext,
    reference: &PrReference,
    standing: &mut Standing,
) -> Result<(), OpError> {
    let (repository, number) = (reference.repository(), reference.number());
    let stack = cx.github.native_stack(repository, number).await?;
    let members = stack.map(|stack| stack.pull_requests).unwrap_or_default();
    let below = members.iter().take_while(|member| member.number != number);
    for lower in below.filter(|member| member.merged_at.is_none()) {
        if cx.call.lockdown {
            let lower = PrReference::new(repository.clone(), lower.number);
            cx.require_writer(&lower.map_err(OpError::bad_reference)?)
                .await?;
        }
        let found = readiness::standing(cx, repository, lower.number).await?;
        standing.is_settling |= found.is_settling;
        let blockers = found.blockers.into_iter().map(|blocker| Blocker {
            text: format!("#{}, below it: {}", lower.number, blocker.text),
            ..blocker
        });
        standing.blockers.extend(blockers);
    }
    Ok(())
}

fn merged_before(reference: &PrReference, pull: PullRequest) -> MergePullRequestOutput {
    MergePullRequestOutput {
        pr: format!("{}#{}", reference.repository(), reference.number()),
        status: MergeResult::Merged,
        head: pull.head.sha.as_str().to_owned(),
        base: pull.base.branch,
        merge_commit: pull
            .merge_commit_sha
            .map(|commit| commit.as_str().to_owned()),
        changed: false,
        blocking_issues: Vec::new(),
        undo_command: None,
        message: "It was merged before".to_owned(),
    }
}

impl End {
    fn refused(message: String) -> Self {
        Self {
            status: MergeResult::Refused,
            merge_commit: None,
            changed: false,
            undo_command: None,
            message,
            is_final: false,
        }
    }

    fn pending() -> Self {
        Self {
            status: MergeResult::Pending,
            message: "The server merges it in the background; ask again".to_owned(),
            merge_commit: None,
            changed: true,
            undo_command: None,
            is_final: false,
        }
    }
}

/// One merge under way.
struct Merge<'a> {
    cx: &'a PullContext,
    reference: &'a PrReference,
    standing: &'a Standing,
    wanted: Option<MergeWord>,
}

impl Merge<'_> {
    /// Nothing stands in the way.
    async fn now(&self) -> Result<End, OpError> {
        let is_native = self.standing.is_in_native_stack;
        if self.standing.needs_queue {
            // A queue has a method of its own, and takes stacks by this way only.
            return if is_native {
                self.in_background(None).await
            } else {
                self.enqueue().await
            };
        }
        let method = match self.method() {
            Ok(method) => Some(method),
            Err(refused) => return Ok(refused),
        };
        if is_native {
            return self.in_background(method).await;
        }
        let request = self.request(method);
        let (repository, number) = self.place();
        let merged = self
            .cx
            .github
            .merge_pull_request(repository, number, &request);
        match merged.await? {
            MergeOutcome::Merged { commit } => {
                Ok(self.merged(commit.map(|commit| commit.as_str().to_owned())))
            }
            MergeOutcome::HeadMoved { head: now } => Err(head::moved(now.as_str())),
            MergeOutcome::NotMergeable { reason } => Ok(End::refused(reason)),
        }
    }

    async fn enqueue(&self) -> Result<End, OpError> {
        let Standing { id, head, .. } = self.standing;
        let entry = self.cx.github.enqueue_pull_request(id, head).await?;
        Ok(self.queued(entry.map_or(1, |entry| entry.position), true))
    }

    /// GitHub merges it together with everything below it in its stack.
    async fn in_background(&self, method: Option<MergeMethod>) -> Result<End, OpError> {
        let (repository, number) = self.place();
        let github = &self.cx.github;
        let until = Instant::now() + self.cx.call.poll.max_wait;
        let request = self.request(method);
        let mut state = github
            .merge_in_background(repository, number, &request)
            .await?;
        loop {
            let id = match state {
                BackgroundMerge::Merged { commit } => {
                    return Ok(self.merged(commit.map(|commit| commit.as_str().to_owned())));
                }
                BackgroundMerge::Queued => return Ok(self.queued(1, true)),
                BackgroundMerge::Failed { reason } => return Ok(End::refused(reason)),
                BackgroundMerge::Pending { request } => request,
            };
            if Instant::now() >= until {
                return Ok(End::pending());
            }
            sleep(self.cx.call.poll.interval).await;
            state = match id {
                Some(id) => github.background_merge(repository, number, &id).await?,
                // Someone else asked for it, and only they know its id.
                None => {
                    github
                        .merge_in_background(repository, number, &request)
                        .await?
                }
            };
        }
    }

    /// Something stands in the way that the server waits for as well.
    async fn when_ready(&self) -> Result<End, OpError> {
        let unenforced = self
            .standing
            .blockers
            .iter()
            .find(|blocker| !blocker.is_enforced);
        if let Some(blocker) = unenforced {
            return Ok(End::refused(format!(
                "The server would not wait for this, or would wait in vain: {}",
                blocker.text
            )));
        }
        if self.standing.has_auto_merge {
            return Ok(self.auto_merge(false));
        }
        let method = match self.method() {
            Ok(method) => method,
            Err(refused) => return Ok(refused),
        };
        let Standing { id, head, .. } = self.standing;
        match self.cx.github.enable_auto_merge(id, head, &method).await {
            Ok(()) => Ok(self.auto_merge(true)),
            // For instance because the repository does not allow it.
            Err(error) => match error.kind() {
                GitHubErrorKind::Invalid { message, .. } => Ok(End::refused(message.clone())),
                _ => Err(error.into()),
            },
        }
    }

    /// The wanted method, if the base allows it.
    fn method(&self) -> Result<MergeMethod, End> {
        let allowed = &self.standing.methods;
        let method = match self.wanted {
            None => allowed.first(),
            Some(wanted) => allowed
                .iter()
                .find(|method| method.as_str() == wanted.as_str()),
        };
        method.cloned().ok_or_else(|| {
            let names: Vec<&str> = allowed.iter().map(MergeMethod::as_str).collect();
            End {
                is_final: true,
                ..End::refused(format!(
                    "{} does not allow this method; it allows: {}",
                    self.standing.base,
                    names.join(", ")
                ))
            }
        })
    }

    fn request(&self, method: Option<MergeMethod>) -> MergeRequest<'_> {
        MergeRequest {
            head: &self.standing.head,
            method,
            title: None,
            message: None,
        }
    }

    fn place(&self) -> (&baton_protocol::Repository, u32) {
        (self.reference.repository(), self.reference.number())
    }

    fn merged(&self, commit: Option<String>) -> End {
        let on = commit
            .as_deref()
            .map_or_else(String::new, |commit| format!(" as {}", short(commit)));
        End {
            status: MergeResult::Merged,
            message: format!("It is merged into {}{on}", self.standing.base),
            merge_commit: commit,
            changed: true,
            undo_command: None,
            is_final: false,
        }
    }

    fn queued(&self, position: u64, changed: bool) -> End {
        const DEQUEUE: &str = "query=mutation($id: ID!) { dequeuePullRequest(input: {id: $id}) { clientMutationId } }";
        let id = format!("id={}", self.standing.id);
        let words = ["api", "graphql", "-f", DEQUEUE, "-f", &id];
        let base = &self.standing.base;
        End {
            status: MergeResult::Queued,
            message: format!("It is in the merge queue of {base}, at position {position}"),
            merge_commit: None,
            changed,
            undo_command: Some(gh::command(&self.cx.workplace.web_url, &words)),
            is_final: false,
        }
    }

    fn auto_merge(&self, changed: bool) -> End {
        let (repository, number) = self.place();
        let (number, repository) = (number.to_string(), repository.to_string());
        let words = [
            "pr",
            "merge",
            &number,
            "--repo",
            &repository,
            "--disable-auto",
        ];
        End {
            status: MergeResult::AutoMerge,
            message: "Auto-merge is on: the server merges it as soon as its rules allow that"
                .to_owned(),
            merge_commit: None,
            changed,
            undo_command: Some(gh::command(&self.cx.workplace.web_url, &words)),
            is_final: false,
        }
    }
}
