//! Interrupted operations are resumed.

use baton_state::State;
use jiff::{SignedDuration, Timestamp};

const KIND: &str = "pr";

#[test]
fn an_unfinished_operation_is_resumed_with_its_key_and_notes() {
    let folder = tempfile::tempdir().unwrap();
    let now = Timestamp::from_second(1_900_000_000).unwrap();
    let mut state = State::open(folder.path()).unwrap();
    let begun = state
        .begin_operation(KIND, "octo/demo topic", "one", now)
        .unwrap();
    assert_eq!((begun.key.as_str(), begun.resumed), ("one", false));
    state.note_operation("one", "pushed").unwrap();
    drop(state);

    let mut state = State::open(folder.path()).unwrap();
    let again = state
        .begin_operation(KIND, "octo/demo topic", "two", now)
        .unwrap();
    assert_eq!(
        (again.key.as_str(), again.notes.as_str(), again.resumed),
        ("one", "pushed", true)
    );
    let other = state
        .begin_operation(KIND, "octo/demo other", "three", now)
        .unwrap();
    assert_eq!((other.key.as_str(), other.resumed), ("three", false));

    state.finish_operation("one").unwrap();
    let new = state
        .begin_operation(KIND, "octo/demo topic", "four", now)
        .unwrap();
    assert_eq!((new.key.as_str(), new.resumed), ("four", false));
}

#[test]
fn what_was_left_long_ago_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let mut state = State::open(folder.path()).unwrap();
    let now = Timestamp::from_second(1_900_000_000).unwrap();
    state.begin_operation(KIND, "subject", "one", now).unwrap();
    let later = now + SignedDuration::from_hours(24 * 8);
    let begun = state
        .begin_operation(KIND, "subject", "two", later)
        .unwrap();
    assert_eq!((begun.key.as_str(), begun.resumed), ("two", false));
}
