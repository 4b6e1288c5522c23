//! What people accept is kept for each repository, once for each piece of evidence.

use baton_state::State;
use baton_state::acceptances::AcceptanceRow;
use jiff::Timestamp;

fn row(repository: &str, fingerprint: &str, reason: &str) -> AcceptanceRow {
    AcceptanceRow {
        repository: repository.to_owned(),
        fingerprint: fingerprint.to_owned(),
        rule: "tamper/test-deleted".to_owned(),
        text: "Test `a` deleted".to_owned(),
        reason: reason.to_owned(),
        author: "Ann".to_owned(),
        accepted: Timestamp::from_second(1_900_000_000).unwrap(),
        expires: None,
        signature: "00".to_owned(),
    }
}

#[test]
fn the_newest_word_on_the_same_evidence_counts() {
    let folder = tempfile::tempdir().unwrap();
    let mut state = State::open(folder.path()).unwrap();
    let first = row("a", "1", "once");
    state
        .put_acceptances(&[first.clone(), row("a", "2", "other")])
        .unwrap();
    let mut again = row("a", "1", "again");
    again.expires = Timestamp::from_second(1_900_000_001).ok();
    again.accepted = Timestamp::from_second(1_900_000_002).unwrap();
    state.put_acceptances(std::slice::from_ref(&again)).unwrap();
    drop(state);
    let mut state = State::open(folder.path()).unwrap();
    assert_eq!(
        state.acceptances("a").unwrap(),
        [again, row("a", "2", "other")]
    );
    assert_eq!(state.acceptances("b").unwrap(), []);
    assert!(!state.remove_acceptance("b", "1").unwrap());
    assert!(state.remove_acceptance("a", "1").unwrap());
    assert!(!state.remove_acceptance("a", "1").unwrap());
    assert_eq!(state.acceptances("a").unwrap(), [row("a", "2", "other")]);
}
