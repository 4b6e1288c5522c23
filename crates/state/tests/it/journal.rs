//! Journals of runs: fences, leases, messages, places, and what is forgotten.

#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "a method by its name is for one lifetime only"
)]

use baton_state::State;
use baton_state::journal::{Append, Fenced, Journal, Lease, NewRun, Posted, Retention};
use jiff::{SignedDuration, Timestamp};

const ALL_ALIVE: &dyn Fn(&str) -> bool = &|_| false;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_900_000_000 + second).unwrap()
}

fn lease(owner: &str, now: i64) -> Lease<'_> {
    Lease {
        owner,
        now: at(now),
        until: at(now) + SignedDuration::from_secs(30),
    }
}

fn new_run(name: &str, second: i64) -> NewRun<'_> {
    NewRun {
        name,
        format: 1,
        summary: "begins",
        at: at(second),
        body: b"created",
    }
}

fn append<'a>(
    owner: &'a str,
    after: u64,
    events: &'a [(Timestamp, Vec<u8>)],
    noted: &'a [i64],
) -> Append<'a> {
    Append {
        run: "one",
        owner,
        after,
        events,
        summary: "goes on",
        ended: false,
        noted,
    }
}

struct Ground {
    _folder: tempfile::TempDir,
    state: State,
}

impl Ground {
    /// With the run `one`, which is `ann`'s.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(folder.path()).unwrap();
        let created =
            state.change_journal(|journal| journal.create(&new_run("one", 0), &lease("ann", 0)));
        assert!(created.unwrap());
        Self {
            _folder: folder,
            state,
        }
    }

    fn change<T>(
        &mut self,
        work: impl FnOnce(&Journal<'_>) -> Result<T, baton_state::journal::Fault>,
    ) -> T {
        self.state.change_journal(work).unwrap()
    }

    fn bodies(&self) -> Vec<String> {
        let entries = self
            .state
            .read_journal(|journal| journal.events("one", 0, 100))
            .unwrap();
        let numbers: Vec<u64> = entries.iter().map(|entry| entry.seq).collect();
        assert_eq!(numbers, (1..=entries.len() as u64).collect::<Vec<_>>());
        entries
            .into_iter()
            .map(|entry| String::from_utf8(entry.body).unwrap())
            .collect()
    }
}

fn events(bodies: &[&str]) -> Vec<(Timestamp, Vec<u8>)> {
    bodies
        .iter()
        .map(|body| (at(1), body.as_bytes().to_vec()))
        .collect()
}

#[test]
fn events_are_numbered_and_read_in_order() {
    let mut ground = Ground::new();
    let appended =
        ground.change(|journal| journal.append(&append("ann", 1, &events(&["a", "b"]), &[])));
    assert_eq!(appended, Ok(3));
    assert_eq!(ground.bodies(), ["created", "a", "b"]);
    let run = ground
        .state
        .read_journal(|journal| journal.run("one"))
        .unwrap()
        .unwrap();
    assert_eq!(
        (run.last, run.summary.as_str(), run.changed),
        (3, "goes on", at(1))
    );
    let rest = ground
        .state
        .read_journal(|journal| journal.events("one", 2, 1))
        .unwrap();
    assert_eq!(rest[0].body, b"b");
}

#[test]
fn a_name_is_taken_once() {
    let mut ground = Ground::new();
    assert!(!ground.change(|journal| journal.create(&new_run("one", 5), &lease("bob", 5))));
    assert_eq!(ground.bodies(), ["created"]);
}

#[test]
fn who_missed_an_event_or_lost_the_lease_writes_nothing() {
    let mut ground = Ground::new();
    let late = ground.change(|journal| journal.append(&append("ann", 0, &events(&["x"]), &[])));
    assert_eq!(late, Err(Fenced));
    let stranger = ground.change(|journal| journal.append(&append("bob", 1, &events(&["x"]), &[])));
    assert_eq!(stranger, Err(Fenced));
    let note = ground.change(|journal| journal.put_note("one", "bob", ("step", "name"), b"x"));
    assert_eq!(note, Err(Fenced));
    assert_eq!(ground.bodies(), ["created"]);
}

#[test]
fn a_lease_is_kept_by_signs_of_life_and_taken_after_them() {
    let mut ground = Ground::new();
    let mut take = |owner: &str, now: i64, is_dead: &dyn Fn(&str) -> bool| {
        ground
            .change(|journal| journal.take("one", &lease(owner, now), is_dead))
            .unwrap()
    };
    assert_eq!(take("bob", 29, ALL_ALIVE), "ann");
    assert_eq!(take("ann", 29, ALL_ALIVE), "ann");
    assert_eq!(take("bob", 58, ALL_ALIVE), "ann");
    assert_eq!(take("bob", 59, ALL_ALIVE), "bob");
    assert_eq!(take("cat", 60, &|owner| owner == "bob"), "cat");
    ground.change(|journal| journal.renew(&lease("cat", 80)));
    let still = ground.change(|journal| journal.take("one", &lease("dan", 100), ALL_ALIVE));
    assert_eq!(still.as_deref(), Some("cat"));
    ground.change(|journal| journal.release("one", "dan"));
    ground.change(|journal| journal.release("one", "cat"));
    let free = ground.change(|journal| journal.take("one", &lease("dan", 100), ALL_ALIVE));
    assert_eq!(free.as_deref(), Some("dan"));
    let unknown = ground.change(|journal| journal.take("two", &lease("dan", 100), ALL_ALIVE));
    assert_eq!(unknown, None);
}

