//! `baton accept`: what a person has accepted does not hold up a run again, and
//! nothing else accepts anything.

use std::fs;

use baton_engine::{Acceptance, AcceptanceWriter};
use baton_state::State;
use baton_state::acceptances::AcceptanceRow;
use jiff::{SignedDuration, Timestamp};

use super::scene::{FILES, Scene};
use crate::command::Answer;

const TESTS: &str = "\
import { greet, leave } from './greet';

test('says hello', () => {
  expect(greet('Ann')).toBe('Hello, Ann!');
});

test('says goodbye', () => {
  const words = leave('Bob', 'politely');
  expect(words.length).toBeGreaterThan(3);
  expect(words).toContain('Bob');
});
";

/// With a test file that nothing runs: what was deleted is seen in its source.
fn scene_with_tests() -> Scene {
    let mut files = FILES.to_vec();
    files.push(("greet.test.js", TESTS));
    Scene::with_files(&files)
}

/// The tests without the one that begins with these words.
fn without(tests: &str, name: &str) -> String {
    let (before, rest) = tests.split_once(&format!("test('{name}'")).unwrap();
    let (_, after) = rest.split_once("});\n").unwrap();
    format!("{before}{after}")
}

fn writes_tests(tests: &str) -> String {
    format!("cat > /dev/null\ncat > greet.test.js <<'EOF'\n{tests}EOF\ndate +%N >> greeting.txt")
}

/// The first id of a finding in a text.
fn id(text: &str) -> String {
    let (_, behind) = text.split_once("F-").unwrap_or_else(|| panic!("{text}"));
    format!("F-{}", &behind[..8])
}

/// Without what differs from call to call.
fn steady(scene: &Scene, answer: &Answer) -> String {
    let text = answer.to_string();
    let host = scene.world.web_url();
    let host = host.split("://").last().unwrap();
    let today = Timestamp::now().strftime("%Y-%m-%d").to_string();
    let later = Timestamp::now() + SignedDuration::from_hours(24 * 180);
    let later = later.strftime("%Y-%m-%d").to_string();
    let text = text.replace(host, "[host]").replace(&today, "[today]");
    text.replace(&later, "[later]")
}

