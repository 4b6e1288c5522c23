//! The refs of a restack: which there are, where they are, and moving them all.

use std::path::PathBuf;

use baton_host::git::{AtomicPushOutcome, BranchPush, Git, Oid, RefMove, Rejection, WorktreeHead};
use baton_protocol::Repository;
use baton_protocol::tools::restack::{RestackMove, RestackPlace};
use baton_remote::github::resources::pulls::PullRequestChange;
use baton_state::ref_moves::KeptMove;

use super::super::context::PullContext;
use super::super::objects::Objects;
use crate::error::OpError;

/// What a server's git says of a ref that another push moves in the same moment.
const LOST_RACE: &str = "cannot lock ref '";

/// Where a ref is. The words are kept in the state, so they stay as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A ref of the repository on this machine.
    Local,
    /// A copy of the remote's branch, which a push moves by itself.
    Tracking,
    /// A branch of a repository on the forge.
    Forge(Repository),
    /// The base branch of a pull request.
    BaseBranch(u32),
}

impl Place {
    pub(super) fn kept(&self) -> String {
        match self {
            Self::Local => "local".to_owned(),
            Self::Tracking => "tracking".to_owned(),
            Self::Forge(repository) => format!("forge {repository}"),
            Self::BaseBranch(number) => format!("base {number}"),
        }
    }
}

/// One thing that moves, and its value before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moving {
    pub(super) place: Place,
    pub(super) name: String,
    pub(super) old: Option<String>,
    pub(super) new: Option<String>,
}

impl Moving {
    pub(super) fn kept(&self) -> KeptMove {
        KeptMove {
            place: self.place.kept(),
            name: self.name.clone(),
            old: self.old.clone(),
            new: self.new.clone(),
        }
    }

    pub(super) fn read(kept: KeptMove) -> Option<Self> {
        let place = match kept.place.split_once(' ') {
            None if kept.place == "local" => Place::Local,
            None if kept.place == "tracking" => Place::Tracking,
            Some(("forge", repository)) => Place::Forge(Repository::parse(repository).ok()?),
            Some(("base", number)) => Place::BaseBranch(number.parse().ok()?),
            _ => return None,
        };
        Some(Self {
            place,
            name: kept.name,
            old: kept.old,
            new: kept.new,
        })
    }

    pub(super) fn back(self) -> Self {
        Self {
            old: self.new,
            new: self.old,
            ..self
        }
    }

    /// As it is told; a tracking ref is of no concern.
    pub(super) fn told(&self) -> Option<RestackMove> {
        let place = match &self.place {
            Place::Local => RestackPlace::Local,
            Place::Forge(_) => RestackPlace::Forge,
            Place::BaseBranch(_) => RestackPlace::BaseBranch,
            Place::Tracking => return None,
        };
        Some(RestackMove {
            place,
            name: self.name.clone(),
            from: self.old.clone().unwrap_or_default(),
            to: self.new.clone().unwrap_or_default(),
        })
    }
}

/// Moves all: base branches, then the forge's branches in one transaction,
/// then those of this machine in another. What is where it is to be already
/// stays, so that a call which was interrupted can be made again.
pub(super) async fn move_all(
    cx: &PullContext,
    objects: &Objects,
    repository: &Repository,
    moves: &[Moving],
) -> Result<(), OpError> {
    let worktrees = prepare_local(&objects.git, moves).await?;
    let changed = set_bases(cx, repository, moves).await?;
    if let Err(error) = push(cx, objects, repository, moves).await {
        let back: Vec<Moving> = changed.into_iter().map(Moving::back).collect();
        set_bases(cx, repository, &back).await?;
        return Err(error);
    }
    move_local(&objects.git, moves, &worktrees).await
}

