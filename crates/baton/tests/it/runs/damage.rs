//! Runs whose journal this baton cannot read, beside one that it can.

use std::collections::BTreeMap;

use baton_state::journal::{Append, Lease, NewRun};
use baton_state::{DATABASE_NAME, State};
use baton_testkit::Sandbox;
use baton_workflow::{Event, FORMAT, Goal, Policy, Start};
use jiff::{SignedDuration, Timestamp};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::command::{Answer, baton};
use crate::mcp::client::Client;

const WHOLE: &str = "20310506-0000aaaa";
const DAMAGED: &str = "20310506-0000bbbb";
const NEWER: &str = "20310506-0000cccc";
const SHORT: &str = "20310506-0000dddd";

const OWNER: &str = "test";

/// Inactive runs. What a damaged disk or an editor does to their
/// database is done to it.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("state/baton");
    let mut state = State::open(&folder).unwrap();
    for name in [WHOLE, DAMAGED] {
        create(&mut state, name, FORMAT, &created(name));
    }
    append(&mut state, DAMAGED, b"{}".to_vec());
    create(&mut state, NEWER, FORMAT + 1, br#"{"Teleported":{}}"#);
    create(&mut state, SHORT, FORMAT, &created(SHORT));
    append(&mut state, SHORT, b"{}".to_vec());
    drop(state);
    let database = Connection::open(folder.join(DATABASE_NAME)).unwrap();
    database
        .execute_batch(&format!(
            "UPDATE run_event SET body = x'7bff1b5b324a' WHERE seq = 2 AND run = \
                 (SELECT id FROM run WHERE name = '{DAMAGED}');
             UPDATE run SET summary = CAST(x'7bff1b5b324a' AS TEXT) WHERE name = '{DAMAGED}';
             UPDATE run SET summary = replace(summary, 'created', 'teleporting') \
                 WHERE name = '{NEWER}';
             DELETE FROM run_event WHERE seq = 2 AND run = \
                 (SELECT id FROM run WHERE name = '{SHORT}');"
        ))
        .unwrap();
    sandbox
}

fn created(name: &str) -> Vec<u8> {
    let goal = Goal {
        request: "Greet".to_owned(),
        repository: "octo/demo".to_owned(),
        issue: Some(7),
        pull_request: None,
        base: None,
        place: BTreeMap::new(),
    };
    let start = Start {
        run: name.parse().unwrap(),
        goal,
        policy: Policy::default(),
    };
    let event = Event::Created {
        at: Timestamp::now(),
        start: Box::new(start),
    };
    serde_json::to_vec(&event).unwrap()
}

fn lease() -> Lease<'static> {
    let now = Timestamp::now();
    Lease {
        owner: OWNER,
        now,
        until: now + SignedDuration::from_secs(30),
    }
}

fn create(state: &mut State, name: &str, format: u32, body: &[u8]) {
    let summary = json!({ "request": "Greet", "status": "created" }).to_string();
    let new = NewRun {
        name,
        format,
        summary: &summary,
        at: Timestamp::now(),
        body,
    };
    let created = state.change_journal(|journal| {
        let created = journal.create(&new, &lease())?;
        journal.release(name, OWNER)?;
        Ok(created)
    });
    assert!(created.unwrap());
}

fn append(state: &mut State, name: &str, body: Vec<u8>) {
    let appended = state.change_journal(|journal| {
        journal.take(name, &lease(), &|_| true)?;
        let record = journal.run(name)?.expect("it was created before");
        let appended = journal.append(&Append {
            run: name,
            owner: OWNER,
            after: record.last,
            events: &[(Timestamp::now(), body)],
            summary: &record.summary,
            ended: false,
            noted: &[],
        })?;
        journal.release(name, OWNER)?;
        Ok(appended)
    });
    assert_eq!(appended.unwrap(), Ok(2));
}

fn ask(sandbox: &Sandbox, arguments: &[&str]) -> Answer {
    baton(sandbox).run(arguments)
}

