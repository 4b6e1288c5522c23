//! The journal on threads of its own: one that writes and one that reads.
//!
//! All that waits to be written is written in one transaction, so that many
//! runs share one wait for the disk.

mod format;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use baton_state::journal::{Fault, Journal, JournalView};
use baton_state::{State, StateError};
use tokio::sync::oneshot;

use crate::error::EngineError;

pub(crate) use format::{decode, encode};

/// More in one transaction would make the first of them wait too long.
const MAX_BATCH: usize = 256;

/// Hands work to the threads. They end when the last handle is gone.
#[derive(Clone)]
pub(crate) struct JournalHandle {
    writes: Sender<Box<dyn Write>>,
    reads: Sender<Read>,
}

type Read = Box<dyn FnOnce(&State) + Send>;

impl JournalHandle {
    /// Opens the database and starts the threads. Blocks.
    pub(crate) fn open(folder: &Path) -> Result<Self, Arc<StateError>> {
        let for_writes = State::open(folder).map_err(Arc::new)?;
        let for_reads = State::open(folder).map_err(Arc::new)?;
        let (writes, to_write) = channel();
        let (reads, to_read) = channel::<Read>();
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            thread::Builder::new()
                .name(name.to_owned())
                .spawn(work)
                .expect("a thread can be started")
        };
        spawn(
            "journal-writer",
            Box::new(move || write_all(for_writes, &to_write)),
        );
        spawn(
            "journal-reader",
            Box::new(move || to_read.into_iter().for_each(|read| read(&for_reads))),
        );
        Ok(Self { writes, reads })
    }

    /// Changes the journal together with other waiting changes. Once it returns,
    /// the change is on disk.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Journal<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, EngineError> {
        let (reply, answer) = oneshot::channel();
        let pending = Pending {
            work: Some(work),
            value: None,
            reply,
        };
        self.writes
            .send(Box::new(pending))
            .map_err(|_| EngineError::Stopped)?;
        Ok(answer.await.map_err(|_| EngineError::Stopped)??)
    }

    /// Like [`change`](Self::change), for callers that cannot wait.
    pub(crate) fn change_later(
        &self,
        work: impl FnOnce(&Journal<'_>) -> Result<(), Fault> + Send + 'static,
    ) {
        let (reply, _) = oneshot::channel();
        let pending = Pending {
            work: Some(work),
            value: None,
            reply,
        };
        // If the thread is gone, there is no receiver.
        let _ = self.writes.send(Box::new(pending));
    }

    pub(crate) async fn view<T: Send + 'static>(
        &self,
        work: impl FnOnce(&JournalView<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, EngineError> {
        self.read(move |state| state.read_journal(work)).await
    }

    /// A number that changes with every write of any process.
    pub(crate) async fn version(&self) -> Result<i64, EngineError> {
        self.read(State::version_of_others).await
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&State) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let (reply, answer) = oneshot::channel();
        let read: Read = Box::new(move |state| {
            // The caller may have gone.
            let _ = reply.send(work(state).map_err(Arc::new));
        });
        self.reads.send(read).map_err(|_| EngineError::Stopped)?;
        Ok(answer.await.map_err(|_| EngineError::Stopped)??)
    }
}

/// A change that waits for its turn.
trait Write: Send {
    fn perform(&mut self, journal: &Journal<'_>) -> Result<(), Fault>;
    fn settle(self: Box<Self>, outcome: Result<(), Arc<StateError>>);
}

struct Pending<T, F> {
    work: Option<F>,
    value: Option<T>,
    reply: oneshot::Sender<Result<T, Arc<StateError>>>,
}

impl<T: Send, F: FnOnce(&Journal<'_>) -> Result<T, Fault> + Send> Write for Pending<T, F> {
    fn perform(&mut self, journal: &Journal<'_>) -> Result<(), Fault> {
        if let Some(work) = self.work.take() {
            self.value = Some(work(journal)?);
        }
        Ok(())
    }

    fn settle(self: Box<Self>, outcome: Result<(), Arc<StateError>>) {
        let value = match (outcome, self.value) {
            (Ok(()), Some(value)) => Ok(value),
            (Err(error), _) => Err(error),
            (Ok(()), None) => return,
        };
        // The caller may have gone.
        let _ = self.reply.send(value);
    }
}

fn write_all(mut state: State, to_write: &Receiver<Box<dyn Write>>) {
    while let Ok(first) = to_write.recv() {
        let mut batch = vec![first];
        batch.extend(to_write.try_iter().take(MAX_BATCH - 1));
        let written = state.change_journal(|journal| {
            batch
                .iter_mut()
                .try_for_each(|write| write.perform(journal))
        });
        let written = written.map_err(Arc::new);
        for write in batch {
            write.settle(written.clone());
        }
    }
}
