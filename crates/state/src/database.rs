//! Opens the database, migrates it, and runs transactions.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::error::{StateError, StateErrorKind, is_busy};

/// The file in the state folder. While it is in use, SQLite keeps two more
/// beside it, which belong to it (`-wal` and `-shm`). A process that has a
/// [`State`] must not open it in any other way: it would lose its locks.
pub const DATABASE_NAME: &str = "baton.sqlite3";

/// In bytes: one page of the smallest size.
const SMALLEST_DATABASE: u64 = 512;

/// What is being done, in the words of [`StateError`].
const OPENING: &str = "open the database";

/// Step n brings a database from version n to n + 1. A step that was released
/// is never changed: existing databases have taken it.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_test_history.sql"),
    include_str!("migrations/0002_http_cache.sql"),
    include_str!("migrations/0003_ref_moves.sql"),
    include_str!("migrations/0004_journal.sql"),
    include_str!("migrations/0005_operations.sql"),
    include_str!("migrations/0006_acceptances.sql"),
];

/// How long a call waits for another process. Our transactions take well under
/// a second; a process that holds the database longer is stuck.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a call waits for another process where its work may as well be
/// lost.
const LOSSY_BUSY_TIMEOUT: Duration = Duration::from_millis(50);

/// Between attempts to switch to a write-ahead log.
const SWITCH_PAUSE: Duration = Duration::from_millis(20);

/// An open database. It may move between threads; several threads or processes
/// at a time open one each.
#[derive(Debug)]
pub struct State {
    connection: Connection,
    path: PathBuf,
}

impl State {
    /// Opens the database in `folder`. A missing folder is created for the
    /// user alone, a missing database is created empty, and an older one is
    /// brought to this version's format.
    pub fn open(folder: &Path) -> Result<Self, StateError> {
        Self::open_waiting(folder, BUSY_TIMEOUT)
    }

    fn open_waiting(folder: &Path, timeout: Duration) -> Result<Self, StateError> {
        create_folder(folder)?;
        let path = folder.join(DATABASE_NAME);
        create_file(&path)?;
        let opening = |source| StateError::from_sqlite(OPENING, &path, source);
        // Without `SQLITE_OPEN_URI` a path is a path, whatever it looks like.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(&path, flags).map_err(opening)?;
        connection.busy_timeout(timeout).map_err(opening)?;
        refuse_newer(&connection, &path)?;
        configure(&connection, timeout).map_err(opening)?;
        migrate(&mut connection, MIGRATIONS)
            .map_err(|source| StateError::from_sqlite("update the database", &path, source))?;
        // Another process may have been a newer one and faster.
        refuse_newer(&connection, &path)?;
        Ok(Self { connection, path })
    }

    /// Does all of `work` or, after an error, nothing. `doing` completes
    /// "cannot … FILE".
    pub(crate) fn write<T>(
        &mut self,
        doing: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StateError> {
        // Immediate: one that starts by reading could not wait for its turn to write.
        let outcome = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .and_then(|transaction| {
                let value = work(&transaction)?;
                transaction.commit()?;
                Ok(value)
            });
        outcome.map_err(|source| StateError::from_sqlite(doing, &self.path, source))
    }

    /// Like [`write`](Self::write), for what may be lost with the power, or
    /// when another process is writing for long. It does not wait for the disk.
    pub(crate) fn write_lossy<T>(
        &mut self,
        doing: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StateError> {
        let adjust = |state: &Self, synchronous, timeout| {
            let changed = state.connection.busy_timeout(timeout).and_then(|()| {
                let connection = &state.connection;
                connection.pragma_update(None, "synchronous", synchronous)
            });
            changed.map_err(|source| StateError::from_sqlite(doing, &state.path, source))
        };
        // With a write-ahead log, what was committed before stays whole.
        adjust(self, "NORMAL", LOSSY_BUSY_TIMEOUT)?;
        let outcome = self.write(doing, work);
        adjust(self, "FULL", BUSY_TIMEOUT)?;
        outcome
    }

    /// A number that changes when another connection has written.
    pub fn version_of_others(&self) -> Result<i64, StateError> {
        let doing = "look for changes in";
        self.connection
            .pragma_query_value(None, "data_version", |row| row.get(0))
            .map_err(|source| StateError::from_sqlite(doing, &self.path, source))
    }

    /// Lets `work` read one consistent state, whatever others write meanwhile.
    pub(crate) fn read<T>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StateError> {
        Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred)
            .and_then(|transaction| work(&transaction))
            .map_err(|source| StateError::from_sqlite(doing, &self.path, source))
    }
}

fn create_folder(folder: &Path) -> Result<(), StateError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|source| StateError::from_io("create the folder", folder, source))
}

