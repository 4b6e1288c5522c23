//! A process that is killed anywhere in a whole run, and another one that goes
//! on: the same end, and nothing twice.
//!
//! What dies is the driver: after an event of the journal, between the effects of a step
//! and its record, behind a request to the forge, behind a call of git, or
//! while its coding agent works.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::thread;

use baton_host::cmd::Outcome;

use crate::theatre::{Play, Point, Theatre, is_alive};

/// How many there are of each in a run that no one interrupts.
struct Counts {
    events: u64,
    steps: u64,
    requests: u64,
    git: u64,
    turns: u64,
}

impl Counts {
    fn all(&self) -> Vec<Point> {
        let points = |make: fn(u64) -> Point, number: u64| (1..=number).map(make);
        points(Point::Event, self.events)
            .chain(points(Point::Step, self.steps))
            .chain(points(Point::Request, self.requests))
            .chain(points(Point::Git, self.git))
            .chain(points(Point::Turn, self.turns))
            .collect()
    }
}

/// A run that no one interrupts.
fn undisturbed(play: Play) -> (String, Counts) {
    let theatre = Theatre::new(play);
    let finished = theatre.drive(None);
    assert_eq!(
        finished.outcome,
        Outcome::Exited(0),
        "{}",
        finished.stderr.text()
    );
    let said = finished.stdout.text();
    let count = |what: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(what));
        line.unwrap().trim().parse().unwrap()
    };
    let counts = Counts {
        events: count("event"),
        steps: count("step"),
        requests: count("request"),
        git: theatre.lines_of("git-calls"),
        turns: theatre.lines_of("turns"),
    };
    (theatre.outcome(), counts)
}

/// Kills a driver at the point and lets another one go on; what is different
/// then, if anything is.
fn interrupted(play: Play, point: Point, expected: &str) -> Result<(), String> {
    let theatre = Theatre::new(play);
    let died = theatre.drive(Some(point));
    if died.outcome != Outcome::Signalled(9) {
        return Err(format!("did not die: {:?}", died.outcome));
    }
    let finished = theatre.drive(None);
    if finished.outcome != Outcome::Exited(0) {
        let said = finished.stderr.text();
        let last = theatre.last_call();
        return Err(format!(
            "resumed: {:?} behind `git {last}`\n{said}",
            finished.outcome
        ));
    }
    let outcome = theatre.outcome();
    if outcome != expected {
        return Err(format!("another end:\n{outcome}"));
    }
    match std::fs::read_to_string(theatre.world.sandbox.home().join("survivor")) {
        Ok(pid) if is_alive(pid.trim()) => Err("the agent lives on".to_owned()),
        _ => Ok(()),
    }
}

