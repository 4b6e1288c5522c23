//! Caches HTTP responses, so that a server can confirm one instead of sending
//! it again.
//!
//! Losing them costs a little time and nothing else. So no call waits for the
//! disk or, for long, for other processes.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{OptionalExtension as _, Transaction, params};

use crate::database::State;
use crate::error::StateError;

/// What is kept under one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedAnswer {
    pub head: Vec<u8>,
    pub body: Vec<u8>,
}

/// In bytes. A larger response is rare, and would evict many small ones.
const MAX_RESPONSE_BYTES: u64 = 2 << 20;

/// In bytes: some ten thousand responses of common size.
const MAX_CACHE_BYTES: u64 = 64 << 20;

/// A response's last use is recorded at most this often, so that reading one
/// does not always mean writing.
const USE_IS_NOTED_EVERY: SignedDuration = SignedDuration::from_hours(1);

impl State {
    /// The response under `key`. Recently used ones are evicted last.
    pub fn cached_answer(
        &mut self,
        key: &[u8],
        now: Timestamp,
    ) -> Result<Option<CachedAnswer>, StateError> {
        let found = self.read("read a kept answer in", |transaction| {
            transaction
                .prepare(FIND)?
                .query_row([key], |row| {
                    let answer = CachedAnswer {
                        head: row.get("head")?,
                        body: row.get("body")?,
                    };
                    Ok((answer, row.get::<_, i64>("last_used")?))
                })
                .optional()
        })?;
        let Some((answer, last_used)) = found else {
            return Ok(None);
        };
        let noted_until = last_used.saturating_add(in_microseconds(USE_IS_NOTED_EVERY));
        if now.as_microsecond() > noted_until {
            self.write_lossy("note the use of an answer in", |transaction| {
                transaction.execute(USE, params![key, now.as_microsecond()])
            })?;
        }
        Ok(Some(answer))
    }

    /// Replaces the response under `key`. The least recently used are evicted
    /// when all together are too large; a response that is too large on its own
    /// is not kept, and neither is the previous one.
    pub fn cache_answer(
        &mut self,
        key: &[u8],
        answer: &CachedAnswer,
        now: Timestamp,
    ) -> Result<(), StateError> {
        self.cache_within(MAX_RESPONSE_BYTES, MAX_CACHE_BYTES, key, answer, now)
    }

    fn cache_within(
        &mut self,
        largest_answer: u64,
        largest_cache: u64,
        key: &[u8],
        answer: &CachedAnswer,
        now: Timestamp,
    ) -> Result<(), StateError> {
        let size = (key.len() + answer.head.len() + answer.body.len()) as u64;
        self.write_lossy("keep an answer in", |transaction| {
            if size > largest_answer {
                transaction.execute("DELETE FROM http_cache WHERE key = ?1", [key])?;
                return Ok(());
            }
            transaction.prepare(KEEP)?.execute(params![
                key,
                answer.head,
                answer.body,
                size,
                now.as_microsecond(),
            ])?;
            prune(transaction, largest_cache)
        })
    }
}

