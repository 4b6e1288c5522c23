//! The queue moves on.

use jiff::{Span, Timestamp};

use crate::actions::prelude::*;
use crate::actions::pulls::merge::{delete_branch, land};
use crate::actions::pulls::merge_message::{Wording, message};
use crate::actions::pulls::record;
use crate::actions::pulls::{forge_person, oid, pull_commits, reread};
use crate::actions::pushes::{self, RefUpdate};
use crate::actions::rules::merges::{self, CheckProgress};
use crate::actions::rules::{self, MergeQueueRule};
use crate::git::{NewCommit, Person, RefChange};
use crate::store::merge_queue::{self, QueueEntry, QueueGroup};
use crate::store::pulls::{self, MergeMethod};
use crate::store::{refs, repositories, rollup, users};

/// Builds what is to be checked and merges what was. Called whenever something
/// may have changed.
pub(crate) async fn advance(app: &App, repository_id: i64, base_ref: &str) -> Result<()> {
    let guard = app.lock_pulls(repository_id).await;
    let repository = app.rows(|conn| repositories::by_id(conn, repository_id))?;
    let mut queue = Queue {
        app,
        repository: &repository,
        base_ref,
        updates: Vec::new(),
        merged: Vec::new(),
    };
    let outcome = queue.advance().await;
    let Queue {
        updates, merged, ..
    } = queue;
    drop(guard);
    if !updates.is_empty() {
        pushes::after_push(app, &repository, None, &updates).await?;
    }
    for (pull, user) in merged {
        delete_branch(app, &repository, &pull, &user).await?;
    }
    outcome
}

/// The work on one queue, while no one else touches its pull requests.
struct Queue<'a> {
    app: &'a App,
    repository: &'a Repository,
    base_ref: &'a str,
    updates: Vec<RefUpdate>,
    merged: Vec<(Pull, User)>,
}

/// What the checks say about a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupState {
    Passed,
    Waiting,
    Failed,
}

