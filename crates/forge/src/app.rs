//! The state that all handlers share.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use rusqlite::{Connection, Transaction};
use tokio::sync::{OwnedMutexGuard, watch};
use tokio::{task, task_local};

use crate::actions::pulls::BackgroundMerges;
use crate::error::{ApiError, Result};
use crate::git::{GitRepository, Repositories};
use crate::middleware::faults::Faults;
use crate::middleware::quota::Quota;
use crate::rest::downloads::DownloadKey;
use crate::run_files::RunFiles;
use crate::settings::Settings;
use crate::store::Store;
use crate::store::repositories::Repository;
use crate::urls::Urls;

task_local! {
    /// How far behind the reads of this task are; only a fault makes them.
    static LAG: Duration;
}

/// What every handler is given: the facts, the repositories, the addresses.
#[derive(Clone)]
pub struct App(Arc<Parts>);

struct Parts {
    settings: Settings,
    store: Store,
    repositories: Repositories,
    run_files: RunFiles,
    download_key: DownloadKey,
    urls: Urls,
    quota: Quota,
    background_merges: BackgroundMerges,
    faults: Faults,
    refs: Locks,
    pulls: Locks,
    /// Pull requests of which someone is finding out whether they merge.
    trials: Mutex<HashSet<i64>>,
    /// Goes up with every transaction that wrote, so that anyone who works
    /// through the events knows when to look.
    written: watch::Sender<u64>,
}

impl App {
    pub(crate) fn new(
        settings: Settings,
        store: Store,
        repositories: Repositories,
        urls: Urls,
    ) -> Self {
        Self(Arc::new(Parts {
            quota: Quota::new(settings.limits.clone()),
            faults: Faults::default(),
            background_merges: BackgroundMerges::default(),
            run_files: RunFiles::new(&settings.data),
            download_key: DownloadKey::new(),
            settings,
            store,
            repositories,
            urls,
            refs: Locks::default(),
            pulls: Locks::default(),
            trials: Mutex::default(),
            written: watch::Sender::new(0),
        }))
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.0.settings
    }

    pub(crate) fn urls(&self) -> &Urls {
        &self.0.urls
    }

    pub(crate) fn background_merges(&self) -> &BackgroundMerges {
        &self.0.background_merges
    }

    pub(crate) fn quota(&self) -> &Quota {
        &self.0.quota
    }

    /// How the forge misbehaves.
    pub fn faults(&self) -> &Faults {
        &self.0.faults
    }

    /// For files that are of no use once the forge has ended.
    pub(crate) fn scratch(&self) -> &Path {
        self.0.repositories.scratch()
    }

    pub(crate) fn git(&self, repository: &Repository) -> GitRepository {
        self.0.repositories.repository(repository)
    }

    pub(crate) fn run_files(&self) -> &RunFiles {
        &self.0.run_files
    }

    pub(crate) fn download_key(&self) -> &DownloadKey {
        &self.0.download_key
    }

    /// Held while refs are changed, or compared with what was last seen, so
    /// that no one acts on an old state of them. The repository's facts may be
    /// read and written meanwhile.
    pub(crate) async fn lock_refs(&self, repository_id: i64) -> OwnedMutexGuard<()> {
        self.0.refs.lock(repository_id).await
    }

    /// Held while a pull request of the repository is brought in line with its
    /// branches or merged, so that each is done on what the other left. Refs
    /// may be locked while this is held, never the other way round.
    pub(crate) async fn lock_pulls(&self, repository_id: i64) -> OwnedMutexGuard<()> {
        self.0.pulls.lock(repository_id).await
    }

    /// Says whether the caller is the one to try the merge of a pull request;
    /// then [`end_trial`](Self::end_trial) has to follow.
    pub(crate) fn begin_trial(&self, pull_id: i64) -> bool {
        lock(&self.0.trials).insert(pull_id)
    }

    pub(crate) fn end_trial(&self, pull_id: i64) {
        lock(&self.0.trials).remove(&pull_id);
    }

    #[expect(
        clippy::unused_self,
        reason = "all callers read the time here, so that there is one clock"
    )]
    pub(crate) fn timestamp(&self) -> Timestamp {
        Timestamp::now()
    }

    /// The time as it is stored and shown: in UTC, to the second.
    pub(crate) fn now(&self) -> String {
        Timestamp::from_second(self.timestamp().as_second())
            .expect("whole seconds of a valid time are valid")
            .to_string()
    }

    /// Looks at one state of affairs. On the caller's thread: a look takes
    /// microseconds.
    pub(crate) fn read<T>(&self, look: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        match LAG.try_with(|lag| *lag) {
            Ok(lag) => self.0.store.read_past(lag, look),
            Err(_) => self.0.store.read(look),
        }
    }

    /// The same for a look that is nothing but rows.
    pub(crate) fn rows<T>(
        &self,
        look: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        self.read(|conn| Ok(look(conn)?))
    }

    /// Does all of `work` or nothing. Once it returns, the change is on the
    /// disk. On another thread, as it waits for the disk.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let written = self.write_any(Box::new(|tx| {
            let value: AnyValue = Box::new(work(tx)?);
            Ok(value)
        }));
        let value = written.await?.downcast();
        Ok(*value.expect("the work gives back a value of its own type"))
    }

    /// One copy of the code for all kinds of work.
    fn write_any(&self, work: AnyWork) -> BoxFuture<'_, Result<AnyValue>> {
        let app = self.clone();
        Box::pin(async move {
            let written = task::spawn_blocking(move || {
                let keep_past = app.0.faults.longest_lag();
                app.0.store.write(work, keep_past)
            })
            .await;
            let value =
                written.map_err(|_| ApiError::internal("the database thread ended early"))??;
            self.0.written.send_modify(|count| *count += 1);
            Ok(value)
        })
    }

    /// Says when something was written.
    pub(crate) fn written(&self) -> watch::Receiver<u64> {
        self.0.written.subscribe()
    }
}

type AnyValue = Box<dyn Any + Send>;
type AnyWork = Box<dyn FnOnce(&Transaction<'_>) -> Result<AnyValue> + Send>;

/// Work whose reads see what was true some time ago.
pub(crate) fn lagging<T>(lag: Duration, work: impl Future<Output = T>) -> impl Future<Output = T> {
    LAG.scope(lag, work)
}

/// One per repository that was changed since the start.
#[derive(Default)]
struct Locks(Mutex<HashMap<i64, Arc<tokio::sync::Mutex<()>>>>);

impl Locks {
    async fn lock(&self, repository_id: i64) -> OwnedMutexGuard<()> {
        let one = Arc::clone(lock(&self.0).entry(repository_id).or_default());
        one.lock_owned().await
    }
}

/// What is behind these locks is whole between any two statements.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
