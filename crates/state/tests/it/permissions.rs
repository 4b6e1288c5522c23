//! Folders and files without write permission.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::thread;

use baton_state::{DATABASE_NAME, State, StateError, StateErrorKind};
use tempfile::{TempDir, tempdir};

use crate::{message, minute, passed};

/// A folder that any user may enter, and that is read-only once it has `mode`.
fn folder_with(mode: u32, prepare: impl FnOnce(&Path)) -> TempDir {
    let folder = tempdir().unwrap();
    prepare(folder.path());
    fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
    folder
}

/// Opens and writes as a user to whom permissions apply. They do not apply to
/// root, so one thread drops root, which does not affect the other threads.
fn use_without_privileges(folder: &Path) -> StateError {
    let attempt = || {
        #[cfg(target_os = "linux")]
        if rustix::process::geteuid().is_root() {
            let nobody = rustix::process::Uid::from_raw(65_534);
            rustix::thread::set_thread_uid(nobody).unwrap();
        }
        State::open(folder)?.record("r", "t", &[passed("a")], minute(0))
    };
    thread::scope(|scope| scope.spawn(attempt).join().unwrap()).unwrap_err()
}

#[test]
fn a_folder_that_cannot_be_created() {
    let parent = folder_with(0o555, |_| ());
    let error = use_without_privileges(&parent.path().join("state"));
    assert_eq!(error.kind(), StateErrorKind::ReadOnly);
    insta::assert_snapshot!(message(&error, parent.path()), @"
    cannot create the folder STATE/state: it cannot be written to; give yourself write access to it and its folder, or choose another folder with `state.dir` in your configuration
    because: Permission denied (os error 13)
    ");
}

#[test]
fn a_folder_that_takes_no_database() {
    let folder = folder_with(0o555, |_| ());
    let error = use_without_privileges(folder.path());
    assert_eq!(error.kind(), StateErrorKind::ReadOnly);
    insta::assert_snapshot!(message(&error, folder.path()), @"
    cannot open the database STATE/baton.sqlite3: it cannot be written to; give yourself write access to it and its folder, or choose another folder with `state.dir` in your configuration
    because: Permission denied (os error 13)
    ");
}

#[test]
fn a_database_that_takes_no_changes() {
    let folder = folder_with(0o777, |folder| {
        drop(State::open(folder).unwrap());
        let database = folder.join(DATABASE_NAME);
        fs::set_permissions(database, Permissions::from_mode(0o444)).unwrap();
    });
    let error = use_without_privileges(folder.path());
    assert_eq!(error.kind(), StateErrorKind::ReadOnly);
    insta::assert_snapshot!(message(&error, folder.path()), @"
    cannot record test results in STATE/baton.sqlite3: it cannot be written to; give yourself write access to it and its folder, or choose another folder with `state.dir` in your configuration
    because: attempt to write a readonly database
    because: Error code 8: attempt to write a readonly database
    ");
}

#[test]
fn a_folder_that_takes_no_log_beside_the_database() {
    let folder = folder_with(0o555, |folder| {
        drop(State::open(folder).unwrap());
        let database = folder.join(DATABASE_NAME);
        fs::set_permissions(database, Permissions::from_mode(0o666)).unwrap();
    });
    let error = use_without_privileges(folder.path());
    assert_eq!(error.kind(), StateErrorKind::ReadOnly);
    insta::assert_snapshot!(message(&error, folder.path()), @"
    cannot open the database STATE/baton.sqlite3: it cannot be written to; give yourself write access to it and its folder, or choose another folder with `state.dir` in your configuration
    because: attempt to write a readonly database
    because: Error code 1544: attempt to write a readonly database
    ");
}
