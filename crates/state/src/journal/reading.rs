//! Reads journals.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Row, params};

use super::{Entry, Fault, JournalView, Message, RunRecord, moment};

macro_rules! run_columns {
    () => {
        "SELECT name, format, summary, last, created, changed, ended, owner FROM run "
    };
}

impl JournalView<'_> {
    pub fn run(&self, name: &str) -> Result<Option<RunRecord>, Fault> {
        let mut statement = self
            .transaction
            .prepare(concat!(run_columns!(), "WHERE name = ?1"))?;
        Ok(statement.query_row([name], run_record).optional()?)
    }

    /// The newest runs first.
    pub fn runs(&self, limit: usize) -> Result<Vec<RunRecord>, Fault> {
        let sql = concat!(run_columns!(), "ORDER BY created DESC, id DESC LIMIT ?1");
        let mut statement = self.transaction.prepare(sql)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let runs = statement.query_map([limit], run_record)?;
        Ok(runs.collect::<Result<_, _>>()?)
    }

    /// All runs that have not ended, the oldest first.
    pub fn open_runs(&self) -> Result<Vec<RunRecord>, Fault> {
        let sql = concat!(run_columns!(), "WHERE ended IS NULL ORDER BY created, id");
        let mut statement = self.transaction.prepare(sql)?;
        let runs = statement.query_map((), run_record)?;
        Ok(runs.collect::<Result<_, _>>()?)
    }

    /// Up to `limit` events after number `after`.
    pub fn events(&self, run: &str, after: u64, limit: usize) -> Result<Vec<Entry>, Fault> {
        let mut statement = self.transaction.prepare(
            "SELECT seq, at, body FROM run_event
             WHERE run = (SELECT id FROM run WHERE name = ?1) AND seq > ?2
             ORDER BY seq LIMIT ?3",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let entries = statement.query_map(params![run, after, limit], |row| {
            Ok(Entry {
                seq: row.get(0)?,
                at: moment(1, row.get(1)?)?,
                body: row.get(2)?,
            })
        })?;
        Ok(entries.collect::<Result<_, _>>()?)
    }

    /// Messages that the driver has not acknowledged yet, in order.
    pub fn messages(&self, run: &str) -> Result<Vec<Message>, Fault> {
        let mut statement = self.transaction.prepare(
            "SELECT id, at, body FROM run_message
             WHERE run = (SELECT id FROM run WHERE name = ?1) ORDER BY id",
        )?;
        let messages = statement.query_map([run], |row| {
            Ok(Message {
                id: row.get(0)?,
                at: moment(1, row.get(1)?)?,
                body: row.get(2)?,
            })
        })?;
        Ok(messages.collect::<Result<_, _>>()?)
    }

    /// The runs that have messages.
    pub fn runs_with_messages(&self) -> Result<Vec<String>, Fault> {
        let mut statement = self
            .transaction
            .prepare("SELECT name FROM run WHERE id IN (SELECT run FROM run_message)")?;
        let names = statement.query_map((), |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    pub fn note(&self, run: &str, step: &str, name: &str) -> Result<Option<Vec<u8>>, Fault> {
        let mut statement = self.transaction.prepare(
            "SELECT body FROM run_note
             WHERE run = (SELECT id FROM run WHERE name = ?1) AND step = ?2 AND name = ?3",
        )?;
        let found = statement.query_row([run, step, name], |row| row.get(0));
        Ok(found.optional()?)
    }
}

fn run_record(row: &Row<'_>) -> rusqlite::Result<RunRecord> {
    let ended: Option<i64> = row.get("ended")?;
    Ok(RunRecord {
        name: row.get("name")?,
        format: row.get("format")?,
        // It is what a person sees of the run; damage to it hides no other run.
        summary: String::from_utf8_lossy(row.get_ref("summary")?.as_bytes()?).into_owned(),
        last: row.get("last")?,
        created: moment(4, row.get("created")?)?,
        changed: moment(5, row.get("changed")?)?,
        ended: ended.map(|at| moment(6, at)).transpose()?,
        owner: row.get("owner")?,
    })
}

pub(super) fn stored(at: Timestamp) -> i64 {
    at.as_microsecond()
}