/// Whether the forge's branches are where they were to go. They move together,
/// so that one which is not means that none has.
pub(super) async fn are_pushed(cx: &PullContext, moves: &[Moving]) -> Result<bool, OpError> {
    for one in moves {
        let Place::Forge(place) = &one.place else {
            continue;
        };
        let branch = one.name.trim_start_matches("refs/heads/");
        let current = cx.github.branch_head(place, branch).await?;
        if current.as_ref().map(Oid::as_str) != one.new.as_deref() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A worktree whose files have to follow its branch.
struct Following {
    folder: PathBuf,
    from: Oid,
    to: Oid,
}

/// Refuses before anything has moved where a local branch could not follow.
async fn prepare_local(git: &Git, moves: &[Moving]) -> Result<Vec<Following>, OpError> {
    let mut following = Vec::new();
    for one in moves.iter().filter(|one| one.place == Place::Local) {
        let Some((from, to)) = ends(one) else {
            continue;
        };
        let current = git.find_commit(&one.name).await?;
        if current.as_ref() == Some(&to) {
            continue;
        }
        if current.as_ref() != Some(&from) {
            return Err(moved_meanwhile(&one.name));
        }
        for worktree in git.worktrees().await? {
            let WorktreeHead::Branch { name, .. } = &worktree.head else {
                continue;
            };
            if format!("refs/heads/{name}") != one.name || worktree.prunable.is_some() {
                continue;
            }
            if !git
                .at(&worktree.path)
                .can_switch_content(&from, &to)
                .await?
            {
                return Err(OpError::logical(
                    format!(
                        "`{name}` is checked out in {}, where changes that are not committed would be lost",
                        worktree.path.display()
                    ),
                    "Commit or stash them, then call again.",
                ));
            }
            following.push(Following {
                folder: worktree.path,
                from: from.clone(),
                to: to.clone(),
            });
        }
    }
    Ok(following)
}

/// Says which were changed.
async fn set_bases(
    cx: &PullContext,
    repository: &Repository,
    moves: &[Moving],
) -> Result<Vec<Moving>, OpError> {
    let mut changed = Vec::new();
    for one in moves {
        let (Place::BaseBranch(number), Some(branch)) = (&one.place, &one.new) else {
            continue;
        };
        let change = PullRequestChange {
            base: Some(branch),
            ..PullRequestChange::default()
        };
        cx.github
            .update_pull_request(repository, *number, &change)
            .await?;
        changed.push(one.clone());
    }
    Ok(changed)
}

async fn push(
    cx: &PullContext,
    objects: &Objects,
    repository: &Repository,
    moves: &[Moving],
) -> Result<(), OpError> {
    let mut waiting: Vec<(&Repository, &str, Oid, Oid)> = Vec::new();
    for one in moves {
        let (Place::Forge(place), Some((from, to))) = (&one.place, ends(one)) else {
            continue;
        };
        let branch = one.name.trim_start_matches("refs/heads/");
        let current = cx.github.branch_head(place, branch).await?;
        if current.as_ref() != Some(&to) {
            waiting.push((place, branch, from, to));
        }
    }
    let Some((place, ..)) = waiting.first() else {
        return Ok(());
    };
    let place = (*place).clone();
    let pushes: Vec<BranchPush<'_>> = waiting
        .iter()
        .map(|(_, branch, from, to)| BranchPush { branch, from, to })
        .collect();
    let remote = objects.push_remote(&place, &cx.workplace.web_url);
    let outcome = objects.git.push_atomically(&remote, &pushes).await?;
    match outcome {
        AtomicPushOutcome::Pushed => Ok(()),
        AtomicPushOutcome::Rejected {
            branch,
            reason: Rejection::StaleLease | Rejection::NonFastForward,
            ..
        } => Err(moved_meanwhile(branch.as_deref().unwrap_or("a branch"))),
        // Moved between the server's own look and its lock.
        AtomicPushOutcome::Rejected { message, .. } if message.contains(LOST_RACE) => {
            let name = message
                .split(LOST_RACE)
                .nth(1)
                .and_then(|rest| rest.split('\'').next());
            Err(moved_meanwhile(name.unwrap_or("a branch")))
        }
        AtomicPushOutcome::Rejected {
            branch,
            reason,
            message,
        } => Err(OpError::logical(
            format!(
                "{repository} refused the push of {}: {message}",
                branch.as_deref().unwrap_or("the branches")
            ),
            match reason {
                Rejection::Permission => "Ask for write access to the repository of the branch.",
                Rejection::Protected => {
                    "The branch is protected against pushes by force; change the rule or the branch."
                }
                _ => "Nothing was moved. Look at what the server said, then call again.",
            },
        )),
    }
}

/// One transaction, with the copies of the remote's branches.
async fn move_local(git: &Git, moves: &[Moving], following: &[Following]) -> Result<(), OpError> {
    let mut refs = Vec::new();
    for one in moves {
        if !matches!(one.place, Place::Local | Place::Tracking) {
            continue;
        }
        let current = git.find_commit(&one.name).await?;
        let to = one.new.as_deref().and_then(Oid::parse);
        if current != to {
            refs.push(RefMove {
                name: one.name.clone(),
                from: current,
                to,
            });
        }
    }
    if !refs.is_empty() {
        git.update_refs(&refs, "baton: restack").await?;
    }
    for Following { folder, from, to } in following {
        git.at(folder).switch_content(from, to).await?;
    }
    Ok(())
}

fn ends(one: &Moving) -> Option<(Oid, Oid)> {
    Some((
        Oid::parse(one.old.as_deref()?)?,
        Oid::parse(one.new.as_deref()?)?,
    ))
}

fn moved_meanwhile(name: &str) -> OpError {
    OpError::logical(
        format!("`{name}` is not where it was: someone has moved it meanwhile"),
        "Nothing was moved. Look at what is new there, then call again.",
    )
}
