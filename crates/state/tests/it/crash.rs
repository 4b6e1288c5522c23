//! A killed writer leaves whole commits.

use baton_state::{DATABASE_NAME, State};
use rusqlite::Connection;

use crate::child::{PER_COMMIT, Writer};
use crate::{minute, passed};

#[test]
fn killed_while_writing_leaves_every_commit_whole() {
    let folder = tempfile::tempdir().unwrap();
    let tests: Vec<_> = (0..PER_COMMIT).map(|n| format!("test {n}")).collect();
    let mut before = 0;
    for commits in [1, 2, 5, 11, 23, 47] {
        let mut writer = Writer::start(folder.path());
        writer.wait_for_commits(commits);
        let promised = before + writer.kill();

        let mut state = State::open(folder.path()).unwrap();
        let known = state.known("shared", &tests).unwrap();
        let stored = known["test 0"].runs;
        assert!(
            known.values().all(|test| test.runs == stored),
            "half a commit is stored"
        );
        assert!(
            stored >= promised,
            "{promised} commits were reported and {stored} are stored"
        );
        // The one that was under way may have been stored, too.
        assert!(
            stored <= promised + 1,
            "{promised} commits were reported and {stored} are stored"
        );
        before = stored;

        state
            .record("after", "t", &[passed("a")], minute(0))
            .unwrap();
    }
    let connection = Connection::open(folder.path().join(DATABASE_NAME)).unwrap();
    let check: String = connection
        .pragma_query_value(None, "integrity_check", |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
}
