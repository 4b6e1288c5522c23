//! The journals of runs: what happened in each, who drives it, and messages to
//! it.
//!
//! A run has one driver at a time, which its lease names. The driver's events
//! are numbered; one that another driver has written before, or that comes from
//! a process without the lease, is refused as [`Fenced`]. A lease is kept by
//! renewing it. It may be taken when it has run out, or when its owner is known
//! to be dead.

mod ownership;
mod reading;
mod retention;
mod writing;

use std::error::Error;
use std::ops::Deref;

use jiff::{SignedDuration, Timestamp};
use rusqlite::Transaction;

use crate::database::State;
use crate::error::StateError;

pub use ownership::Lease;
pub use retention::Retention;
pub use writing::{Append, NewRun, Posted};

/// A run, without its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    pub name: String,
    /// The version of the format of its events.
    pub format: u32,
    pub summary: String,
    /// The number of its last event.
    pub last: u64,
    pub created: Timestamp,
    pub changed: Timestamp,
    pub ended: Option<Timestamp>,
    pub owner: Option<String>,
}

/// One event of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// From 1 on, without gaps.
    pub seq: u64,
    pub at: Timestamp,
    pub body: Vec<u8>,
}

/// A message to the driver of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub id: i64,
    pub at: Timestamp,
    pub body: Vec<u8>,
}

/// Another process drives the run now; nothing was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("another process has taken over the run")]
pub struct Fenced;

/// The database failed in the middle; nothing of the whole change is kept.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Fault(#[from] rusqlite::Error);

/// All journals, to be read in one consistent state.
pub struct JournalView<'a> {
    transaction: &'a Transaction<'a>,
}

/// All journals, to be changed together: everything that is done with it is
/// stored at once or not at all.
pub struct Journal<'a> {
    view: JournalView<'a>,
}

impl<'a> Deref for Journal<'a> {
    type Target = JournalView<'a>;

    fn deref(&self) -> &Self::Target {
        &self.view
    }
}

impl State {
    /// Does all of `work` or, after a fault, nothing. What was done is on the
    /// disk when this returns.
    pub fn change_journal<T>(
        &mut self,
        work: impl FnOnce(&Journal<'_>) -> Result<T, Fault>,
    ) -> Result<T, StateError> {
        self.write("write the journal in", |transaction| {
            let view = JournalView { transaction };
            work(&Journal { view }).map_err(|Fault(source)| source)
        })
    }

    pub fn read_journal<T>(
        &self,
        work: impl FnOnce(&JournalView<'_>) -> Result<T, Fault>,
    ) -> Result<T, StateError> {
        self.read("read the journal in", |transaction| {
            work(&JournalView { transaction }).map_err(|Fault(source)| source)
        })
    }
}

fn moment(column: usize, microseconds: i64) -> rusqlite::Result<Timestamp> {
    Timestamp::from_duration(SignedDuration::from_micros(microseconds))
        .map_err(|error| not_ours(column, error))
}

fn not_ours(column: usize, error: impl Error + Send + Sync + 'static) -> rusqlite::Error {
    let kind = rusqlite::types::Type::Integer;
    rusqlite::Error::FromSqlConversionFailure(column, kind, Box::new(error))
}