#[test]
fn messages_wait_until_an_event_takes_note_of_them() {
    let mut ground = Ground::new();
    assert_eq!(
        ground.change(|journal| journal.post("one", at(2), b"hello")),
        Posted::Yes
    );
    assert_eq!(
        ground.change(|journal| journal.post("two", at(2), b"hello")),
        Posted::NoSuchRun
    );
    let waiting = ground
        .state
        .read_journal(|journal| journal.messages("one"))
        .unwrap();
    assert_eq!(waiting[0].body, b"hello");
    let who = ground
        .state
        .read_journal(|journal| journal.runs_with_messages())
        .unwrap();
    assert_eq!(who, ["one"]);
    let noted = [waiting[0].id];
    let fenced = ground.change(|journal| journal.append(&append("bob", 1, &[], &noted)));
    assert_eq!(fenced, Err(Fenced));
    assert_eq!(
        ground
            .state
            .read_journal(|journal| journal.messages("one"))
            .unwrap()
            .len(),
        1
    );
    let appended = ground.change(|journal| journal.append(&append("ann", 1, &[], &noted)));
    assert_eq!(appended, Ok(1));
    assert!(
        ground
            .state
            .read_journal(|journal| journal.messages("one"))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn an_ended_run_hears_nothing_and_is_not_open() {
    let mut ground = Ground::new();
    let last = events(&["end"]);
    let end = Append {
        ended: true,
        ..append("ann", 1, &last, &[])
    };
    ground.change(|journal| journal.append(&end)).unwrap();
    assert_eq!(
        ground.change(|journal| journal.post("one", at(2), b"hello")),
        Posted::Ended
    );
    assert!(
        ground
            .state
            .read_journal(|journal| journal.open_runs())
            .unwrap()
            .is_empty()
    );
    let run = ground
        .state
        .read_journal(|journal| journal.run("one"))
        .unwrap()
        .unwrap();
    assert_eq!(run.ended, Some(at(1)));
}

#[test]
fn notes_are_kept_by_step_and_name() {
    let mut ground = Ground::new();
    for body in [&b"first"[..], b"second"] {
        ground
            .change(|journal| journal.put_note("one", "ann", ("003", "session"), body))
            .unwrap();
    }
    let note = |step: &str| {
        let read = ground
            .state
            .read_journal(|journal| journal.note("one", step, "session"));
        read.unwrap()
    };
    assert_eq!(note("003").as_deref(), Some(&b"second"[..]));
    assert_eq!(note("004"), None);
}

#[test]
fn there_are_only_so_many_places() {
    let mut ground = Ground::new();
    let mut occupy = |holder: &str, owner: &str, now: i64, is_dead: &dyn Fn(&str) -> bool| {
        ground.change(|journal| journal.occupy("review", holder, 2, &lease(owner, now), is_dead))
    };
    assert!(occupy("a/1", "ann", 0, ALL_ALIVE));
    assert!(
        occupy("a/1", "ann", 1, ALL_ALIVE),
        "the same one keeps its place"
    );
    assert!(occupy("b/1", "bob", 1, ALL_ALIVE));
    assert!(!occupy("c/1", "cat", 2, ALL_ALIVE));
    assert!(
        occupy("c/1", "cat", 2, &|owner| owner == "bob"),
        "the dead need none"
    );
    assert!(!occupy("d/1", "dan", 3, ALL_ALIVE));
    assert!(
        occupy("d/1", "dan", 60, ALL_ALIVE),
        "no holder renewed its lease"
    );
    ground.change(|journal| journal.vacate_all("d", "dan"));
    let free =
        ground.change(|journal| journal.occupy("review", "e/1", 1, &lease("eve", 61), ALL_ALIVE));
    assert!(free);
}

#[test]
fn ended_runs_are_forgotten_by_age_and_number() {
    let mut ground = Ground::new();
    for number in 0..5 {
        let name = format!("old-{number}");
        let (begin, end) = (number * 10, number * 10 + 5);
        let last = [(at(end), b"end".to_vec())];
        ground
            .change(|journal| {
                journal.create(&new_run(&name, begin), &lease("ann", begin))?;
                journal.append(&Append {
                    run: &name,
                    ended: true,
                    ..append("ann", 1, &last, &[])
                })
            })
            .unwrap();
    }
    let retention = Retention {
        ended_after: at(10),
        at_most: 2,
    };
    let forgotten = ground.change(|journal| journal.forget(&retention));
    assert_eq!(forgotten, ["old-0", "old-1", "old-2"]);
    assert!(
        ground
            .change(|journal| journal.forget(&retention))
            .is_empty()
    );
    let names = ground
        .state
        .read_journal(|journal| journal.runs(10))
        .unwrap();
    let names: Vec<_> = names.into_iter().map(|run| run.name).collect();
    assert_eq!(names, ["old-4", "old-3", "one"]);
    assert_eq!(
        ground
            .state
            .read_journal(|journal| journal.events("old-0", 0, 9))
            .unwrap(),
        []
    );
}

#[test]
fn other_connections_are_seen_to_write() {
    let folder = tempfile::tempdir().unwrap();
    let watching = State::open(folder.path()).unwrap();
    let mut writing = State::open(folder.path()).unwrap();
    let before = watching.version_of_others().unwrap();
    assert_eq!(watching.version_of_others().unwrap(), before);
    writing
        .change_journal(|journal| journal.create(&new_run("one", 0), &lease("ann", 0)))
        .unwrap();
    assert_ne!(watching.version_of_others().unwrap(), before);
}
