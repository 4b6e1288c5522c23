//! Merges that are made in the background and asked about later, by an id.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use super::merge::{MergeOrder, merge_group};
use super::queue;
use crate::actions::prelude::*;
use crate::actions::rules;
use crate::store::merge_queue::QueueEntry;
use crate::store::text_enum::text_enum;
use crate::store::{merge_queue, stacks};
use crate::{hex, random};

/// GitHub says for a day how a merge ended.
const RETENTION_SECONDS: i64 = 24 * 60 * 60;

/// The merges that were asked for since the forge was started.
#[derive(Default)]
pub(crate) struct BackgroundMerges(Mutex<HashMap<String, Requested>>);

#[derive(Clone)]
pub(crate) struct Requested {
    pub(crate) pull_id: i64,
    pub(crate) request: MergeRequest,
    /// Once it is over.
    pub(crate) outcome: Option<Standing>,
    /// When that was, or when it began.
    updated_at: Timestamp,
}

#[derive(Clone)]
pub(crate) struct MergeRequest {
    pub(crate) order: MergeOrder,
    pub(crate) action: MergeAction,
}

text_enum! {
    MergeAction {
        /// The queue where the base has one.
        Default = "default",
        DirectMerge = "direct_merge",
        MergeQueue = "merge_queue",
    }
}

/// How a merge stands.
#[derive(Clone)]
pub(crate) enum Standing {
    Merged { commit: String },
    Queued,
    Pending { id: String, request: MergeRequest },
    Failed { message: String },
}

impl Requested {
    fn is_forgotten(&self) -> bool {
        let age = Timestamp::now().as_second() - self.updated_at.as_second();
        self.outcome.is_some() && age > RETENTION_SECONDS
    }
}

impl BackgroundMerges {
    pub(crate) fn get(&self, id: &str) -> Option<Requested> {
        let found = self.lock().get(id).cloned();
        found.filter(|requested| !requested.is_forgotten())
    }

    /// The one of a pull request that is under way.
    fn under_way(&self, pull: &Pull) -> Option<(String, MergeRequest)> {
        let all = self.lock();
        let mut all = all.iter();
        all.find(|(_, one)| one.pull_id == pull.id() && one.outcome.is_none())
            .map(|(id, one)| (id.clone(), one.request.clone()))
    }

    /// Whether it is about to be merged.
    pub(super) fn is_pending(&self, pull: &Pull) -> bool {
        pull.merged.is_none() && self.under_way(pull).is_some()
    }

    fn begin(&self, pull: &Pull, request: MergeRequest) -> String {
        let id = uuid();
        let requested = Requested {
            pull_id: pull.id(),
            request,
            outcome: None,
            updated_at: Timestamp::now(),
        };
        let mut all = self.lock();
        all.retain(|_, requested| !requested.is_forgotten());
        all.insert(id.clone(), requested);
        id
    }

    fn end(&self, id: &str, outcome: Option<Standing>) {
        if let Some(requested) = self.lock().get_mut(id) {
            requested.outcome = outcome;
            requested.updated_at = Timestamp::now();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Requested>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a pull request stands without any merge in the background: merged, or queued.
fn settled(cx: RepoContext<'_>, pull: &Pull) -> Result<Option<Standing>> {
    if let Some(merged) = &pull.merged {
        let commit = merged.commit_sha.clone();
        return Ok(Some(Standing::Merged { commit }));
    }
    let queued = cx.app.rows(|conn| merge_queue::for_pull(conn, pull.id()))?;
    Ok(queued.map(|_| Standing::Queued))
}

/// Merges it in the background, or puts it into the queue. The flag says whether this call began
/// something.
pub(crate) async fn merge_in_background(
    cx: RepoContext<'_>,
    pull: &Pull,
    mut request: MergeRequest,
) -> Result<(Standing, bool)> {
    cx.allowed_to_change(Permission::Write)?;
    if let Some(settled) = settled(cx, pull)? {
        return Ok((settled, false));
    }
    if let Some((id, request)) = cx.app.background_merges().under_way(pull) {
        return Ok((Standing::Pending { id, request }, false));
    }
    let unready = match (pull.is_open(), pull.draft) {
        (false, _) => Some("Pull request is closed."),
        (true, true) => Some("Pull request is a draft."),
        (true, false) => None,
    };
    if let Some(message) = unready {
        let message = message.to_owned();
        return Ok((Standing::Failed { message }, false));
    }
    if by_queue(cx, pull, request.action)? {
        return Ok(match enqueue(cx, pull, &request.order).await {
            Ok(_) => (Standing::Queued, true),
            Err(error) => (failed(error)?, false),
        });
    }
    // A push in between cancels the merge.
    let head = &pull.head_sha;
    let expected = &mut request.order.expected_head;
    expected.get_or_insert_with(|| head.clone());
    let id = cx.app.background_merges().begin(pull, request.clone());
    start(cx, pull, &id, &request.order);
    Ok((Standing::Pending { id, request }, true))
}

fn by_queue(cx: RepoContext<'_>, pull: &Pull, action: MergeAction) -> Result<bool> {
    match action {
        MergeAction::DirectMerge => Ok(false),
        MergeAction::MergeQueue => Ok(true),
        MergeAction::Default => cx.app.read(|conn| {
            let target = stacks::target(conn, pull)?;
            Ok(rules::merge_queue_of(conn, cx.repository, &target)?.is_some())
        }),
    }
}

/// The queue says how it merges, whatever was asked for.
async fn enqueue(cx: RepoContext<'_>, pull: &Pull, order: &MergeOrder) -> Result<QueueEntry> {
    let expected = order.expected_head.as_ref();
    if expected.is_some_and(|expected| *expected != pull.head_sha) {
        let message = "Head branch was modified. Review and try the merge again.";
        return Err(ApiError::Unprocessable(message.to_owned()));
    }
    queue::enqueue_group(cx, pull, false).await
}

fn start(cx: RepoContext<'_>, pull: &Pull, id: &str, order: &MergeOrder) {
    let (app, caller) = (cx.app.clone(), cx.caller.clone());
    let (repository, pull) = (cx.repository.clone(), pull.clone());
    let (id, order) = (id.to_owned(), order.clone());
    tokio::spawn(async move {
        let cx = RepoContext {
            app: &app,
            caller: &caller,
            repository: &repository,
        };
        let merged = merge_group(cx, &pull, &order).await;
        let outcome = merged.and_then(|pull| settled(cx, &pull));
        let outcome = match outcome {
            Ok(settled) => settled,
            Err(error) => Some(Standing::Failed {
                message: error.to_string(),
            }),
        };
        app.background_merges().end(&id, outcome);
    });
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