#[test]
fn the_list_has_them_all() {
    let sandbox = sandbox();
    insta::assert_snapshot!(ask(&sandbox, &["runs"]), @"
    exit 0
    -- stdout
    20310506-0000dddd  cannot be read      just now  Greet
    20310506-0000cccc  cannot be read      just now  Greet
    20310506-0000bbbb  cannot be read      just now
    20310506-0000aaaa  created (inactive)  just now  Greet

    ! event 2 of the run `20310506-0000dddd` is missing; start a new run. `baton logs 20310506-0000dddd`
      shows what came before that, and which issue it is about: `baton run NUMBER` takes that up again.
      Other runs are not affected.

    ! the run `20310506-0000cccc` was written by a newer baton (format 4, and this one knows 3); update
      baton

    ! event 2 of the run `20310506-0000bbbb` cannot be read; start a new run: key must be a string at
      line 1 column 2. `baton logs 20310506-0000bbbb` shows what came before that, and which issue it is
      about: `baton run NUMBER` takes that up again. Other runs are not affected.
    ");
    let listed = ask(&sandbox, &["runs", "--open", "--json"]);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    let listed = listed["workflows"].as_array().unwrap();
    let known: Vec<Value> = listed
        .iter()
        .map(|run| json!([run["run"], run["status"], run["trouble"].is_string()]))
        .collect();
    assert_eq!(
        known,
        [
            json!([SHORT, "created", true]),
            json!([NEWER, null, true]),
            json!([DAMAGED, null, true]),
            json!([WHOLE, "created", false]),
        ]
    );
}

#[test]
fn a_damaged_one_says_what_is_left_of_it() {
    let sandbox = sandbox();
    insta::assert_snapshot!(ask(&sandbox, &["show", "0000b"]), @"
    exit 3
    -- stderr
    error: event 2 of the run `20310506-0000bbbb` cannot be read; start a new run
      key must be a string at line 1 column 2
    hint: `baton logs 20310506-0000bbbb` shows what came before that, and which issue it is about: `baton run NUMBER` takes that up again. Other runs are not affected.
    ");
    let shown = ask(&sandbox, &["show", "0000b"]);
    for verb in [
        &["resume", DAMAGED][..],
        &["cancel", DAMAGED],
        &["answer", DAMAGED, "y"],
        &["show", DAMAGED, "--watch"],
    ] {
        let answer = ask(&sandbox, verb);
        assert_eq!(answer.to_string(), shown.to_string(), "{verb:?}");
    }
    let logs = ask(&sandbox, &["logs", DAMAGED]);
    assert_eq!(logs.code, Some(3), "{logs}");
    assert!(
        logs.stdout.trim_end().ends_with("created   Greet"),
        "{logs}"
    );
    assert_eq!(logs.stderr, shown.stderr);
    // The others go on as ever.
    assert_eq!(ask(&sandbox, &["show", WHOLE]).code, Some(0));
}

#[test]
fn a_newer_one_wants_a_newer_baton() {
    let sandbox = sandbox();
    insta::assert_snapshot!(ask(&sandbox, &["show", NEWER]), @"
    exit 3
    -- stderr
    error: the run `20310506-0000cccc` was written by a newer baton (format 4, and this one knows 3); update baton
    ");
    let shown = ask(&sandbox, &["show", NEWER]);
    for verb in [
        &["resume", NEWER][..],
        &["cancel", NEWER],
        &["answer", NEWER, "y"],
        &["logs", NEWER],
        &["show", NEWER, "--watch"],
    ] {
        let answer = ask(&sandbox, verb);
        assert_eq!(answer.to_string(), shown.to_string(), "{verb:?}");
    }
}

#[test]
fn one_with_a_gap_does_nothing_twice() {
    let sandbox = sandbox();
    insta::assert_snapshot!(ask(&sandbox, &["resume", SHORT]), @"
    exit 3
    -- stderr
    error: event 2 of the run `20310506-0000dddd` is missing; start a new run
    hint: `baton logs 20310506-0000dddd` shows what came before that, and which issue it is about: `baton run NUMBER` takes that up again. Other runs are not affected.
    ");
}

#[test]
fn agents_are_told_the_same() {
    let sandbox = sandbox();
    let mut client = Client::newest(
        &sandbox,
        json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } }),
    );
    let listed = client.call("list_workflows", json!({}));
    let listed = &listed["structuredContent"]["workflows"];
    assert_eq!(listed.as_array().unwrap().len(), 4, "{listed}");
    assert!(listed[2]["trouble"].is_string(), "{listed}");
    let seen = client.call("get_workflow", json!({ "run": DAMAGED }));
    insta::assert_snapshot!(seen["content"][0]["text"].as_str().unwrap(), @"
    Error: event 2 of the run `20310506-0000bbbb` cannot be read; start a new run: key must be a string at line 1 column 2
    What to do: `baton logs 20310506-0000bbbb` shows what came before that, and which issue it is about: `baton run NUMBER` takes that up again. Other runs are not affected.
    ");
    let seen = client.request("tasks/get", json!({ "taskId": DAMAGED }));
    insta::assert_snapshot!(seen["error"]["message"].as_str().unwrap(), @"
    event 2 of the run `20310506-0000bbbb` cannot be read; start a new run: key must be a string at line 1 column 2
    What to do: `baton logs 20310506-0000bbbb` shows what came before that, and which issue it is about: `baton run NUMBER` takes that up again. Other runs are not affected.
    ");
}