/// Creates the file as an empty database. SQLite would make it readable for all
/// users; this way it gives the files beside it the same permissions, too.
fn create_file(path: &Path) -> Result<(), StateError> {
    // Closing a file drops all locks that the process has on it. So one that
    // is there is not opened, and no thread of this process gets to lock the
    // new one before it is closed here.
    static CREATING: Mutex<()> = Mutex::new(());
    let _creating = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut options = OpenOptions::new();
    match options.write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => check_file(path, error),
        created => created
            .map(drop)
            .map_err(|source| StateError::from_io(OPENING, path, source)),
    }
}

/// Checks an existing file for what SQLite reports badly or not at all.
fn check_file(path: &Path, there_already: io::Error) -> Result<(), StateError> {
    let metadata =
        fs::metadata(path).map_err(|source| StateError::from_io(OPENING, path, source))?;
    if metadata.is_dir() {
        return Err(StateError::from_io(OPENING, path, there_already));
    }
    // SQLite takes it for empty and would overwrite it.
    if (1..SMALLEST_DATABASE).contains(&metadata.len()) {
        return Err(StateError::new(OPENING, path, StateErrorKind::Corrupt));
    }
    Ok(())
}

/// A newer version may mean something else by the same tables, so nothing is
/// read or written, not even a setting.
fn refuse_newer(connection: &Connection, path: &Path) -> Result<(), StateError> {
    let found =
        version(connection).map_err(|source| StateError::from_sqlite(OPENING, path, source))?;
    let known = latest(MIGRATIONS);
    if found > known {
        return Err(StateError::new(
            OPENING,
            path,
            StateErrorKind::Newer { found, known },
        ));
    }
    Ok(())
}

fn configure(connection: &Connection, timeout: Duration) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::ZERO)?;
    use_write_ahead_log(connection, timeout)?;
    connection.busy_timeout(timeout)?;
    // Full: what was committed is there after a power failure, too.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)
}

/// With a write-ahead log, readers and the writer do not wait for each other.
/// Where a file system cannot have one, SQLite stays with its rollback journal,
/// which is slower and as safe.
///
/// Two processes that switch at the same time could wait for each other for
/// ever, so SQLite does not always let them wait; the waiting is done here.
fn use_write_ahead_log(connection: &Connection, timeout: Duration) -> rusqlite::Result<()> {
    let mut left = timeout;
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "WAL", |_mode| Ok(())) {
            Err(error) if is_busy(&error) && !left.is_zero() => {
                thread::sleep(SWITCH_PAUSE);
                left = left.saturating_sub(SWITCH_PAUSE);
            }
            done => return done,
        }
    }
}

