//! The branch: that it is there, and that the remote has it.

use baton_host::git::{Git, GitError, Push, PushOutcome, Rejection};
use baton_protocol::Request as _;
use baton_protocol::phase::pr::{PrError, PrInput};
use baton_protocol::phase::pr_details::{PrDetails, PushResult};
use baton_protocol::{Found, Problem, error_chain};
use serde_json::json;

use super::place::Place;
use super::retries::{self, TryFailed};
use super::{Call, Event, open_git, open_git_to_push};

pub(super) struct Branch {
    pub(super) git: Git,
    /// Its commits are here; otherwise only the remote has it.
    is_local: bool,
}

impl Branch {
    pub(super) fn is_local(&self) -> bool {
        self.is_local
    }

    pub(super) async fn find(input: &PrInput, call: &Call<'_>) -> Result<Self, Box<PrError>> {
        let folder = &input.working_directory;
        if !std::path::Path::new(folder).is_dir() {
            let message = PrInput::message_for("working_directory").unwrap_or_default();
            return Err(Box::new(wrong_folder(folder, message.to_owned())));
        }
        let missing = |error: &GitError| {
            let message = error_chain(error);
            Box::new(match error {
                GitError::NotARepository { .. } | GitError::Start { .. } => {
                    wrong_folder(folder, message)
                }
                _ => PrError::branch_not_found(&input.branch, &message),
            })
        };
        let git = open_git(folder, call)
            .await
            .map_err(|error| missing(&error))?;
        let is_local = git
            .branch_exists(&input.branch)
            .await
            .map_err(|error| missing(&error))?;
        if is_local {
            return Ok(Self { git, is_local });
        }
        let place = Place::detect(&git, &input.branch).await;
        let Some(remote) = &place.remote else {
            let said = format!(
                "error: there is no branch '{}' here, and no remote",
                input.branch
            );
            return Err(Box::new(PrError::branch_not_found(&input.branch, &said)));
        };
        match git.branch_on_remote(remote, &input.branch).await {
            Ok(Some(_)) => Ok(Self { git, is_local }),
            Ok(None) => {
                let said = format!(
                    "error: neither this repository nor the remote '{remote}' has a branch '{}'",
                    input.branch
                );
                Err(Box::new(PrError::branch_not_found(&input.branch, &said)))
            }
            Err(error) => Err(missing(&error)),
        }
    }

    /// Brings the remote's branch to where it is here. One that only the remote
    /// has is there already.
    pub(super) async fn push(
        &self,
        input: &PrInput,
        place: &Place,
        call: &Call<'_>,
        details: &mut PrDetails,
    ) -> Result<(), Box<PrError>> {
        if !self.is_local {
            details.push = Some(PushResult::OnlyOnRemote);
            return Ok(());
        }
        let branch = &input.branch;
        let failed = |reason: &str, said: &str| {
            Err(Box::new(PrError::git_push_failed(branch, reason, said)))
        };
        let Some(remote) = &place.remote else {
            let said = "error: this repository has no remote to push to";
            return failed(
                "the repository has no remote; add one with `git remote add`",
                said,
            );
        };
        let git = match open_git_to_push(&input.working_directory, call).await {
            Ok(git) => git,
            Err(error) => return failed("git cannot be used", &error.to_string()),
        };
        call.cx.emit(Event::Pushing { branch, remote });
        let source = format!("refs/heads/{branch}");
        let mut pauses = call.options.settings.pauses.push.clone().into_iter();
        loop {
            let push = Push {
                remote,
                source: &source,
                branch,
                lease: None,
            };
            let error = match git.push(push).await {
                Ok(PushOutcome::Pushed {
                    commit, created, ..
                }) => {
                    details.push = Some(if created {
                        PushResult::Created
                    } else {
                        PushResult::Updated
                    });
                    details.head = Some(commit.to_string());
                    return Ok(());
                }
                Ok(PushOutcome::UpToDate { commit }) => {
                    details.push = Some(PushResult::UpToDate);
                    details.head = Some(commit.to_string());
                    return Ok(());
                }
                Ok(PushOutcome::Rejected { reason, message }) => {
                    if reason == Rejection::Other
                        && let Some(commit) = self.arrived(remote, &source, branch).await
                    {
                        details.push = Some(PushResult::UpToDate);
                        details.head = Some(commit);
                        return Ok(());
                    }
                    return failed(told(reason), message.trim());
                }
                Err(error) => error,
            };
            let setback = TryFailed {
                is_transient: is_transient(&error),
                retry_after: None,
            };
            if !retries::wait("push", &mut pauses, setback, call).await {
                let said = error.to_string();
                return failed(said.lines().next().unwrap_or_default(), &said);
            }
        }
    }
}

/// The folder is where the caller has to look, not the branch.
fn wrong_folder(folder: &str, message: String) -> PrError {
    PrError::validation(&Problem {
        path: "/working_directory".to_owned(),
        field: "working_directory".to_owned(),
        found: Found::Value(json!(folder)),
        message,
    })
}

impl Branch {
    /// The commit, if the remote's branch is at it. git sends a push again by
    /// itself when the connection breaks, and the second one is told that the
    /// branch is there.
    async fn arrived(&self, remote: &str, source: &str, branch: &str) -> Option<String> {
        let here = self.git.commit(source).await.ok()?;
        let there = self.git.branch_on_remote(remote, branch).await.ok()??;
        (here == there).then(|| here.to_string())
    }
}

fn is_transient(error: &GitError) -> bool {
    match error {
        GitError::Remote { kind, .. } => kind.is_transient(),
        GitError::TimedOut { .. } => true,
        _ => false,
    }
}

/// What is to be done differs for each.
fn told(reason: Rejection) -> &'static str {
    match reason {
        Rejection::NonFastForward => {
            "the remote's branch has other commits; fetch and rebase or merge them first"
        }
        Rejection::StaleLease => "the remote's branch moved meanwhile; fetch and look at it first",
        Rejection::HookDeclined => "a hook declined it; do what the hook says",
        Rejection::Protected => "the branch is protected; push to another one",
        Rejection::Permission => {
            "this account may not push there; push to a fork or ask for the right"
        }
        Rejection::TooLarge => "something in it is too large; take large files out of the history",
        Rejection::Other => "the remote rejected it",
    }
}
