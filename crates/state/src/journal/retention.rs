//! Deletes old runs.

use jiff::Timestamp;
use rusqlite::params;

use super::reading::stored;
use super::{Fault, Journal};

/// Which runs that have ended are kept.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// Runs that ended before are forgotten.
    pub ended_after: Timestamp,
    /// How many of the others are kept, newest first.
    pub at_most: usize,
}

/// Runs deleted in one transaction, so that no one waits long for the database.
const FORGOTTEN_AT_ONCE: usize = 50;

impl Journal<'_> {
    /// Forgets some of the runs that are not to be kept, and returns their
    /// names. There may be more.
    pub fn forget(&self, retention: &Retention) -> Result<Vec<String>, Fault> {
        let mut statement = self.transaction.prepare(
            "SELECT name FROM run WHERE ended IS NOT NULL AND (
                 ended < ?1
                 OR id NOT IN (
                     SELECT id FROM run WHERE ended IS NOT NULL ORDER BY ended DESC, id DESC LIMIT ?2
                 )
             ) ORDER BY ended LIMIT ?3",
        )?;
        let at_most = i64::try_from(retention.at_most).unwrap_or(i64::MAX);
        let at_once = i64::try_from(FORGOTTEN_AT_ONCE).unwrap_or(i64::MAX);
        let names = statement.query_map(
            params![stored(retention.ended_after), at_most, at_once],
            |row| row.get(0),
        )?;
        let names: Vec<String> = names.collect::<Result<_, _>>()?;
        for name in &names {
            self.transaction
                .prepare("DELETE FROM run WHERE name = ?1")?
                .execute([name])?;
        }
        Ok(names)
    }
}