impl Queue<'_> {
    async fn advance(&mut self) -> Result<()> {
        loop {
            let (rule, tip, entries) = self.app.read(|conn| self.look(conn))?;
            self.remove_abandoned_branches(&entries).await?;
            let (Some(rule), Some(tip)) = (rule, tip) else {
                return Ok(());
            };
            if !self.build(&rule, &tip, &entries).await? {
                continue;
            }
            if !self.settle_front(&rule).await? {
                return Ok(());
            }
        }
    }

    fn look(
        &self,
        conn: &Connection,
    ) -> Result<(Option<MergeQueueRule>, Option<String>, Vec<QueueEntry>)> {
        let name = format!("refs/heads/{}", self.base_ref);
        Ok((
            rules::merge_queue_of(conn, self.repository, self.base_ref)?,
            refs::find(conn, self.repository.id, &name)?,
            merge_queue::for_branch(conn, self.repository.id, self.base_ref)?,
        ))
    }

    /// Each entry on top of the one before it. False when an entry had to leave:
    /// then those behind it are built again.
    async fn build(
        &mut self,
        rule: &MergeQueueRule,
        tip: &str,
        entries: &[QueueEntry],
    ) -> Result<bool> {
        let mut base = tip.to_owned();
        for entry in entries.iter().take(rule.max_entries_to_build) {
            match &entry.group {
                Some(group) if group.base_sha == base => base.clone_from(&group.head_sha),
                _ => match self.build_group(rule, entry, &base).await? {
                    Some(head) => base = head,
                    None => return Ok(false),
                },
            }
        }
        Ok(true)
    }

    async fn build_group(
        &mut self,
        rule: &MergeQueueRule,
        entry: &QueueEntry,
        base: &str,
    ) -> Result<Option<String>> {
        let pull = reread(self.app, entry.pull_id)?;
        let Some(head) = self.merge_onto(rule, &pull, entry, base).await? else {
            self.remove(&pull, "MERGE_CONFLICT").await?;
            return Ok(None);
        };
        let group = QueueGroup {
            base_sha: base.to_owned(),
            head_sha: head.to_string(),
        };
        let built = QueueEntry {
            group: Some(group.clone()),
            ..entry.clone()
        };
        let branch = built.group_branch(pull.number()).unwrap_or_default();
        let (entry_id, name) = (entry.id, branch.clone());
        let event = self.group_event(&branch, &group);
        self.app
            .change(self.repository.id, None, move |change| {
                merge_queue::set_group(change.tx, entry_id, &group, change.at)?;
                change.event("merge_group", "checks_requested", entry_id, Some(event))
            })
            .await?;
        self.move_ref(&format!("refs/heads/{name}"), None, Some(head.clone()))
            .await?;
        Ok(Some(head.to_string()))
    }

    /// The commit that the base branch would have after this entry.
    async fn merge_onto(
        &self,
        rule: &MergeQueueRule,
        pull: &Pull,
        entry: &QueueEntry,
        base: &str,
    ) -> Result<Option<Oid>> {
        let git = self.app.git(self.repository);
        let (base, head) = (oid(base)?, oid(&entry.pull_sha)?);
        let at = self.app.now();
        let committer = forge_person(&at);
        if rule.method == MergeMethod::Rebase {
            return Ok(git.rebased(&base, &head, &committer).await?);
        }
        let Some(tree) = git.merged_tree(&base, &head).await? else {
            return Ok(None);
        };
        let author = self
            .app
            .rows(|conn| users::by_id(conn, pull.issue.author_id))?;
        let author = Person::from_user(&author, &at);
        let commits = pull_commits(self.app, self.repository, pull).await?;
        let wording = Wording::default();
        let text = message(
            self.repository,
            rule.method,
            pull,
            &commits,
            &author,
            wording,
        );
        let parents = match rule.method {
            MergeMethod::Merge => vec![base, head],
            MergeMethod::Squash | MergeMethod::Rebase => vec![base],
        };
        let new = NewCommit {
            tree: &tree,
            parents: &parents,
            author: &author,
            committer: &committer,
            message: &text,
        };
        Ok(Some(git.write_commit(&new).await?))
    }

    /// Merges or removes the first entry once its checks are over. False when
    /// there is nothing to do yet.
    async fn settle_front(&mut self, rule: &MergeQueueRule) -> Result<bool> {
        let (_, _, entries) = self.app.read(|conn| self.look(conn))?;
        let Some((entry, group)) = entries
            .first()
            .and_then(|entry| Some((entry.clone(), entry.group.clone()?)))
        else {
            return Ok(false);
        };
        let mut pull = reread(self.app, entry.pull_id)?;
        match self.group_state(rule, &entry, &group)? {
            GroupState::Waiting => Ok(false),
            GroupState::Failed => {
                self.remove(&pull, "FAILED_CHECKS").await?;
                Ok(true)
            }
            GroupState::Passed => {
                // It lands on what the group was built on.
                pull.base_ref.clone_from(&entry.base_ref);
                pull.base_sha.clone_from(&group.base_sha);
                let user = entry.enqueued_by.clone();
                let commit = oid(&group.head_sha)?;
                let merges = [(pull, commit)];
                let landed = land(self.app, self.repository, &merges, &user).await?;
                self.updates.extend(landed);
                let [(pull, _)] = merges;
                self.merged.push((pull, user));
                Ok(true)
            }
        }
    }

    fn group_state(
        &self,
        rule: &MergeQueueRule,
        entry: &QueueEntry,
        group: &QueueGroup,
    ) -> Result<GroupState> {
        let progress = self.app.read(|conn| {
            let required = merges::required_checks(conn, self.repository, self.base_ref)?;
            let rollup = rollup::for_commit(conn, self.repository.id, &group.head_sha)?;
            Ok(required
                .iter()
                .map(|check| merges::check_progress(check, &rollup.contexts))
                .collect::<Vec<_>>())
        })?;
        if progress.contains(&CheckProgress::Failing) {
            return Ok(GroupState::Failed);
        }
        if progress
            .iter()
            .all(|progress| *progress == CheckProgress::Passed)
        {
            return Ok(GroupState::Passed);
        }
        Ok(if is_overdue(rule, entry) {
            GroupState::Failed
        } else {
            GroupState::Waiting
        })
    }

    async fn remove(&self, pull: &Pull, reason: &'static str) -> Result<()> {
        let pull = pull.clone();
        self.app
            .change(self.repository.id, None, move |change| {
                record::leave_queue(change, &pull, reason)
            })
            .await
    }

    /// Branches of groups that are no longer wanted, whyever.
    async fn remove_abandoned_branches(&mut self, entries: &[QueueEntry]) -> Result<()> {
        let prefix = format!("refs/heads/gh-readonly-queue/{}/", self.base_ref);
        let (existing, wanted) = self.app.read(|conn| {
            let mut existing = refs::for_repository(conn, self.repository.id)?;
            existing.retain(|name, _| name.starts_with(&prefix));
            let mut wanted = Vec::new();
            for entry in entries {
                let pull = pulls::by_id(conn, entry.pull_id)?.ok_or(ApiError::NotFound)?;
                let branch = entry.group_branch(pull.number());
                wanted.extend(branch.map(|branch| format!("refs/heads/{branch}")));
            }
            Ok((existing, wanted))
        })?;
        for (name, commit) in existing {
            if wanted.contains(&name) {
                continue;
            }
            self.move_ref(&name, Some(oid(&commit)?), None).await?;
            let data = json!({ "head_ref": name, "head_sha": commit, "base_ref": self.base_ref });
            self.app
                .change(self.repository.id, None, move |change| {
                    change.tell("merge_group", Some("destroyed"), None, Some(data))
                })
                .await?;
        }
        Ok(())
    }

    async fn move_ref(&mut self, name: &str, old: Option<Oid>, new: Option<Oid>) -> Result<()> {
        let change = RefChange {
            name: name.to_owned(),
            old,
            new,
        };
        let updates = pushes::move_refs(self.app, self.repository, None, &[change]).await?;
        self.updates.extend(updates);
        Ok(())
    }

    fn group_event(&self, branch: &str, group: &QueueGroup) -> Value {
        json!({
            "head_ref": format!("refs/heads/{branch}"),
            "head_sha": group.head_sha,
            "base_ref": format!("refs/heads/{}", self.base_ref),
            "base_sha": group.base_sha,
        })
    }
}

/// Whether the checks of an entry had the time that the rule gives them.
fn is_overdue(rule: &MergeQueueRule, entry: &QueueEntry) -> bool {
    let minutes = i64::try_from(rule.check_response_timeout_minutes).unwrap_or(i64::MAX);
    let due = entry
        .built_at
        .as_ref()
        .and_then(|at| at.parse::<Timestamp>().ok())
        .and_then(|at| at.checked_add(Span::new().try_minutes(minutes).ok()?).ok());
    due.is_some_and(|due| Timestamp::now() > due)
}
