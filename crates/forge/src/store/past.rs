//! What was true some time ago, for reads that are to be late.
//!
//! A moment is a connection with an open transaction: SQLite shows it the same
//! state for as long as it lasts.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::{connect, lock};

/// Each moment holds three files open.
const MAX_MOMENTS: usize = 64;

#[derive(Default)]
pub(super) struct Past(Mutex<VecDeque<Moment>>);

struct Moment {
    /// Since when this was true.
    since: Instant,
    conn: Arc<Mutex<Connection>>,
}

/// Notes what is true after a write.
pub(super) struct Keeper<'a> {
    past: &'a Past,
    span: Duration,
    database: &'a Path,
}

impl Past {
    /// To be called before a write, so that what it changes is not lost.
    pub(super) fn keep<'a>(
        &'a self,
        span: Duration,
        database: &'a Path,
    ) -> Result<Keeper<'a>, rusqlite::Error> {
        let keeper = Keeper {
            past: self,
            span,
            database,
        };
        if lock(&self.0).is_empty() {
            keeper.written()?;
        }
        Ok(keeper)
    }

    pub(super) fn forget(&self) {
        lock(&self.0).clear();
    }

    /// The latest moment that is old enough, else the oldest there is.
    pub(super) fn moment(&self, ago: Duration) -> Option<Arc<Mutex<Connection>>> {
        let moments = lock(&self.0);
        let old_enough = moments.iter().rev().find(|m| m.since.elapsed() >= ago);
        let moment = old_enough.or_else(|| moments.front())?;
        Some(Arc::clone(&moment.conn))
    }
}

impl Keeper<'_> {
    pub(super) fn written(&self) -> Result<(), rusqlite::Error> {
        let conn = connect(self.database, OpenFlags::empty())?;
        // The transaction begins with its first read.
        conn.execute_batch("BEGIN; SELECT 1 FROM users LIMIT 1")?;
        let mut moments = lock(&self.past.0);
        moments.push_back(Moment {
            since: Instant::now(),
            conn: Arc::new(Mutex::new(conn)),
        });
        // The newest one that is out of the span is what was true at its start.
        while moments.len() > MAX_MOMENTS
            || moments
                .get(1)
                .is_some_and(|m| m.since.elapsed() >= self.span)
        {
            moments.pop_front();
        }
        Ok(())
    }
}
