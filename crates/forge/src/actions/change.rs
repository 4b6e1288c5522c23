//! Who changes what, and the record of it.

use crate::actions::prelude::*;
use crate::store::events::{self, NewEvent};
use crate::store::timeline::{self, NewTimelineEvent};

/// Who asks for something in a repository.
#[derive(Clone, Copy)]
pub(crate) struct RepoContext<'a> {
    pub(crate) app: &'a App,
    pub(crate) caller: &'a Caller,
    pub(crate) repository: &'a Repository,
}

impl<'a> RepoContext<'a> {
    /// The caller, who has to have this permission.
    pub(crate) fn allowed(self, needed: Permission) -> Result<&'a User> {
        let user = self.caller.user()?;
        self.app
            .read(|conn| self.caller.check(conn, self.repository, needed))?;
        Ok(user)
    }

    /// The same in a repository that was not put away: nothing is changed there.
    pub(crate) fn allowed_to_change(self, needed: Permission) -> Result<&'a User> {
        let user = self.caller.user()?;
        if self.repository.archived {
            let message = "Repository was archived so is read-only.";
            return Err(ApiError::Forbidden(message.to_owned()));
        }
        self.allowed(needed)?;
        Ok(user)
    }

    pub(crate) fn permission(self) -> Result<Permission> {
        self.app
            .read(|conn| self.caller.permission(conn, self.repository))
    }

    pub(crate) fn git(self) -> GitRepository {
        self.app.git(self.repository)
    }

    /// Does all of `work` or nothing, in the name of the caller.
    pub(crate) async fn change<T: Send + 'static>(
        self,
        work: impl FnOnce(Change<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let actor_id = Some(self.caller.user()?.id);
        self.app.change(self.repository.id, actor_id, work).await
    }
}

/// A change under way: who makes it, where and when. What is changed inside is
/// recorded with it, in the same transaction.
#[derive(Clone, Copy)]
pub(crate) struct Change<'a> {
    pub(crate) tx: &'a Transaction<'a>,
    pub(crate) repository_id: i64,
    /// No one, for what was done behind the forge's back.
    pub(crate) actor_id: Option<i64>,
    pub(crate) at: &'a str,
}

impl Change<'_> {
    /// For the readers of events: webhooks, the runner.
    pub(crate) fn event(
        &self,
        kind: &str,
        action: &str,
        subject_id: i64,
        data: Option<Value>,
    ) -> Result<()> {
        self.tell(kind, Some(action), Some(subject_id), data)
    }

    /// An event that may have no action and no subject with an id.
    pub(crate) fn tell(
        &self,
        kind: &str,
        action: Option<&str>,
        subject_id: Option<i64>,
        data: Option<Value>,
    ) -> Result<()> {
        let event = NewEvent {
            repository_id: self.repository_id,
            actor_id: self.actor_id,
            kind,
            action,
            subject_id,
            data,
            at: self.at,
        };
        events::record(self.tx, &event)?;
        Ok(())
    }

    /// Like [`event`](Self::event), of the kind that the issue is of.
    pub(crate) fn issue_event(
        &self,
        issue: &Issue,
        action: &str,
        data: Option<Value>,
    ) -> Result<()> {
        let kind = if issue.is_pull {
            "pull_request"
        } else {
            "issues"
        };
        self.event(kind, action, issue.id, data)
    }

    /// For readers of the issue or pull request.
    pub(crate) fn timeline(&self, issue_id: i64, event: &str, data: Option<Value>) -> Result<()> {
        let event = NewTimelineEvent {
            issue_id,
            actor_id: self.actor_id,
            event,
            data,
            at: self.at,
        };
        timeline::record(self.tx, &event)?;
        Ok(())
    }
}

impl App {
    /// Does all of `work` or nothing, in the name of an account.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        repository_id: i64,
        actor_id: Option<i64>,
        work: impl FnOnce(Change<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let at = self.now();
        self.write(move |tx| {
            work(Change {
                tx,
                repository_id,
                actor_id,
                at: &at,
            })
        })
        .await
    }
}
