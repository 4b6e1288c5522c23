//! Where the branches of a stack were before.
//!
//! A push by force leaves the branches above on commits that their base no
//! longer has. The forge keeps such pushes in the timelines of pull requests,
//! a checkout in the reflogs of its copies of the remote's branches, and baton
//! in its records of what it moved.

use std::collections::{BTreeMap, BTreeSet};

use baton_host::git::{Call, Git, GitError, NewCommit, Oid, Signature};
use baton_protocol::Repository;
use baton_remote::github::questions::force_pushes::{PushHistory, PushedSide};
use baton_remote::github::{Fact, NodeId};
use jiff::Timestamp;

use super::super::context::PullContext;
use super::super::objects::{NeededCommit, Objects, ObjectsError};
use super::members::Member;
use super::survey::anonymous;
use crate::error::OpError;

/// Older pushes are forgotten by those who work on top.
const MAX_FORMER_HEADS: usize = 60;

/// What is known of the past of one pull request's branches.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct History {
    pub(super) opened_at: Option<Timestamp>,
    /// Where its head was; the commits are here.
    pub(super) heads: Vec<FormerHead>,
    /// Where its base branch was before pushes by force.
    pub(super) bases: Vec<Oid>,
    /// Why there may have been more pushes than these; absent when the forge told all.
    pub(super) unknown: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FormerHead {
    pub(super) commit: Oid,
    /// When the branch left it, by the forge's own record.
    pub(super) left_at: Option<Timestamp>,
}

impl History {
    fn new(read: Option<Fact<PushHistory>>) -> Self {
        let push_history = match read {
            Some(Fact::Known(push_history)) => push_history,
            Some(Fact::Unreadable(why)) => return Self::without(why.reason),
            None => return Self::without("it was not read"),
        };
        let mut history = Self {
            opened_at: Some(push_history.opened_at),
            ..Self::default()
        };
        if push_history.truncated {
            history.unknown = Some("there are more than were read".to_owned());
        }
        for push in push_history.pushes.into_iter().rev() {
            match (push.side, push.before) {
                (PushedSide::Head, Some(commit)) => history.heads.push(FormerHead {
                    commit,
                    left_at: Some(push.at),
                }),
                (PushedSide::Base, Some(commit)) => history.bases.push(commit),
                (_, None) => history.unknown = Some("an old commit is gone".to_owned()),
            }
        }
        history
    }

    fn without(reason: impl Into<String>) -> Self {
        Self {
            unknown: Some(reason.into()),
            ..Self::default()
        }
    }

    /// Adds what this machine knows, and bounds the whole.
    fn add_heads(&mut self, commits: impl IntoIterator<Item = Oid>) {
        for commit in commits {
            self.heads.push(FormerHead {
                commit,
                left_at: None,
            });
        }
        let mut seen = BTreeSet::new();
        self.heads.retain(|head| seen.insert(head.commit.clone()));
        if self.heads.len() > MAX_FORMER_HEADS {
            self.heads.truncate(MAX_FORMER_HEADS);
            self.unknown = Some("there are more than are compared".to_owned());
        }
        self.bases.truncate(MAX_FORMER_HEADS);
    }

    /// One commit that all former heads are ancestors of, for questions about all of them.
    pub(super) async fn union(&self, git: &Git) -> Result<Option<Oid>, GitError> {
        union(git, self.heads.iter().map(|head| head.commit.clone())).await
    }

    /// The same of the former bases.
    pub(super) async fn union_of_bases(&self, git: &Git) -> Result<Option<Oid>, GitError> {
        union(git, self.bases.iter().cloned()).await
    }
}

async fn union(git: &Git, commits: impl Iterator<Item = Oid>) -> Result<Option<Oid>, GitError> {
    let parents: Vec<Oid> = commits.collect();
    match parents.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        several => {
            let nameless: Signature = anonymous();
            let new = NewCommit {
                tree: &git.tree(several[0].as_str()).await?,
                parents: several,
                message: "Former heads",
                author: &nameless,
                committer: &nameless,
            };
            git.make_commit(new).await.map(Some)
        }
    }
}

/// The histories of some members, by number. `records` has what baton moved, by branch.
pub(super) async fn read(
    cx: &PullContext,
    repository: &Repository,
    objects: &Objects,
    members: &[Member],
    records: &BTreeMap<u32, Vec<Oid>>,
) -> Result<BTreeMap<u32, History>, OpError> {
    let known: Vec<(u32, NodeId)> = members
        .iter()
        .filter_map(|member| Some((member.number, member.id.clone()?)))
        .collect();
    let ids: Vec<NodeId> = known.iter().map(|(_, id)| id.clone()).collect();
    let mut read: BTreeMap<u32, Fact<PushHistory>> = BTreeMap::new();
    match Fact::from_answer(cx.github.force_pushes(repository, &ids).await)? {
        Fact::Known(histories) => {
            read.extend(known.iter().map(|(number, _)| *number).zip(histories));
        }
        Fact::Unreadable(why) => {
            let withheld = |(number, _): &(u32, NodeId)| (*number, Fact::Unreadable(why.clone()));
            read.extend(known.iter().map(withheld));
        }
    }
    let mut histories = BTreeMap::new();
    for member in members {
        let mut history = History::new(read.remove(&member.number));
        let mut here = reflog(objects, member).await?;
        here.extend(records.get(&member.number).into_iter().flatten().cloned());
        history.add_heads(here);
        fetch(objects, &mut history).await;
        histories.insert(member.number, history);
    }
    Ok(histories)
}

/// Where the checkout's copy of the branch was, the newest first.
async fn reflog(objects: &Objects, member: &Member) -> Result<Vec<Oid>, GitError> {
    if !objects.is_checkout || member.is_fork {
        return Ok(Vec::new());
    }
    let name = format!(
        "refs/remotes/{}/{}",
        objects.remote_name(),
        member.head_branch
    );
    let call = Call::read("read where the branch was")
        .args(["log", "--walk-reflogs", "--format=%H"])
        .arg(format!("--max-count={MAX_FORMER_HEADS}"))
        .args(["--end-of-options", &name, "--"]);
    let reply = objects.git.call(call).await?;
    if reply.code != 0 {
        return Ok(Vec::new());
    }
    let text = String::from_utf8_lossy(&reply.stdout).into_owned();
    Ok(text.lines().filter_map(Oid::parse).collect())
}

/// Gets the commits. What cannot be had makes the rest unknown.
async fn fetch(objects: &Objects, history: &mut History) {
    let wanted = |commit: &Oid| NeededCommit {
        commit: commit.to_string(),
        reference: commit.to_string(),
    };
    let all: Vec<NeededCommit> = history
        .heads
        .iter()
        .map(|head| &head.commit)
        .chain(&history.bases)
        .map(wanted)
        .collect();
    if objects.have(&all).await.is_ok() {
        return;
    }
    let mut missing: BTreeMap<String, ObjectsError> = BTreeMap::new();
    for want in &all {
        if let Err(error) = objects.have(std::slice::from_ref(want)).await {
            missing.insert(want.commit.clone(), error);
        }
    }
    history
        .heads
        .retain(|head| !missing.contains_key(head.commit.as_str()));
    history
        .bases
        .retain(|base| !missing.contains_key(base.as_str()));
    if let Some(error) = missing.into_values().next() {
        history.unknown = Some(error.to_string());
    }
}