/// Takes all missing steps or, after an error, none.
fn migrate(connection: &mut Connection, migrations: &[&str]) -> rusqlite::Result<()> {
    if version(connection)? >= latest(migrations) {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read again: another process may have migrated while this one waited.
    let from = version(&transaction)?;
    for (to, step) in (1..).zip(migrations) {
        if to > from {
            transaction.execute_batch(step)?;
            transaction.pragma_update(None, "user_version", to)?;
        }
    }
    transaction.commit()
}

fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn latest(migrations: &[&str]) -> u32 {
    u32::try_from(migrations.len()).expect("migrations are counted in dozens")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "CREATE TABLE shelf (id INTEGER PRIMARY KEY) STRICT;";
    const SECOND: &str = "ALTER TABLE shelf ADD COLUMN label TEXT;";
    const BROKEN: &str = "CREATE TABLE box (id INTEGER PRIMARY KEY) STRICT; CREATE TABLE box (id);";

    fn tables(connection: &Connection) -> Vec<String> {
        let mut statement = connection
            .prepare("SELECT sql FROM sqlite_schema ORDER BY name")
            .unwrap();
        let rows = statement.query_map((), |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }

    #[test]
    fn each_step_is_taken_once() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &[FIRST]).unwrap();
        migrate(&mut connection, &[FIRST, SECOND]).unwrap();
        migrate(&mut connection, &[FIRST, SECOND]).unwrap();
        assert_eq!(version(&connection).unwrap(), 2);
        assert_eq!(
            tables(&connection),
            ["CREATE TABLE shelf (id INTEGER PRIMARY KEY, label TEXT) STRICT"]
        );
    }

    #[test]
    fn a_step_that_fails_undoes_those_before_it() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &[FIRST, BROKEN]).unwrap_err();
        assert_eq!(version(&connection).unwrap(), 0);
        assert_eq!(tables(&connection), [""; 0]);
    }

    #[test]
    fn writes_are_durable_and_references_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::open(folder.path()).unwrap();
        let setting = |name| -> String {
            state
                .connection
                .pragma_query_value(None, name, |row| {
                    let value: rusqlite::types::Value = row.get(0)?;
                    Ok(format!("{value:?}"))
                })
                .unwrap()
        };
        assert_eq!(setting("journal_mode"), "Text(\"wal\")");
        assert_eq!(setting("synchronous"), "Integer(2)");
        assert_eq!(setting("foreign_keys"), "Integer(1)");
    }

    #[test]
    fn writes_after_a_lossy_one_are_durable_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(folder.path()).unwrap();
        let setting = |connection: &Connection, name| -> i64 {
            connection
                .pragma_query_value(None, name, |row| row.get(0))
                .unwrap()
        };
        let during = state
            .write_lossy("look at", |transaction| {
                Ok(["synchronous", "busy_timeout"].map(|name| setting(transaction, name)))
            })
            .unwrap();
        state
            .write_lossy("fail in", |_| {
                Err::<(), _>(rusqlite::Error::QueryReturnedNoRows)
            })
            .unwrap_err();
        let after = ["synchronous", "busy_timeout"].map(|name| setting(&state.connection, name));
        assert_eq!((during, after), ([1, 50], [2, 5000]));
    }

    #[test]
    fn a_full_disk_fails_the_write_and_keeps_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(folder.path()).unwrap();
        let add = |name: String| {
            move |transaction: &Transaction<'_>| {
                transaction.execute("INSERT INTO repository (name) VALUES (?1)", [name])
            }
        };
        state.write("add to", add("kept".to_owned())).unwrap();
        let pages: u32 = state
            .connection
            .pragma_query_value(None, "page_count", |row| row.get(0))
            .unwrap();
        state
            .connection
            .pragma_update(None, "max_page_count", pages)
            .unwrap();

        let error = state.write("add to", add("x".repeat(100_000))).unwrap_err();

        assert_eq!(error.kind(), StateErrorKind::Full);
        insta::assert_snapshot!(
            error.to_string().replace(&folder.path().display().to_string(), "STATE"),
            @"cannot add to STATE/baton.sqlite3: there is no space left; free some space, then try again"
        );
        let names: Vec<String> = state
            .read("read", |transaction| {
                let mut statement = transaction.prepare("SELECT name FROM repository")?;
                statement.query_map((), |row| row.get(0))?.collect()
            })
            .unwrap();
        assert_eq!(names, ["kept"]);
    }

    #[test]
    fn a_database_that_stays_locked_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let mut holder = State::open(folder.path()).unwrap();
        let mut waiting = State::open(folder.path()).unwrap();
        waiting.connection.busy_timeout(Duration::ZERO).unwrap();

        let error = holder
            .write("hold", |_| Ok(waiting.write("change", |_| Ok(()))))
            .unwrap()
            .unwrap_err();

        assert_eq!(error.kind(), StateErrorKind::Locked);
        insta::assert_snapshot!(
            error.to_string().replace(&folder.path().display().to_string(), "STATE"),
            @"cannot change STATE/baton.sqlite3: another process is using it; wait for other calls of baton or end them, then try again"
        );
        waiting.write("change", |_| Ok(())).unwrap();
    }

    #[test]
    fn a_new_database_that_stays_locked_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let holder = Connection::open(folder.path().join(DATABASE_NAME)).unwrap();
        holder.execute_batch("BEGIN IMMEDIATE").unwrap();

        let error = State::open_waiting(folder.path(), SWITCH_PAUSE * 3).unwrap_err();

        assert_eq!(error.kind(), StateErrorKind::Locked);
        holder.execute_batch("ROLLBACK").unwrap();
        State::open(folder.path()).unwrap();
    }
}