/// Two at a time.
fn check(play: Play, points: &[Point], expected: &str) -> String {
    let open: Mutex<VecDeque<Point>> = Mutex::new(points.iter().copied().collect());
    let broken = Mutex::new(Vec::new());
    let work = || {
        while let Some(point) = { open.lock().unwrap().pop_front() } {
            if let Err(what) = interrupted(play, point, expected) {
                broken.lock().unwrap().push(format!("{point}: {what}"));
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let broken = broken.into_inner().unwrap();
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
    format!("{} points, all with the same end", points.len())
}

#[test]
fn killed_at_points_of_every_kind_a_whole_run_ends_the_same_and_nothing_is_doubled() {
    let (expected, counts) = undisturbed(Play::WholeRun);
    insta::assert_snapshot!(expected, @r#"
    passed: 001-issue issue-ready
    passed: 002-prepare workspace-ready
    passed: 004-publish implemented
    passed: 005-review changes-requested
    passed: 006-fix fixed
    passed: 007-review approved
    passed: 009-merge merged
    passed: 010-close workflow-complete
    ending: Some(Closed)
    pull request 2: "Add a list of the notes of an owner", "closed"
    issue 1: "Add a list of the notes of an owner", "closed"
    merged: true, commits: 2
    review: **Changes requested** (1 critical, 0 important, 0 suggestions) for COMMIT
    review: **Approved** (0 critical, 0 important, 0 suggestions) for COMMIT
    thread: "notes.py"
    reply: "notes.py"
    comment on 1: Resolved by #2, merged into `main` as COMMIT.
    branch: "main"
    documents: 8
    main: Add a list of the notes of an owner (#2)
    files: README.md
    notes.py
    notes.py: def notes(cursor, request):
        owner = request.args["owner"]
        cursor.execute("SELECT * FROM notes WHERE owner = %s", (owner,))
        return cursor.fetchall()
    local branches: main
    worktrees are left: false, claims: 0
    "#);
    // How often git is called is a matter of its version, too.
    let summary = format!(
        "{} events, {} steps, {} turns of the agent",
        counts.events, counts.steps, counts.turns
    );
    insta::assert_snapshot!(summary, @"21 events, 10 steps, 2 turns of the agent");
    let all = counts.all();
    let some: Vec<Point> = all
        .into_iter()
        .filter(|point| match point {
            Point::Event(number) => number % 4 == 1,
            Point::Step(number) => number % 2 == 0,
            Point::Turn(_) => true,
            Point::Request(number) => number % 6 == 1,
            Point::Git(number) => number % 12 == 1,
        })
        .collect();
    println!("{}", check(Play::WholeRun, &some, &expected));
}

/// `cargo test -p baton-agents --test it killed_at_every_point -- --ignored --nocapture`
///
/// `BATON_POINTS='git 29,git 30'` in front of it takes these alone.
#[test]
#[ignore = "takes minutes; the test above takes some of the points"]
fn killed_at_every_point_a_whole_run_ends_the_same_and_nothing_is_doubled() {
    let (expected, counts) = undisturbed(Play::WholeRun);
    #[expect(clippy::disallowed_methods, reason = "a test has no other arguments")]
    let wanted = std::env::var("BATON_POINTS").unwrap_or_default();
    let mut points = counts.all();
    if !wanted.is_empty() {
        let names: Vec<&str> = wanted.split(',').map(str::trim).collect();
        points.retain(|point| names.contains(&point.to_string().as_str()));
        assert_eq!(points.len(), names.len(), "{points:?} of {wanted}");
    }
    println!("{}", check(Play::WholeRun, &points, &expected));
}

#[test]
fn killed_at_some_points_a_pull_request_is_brought_forward_once() {
    let (expected, counts) = undisturbed(Play::Tending);
    insta::assert_snapshot!(expected, @r#"
    passed: 001-issue issue-ready
    passed: 002-prepare workspace-ready
    passed: 003-review changes-requested
    passed: 004-fix fixed
    passed: 006-validate validation-failed
    passed: 007-fix fixed
    passed: 009-validate validation-failed
    passed: 010-fix fixed
    ending: Some(Reached { until: Ready, left_behind: None })
    pull request 1: "Greet briefly", "open"
    merged: false, commits: 4
    thread: "notes.py"
    reply: "notes.py"
    branch: "main"
    branch: "their-work"
    documents: 8
    their-work: fix: mend 1 failure of the validation
    fix: merge the base and resolve the conflicts
    fix: deal with a review comment
    Greet briefly
    files: README.md
    greet.py
    notes.py
    status.py
    notes.py: def titles():
        return []
    local branches: main
    their-work
    worktrees are left: false, claims: 0
    "#);
    let some: Vec<Point> = counts
        .all()
        .into_iter()
        .filter(|point| match point {
            Point::Event(number) | Point::Request(number) => number % 8 == 1,
            Point::Step(number) => number % 4 == 0,
            Point::Turn(number) => *number == 2,
            Point::Git(number) => number % 24 == 1,
        })
        .collect();
    println!("{}", check(Play::Tending, &some, &expected));
}

/// `cargo test -p baton-agents --test it killed_at_every_event -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes; the test above takes some of the events"]
fn killed_at_every_event_a_pull_request_is_brought_forward_once() {
    let (expected, counts) = undisturbed(Play::Tending);
    let is_slow = |point: &Point| matches!(point, Point::Request(_) | Point::Git(_));
    let points: Vec<Point> = counts
        .all()
        .into_iter()
        .filter(|one| !is_slow(one))
        .collect();
    println!("{}", check(Play::Tending, &points, &expected));
}
