//! Merges that are made in the background and asked about later, by an id.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::merge::{MergeOrder, merge};
use super::queue;
use crate::actions::change::RepoContext;
use crate::actions::rules;
use crate::error::{ApiError, Result};
use crate::store::merge_queue;
use crate::store::pulls::Pull;
use crate::store::repositories::Permission;
use crate::{hex, random};

/// The merges that were asked for since the forge was started.
#[derive(Default)]
pub(crate) struct BackgroundMerges(Mutex<HashMap<String, Requested>>);

#[derive(Clone)]
pub(crate) struct Requested {
    pub(crate) pull_id: i64,
    pub(crate) order: MergeOrder,
    pub(crate) failure: Option<String>,
}

/// How a merge stands.
pub(crate) enum Standing {
    Merged { commit: String },
    Queued,
    Pending { id: String, order: MergeOrder },
    Failed { message: String },
}

impl BackgroundMerges {
    pub(crate) fn get(&self, id: &str) -> Option<Requested> {
        self.lock().get(id).cloned()
    }

    /// The one of a pull request that is under way.
    fn under_way(&self, pull: &Pull) -> Option<(String, MergeOrder)> {
        let all = self.lock();
        let mut all = all.iter();
        all.find(|(_, one)| one.pull_id == pull.id() && one.failure.is_none())
            .map(|(id, one)| (id.clone(), one.order.clone()))
    }

    fn begin(&self, pull: &Pull, order: MergeOrder) -> String {
        let id = uuid();
        let requested = Requested {
            pull_id: pull.id(),
            order,
            failure: None,
        };
        self.lock().insert(id.clone(), requested);
        id
    }

    fn fail(&self, id: &str, message: String) {
        if let Some(requested) = self.lock().get_mut(id) {
            requested.failure = Some(message);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Requested>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a pull request stands without any merge in the background: merged, or queued.
pub(crate) fn settled(cx: RepoContext<'_>, pull: &Pull) -> Result<Option<Standing>> {
    if let Some(merged) = &pull.merged {
        let commit = merged.commit_sha.clone();
        return Ok(Some(Standing::Merged { commit }));
    }
    let queued = cx.app.rows(|conn| merge_queue::for_pull(conn, pull.id()))?;
    Ok(queued.map(|_| Standing::Queued))
}

/// Puts it into the queue where the base has one, else merges it in the background. The flag says
/// whether this call began something.
pub(crate) async fn merge_in_background(
    cx: RepoContext<'_>,
    pull: &Pull,
    order: MergeOrder,
) -> Result<(Standing, bool)> {
    cx.allowed_to_change(Permission::Write)?;
    if let Some(settled) = settled(cx, pull)? {
        return Ok((settled, false));
    }
    if let Some((id, order)) = cx.app.background_merges().under_way(pull) {
        return Ok((Standing::Pending { id, order }, false));
    }
    let has_queue = cx.app.read(|conn| {
        let queue = rules::merge_queue_of(conn, cx.repository, &pull.base_ref)?;
        Ok(queue.is_some())
    })?;
    if has_queue {
        return Ok(match queue::enqueue(cx, pull, false).await {
            Ok(_) => (Standing::Queued, true),
            Err(error) => (failed(error)?, false),
        });
    }
    if !pull.is_open() {
        let message = "Pull request is closed.".to_owned();
        return Ok((Standing::Failed { message }, false));
    }
    let id = cx.app.background_merges().begin(pull, order.clone());
    let (app, caller) = (cx.app.clone(), cx.caller.clone());
    let (repository, pull) = (cx.repository.clone(), pull.clone());
    let (this, wanted) = (id.clone(), order.clone());
    tokio::spawn(async move {
        let cx = RepoContext {
            app: &app,
            caller: &caller,
            repository: &repository,
        };
        if let Err(error) = merge(cx, &pull, &wanted).await {
            app.background_merges().fail(&this, error.to_string());
        }
    });
    Ok((Standing::Pending { id, order }, true))
}

/// A refusal is an outcome; what broke is an error.
fn failed(error: ApiError) -> Result<Standing> {
    match error {
        ApiError::Unprocessable(message) | ApiError::Refused { message, .. } => {
            Ok(Standing::Failed { message })
        }
        other => Err(other),
    }
}

/// In the form that GitHub's ids have.
fn uuid() -> String {
    let digits = hex::hex(&random::bytes()[..16]);
    let (one, rest) = digits.split_at(8);
    let (two, rest) = rest.split_at(4);
    let (three, rest) = rest.split_at(4);
    let (four, five) = rest.split_at(4);
    format!("{one}-{two}-{three}-{four}-{five}")
}
