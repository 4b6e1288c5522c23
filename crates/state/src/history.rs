//! Outcomes of tests, so that one that both fails and passes on the same tree
//! is known to be flaky.

mod pruning;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rusqlite::{OptionalExtension as _, Params, Row, Statement, Transaction, params};
use sha2::{Digest as _, Sha256};

use crate::database::State;
use crate::error::StateError;

use pruning::Limits;

/// Names of tests, trees and repositories are foreign text of any length. A
/// longer one is cut and distinguished by its digest.
pub const MAX_NAME_CHARS: usize = 1_000;

/// A longer duration counts as this one, so that no sum can overflow.
const MAX_DURATION: Duration = Duration::from_hours(24);

/// One run of one test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    pub test: String,
    pub outcome: Outcome,
    pub duration: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
}

/// What is remembered of one test, over all trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    pub runs: u64,
    pub failures: u64,
    /// How often the outcome differed from the one before it on the same tree.
    pub flips: u64,
    /// The number of trees on which it both failed and passed.
    pub flipped_trees: u64,
    /// Over the runs whose duration is known.
    pub mean_duration: Option<Duration>,
    /// To the microsecond.
    pub last_seen: Timestamp,
}

impl Summary {
    /// Whether it ever both failed and passed on the same tree.
    pub fn is_flaky(&self) -> bool {
        self.flips > 0
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlakyTest {
    /// As it was recorded; cut if it was longer than [`MAX_NAME_CHARS`].
    pub test: String,
    pub summary: Summary,
}

impl State {
    /// Remembers the runs of tests on one tree, in the order in which they
    /// ran. A test may occur several times. What is too old or too much is
    /// forgotten.
    ///
    /// `tree` identifies the exact contents that were tested. Runs are compared
    /// only with those on the same tree.
    pub fn record(
        &mut self,
        repository: &str,
        tree: &str,
        observations: &[Observation],
        at: Timestamp,
    ) -> Result<(), StateError> {
        self.record_within(&Limits::DEFAULT, repository, tree, observations, at)
    }

    /// The flaky tests of a repository, worst first: by flips, then by how
    /// often they fail, then by name.
    pub fn flaky(&self, repository: &str, limit: usize) -> Result<Vec<FlakyTest>, StateError> {
        self.read("read the test history in", |transaction| {
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            transaction
                .prepare(FLAKY)?
                .query_map(params![stored_name(repository), limit], |row| {
                    Ok(FlakyTest {
                        test: row.get("name")?,
                        summary: summary(row)?,
                    })
                })?
                .collect()
        })
    }

    /// The tests that failed when they were last seen, on whatever tree, by name.
    pub fn last_failed(&self, repository: &str) -> Result<Vec<String>, StateError> {
        self.read("read the test history in", |transaction| {
            transaction
                .prepare(LAST_FAILED)?
                .query_map(params![stored_name(repository)], |row| row.get("name"))?
                .collect()
        })
    }

    /// What is remembered of these tests. Those never seen are left out.
    pub fn known(
        &self,
        repository: &str,
        tests: &[String],
    ) -> Result<BTreeMap<String, Summary>, StateError> {
        self.read("read the test history in", |transaction| {
            let repository = stored_name(repository);
            let mut statement = transaction.prepare(KNOWN)?;
            let mut known = BTreeMap::new();
            for test in tests {
                let found = statement
                    .query_row(params![repository, stored_name(test)], summary)
                    .optional()?;
                known.extend(found.map(|summary| (test.clone(), summary)));
            }
            Ok(known)
        })
    }

    fn record_within(
        &mut self,
        limits: &Limits,
        repository: &str,
        tree: &str,
        observations: &[Observation],
        at: Timestamp,
    ) -> Result<(), StateError> {
        if observations.is_empty() {
            return Ok(());
        }
        self.write("record test results in", |transaction| {
            let repository = record(transaction, repository, tree, observations, at)?;
            pruning::prune(transaction, repository, at, limits)
        })
    }
}

/// The columns that `summary` reads.
macro_rules! summary_columns {
    () => {
        "sum(runs) AS runs, sum(failures) AS failures, sum(flips) AS flips, \
         sum(flaky) AS flipped_trees, sum(timed_runs) AS timed_runs, \
         sum(total_duration) AS total_duration, max(last_seen) AS last_seen"
    };
}

const FLAKY: &str = concat!(
    "SELECT test.name, ",
    summary_columns!(),
    " FROM test_history JOIN test ON test.id = test_history.test
      WHERE test_history.test IN (
          SELECT test FROM test_history
          WHERE flaky = 1 AND repository = (SELECT id FROM repository WHERE name = ?1)
      )
      GROUP BY test.id
      ORDER BY sum(flips) DESC, CAST(sum(failures) AS REAL) / sum(runs) DESC, test.name
      LIMIT ?2"
);

const KNOWN: &str = concat!(
    "SELECT ",
    summary_columns!(),
    " FROM test_history JOIN test ON test.id = test_history.test
      WHERE test.name = ?2
        AND test.repository = (SELECT id FROM repository WHERE name = ?1)
      GROUP BY test.id"
);

/// With `max`, SQLite takes the other columns from the row that has it.
const LAST_FAILED: &str = "
    SELECT name FROM (
        SELECT test.name AS name, last_failed, max(last_seen)
        FROM test_history JOIN test ON test.id = test_history.test
        WHERE test_history.repository = (SELECT id FROM repository WHERE name = ?1)
        GROUP BY test.id
    )
    WHERE last_failed = 1
    ORDER BY name";

const UPSERT: &str = "
    INSERT INTO test_history (
        repository, test, tree, runs, failures, flips,
        timed_runs, total_duration, last_failed, last_seen
    )
    VALUES (?1, ?2, ?3, 1, ?4, 0, ?5, ?6, ?4, ?7)
    ON CONFLICT (test, tree) DO UPDATE SET
        runs = runs + 1,
        failures = failures + excluded.failures,
        flips = flips + (last_failed <> excluded.last_failed),
        timed_runs = timed_runs + excluded.timed_runs,
        total_duration = total_duration + excluded.total_duration,
        last_failed = excluded.last_failed,
        last_seen = max(last_seen, excluded.last_seen)";

/// Adds to the history, and returns the repository's row.
fn record(
    transaction: &Transaction<'_>,
    repository: &str,
    tree: &str,
    observations: &[Observation],
    at: Timestamp,
) -> rusqlite::Result<i64> {
    let repository = id_of(
        &mut transaction.prepare("SELECT id FROM repository WHERE name = ?1")?,
        &mut transaction.prepare("INSERT INTO repository (name) VALUES (?1)")?,
        params![stored_name(repository)],
    )?;
    let tree = id_of(
        &mut transaction.prepare("SELECT id FROM tree WHERE repository = ?1 AND name = ?2")?,
        &mut transaction.prepare("INSERT INTO tree (repository, name) VALUES (?1, ?2)")?,
        params![repository, stored_name(tree)],
    )?;
    let mut find =
        transaction.prepare("SELECT id FROM test WHERE repository = ?1 AND name = ?2")?;
    let mut add = transaction.prepare("INSERT INTO test (repository, name) VALUES (?1, ?2)")?;
    let mut upsert = transaction.prepare(UPSERT)?;
    for observation in observations {
        let name = stored_name(&observation.test);
        let test = id_of(&mut find, &mut add, params![repository, name])?;
        let duration = observation.duration.map_or(0, microseconds);
        upsert.execute(params![
            repository,
            test,
            tree,
            observation.outcome == Outcome::Failed,
            observation.duration.is_some(),
            duration,
            at.as_microsecond(),
        ])?;
    }
    Ok(repository)
}

/// The row that `find` finds or else `add` adds, which take the same parameters.
fn id_of(
    find: &mut Statement<'_>,
    add: &mut Statement<'_>,
    parameters: impl Params + Copy,
) -> rusqlite::Result<i64> {
    let found = find.query_row(parameters, |row| row.get(0)).optional()?;
    found.map_or_else(|| add.insert(parameters), Ok)
}

fn summary(row: &Row<'_>) -> rusqlite::Result<Summary> {
    let timed_runs: u64 = row.get("timed_runs")?;
    let total_duration: u64 = row.get("total_duration")?;
    let last_seen = SignedDuration::from_micros(row.get("last_seen")?);
    Ok(Summary {
        runs: row.get("runs")?,
        failures: row.get("failures")?,
        flips: row.get("flips")?,
        flipped_trees: row.get("flipped_trees")?,
        mean_duration: total_duration
            .checked_div(timed_runs)
            .map(Duration::from_micros),
        last_seen: Timestamp::from_duration(last_seen).map_err(|error| {
            let kind = rusqlite::types::Type::Integer;
            rusqlite::Error::FromSqlConversionFailure(0, kind, Box::new(error))
        })?,
    })
}

fn microseconds(duration: Duration) -> i64 {
    i64::try_from(duration.min(MAX_DURATION).as_micros())
        .expect("a day in microseconds is far below the limit")
}

/// A name as it is stored. A cut one is longer than any that is kept whole,
/// so that the two are never mistaken for each other.
fn stored_name(name: &str) -> String {
    let Some((cut, _)) = name.char_indices().nth(MAX_NAME_CHARS) else {
        return name.to_owned();
    };
    let mut stored = format!("{}… sha256:", &name[..cut]);
    for byte in Sha256::digest(name) {
        write!(stored, "{byte:02x}").expect("a string takes all that is written to it");
    }
    stored
}