#[test]
fn a_finding_that_a_person_accepted_does_not_return() {
    let scene = scene_with_tests();
    let file = scene.checkout.join("greet.test.js");
    let deleted = without(TESTS, "says goodbye");
    fs::write(&file, &deleted).unwrap();
    let found = scene.ask(&["review", "--diff", "HEAD"]);
    assert_eq!(found.code, Some(1), "{found}");
    let id = id(&found.stdout);

    let no_reason = scene.ask(&["accept", &id]);
    assert_eq!(no_reason.code, Some(2), "{no_reason}");
    let unknown = scene.ask(&["accept", "F-00000000", "--reason", "x"]);
    insta::assert_snapshot!(unknown, @"
    exit 2
    -- stderr
    error: there is no such finding here
    hint: `baton review` and `baton validate` print the ids of findings. Run this in the same folder; --diff BASE looks at what has changed since a commit.
    ");
    let reason = "people just leave";
    let accepted = scene.ask(&["accept", &id, "--reason", reason]);
    insta::assert_snapshot!(steady(&scene, &accepted), @"
    exit 0
    -- stderr
    Accepted F-7e048b9f until [later]: Test `says goodbye` deleted in greet.test.js:6 – what it checked is checked nowhere else in this change
    ");
    let listed = scene.ask(&["accept", "--list"]);
    insta::assert_snapshot!(steady(&scene, &listed), @"
    exit 0
    -- stdout
    F-7e048b9f  until [later]  Test `says goodbye` deleted in greet.test.js:6 – what it checked is checked nowhere else in this change
                Test Author <author@example.invalid> on [today]: people just leave
    ");
    let again = scene.ask(&["review", "--diff", "HEAD"]);
    insta::assert_snapshot!(steady(&scene, &again), @"
    exit 0
    -- stdout
    accepted F-7e048b9f Test `says goodbye` deleted in greet.test.js:6 – what it checked is checked nowhere else in this change – by Test Author <author@example.invalid> until [later]: people just leave
    nothing found in 1 file, and 1 that people accepted
    ");
    let validated = scene.ask(&["validate", "--base", "HEAD", "--quiet"]);
    assert_eq!(validated.code, Some(0), "{validated}");
    let note = format!("note: {id} is accepted by Test Author");
    assert!(validated.stdout.contains(&note), "{validated}");
    fs::write(&file, TESTS).unwrap();

    scene.world.sandbox.fake("scribe", &writes_tests(&deleted));
    let merged = scene.ask(&["run", "Greet everyone who comes in"]);
    let logs = scene.ask(&["logs", "-"]);
    assert_eq!(merged.code, Some(0), "{merged}\n{logs}");
    assert!(logs.stdout.contains("(people just leave)"), "{logs}");
    let handoffs = scene.world.sandbox.folder("handoffs");
    scene.ask(&["show", "-", "--handoffs", &handoffs.to_string_lossy()]);
    let told: Vec<String> = fs::read_dir(&handoffs)
        .unwrap()
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
        .filter(|text| text.contains("<accepted>"))
        .collect();
    assert_eq!(told.len(), 2, "{told:?}");
    for text in told {
        assert!(
            text.contains("<reason>people just leave</reason>"),
            "{text}"
        );
        assert!(text.contains("Test `says goodbye` deleted"), "{text}");
    }

    // Another test of the same file is another finding.
    let no_tests = without(&deleted, "says hello");
    scene.world.sandbox.fake("scribe", &writes_tests(&no_tests));
    let asks = scene.ask(&["run", "Greet in another way"]);
    assert_eq!(asks.code, Some(5), "{asks}");
    let removed = scene.ask(&["accept", "--remove", &id]);
    assert_eq!(removed.code, Some(0), "{removed}");
    let listed = scene.json(&["accept", "--list"]);
    assert_eq!(listed["accepted"].as_array().unwrap().len(), 0, "{listed}");
}

/// An agent that publishes a file of two megabytes.
fn publishes(name: &str) -> String {
    format!(
        "cat > /dev/null\ndd if=/dev/urandom of={name} bs=1024 count=2000 2> /dev/null\n\
         date +%N >> greeting.txt"
    )
}

fn scene_with_limit() -> Scene {
    let mut scene = Scene::new();
    scene.world.sandbox.link_tool("dd");
    scene.configure("run.max_file_mb = 1\n");
    scene.world.sandbox.fake("scribe", &publishes("data.bin"));
    scene
}

#[test]
fn what_a_run_asks_about_is_accepted_for_later_runs() {
    let scene = scene_with_limit();
    let asks = scene.ask(&["run", "Greet everyone who comes in"]);
    assert_eq!(asks.code, Some(5), "{asks}");
    assert!(asks.stderr.contains("baton accept"), "{asks}");
    let merged = scene.ask(&[
        "accept",
        "-",
        "--reason",
        "it is the map",
        "--expires",
        "never",
    ]);
    assert_eq!(merged.code, Some(0), "{merged}");
    assert!(
        merged.stderr.contains("for good: data.bin has 1 MB"),
        "{merged}"
    );
    let listed = scene.json(&["accept", "--list"]);
    let listed = &listed["accepted"];
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(listed[0]["reason"], "it is the map");
    assert_eq!(listed[0]["rule"], "evidence/publishing");
    assert_eq!(listed[0]["expired"], false);

    let again = scene.ask(&["run", "Greet in another way"]);
    let logs = scene.ask(&["logs", "-"]);
    assert_eq!(again.code, Some(0), "{again}\n{logs}");
    assert!(logs.stdout.contains("(it is the map)"), "{logs}");

    scene.world.sandbox.fake("scribe", &publishes("other.bin"));
    let asks = scene.ask(&["run", "Greet in a third way"]);
    assert_eq!(asks.code, Some(5), "{asks}");
    // Without a reason it holds for this run, and no longer.
    let merged = scene.ask(&["answer", "-", "a"]);
    assert_eq!(merged.code, Some(0), "{merged}");
    let listed = scene.json(&["accept", "--list"]);
    assert_eq!(listed["accepted"].as_array().unwrap().len(), 1, "{listed}");
}

#[test]
fn only_evidence_is_accepted() {
    let scene = Scene::new();
    let asks = scene.ask(&["run", "Greet everyone who comes in", "--mode", "supervised"]);
    assert_eq!(asks.code, Some(5), "{asks}");
    let refused = scene.ask(&["accept", "-", "--reason", "go on"]);
    assert_eq!(refused.code, Some(2), "{refused}");
    let shown = scene.json(&["show", "-"]);
    let run = shown["run"].as_str().unwrap();
    insta::assert_snapshot!(refused.to_string().replace(run, "[run]"), @"
    exit 2
    -- stderr
    error: the run [run] asks about something else than evidence: ready for the step `prepare`
    hint: Answer with `baton answer [run] LETTER`, and one of: y (go on), s (stop the run)
    ");
    assert_eq!(scene.ask(&["cancel", "-"]).code, Some(0));
}

/// A row of the right form, for the finding that the run will ask about.
fn row(scene: &Scene, fingerprint: &str) -> AcceptanceRow {
    let host = scene.world.web_url();
    AcceptanceRow {
        repository: format!("{}/octo/demo", host.split("://").last().unwrap()),
        fingerprint: fingerprint.to_owned(),
        rule: "evidence/publishing".to_owned(),
        text: "data.bin has 1 MB".to_owned(),
        reason: "an agent wants it".to_owned(),
        author: "Ann <ann@example.com>".to_owned(),
        accepted: Timestamp::UNIX_EPOCH,
        expires: None,
        signature: "00".repeat(32),
    }
}

#[test]
fn a_row_that_no_person_signed_does_not_count_and_neither_does_an_expired_one() {
    let scene = scene_with_limit();
    let text = "data.bin has 1 MB, and `run.max_file_mb` is 1";
    let fingerprint = baton_review::fingerprint_of("evidence/publishing", "", text);
    let state_folder = scene.world.sandbox.path("state/baton");
    let mut state = State::open(&state_folder).unwrap();
    let forged = row(&scene, &fingerprint);
    state
        .put_acceptances(std::slice::from_ref(&forged))
        .unwrap();
    let asks = scene.ask(&["run", "Greet everyone who comes in"]);
    assert_eq!(asks.code, Some(5), "{asks}");
    let logs = scene.ask(&["logs", "-"]);
    let refused = format!(
        "the acceptance of {} does not count: no person signed it",
        baton_review::short_id(&fingerprint)
    );
    assert!(logs.stdout.contains(&refused), "{logs}");
    assert_eq!(scene.ask(&["cancel", "-"]).code, Some(0));

    let expired = Acceptance {
        fingerprint: forged.fingerprint,
        rule: forged.rule,
        text: forged.text,
        reason: forged.reason,
        author: forged.author,
        accepted: Timestamp::UNIX_EPOCH,
        expires: Some("2024-02-29T00:00:00Z".parse().unwrap()),
    };
    let writer = AcceptanceWriter::open(&state_folder).unwrap();
    writer.record(&forged.repository, &[expired]).unwrap();
    let asks = scene.ask(&["run", "Say goodbye to those who leave"]);
    assert_eq!(asks.code, Some(5), "{asks}");
    let words: Vec<&str> = asks.stderr.split_whitespace().collect();
    let expected = "(Ann <ann@example.com> accepted it, which expired on 2024-02-29)";
    assert!(words.join(" ").contains(expected), "{asks}");
    let listed = scene.json(&["accept", "--list"]);
    assert_eq!(listed["accepted"][0]["expired"], true, "{listed}");
}
