//! Unfinished operations, so that an interrupted one is resumed instead of
//! started a second time.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{OptionalExtension as _, params};

use crate::database::State;
use crate::error::StateError;

/// An operation that was begun, now or in a process that is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The same until it is finished.
    pub key: String,
    /// What was noted last; empty for a new one.
    pub notes: String,
    /// It was begun before and never finished.
    pub resumed: bool,
}

/// An operation abandoned for so long is no longer wanted.
const FORGOTTEN_AFTER: SignedDuration = SignedDuration::from_hours(24 * 7);

impl State {
    /// Begins an operation, or resumes the unfinished one on the same subject.
    /// `new_key` is used for a new one.
    pub fn begin_operation(
        &mut self,
        kind: &str,
        subject: &str,
        new_key: &str,
        now: Timestamp,
    ) -> Result<Operation, StateError> {
        let oldest = now.saturating_sub(FORGOTTEN_AFTER).unwrap_or(now);
        self.write("begin an operation in", |transaction| {
            transaction.execute(
                "DELETE FROM operations WHERE started < ?1",
                [oldest.as_microsecond()],
            )?;
            let known = transaction
                .prepare("SELECT key, notes FROM operations WHERE kind = ?1 AND subject = ?2")?
                .query_row(params![kind, subject], |row| {
                    Ok(Operation {
                        key: row.get("key")?,
                        notes: row.get("notes")?,
                        resumed: true,
                    })
                })
                .optional()?;
            if let Some(operation) = known {
                return Ok(operation);
            }
            transaction.execute(
                "INSERT INTO operations (key, kind, subject, notes, started)
                 VALUES (?1, ?2, ?3, '', ?4)",
                params![new_key, kind, subject, now.as_microsecond()],
            )?;
            Ok(Operation {
                key: new_key.to_owned(),
                notes: String::new(),
                resumed: false,
            })
        })
    }

    /// Replaces what is known about an operation.
    pub fn note_operation(&mut self, key: &str, notes: &str) -> Result<(), StateError> {
        self.write("note an operation in", |transaction| {
            transaction.execute(
                "UPDATE operations SET notes = ?2 WHERE key = ?1",
                [key, notes],
            )?;
            Ok(())
        })
    }

    /// Nothing of it is outstanding any more.
    pub fn finish_operation(&mut self, key: &str) -> Result<(), StateError> {
        self.write("finish an operation in", |transaction| {
            transaction.execute("DELETE FROM operations WHERE key = ?1", [key])?;
            Ok(())
        })
    }
}
