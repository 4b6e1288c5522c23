//! Opening new, old and damaged databases.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use baton_state::{DATABASE_NAME, State, StateErrorKind};
use rusqlite::Connection;
use tempfile::tempdir;

use crate::{failed, message, minute, passed};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_missing_folder_is_created_for_the_user_alone() {
    let parent = tempdir().unwrap();
    let folder = parent.path().join("a").join("b");
    let mut state = State::open(&folder).unwrap();
    state.record("r", "t", &[passed("a")], minute(0)).unwrap();
    assert_eq!(mode(&folder), 0o700);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap())
        .map(|file| (file.file_name().into_string().unwrap(), mode(&file.path())))
        .collect();
    files.sort();
    let expected = ["baton.sqlite3", "baton.sqlite3-shm", "baton.sqlite3-wal"];
    assert_eq!(files, expected.map(|name| (name.to_owned(), 0o600)));
}

#[test]
fn what_was_recorded_is_there_after_reopening() {
    let folder = tempdir().unwrap();
    let mut state = State::open(folder.path()).unwrap();
    state.record("r", "t", &[passed("a")], minute(0)).unwrap();
    drop(state);
    let mut state = State::open(folder.path()).unwrap();
    state.record("r", "t", &[failed("a")], minute(1)).unwrap();
    assert_eq!(state.flaky("r", 10).unwrap()[0].summary.flips, 1);
}

#[test]
fn an_empty_file_becomes_a_database() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join(DATABASE_NAME), "").unwrap();
    let mut state = State::open(folder.path()).unwrap();
    state.record("r", "t", &[passed("a")], minute(0)).unwrap();
}

#[test]
fn a_database_of_version_0_is_brought_up_to_date() {
    let folder = tempdir().unwrap();
    let connection = Connection::open(folder.path().join(DATABASE_NAME)).unwrap();
    connection.execute_batch("VACUUM").unwrap();
    State::open(folder.path()).unwrap();
    let version: u32 = connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(version, 6);
}

#[test]
fn a_path_that_looks_like_a_uri_is_a_path() {
    let parent = tempdir().unwrap();
    let folder = parent.path().join("file:x?mode=memory&cache=shared#%41");
    State::open(&folder).unwrap();
    assert!(fs::metadata(folder.join(DATABASE_NAME)).unwrap().len() > 0);
}

#[test]
fn a_newer_database_is_refused_and_left_as_it_is() {
    let folder = tempdir().unwrap();
    let path = folder.path().join(DATABASE_NAME);
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 77).unwrap();
    drop(connection);
    let before = fs::read(&path).unwrap();

    let error = State::open(folder.path()).unwrap_err();

    assert_eq!(
        error.kind(),
        StateErrorKind::Newer {
            found: 77,
            known: 6
        }
    );
    insta::assert_snapshot!(message(&error, folder.path()), @"cannot open the database STATE/baton.sqlite3: a newer baton has written it (format 77, and this one knows 6); update baton");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn what_is_not_a_database_is_refused_and_left_as_it_is() {
    for length in [1, 2, 100, 511] {
        let folder = tempdir().unwrap();
        let path = folder.path().join(DATABASE_NAME);
        fs::write(&path, "n".repeat(length)).unwrap();

        let error = State::open(folder.path()).unwrap_err();

        assert_eq!(error.kind(), StateErrorKind::Corrupt);
        assert_eq!(error.path(), path);
        insta::allow_duplicates! {
            insta::assert_snapshot!(message(&error, folder.path()), @"cannot open the database STATE/baton.sqlite3: it is damaged or not a database of baton; move it away, with the files beside it whose names add `-wal` and `-shm`; baton then starts a new one");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "n".repeat(length));
    }
    for length in [512, 4_096, 100_000] {
        let folder = tempdir().unwrap();
        let path = folder.path().join(DATABASE_NAME);
        fs::write(&path, "n".repeat(length)).unwrap();

        let error = State::open(folder.path()).unwrap_err();

        assert_eq!(error.kind(), StateErrorKind::Corrupt);
        insta::allow_duplicates! {
            insta::assert_snapshot!(message(&error, folder.path()), @"
            cannot open the database STATE/baton.sqlite3: it is damaged or not a database of baton; move it away, with the files beside it whose names add `-wal` and `-shm`; baton then starts a new one
            because: file is not a database
            because: Error code 26: file is not a database
            ");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "n".repeat(length));
    }
}

#[test]
fn damage_inside_is_reported_when_it_is_met() {
    let folder = tempdir().unwrap();
    let path = folder.path().join(DATABASE_NAME);
    drop(State::open(folder.path()).unwrap());
    let mut bytes = fs::read(&path).unwrap();
    spoil_tables(&mut bytes);
    fs::write(&path, &bytes).unwrap();

    let mut state = State::open(folder.path()).unwrap();
    let error = state
        .record("r", "t", &[passed("a")], minute(0))
        .unwrap_err();

    assert_eq!(error.kind(), StateErrorKind::Corrupt);
    insta::assert_snapshot!(message(&error, folder.path()), @"
    cannot record test results in STATE/baton.sqlite3: it is damaged or not a database of baton; move it away, with the files beside it whose names add `-wal` and `-shm`; baton then starts a new one
    because: database disk image is malformed
    because: Error code 11: database disk image is malformed
    ");
    let error = state.flaky("r", 10).unwrap_err();
    insta::assert_snapshot!(message(&error, folder.path()), @"
    cannot read the test history in STATE/baton.sqlite3: it is damaged or not a database of baton; move it away, with the files beside it whose names add `-wal` and `-shm`; baton then starts a new one
    because: database disk image is malformed
    because: Error code 11: database disk image is malformed
    ");
}

/// Overwrites every page but the first and those of the schema, which would be
/// met on opening.
fn spoil_tables(database: &mut [u8]) {
    for page in database.chunks_mut(4096).skip(1) {
        if !page.windows(7).any(|text| text == b"CREATE ") {
            page.fill(0xA5);
        }
    }
}

#[test]
fn after_moving_a_damaged_database_away_a_new_one_is_started() {
    let folder = tempdir().unwrap();
    let path = folder.path().join(DATABASE_NAME);
    fs::write(&path, "no database").unwrap();
    State::open(folder.path()).unwrap_err();
    fs::rename(&path, folder.path().join("damaged")).unwrap();
    State::open(folder.path()).unwrap();
}

#[test]
fn a_file_in_place_of_the_folder_is_named() {
    let parent = tempdir().unwrap();
    let folder = parent.path().join("state");
    fs::write(&folder, "").unwrap();
    let error = State::open(&folder).unwrap_err();
    assert_eq!(error.kind(), StateErrorKind::InTheWay);
    insta::assert_snapshot!(message(&error, &folder), @"
    cannot create the folder STATE: there is something else in its place; move away what is there, or choose another folder with `state.dir` in your configuration
    because: File exists (os error 17)
    ");

    let error = State::open(&folder.join("deeper")).unwrap_err();
    assert_eq!(error.kind(), StateErrorKind::InTheWay);
}

#[test]
fn a_folder_in_place_of_the_database_is_named() {
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join(DATABASE_NAME)).unwrap();
    let error = State::open(folder.path()).unwrap_err();
    assert_eq!(error.kind(), StateErrorKind::InTheWay);
    insta::assert_snapshot!(message(&error, folder.path()), @"
    cannot open the database STATE/baton.sqlite3: there is something else in its place; move away what is there, or choose another folder with `state.dir` in your configuration
    because: File exists (os error 17)
    ");
}
