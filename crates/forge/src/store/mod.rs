//! The facts: one SQLite database, one writer, any number of readers.
//!
//! One file per kind of thing: its row type and the questions about it, as
//! functions over a connection. Inside [`App::write`](crate::App) they share a
//! transaction.

pub(crate) mod apps;
pub(crate) mod artifacts;
pub(crate) mod assignees;
pub(crate) mod branch_protections;
pub(crate) mod check_annotations;
pub(crate) mod check_runs;
pub(crate) mod check_state;
pub(crate) mod check_suites;
pub(crate) mod code_owner_sets;
pub(crate) mod comments;
pub(crate) mod commit_statuses;
pub(crate) mod deliveries;
pub(crate) mod deployments;
pub(crate) mod events;
pub(crate) mod hooks;
pub(crate) mod issue_lists;
pub(crate) mod issues;
pub(crate) mod labels;
pub(crate) mod merge_queue;
pub(crate) mod merges_under_way;
mod past;
mod prelude;
pub(crate) mod pull_commits;
pub(crate) mod pull_lists;
pub(crate) mod pulls;
pub(crate) mod reactions;
pub(crate) mod refs;
pub(crate) mod repositories;
pub(crate) mod review_threads;
pub(crate) mod reviews;
pub(crate) mod rollup;
pub(crate) mod rulesets;
pub(crate) mod runner_cursor;
pub(crate) mod select;
pub(crate) mod stacks;
pub(crate) mod text_enum;
pub(crate) mod timeline;
pub(crate) mod users;
pub(crate) mod workflow_jobs;
pub(crate) mod workflow_runs;
pub(crate) mod workflow_steps;
pub(crate) mod workflows;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::error::Result;
use past::Past;

/// Step n brings a database from version n to n + 1. A step that was released
/// is never changed: databases out there have taken it.
const SCHEMA: &[&str] = &[
    include_str!("schema/0001_accounts.sql"),
    include_str!("schema/0002_issues.sql"),
    include_str!("schema/0003_pulls.sql"),
    include_str!("schema/0004_checks.sql"),
    include_str!("schema/0005_rules.sql"),
    include_str!("schema/0006_hooks.sql"),
    include_str!("schema/0007_linked_branches.sql"),
    include_str!("schema/0008_pushed_checks.sql"),
    include_str!("schema/0009_stacks.sql"),
    include_str!("schema/0010_protection_settings.sql"),
];

pub(crate) const DATABASE_NAME: &str = "forge.sqlite3";
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) struct Store {
    path: PathBuf,
    writer: Mutex<Connection>,
    /// Idle ones; a reader that finds none opens one.
    readers: Mutex<Vec<Connection>>,
    past: Past,
}

impl Store {
    pub(crate) fn open(folder: &Path) -> Result<Self, rusqlite::Error> {
        let path = folder.join(DATABASE_NAME);
        let mut writer = connect(&path, OpenFlags::SQLITE_OPEN_CREATE)?;
        // FULL: a change that was acknowledged is on the disk.
        writer.pragma_update(None, "journal_mode", "WAL")?;
        writer.pragma_update(None, "synchronous", "FULL")?;
        writer.pragma_update(None, "foreign_keys", true)?;
        migrate(&mut writer)?;
        Ok(Self {
            path,
            writer: Mutex::new(writer),
            readers: Mutex::default(),
            past: Past::default(),
        })
    }

    pub(crate) fn read<T>(&self, look: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let conn = self.reader()?;
        let tx = Transaction::new_unchecked(&conn, TransactionBehavior::Deferred)?;
        let found = look(&tx);
        drop(tx);
        lock(&self.readers).push(conn);
        found
    }

    fn reader(&self) -> Result<Connection> {
        let idle = lock(&self.readers).pop();
        match idle {
            Some(conn) => Ok(conn),
            None => Ok(connect(&self.path, OpenFlags::empty())?),
        }
    }

    /// What was true some time ago, as far back as the past was kept.
    pub(crate) fn read_past<T>(
        &self,
        ago: Duration,
        look: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        match self.past.moment(ago) {
            Some(moment) => look(&lock(&moment)),
            None => self.read(look),
        }
    }

    /// Keeps what was true before and after for as long as given.
    pub(crate) fn write<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T>,
        keep_past: Option<Duration>,
    ) -> Result<T> {
        let mut writer = lock(&self.writer);
        let keeper = keep_past.map(|span| self.past.keep(span, &self.path));
        let keeper = keeper.transpose()?;
        if keeper.is_none() {
            self.past.forget();
        }
        let tx = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let value = work(&tx)?;
        tx.commit()?;
        if let Some(keeper) = keeper {
            keeper.written()?;
        }
        Ok(value)
    }
}

fn connect(path: &Path, more: OpenFlags) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.set_prepared_statement_cache_capacity(256);
    Ok(conn)
}

fn migrate(conn: &mut Connection) -> Result<(), rusqlite::Error> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: usize = tx.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for step in SCHEMA.iter().skip(version) {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "user_version", SCHEMA.len().max(version))?;
    tx.commit()
}

/// A panic in one request must not end the others: SQLite has rolled its
/// transaction back.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
