//! Several threads and processes on one database.

use std::sync::Barrier;
use std::thread;
#[cfg(target_os = "linux")]
use std::{fs, os::unix::fs::MetadataExt as _, path::Path};

use baton_state::{DATABASE_NAME, State};

use crate::{child, failed, minute, passed};

const WRITERS: usize = 8;

#[test]
fn threads_that_open_a_fresh_folder_at_once_all_succeed() {
    for _ in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nested").join("state");
        let start = Barrier::new(WRITERS);
        thread::scope(|scope| {
            for _ in 0..WRITERS {
                scope.spawn(|| {
                    start.wait();
                    State::open(&path).unwrap();
                });
            }
        });
    }
}

#[test]
fn processes_that_open_a_fresh_folder_at_once_all_succeed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let mut children: Vec<_> = (0..WRITERS).map(|_| child::opener(&path)).collect();
    for child in &mut children {
        drop(child.stdin.take());
    }
    children.into_iter().for_each(child::succeeds);
    let known = State::open(&path)
        .unwrap()
        .known("shared", &["a".to_owned()]);
    assert_eq!(known.unwrap()["a"].runs, WRITERS as u64);
}

/// A process loses its locks on a file whenever it closes that file, however
/// often it has it open. SQLite takes care of that; anything else that opens
/// the file would take the locks away, and other processes could do as if we
/// were gone.
#[cfg(target_os = "linux")]
#[test]
fn opening_again_keeps_the_locks_of_those_open_before() {
    let folder = tempfile::tempdir().unwrap();
    let _open = State::open(folder.path()).unwrap();
    let before = locks(&folder.path().join(DATABASE_NAME));
    assert_ne!(before, [""; 0]);
    drop(State::open(folder.path()).unwrap());
    assert_eq!(locks(&folder.path().join(DATABASE_NAME)), before);
}

/// The kernel's list without its numbering, which other files' locks change.
#[cfg(target_os = "linux")]
fn locks(path: &Path) -> Vec<String> {
    let inode = format!(":{} ", fs::metadata(path).unwrap().ino());
    let list = fs::read_to_string("/proc/locks").unwrap();
    let locks = list
        .lines()
        .filter_map(|line| Some(line.split_once(' ')?.1));
    locks
        .filter(|lock| lock.contains(&inode))
        .map(str::to_owned)
        .collect()
}

#[test]
fn nothing_is_lost_between_writers() {
    const COMMITS: u64 = 8;
    let folder = tempfile::tempdir().unwrap();
    let observations = [failed("shared"), passed("shared")];
    thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                let mut state = State::open(folder.path()).unwrap();
                for _ in 0..COMMITS {
                    state.record("r", "t", &observations, minute(0)).unwrap();
                }
            });
        }
    });
    let flaky = State::open(folder.path()).unwrap().flaky("r", 10).unwrap();
    let summary = &flaky[0].summary;
    let commits = COMMITS * WRITERS as u64;
    assert_eq!(summary.runs, 2 * commits);
    assert_eq!(summary.failures, commits);
    // Every run but the first follows one with the other outcome, unless commits were mixed.
    assert_eq!(summary.flips, 2 * commits - 1);
}

#[test]
fn a_reader_sees_whole_commits_while_others_write() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = State::open(folder.path()).unwrap();
    let reader = State::open(folder.path()).unwrap();
    let tests = ["a", "b"].map(str::to_owned);
    thread::scope(|scope| {
        let writing = scope.spawn(move || {
            for _ in 0..50 {
                let observations = [passed("a"), passed("b")];
                writer.record("r", "t", &observations, minute(0)).unwrap();
            }
        });
        while !writing.is_finished() {
            let known = reader.known("r", &tests).unwrap();
            let runs = tests
                .each_ref()
                .map(|test| known.get(test).map(|test| test.runs));
            assert_eq!(runs[0], runs[1]);
        }
    });
    assert_eq!(reader.known("r", &tests).unwrap()["b"].runs, 50);
}
