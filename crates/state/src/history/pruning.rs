//! Deletes old history, so that it stays small without maintenance.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Transaction, params};

/// How much history is kept. A row is one test on one tree.
pub(super) struct Limits {
    age: SignedDuration,
    rows: u64,
}

impl Limits {
    pub(super) const DEFAULT: Self = Self {
        // A test that did not flip for a quarter of a year was mended or removed.
        age: SignedDuration::from_hours(90 * 24),
        // Two thousand tests on a hundred trees, which take some 14 MB.
        rows: 200_000,
    };
}

/// Forgets rows that are too old, of all repositories, since one that is gone
/// is never recorded again; and rows that are too many, of this repository.
pub(super) fn prune(
    transaction: &Transaction<'_>,
    repository: i64,
    now: Timestamp,
    limits: &Limits,
) -> rusqlite::Result<()> {
    let old = forget_old(transaction, now, limits)?;
    let excess = forget_excess(transaction, repository, limits)?;
    if old + excess > 0 {
        transaction.execute_batch(FORGET_UNUSED_NAMES)?;
    }
    Ok(())
}

fn forget_old(
    transaction: &Transaction<'_>,
    now: Timestamp,
    limits: &Limits,
) -> rusqlite::Result<usize> {
    let Ok(oldest) = now.checked_sub(limits.age) else {
        return Ok(0);
    };
    transaction.execute(FORGET_OLD, [oldest.as_microsecond()])
}

/// Rows without a flip go first, oldest first: they say little each, and one
/// run of a large suite adds thousands of them.
fn forget_excess(
    transaction: &Transaction<'_>,
    repository: i64,
    limits: &Limits,
) -> rusqlite::Result<usize> {
    let rows: u64 = transaction.query_row(
        "SELECT count(*) FROM test_history WHERE repository = ?1",
        [repository],
        |row| row.get(0),
    )?;
    if rows <= limits.rows {
        return Ok(0);
    }
    transaction.execute(FORGET_EXCESS, params![repository, rows - limits.rows])
}

/// Naming all values of the first two columns lets the index find the third.
const FORGET_OLD: &str = "
    DELETE FROM test_history
    WHERE repository IN (SELECT id FROM repository) AND flaky IN (0, 1) AND last_seen < ?1";

const FORGET_EXCESS: &str = "
    DELETE FROM test_history WHERE (test, tree) IN (
        SELECT test, tree FROM test_history WHERE repository = ?1
        ORDER BY flaky, last_seen LIMIT ?2
    )";

