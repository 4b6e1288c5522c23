//! The commits that a merge puts on the base branch.

use super::merge::{MergeOrder, not_allowed};
use super::merge_message::{Wording, message};
use super::mergeability::tried;
use super::stacks::Group;
use super::{oid, pull_commits};
use crate::actions::prelude::*;
use crate::git::{NewCommit, Person};
use crate::store::pulls::MergeMethod;
use crate::store::users;

pub(super) struct MergeBuild<'a> {
    app: &'a App,
    repository: &'a Repository,
    order: &'a MergeOrder,
    committer: Person,
}

impl<'a> MergeBuild<'a> {
    pub(super) fn new(
        app: &'a App,
        repository: &'a Repository,
        order: &'a MergeOrder,
        user: &User,
    ) -> Self {
        let committer = Person::from_user(user, &app.now());
        Self {
            app,
            repository,
            order,
            committer,
        }
    }

    /// For each pull request of a group, the commit that it is merged by.
    pub(super) async fn commits(&self, group: &Group) -> Result<Vec<Oid>> {
        let mut tip = oid(&group.base_sha)?;
        let mut below = tip.clone();
        let mut commits = Vec::new();
        let last = group.members.len().saturating_sub(1);
        for (index, pull) in group.members.iter().enumerate() {
            let trial = tried(self.app, self.repository, &group.aimed(pull)).await?;
            let Some(merged) = trial.merged else {
                return Err(not_allowed("Pull Request is not mergeable"));
            };
            let head = oid(&pull.head_sha)?;
            tip = match self.order.method {
                MergeMethod::Rebase => self.rebase(&tip, &below, &head).await?,
                // One merge, of the last, brings them all.
                MergeMethod::Merge if index < last => tip,
                _ => {
                    let tree = oid(&merged.tree_sha)?;
                    self.write(pull, &tree, tip, index == last).await?
                }
            };
            below = head;
            commits.push(tip.clone());
        }
        if self.order.method == MergeMethod::Merge {
            commits.fill(tip);
        }
        Ok(commits)
    }

    async fn rebase(&self, tip: &Oid, below: &Oid, head: &Oid) -> Result<Oid> {
        let git = self.app.git(self.repository);
        let rebased = git.rebased_onto(tip, below, head, &self.committer).await?;
        rebased.ok_or_else(|| not_allowed("This branch can't be rebased"))
    }

    /// `is_named` is the pull request that the message of the order is meant for.
    async fn write(&self, pull: &Pull, tree: &Oid, tip: Oid, is_named: bool) -> Result<Oid> {
        let (app, repository, method) = (self.app, self.repository, self.order.method);
        let (author, parents) = if method == MergeMethod::Squash {
            let author = app.rows(|conn| users::by_id(conn, pull.issue.author_id))?;
            let author = Person::from_user(&author, &self.committer.date);
            (author, vec![tip])
        } else {
            (self.committer.clone(), vec![tip, oid(&pull.head_sha)?])
        };
        let commits = pull_commits(app, repository, pull).await?;
        let wording = Wording {
            title: self.order.title.as_deref().filter(|_| is_named),
            body: self.order.message.as_deref().filter(|_| is_named),
        };
        let text = message(repository, method, pull, &commits, &author, wording);
        let new = NewCommit {
            tree,
            parents: &parents,
            author: &author,
            committer: &self.committer,
            message: &text,
        };
        Ok(app.git(repository).write_commit(&new).await?)
    }
}
