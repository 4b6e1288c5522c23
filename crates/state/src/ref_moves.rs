//! Refs that were moved together, so that each can be put back.
//!
//! They are recorded before the first of them moves, so that an interrupted
//! move can be finished or undone.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Row, Transaction, params};

use crate::database::State;
use crate::error::StateError;

/// Older ones are deleted: moves that old are no longer undone.
const MAX_KEPT: u32 = 1000;

/// Refs that moved, or are to move, together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefMoves {
    /// The same for the same work, however often it is begun.
    pub key: String,
    /// What they belong to, for a reader that does not know the key.
    pub about: String,
    pub stage: MoveStage,
    pub moves: Vec<KeptMove>,
}

/// One ref, or whatever else has a value before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptMove {
    pub place: String,
    pub name: String,
    pub old: Option<String>,
    pub new: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveStage {
    /// Some may have moved.
    Begun,
    Done,
    /// All are where they were before.
    Undone,
}

impl State {
    /// Records what is about to be moved. If there is a record under this key,
    /// it is returned and nothing changes, unless it was undone: then it is
    /// replaced.
    pub fn begin_ref_moves(
        &mut self,
        key: &str,
        about: &str,
        moves: &[KeptMove],
        now: Timestamp,
    ) -> Result<Option<RefMoves>, StateError> {
        self.write("note the moves of refs in", |transaction| {
            match find(transaction, "key", key)? {
                Some(known) if known.stage != MoveStage::Undone => return Ok(Some(known)),
                _ => transaction.execute("DELETE FROM ref_moves WHERE key = ?1", [key])?,
            };
            transaction.execute(
                "INSERT INTO ref_moves (key, about, stage, begun) VALUES (?1, ?2, 0, ?3)",
                params![key, about, now.as_microsecond()],
            )?;
            let id = transaction.last_insert_rowid();
            let mut insert = transaction.prepare(
                "INSERT INTO ref_move (moves, position, place, name, old, new) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            for (position, one) in (0_i64..).zip(moves) {
                insert.execute(params![id, position, one.place, one.name, one.old, one.new])?;
            }
            prune(transaction, MAX_KEPT)?;
            Ok(None)
        })
    }

    pub fn ref_moves(&self, key: &str) -> Result<Option<RefMoves>, StateError> {
        self.read("read the moves of refs in", |transaction| {
            find(transaction, "key", key)
        })
    }

    /// The newest about a subject that were not undone.
    pub fn latest_ref_moves(&self, about: &str) -> Result<Option<RefMoves>, StateError> {
        self.read("read the moves of refs in", |transaction| {
            find(transaction, "stage <> 2 AND about", about)
        })
    }

    /// Where a ref was before it was moved and after, newest first and at most `limit` records.
    pub fn former_values(
        &self,
        place: &str,
        name: &str,
        limit: u32,
    ) -> Result<Vec<String>, StateError> {
        self.read("read the moves of refs in", |transaction| {
            let mut statement = transaction.prepare(
                "SELECT old, new FROM ref_move WHERE place = ?1 AND name = ?2 ORDER BY moves DESC LIMIT ?3",
            )?;
            let rows = statement.query_map(params![place, name, limit], |row| {
                Ok([row.get::<_, Option<String>>("new")?, row.get("old")?])
            })?;
            let rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
            Ok(rows.into_iter().flatten().flatten().collect())
        })
    }

    /// Notes how far they are.
    pub fn set_ref_moves_stage(&mut self, key: &str, stage: MoveStage) -> Result<(), StateError> {
        self.write("note the moves of refs in", |transaction| {
            let number = match stage {
                MoveStage::Begun => 0,
                MoveStage::Done => 1,
                MoveStage::Undone => 2,
            };
            let change = "UPDATE ref_moves SET stage = ?2 WHERE key = ?1";
            transaction.execute(change, params![key, number]).map(drop)
        })
    }
}