const FORGET_UNUSED_NAMES: &str = "
    DELETE FROM test
    WHERE NOT EXISTS (SELECT 1 FROM test_history WHERE test_history.test = test.id);
    DELETE FROM tree
    WHERE NOT EXISTS (SELECT 1 FROM test_history WHERE test_history.tree = tree.id);
    DELETE FROM repository
    WHERE NOT EXISTS (SELECT 1 FROM test_history WHERE test_history.repository = repository.id);";

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::State;
    use crate::history::{Observation, Outcome};

    const DAY: SignedDuration = SignedDuration::from_hours(24);

    fn runs(outcomes: &[(&str, Outcome)]) -> Vec<Observation> {
        let observation = |&(test, outcome): &(&str, Outcome)| Observation {
            test: test.to_owned(),
            outcome,
            duration: None,
        };
        outcomes.iter().map(observation).collect()
    }

    fn day(number: i32) -> Timestamp {
        "2031-03-01T08:00:00Z".parse::<Timestamp>().unwrap() + DAY * number
    }

    fn remembered(state: &State, repository: &str, tests: &[&str]) -> Vec<String> {
        let tests: Vec<String> = tests.iter().map(ToString::to_string).collect();
        state
            .known(repository, &tests)
            .unwrap()
            .into_keys()
            .collect()
    }

    fn rows(state: &State) -> BTreeMap<&'static str, u64> {
        let count = |table| {
            let rows = state.read("count", |transaction| {
                let sql = format!("SELECT count(*) FROM {table}");
                transaction.query_row(&sql, (), |row| row.get(0))
            });
            (table, rows.unwrap())
        };
        ["repository", "test", "tree", "test_history"]
            .map(count)
            .into()
    }

    #[test]
    fn the_old_are_forgotten_in_all_repositories_and_leave_no_names_behind() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(folder.path()).unwrap();
        let limits = Limits {
            age: DAY * 10,
            rows: 100,
        };
        let ran = runs(&[("steady", Outcome::Passed)]);
        let flipped = runs(&[("shaky", Outcome::Failed), ("shaky", Outcome::Passed)]);
        state
            .record_within(&limits, "gone", "t1", &flipped, day(0))
            .unwrap();
        state
            .record_within(&limits, "here", "t1", &ran, day(0))
            .unwrap();
        state
            .record_within(&limits, "here", "t2", &flipped, day(1))
            .unwrap();

        state
            .record_within(&limits, "here", "t3", &ran, day(10))
            .unwrap();
        assert_eq!(remembered(&state, "gone", &["shaky"]), ["shaky"]);

        state
            .record_within(&limits, "here", "t3", &ran, day(11))
            .unwrap();
        assert_eq!(remembered(&state, "gone", &["shaky"]), [""; 0]);
        assert_eq!(
            remembered(&state, "here", &["shaky", "steady"]),
            ["shaky", "steady"]
        );
        let expected = [
            ("repository", 1),
            ("test", 2),
            ("test_history", 2),
            ("tree", 2),
        ];
        assert_eq!(rows(&state), expected.into());
    }

    #[test]
    fn beyond_the_limit_the_flaky_stay_longest_and_then_the_newest() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(folder.path()).unwrap();
        let limits = Limits {
            age: DAY * 100,
            rows: 3,
        };
        let all = ["new", "newest", "old", "shaky", "shakier"];
        let mut record = |tree: &str, outcomes: &[(&str, Outcome)], at| {
            state
                .record_within(&limits, "here", tree, &runs(outcomes), at)
                .unwrap();
            remembered(&state, "here", &all)
        };
        let twice = |test| [(test, Outcome::Passed), (test, Outcome::Failed)];

        record("t1", &twice("shaky"), day(0));
        record("t1", &[("old", Outcome::Passed)], day(1));
        assert_eq!(
            record("t2", &[("new", Outcome::Failed)], day(2)),
            ["new", "old", "shaky"]
        );
        assert_eq!(
            record("t2", &twice("shakier"), day(3)),
            ["new", "shakier", "shaky"]
        );
        record("t2", &twice("newest"), day(4));
        assert_eq!(
            record("t3", &twice("newest"), day(5)),
            ["newest", "shakier"]
        );
    }

    #[test]
    fn other_repositories_do_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(folder.path()).unwrap();
        let limits = Limits { age: DAY, rows: 1 };
        for repository in ["here", "there"] {
            let ran = runs(&[("steady", Outcome::Passed)]);
            state
                .record_within(&limits, repository, "t1", &ran, day(0))
                .unwrap();
        }
        assert_eq!(remembered(&state, "here", &["steady"]), ["steady"]);
        assert_eq!(remembered(&state, "there", &["steady"]), ["steady"]);
    }

    #[test]
    fn what_is_to_be_forgotten_is_found_by_index() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::open(folder.path()).unwrap();
        let plan = |sql: &str, parameters: &[i64]| -> String {
            let lines: Vec<String> = state
                .read("explain", |transaction| {
                    let mut statement =
                        transaction.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
                    let parameters = rusqlite::params_from_iter(parameters);
                    statement
                        .query_map(parameters, |row| row.get("detail"))?
                        .collect()
                })
                .unwrap();
            lines.join("\n")
        };
        insta::assert_snapshot!(plan(FORGET_OLD, &[0]), @"
        SEARCH test_history USING INDEX test_history_by_worth (repository=? AND flaky=? AND last_seen<?)
        USING ROWID SEARCH ON TABLE repository FOR IN-OPERATOR
        ");
        insta::assert_snapshot!(plan(FORGET_EXCESS, &[0, 0]), @"
        SEARCH test_history USING PRIMARY KEY (test=? AND tree=?)
        LIST SUBQUERY 2
        SEARCH test_history USING INDEX test_history_by_worth (repository=?)
        ");
    }
}
