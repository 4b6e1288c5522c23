//! The history of test runs.

use std::time::Duration;

use baton_state::State;
use baton_state::history::{FlakyTest, MAX_NAME_CHARS, Summary};
use tempfile::{TempDir, tempdir};

use crate::{failed, minute, passed, taking};

fn state() -> (TempDir, State) {
    let folder = tempdir().unwrap();
    let state = State::open(folder.path()).unwrap();
    (folder, state)
}

fn names(flaky: &[FlakyTest]) -> Vec<&str> {
    flaky.iter().map(|flaky| flaky.test.as_str()).collect()
}

#[test]
fn both_outcomes_on_one_tree_are_flaky_and_on_two_trees_are_not() {
    let (_folder, mut state) = state();
    let mended = failed("login::expires");
    let flaky = [
        failed("upload::resumes"),
        taking(300, passed("upload::resumes")),
    ];
    state.record("r", "t1", &[mended], minute(0)).unwrap();
    state
        .record("r", "t2", &[passed("login::expires")], minute(1))
        .unwrap();
    state.record("r", "t2", &flaky, minute(2)).unwrap();
    state
        .record(
            "r",
            "t3",
            &[taking(100, passed("upload::resumes"))],
            minute(3),
        )
        .unwrap();

    let summary = Summary {
        runs: 3,
        failures: 1,
        flips: 1,
        flipped_trees: 1,
        mean_duration: Some(Duration::from_millis(200)),
        last_seen: minute(3),
    };
    assert!(summary.is_flaky());
    let expected = FlakyTest {
        test: "upload::resumes".to_owned(),
        summary: summary.clone(),
    };
    assert_eq!(state.flaky("r", 10).unwrap(), [expected]);

    let asked = ["upload::resumes", "login::expires", "never::seen"].map(str::to_owned);
    let known = state.known("r", &asked).unwrap();
    assert_eq!(known["upload::resumes"], summary);
    assert!(!known["login::expires"].is_flaky());
    assert_eq!(known["login::expires"].mean_duration, None);
    assert!(!known.contains_key("never::seen"));
}

#[test]
fn the_worst_come_first() {
    let (_folder, mut state) = state();
    let observations = [
        // One flip each, failing in one of two, one of three, and one of two runs.
        vec![failed("often"), passed("often")],
        vec![failed("seldom"), passed("seldom"), passed("seldom")],
        vec![passed("also often"), failed("also often")],
        vec![failed("restless"), passed("restless"), failed("restless")],
        vec![passed("steady"), passed("steady")],
    ]
    .concat();
    state.record("r", "t", &observations, minute(0)).unwrap();
    let flaky = state.flaky("r", usize::MAX).unwrap();
    assert_eq!(names(&flaky), ["restless", "also often", "often", "seldom"]);
    assert_eq!(
        names(&state.flaky("r", 2).unwrap()),
        ["restless", "also often"]
    );
    assert_eq!(names(&state.flaky("r", 0).unwrap()), [""; 0]);
}

#[test]
fn repositories_are_apart() {
    let (_folder, mut state) = state();
    state.record("one", "t", &[failed("a")], minute(0)).unwrap();
    state.record("two", "t", &[passed("a")], minute(0)).unwrap();
    assert_eq!(state.flaky("one", 10).unwrap(), []);
    assert_eq!(state.known("one", &["a".to_owned()]).unwrap()["a"].runs, 1);
    assert_eq!(state.flaky("three", 10).unwrap(), []);
}

#[test]
fn a_clock_that_went_back_does_not_make_a_test_unseen() {
    let (_folder, mut state) = state();
    state.record("r", "t", &[passed("a")], minute(9)).unwrap();
    state.record("r", "t", &[passed("a")], minute(5)).unwrap();
    let known = state.known("r", &["a".to_owned()]).unwrap();
    assert_eq!(known["a"].last_seen, minute(9));
}

#[test]
fn any_time_and_any_duration_can_be_stored() {
    let (_folder, mut state) = state();
    let mut endless = passed("endless");
    endless.duration = Some(Duration::MAX);
    for at in [jiff::Timestamp::MIN, jiff::Timestamp::MAX] {
        state
            .record("r", "t", &[endless.clone(), endless.clone()], at)
            .unwrap();
        let known = state.known("r", &["endless".to_owned()]).unwrap();
        assert_eq!(
            known["endless"].mean_duration,
            Some(Duration::from_hours(24))
        );
        assert_eq!(
            known["endless"].last_seen.as_microsecond(),
            at.as_microsecond()
        );
    }
}

#[test]
fn long_names_are_cut_and_stay_distinct() {
    let (_folder, mut state) = state();
    let whole = "ü".repeat(MAX_NAME_CHARS);
    let cut = [format!("{whole}a"), format!("{whole}b")];
    for name in [&whole, &cut[0], &cut[1]] {
        state
            .record(name, name, &[failed(name)], minute(0))
            .unwrap();
        state
            .record(name, name, &[passed(name)], minute(1))
            .unwrap();
        let flaky = state.flaky(name, 10).unwrap();
        assert_eq!(flaky.len(), 1);
        assert_eq!(flaky[0].test == *name, *name == whole);
        assert!(flaky[0].test.chars().count() < MAX_NAME_CHARS + 100);
        assert!(flaky[0].test.starts_with(&whole));
        let known = state.known(name, &[whole.clone(), cut[0].clone(), cut[1].clone()]);
        let known = known.unwrap();
        assert_eq!(known.keys().collect::<Vec<_>>(), [name]);
        // What was reported can be asked for, too, unless it was cut.
        let stored = [flaky[0].test.clone()];
        assert_eq!(
            state.known(name, &stored).unwrap().len(),
            usize::from(*name == whole)
        );
    }
}

#[test]
fn nothing_to_record_leaves_nothing() {
    let (folder, mut state) = state();
    state.record("r", "t", &[], minute(0)).unwrap();
    let connection = rusqlite::Connection::open(folder.path().join(baton_state::DATABASE_NAME));
    let repositories: u32 = connection
        .unwrap()
        .query_row("SELECT count(*) FROM repository", (), |row| row.get(0))
        .unwrap();
    assert_eq!(repositories, 0);
}

#[test]
fn the_last_run_on_any_tree_says_what_failed_last() {
    let (_folder, mut state) = state();
    let both = [failed("a"), failed("b")];
    state.record("r", "t1", &both, minute(0)).unwrap();
    state.record("r", "t2", &[passed("a")], minute(1)).unwrap();
    state
        .record("other", "t1", &[failed("c")], minute(2))
        .unwrap();
    assert_eq!(state.last_failed("r").unwrap(), ["b"]);
    assert_eq!(state.last_failed("unknown").unwrap(), [""; 0]);
}