fn in_microseconds(duration: SignedDuration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// Evicts the least recently used until the rest fits.
fn prune(transaction: &Transaction<'_>, largest_cache: u64) -> rusqlite::Result<()> {
    let mut size: u64 = transaction
        .prepare("SELECT coalesce(sum(size), 0) FROM http_cache")?
        .query_row((), |row| row.get(0))?;
    if size <= largest_cache {
        return Ok(());
    }
    let mut oldest = transaction.prepare(OLDEST)?;
    let mut rows = oldest.query(())?;
    let mut forgotten = Vec::new();
    while size > largest_cache
        && let Some(row) = rows.next()?
    {
        forgotten.push(row.get::<_, i64>("id")?);
        size = size.saturating_sub(row.get("size")?);
    }
    let mut forget = transaction.prepare("DELETE FROM http_cache WHERE id = ?1")?;
    for id in forgotten {
        forget.execute([id])?;
    }
    Ok(())
}

const FIND: &str = "SELECT head, body, last_used FROM http_cache WHERE key = ?1";

const USE: &str = "UPDATE http_cache SET last_used = ?2 WHERE key = ?1";

const KEEP: &str = "
    INSERT INTO http_cache (key, head, body, size, last_used) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (key) DO UPDATE SET
        head = excluded.head, body = excluded.body,
        size = excluded.size, last_used = excluded.last_used";

const OLDEST: &str = "SELECT id, size FROM http_cache ORDER BY last_used";

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &str) -> CachedAnswer {
        CachedAnswer {
            head: b"h".to_vec(),
            body: body.as_bytes().to_vec(),
        }
    }

    fn minute(minutes: i64) -> Timestamp {
        Timestamp::from_second(1_900_000_000 + 60 * minutes).unwrap()
    }

    fn opened() -> (tempfile::TempDir, State) {
        let folder = tempfile::tempdir().unwrap();
        let state = State::open(folder.path()).unwrap();
        (folder, state)
    }

    fn kept(state: &mut State, at: Timestamp) -> String {
        ["a", "b", "c", "d"]
            .into_iter()
            .filter(|key| state.cached_answer(key.as_bytes(), at).unwrap().is_some())
            .collect()
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let (_folder, mut state) = opened();
        // Each takes twelve bytes with its key and head, so that three fit.
        let mut keep = |key: &str, at| {
            state
                .cache_within(100, 36, key.as_bytes(), &answer("0123456789"), at)
                .unwrap();
        };
        keep("a", minute(0));
        keep("b", minute(1));
        keep("c", minute(2));
        assert!(state.cached_answer(b"a", minute(100)).unwrap().is_some());

        state
            .cache_within(100, 36, b"d", &answer("0123456789"), minute(101))
            .unwrap();

        assert_eq!(kept(&mut state, minute(101)), "acd");
    }

    #[test]
    fn one_large_answer_may_drive_out_several() {
        let (_folder, mut state) = opened();
        for (index, key) in [(0, "a"), (1, "b"), (2, "c")] {
            state
                .cache_within(
                    100,
                    40,
                    key.as_bytes(),
                    &answer("0123456789"),
                    minute(index),
                )
                .unwrap();
        }
        state
            .cache_within(100, 40, b"d", &answer(&"x".repeat(20)), minute(3))
            .unwrap();
        assert_eq!(kept(&mut state, minute(3)), "cd");
    }

    #[test]
    fn what_is_too_large_is_not_kept_and_leaves_no_old_answer() {
        let (_folder, mut state) = opened();
        let small = answer("0123456789");
        state
            .cache_within(12, 100, b"a", &small, minute(0))
            .unwrap();
        assert_eq!(state.cached_answer(b"a", minute(0)).unwrap(), Some(small));
        let large = answer("0123456789+");
        state
            .cache_within(12, 100, b"a", &large, minute(1))
            .unwrap();
        assert_eq!(kept(&mut state, minute(1)), "");
    }

    #[test]
    fn a_use_is_noted_now_and_then() {
        let (_folder, mut state) = opened();
        state.cache_answer(b"a", &answer(""), minute(0)).unwrap();
        let mut last_used = |at| {
            state.cached_answer(b"a", at).unwrap().unwrap();
            state
                .read("read", |transaction| {
                    let sql = "SELECT last_used FROM http_cache";
                    transaction.query_row(sql, (), |row| row.get::<_, i64>(0))
                })
                .unwrap()
        };
        assert_eq!(last_used(minute(60)), minute(0).as_microsecond());
        assert_eq!(last_used(minute(61)), minute(61).as_microsecond());
    }

    #[test]
    fn pruning_does_not_touch_the_bodies() {
        let (_folder, state) = opened();
        let plan = |sql: &str| -> String {
            let lines: Vec<String> = state
                .read("explain", |transaction| {
                    let sql = format!("EXPLAIN QUERY PLAN {sql}");
                    let mut statement = transaction.prepare(&sql)?;
                    statement.query_map((), |row| row.get("detail"))?.collect()
                })
                .unwrap();
            lines.join("\n")
        };
        insta::assert_snapshot!(plan(OLDEST), @"SCAN http_cache USING COVERING INDEX http_cache_by_use");
        insta::assert_snapshot!(plan("SELECT coalesce(sum(size), 0) FROM http_cache"), @"SCAN http_cache USING COVERING INDEX http_cache_by_use");
    }
}