/// `condition` is one of ours and ends with the column to compare.
fn find(
    transaction: &Transaction<'_>,
    condition: &str,
    value: &str,
) -> rusqlite::Result<Option<RefMoves>> {
    let query = format!(
        "SELECT id, key, about, stage FROM ref_moves WHERE {condition} = ?1 ORDER BY id DESC LIMIT 1"
    );
    let head = |row: &Row<'_>| {
        let stage = match row.get::<_, i64>("stage")? {
            0 => MoveStage::Begun,
            1 => MoveStage::Done,
            _ => MoveStage::Undone,
        };
        let moves = RefMoves {
            key: row.get("key")?,
            about: row.get("about")?,
            stage,
            moves: Vec::new(),
        };
        Ok((row.get::<_, i64>("id")?, moves))
    };
    let found = transaction.query_row(&query, [value], head).optional()?;
    let Some((id, mut found)) = found else {
        return Ok(None);
    };
    let mut statement = transaction
        .prepare("SELECT place, name, old, new FROM ref_move WHERE moves = ?1 ORDER BY position")?;
    let rows = statement.query_map([id], |row| {
        Ok(KeptMove {
            place: row.get("place")?,
            name: row.get("name")?,
            old: row.get("old")?,
            new: row.get("new")?,
        })
    })?;
    found.moves = rows.collect::<rusqlite::Result<_>>()?;
    Ok(Some(found))
}

fn prune(transaction: &Transaction<'_>, most: u32) -> rusqlite::Result<()> {
    transaction.execute(
        "DELETE FROM ref_moves WHERE id <= (SELECT max(id) FROM ref_moves) - ?1",
        [most],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(name: &str) -> Vec<KeptMove> {
        vec![
            KeptMove {
                place: "here".to_owned(),
                name: name.to_owned(),
                old: Some("1".to_owned()),
                new: Some("2".to_owned()),
            },
            KeptMove {
                place: "there".to_owned(),
                name: name.to_owned(),
                old: None,
                new: Some("2".to_owned()),
            },
        ]
    }

    #[test]
    fn what_was_begun_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(folder.path()).unwrap();
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(
            state.begin_ref_moves("k", "s", &moves("a"), now).unwrap(),
            None
        );
        let mut other = State::open(folder.path()).unwrap();
        let found = other
            .begin_ref_moves("k", "s", &moves("b"), now)
            .unwrap()
            .unwrap();
        assert_eq!((found.stage, &found.moves), (MoveStage::Begun, &moves("a")));
        state.set_ref_moves_stage("k", MoveStage::Done).unwrap();
        assert_eq!(
            other.ref_moves("k").unwrap().unwrap().stage,
            MoveStage::Done
        );
        assert_eq!(other.latest_ref_moves("s").unwrap().unwrap().key, "k");
        assert_eq!(other.latest_ref_moves("x").unwrap(), None);
        let values = |name: &str| other.former_values("here", name, 9).unwrap();
        assert_eq!(values("a"), ["2", "1"]);
        assert!(values("b").is_empty());
    }

    #[test]
    fn an_undone_move_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(folder.path()).unwrap();
        let now = Timestamp::UNIX_EPOCH;
        state.begin_ref_moves("k", "s", &moves("a"), now).unwrap();
        state.set_ref_moves_stage("k", MoveStage::Undone).unwrap();
        assert_eq!(state.latest_ref_moves("s").unwrap(), None);
        assert_eq!(
            state.begin_ref_moves("k", "s", &moves("b"), now).unwrap(),
            None
        );
        assert_eq!(state.ref_moves("k").unwrap().unwrap().moves, moves("b"));
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(folder.path()).unwrap();
        let now = Timestamp::UNIX_EPOCH;
        for key in ["0", "1", "2"] {
            state.begin_ref_moves(key, "s", &moves("a"), now).unwrap();
        }
        state
            .write("forget in", |transaction| prune(transaction, 2))
            .unwrap();
        assert_eq!(state.ref_moves("0").unwrap(), None);
        assert!(state.ref_moves("1").unwrap().is_some());
    }
}
