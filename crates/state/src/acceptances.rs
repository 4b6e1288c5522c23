//! What people have accepted for a repository. Each row carries a signature that
//! the caller makes and checks.

use jiff::Timestamp;
use rusqlite::{Row, params};

use crate::database::State;
use crate::error::StateError;

/// More than people accept one by one. The oldest are removed first.
const MAX_PER_REPOSITORY: u32 = 10_000;

/// One accepted piece of evidence, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptanceRow {
    pub repository: String,
    /// The same for the same evidence.
    pub fingerprint: String,
    pub rule: String,
    /// The text that the person saw.
    pub text: String,
    pub reason: String,
    pub author: String,
    pub accepted: Timestamp,
    /// Absent: it holds until it is removed.
    pub expires: Option<Timestamp>,
    pub signature: String,
}

impl State {
    /// Adds rows. One about the same evidence of the same repository is replaced.
    pub fn put_acceptances(&mut self, rows: &[AcceptanceRow]) -> Result<(), StateError> {
        self.write("record an acceptance in", |transaction| {
            let mut insert = transaction.prepare(
                "INSERT OR REPLACE INTO acceptances
                 (repository, fingerprint, rule, text, reason, author, accepted, expires, signature)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?;
            for row in rows {
                insert.execute(params![
                    row.repository,
                    row.fingerprint,
                    row.rule,
                    row.text,
                    row.reason,
                    row.author,
                    row.accepted.as_microsecond(),
                    row.expires.map(Timestamp::as_microsecond),
                    row.signature,
                ])?;
                transaction.execute(
                    "DELETE FROM acceptances WHERE repository = ?1 AND fingerprint NOT IN
                     (SELECT fingerprint FROM acceptances WHERE repository = ?1
                      ORDER BY accepted DESC LIMIT ?2)",
                    params![row.repository, MAX_PER_REPOSITORY],
                )?;
            }
            Ok(())
        })
    }

    /// All rows of a repository, the newest first. Whether they are signed is for
    /// the caller to check.
    pub fn acceptances(&self, repository: &str) -> Result<Vec<AcceptanceRow>, StateError> {
        self.read("read what was accepted in", |transaction| {
            let mut select = transaction.prepare(
                "SELECT * FROM acceptances WHERE repository = ?1
                 ORDER BY accepted DESC, fingerprint",
            )?;
            select.query_map([repository], read_row)?.collect()
        })
    }

    /// Removes a row, and returns whether it was there.
    pub fn remove_acceptance(
        &mut self,
        repository: &str,
        fingerprint: &str,
    ) -> Result<bool, StateError> {
        self.write("remove an acceptance from", |transaction| {
            let removed = transaction.execute(
                "DELETE FROM acceptances WHERE repository = ?1 AND fingerprint = ?2",
                [repository, fingerprint],
            )?;
            Ok(removed > 0)
        })
    }
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<AcceptanceRow> {
    let expires: Option<i64> = row.get("expires")?;
    Ok(AcceptanceRow {
        repository: row.get("repository")?,
        fingerprint: row.get("fingerprint")?,
        rule: row.get("rule")?,
        text: row.get("text")?,
        reason: row.get("reason")?,
        author: row.get("author")?,
        accepted: moment(row.get("accepted")?),
        expires: expires.map(moment),
        signature: row.get("signature")?,
    })
}

/// A number that is no time was not written by us; its signature will not hold.
fn moment(microseconds: i64) -> Timestamp {
    Timestamp::from_microsecond(microseconds).unwrap_or(Timestamp::MIN)
}
