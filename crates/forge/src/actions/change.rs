use rusqlite::Transaction;
use serde_json::Value;

use crate::app::App;
use crate::error::Result;
use crate::store::events::{self, NewEvent};
use crate::store::issues::Issue;
use crate::store::repositories::Repository;
use crate::store::timeline::{self, NewTimelineEvent};
use crate::store::users::User;

/// A change under way: who does it, where and when. What is changed inside is
/// recorded with it, in the same transaction.
#[derive(Clone, Copy)]
pub(crate) struct Change<'a> {
    pub(crate) tx: &'a Transaction<'a>,
    pub(crate) repository: &'a Repository,
    pub(crate) actor: &'a User,
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
        let event = NewEvent {
            repository_id: self.repository.id,
            actor_id: Some(self.actor.id),
            kind,
            action: Some(action),
            subject_id: Some(subject_id),
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
            actor_id: Some(self.actor.id),
            event,
            data,
            at: self.at,
        };
        timeline::record(self.tx, &event)?;
        Ok(())
    }
}

impl App {
    /// Does all of `work` or nothing, in the name of `actor`.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        repository: &Repository,
        actor: &User,
        work: impl FnOnce(Change<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (repository, actor, at) = (repository.clone(), actor.clone(), self.now());
        self.write(move |tx| {
            work(Change {
                tx,
                repository: &repository,
                actor: &actor,
                at: &at,
            })
        })
        .await
    }
}
