//! Writes journals.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, params};

use super::ownership::Lease;
use super::reading::stored;
use super::{Fault, Fenced, Journal};

/// A run that is to begin.
#[derive(Debug, Clone, Copy)]
pub struct NewRun<'a> {
    pub name: &'a str,
    pub format: u32,
    pub summary: &'a str,
    pub at: Timestamp,
    /// Its first event.
    pub body: &'a [u8],
}

/// Events that are to follow those of a run.
#[derive(Debug, Clone, Copy)]
pub struct Append<'a> {
    pub run: &'a str,
    /// Who writes; the run's lease has to be theirs.
    pub owner: &'a str,
    /// The number of the last event that the writer knows.
    pub after: u64,
    pub events: &'a [(Timestamp, Vec<u8>)],
    pub summary: &'a str,
    /// With these events the run is over.
    pub ended: bool,
    /// Messages that the events take note of.
    pub noted: &'a [i64],
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Posted {
    Yes,
    NoSuchRun,
    /// The run has ended, so it will not be read.
    Ended,
}

impl Journal<'_> {
    /// Begins a run and leases it. Returns whether the name was free.
    pub fn create(&self, run: &NewRun<'_>, lease: &Lease<'_>) -> Result<bool, Fault> {
        let created = self
            .transaction
            .prepare(
                "INSERT INTO run (name, format, summary, last, created, changed, owner, leased_until)
                 VALUES (?1, ?2, ?3, 1, ?4, ?4, ?5, ?6)
                 ON CONFLICT (name) DO NOTHING",
            )?
            .execute(params![
                run.name,
                run.format,
                run.summary,
                stored(run.at),
                lease.owner,
                stored(lease.until),
            ])?;
        if created == 0 {
            return Ok(false);
        }
        let id = self.transaction.last_insert_rowid();
        self.insert_event(id, 1, run.at, run.body)?;
        Ok(true)
    }

    /// Writes events down, or nothing where the writer has lost the run.
    /// Returns the number of the last one.
    pub fn append(&self, append: &Append<'_>) -> Result<Result<u64, Fenced>, Fault> {
        let Some((id, last, _)) = self.owned(append.run, append.owner)? else {
            return Ok(Err(Fenced));
        };
        if last != append.after {
            return Ok(Err(Fenced));
        }
        let mut seq = last;
        let mut changed = None;
        for (at, body) in append.events {
            seq += 1;
            self.insert_event(id, seq, *at, body)?;
            changed = Some(*at);
        }
        let changed = changed.map(stored);
        self.transaction
            .prepare(
                "UPDATE run SET last = ?2, summary = ?3, changed = max(changed, coalesce(?4, changed)),
                     ended = CASE WHEN ?5 THEN coalesce(?4, changed) END
                 WHERE id = ?1",
            )?
            .execute(params![id, seq, append.summary, changed, append.ended])?;
        for message in append.noted {
            self.transaction
                .prepare("DELETE FROM run_message WHERE id = ?1 AND run = ?2")?
                .execute(params![message, id])?;
        }
        Ok(Ok(seq))
    }

    /// Leaves a message for the driver of the run, now or later.
    pub fn post(&self, run: &str, at: Timestamp, body: &[u8]) -> Result<Posted, Fault> {
        let found: Option<(i64, bool)> = self
            .transaction
            .prepare("SELECT id, ended IS NOT NULL FROM run WHERE name = ?1")?
            .query_row([run], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((id, has_ended)) = found else {
            return Ok(Posted::NoSuchRun);
        };
        if has_ended {
            return Ok(Posted::Ended);
        }
        self.transaction
            .prepare("INSERT INTO run_message (run, at, body) VALUES (?1, ?2, ?3)")?
            .execute(params![id, stored(at), body])?;
        Ok(Posted::Yes)
    }

    /// Notes something for a step, in place of what had that name before.
    pub fn put_note(
        &self,
        run: &str,
        owner: &str,
        (step, name): (&str, &str),
        body: &[u8],
    ) -> Result<Result<(), Fenced>, Fault> {
        let Some((id, _, _)) = self.owned(run, owner)? else {
            return Ok(Err(Fenced));
        };
        self.transaction
            .prepare(
                "INSERT INTO run_note (run, step, name, body) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (run, step, name) DO UPDATE SET body = excluded.body",
            )?
            .execute(params![id, step, name, body])?;
        Ok(Ok(()))
    }

    fn insert_event(&self, run: i64, seq: u64, at: Timestamp, body: &[u8]) -> Result<(), Fault> {
        self.transaction
            .prepare("INSERT INTO run_event (run, seq, at, body) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![run, seq, stored(at), body])?;
        Ok(())
    }
}
