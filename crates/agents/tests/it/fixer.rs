use baton_protocol::handoff::Handoff;
use baton_testkit::world::World;
use baton_workflow::{FailureKind, Reason, Step};

use crate::rehearsal::Rehearsal;
use crate::reviewer::{FIXED, with_injection};

/// A coding agent that writes a file.
pub(crate) fn writes(file: &str, content: &str) -> String {
    format!("cat > /dev/null\ncat > {file} <<'END_OF_FILE'\n{content}END_OF_FILE\necho done")
}

fn reviewed_and_fixed<'w>(world: &'w World, script: &str) -> Rehearsal<'w> {
    let mut rehearsal = with_injection(world);
    rehearsal.steps = vec![Step::Review, Step::Fix];
    rehearsal.place.coder = rehearsal.agent("coder", script);
    rehearsal
}

fn remote_head(rehearsal: &Rehearsal<'_>) -> String {
    rehearsal.pull()["head"]["sha"].as_str().unwrap().to_owned()
}

#[test]
fn a_fix_is_pushed_and_its_thread_answered_once_however_often_steps_are_run() {
    let world = World::start();
    let mut rehearsal = reviewed_and_fixed(&world, &writes("src/notes.rs", FIXED));
    rehearsal.times = 2;
    let rehearsed = rehearsal.play();
    assert_eq!(
        rehearsed.steps(),
        [
            Step::Review,
            Step::Review,
            Step::Fix,
            Step::Fix,
            Step::Review,
            Step::Review
        ]
    );
    assert!(
        matches!(rehearsed.handoff(), Handoff::Approved(_)),
        "{:?}",
        rehearsed.last()
    );
    let passed = rehearsed.state.passed().iter();
    let mut fixed = passed.filter_map(|passed| match &*passed.handoff {
        Handoff::Fixed(fixed) => Some(fixed),
        _ => None,
    });
    let fixed = fixed.next_back().unwrap();
    assert_eq!(fixed.commits_added, Some(1));
    let how = &fixed.fixes_applied[0];
    assert_eq!(how.location.as_ref().unwrap().as_str(), "src/notes.rs:6");
    let commit = rehearsal.git(&["log", "--format=%h %s%n%b", "-1", "--abbrev=7"]);
    let commit = commit.replace(&rehearsal.head()[..7], "COMMIT");
    assert_eq!(
        how.description.replace(&rehearsal.head()[..7], "COMMIT"),
        "Fixed in COMMIT: fix: deal with SQL statement built from untrusted input"
    );
    assert!(
        commit.contains("Baton-Step: ") && commit.contains("-fix"),
        "{commit}"
    );
    assert_eq!(remote_head(&rehearsal), rehearsal.head());

    assert_eq!(rehearsal.threads(), [("src/notes.rs".to_owned(), true)]);
    assert_eq!(
        rehearsal
            .reviews()
            .iter()
            .filter(|review| review["body"] != "")
            .count(),
        2
    );
    let comments = rehearsal.comments();
    assert_eq!(comments.len(), 2);
    let reply = comments[1]["body"].as_str().unwrap();
    assert!(
        reply.starts_with(&format!("Fixed in {}", rehearsal.head())),
        "{reply}"
    );
}

#[test]
fn a_fixer_that_lies_is_asked_again_and_then_a_person_is() {
    let world = World::start();
    let mut rehearsal = reviewed_and_fixed(&world, "cat > /dev/null; echo 'All fixed!'");
    let before = rehearsal.head();
    let rehearsed = rehearsal.play();
    assert_eq!(
        rehearsed.steps(),
        [Step::Review, Step::Fix, Step::Fix, Step::Fix]
    );
    assert_eq!(rehearsed.failure().kind, FailureKind::Unproven);
    insta::assert_snapshot!(rehearsed.failure().message, @"the agent says that it is done and has changed nothing; it said: All fixed!");
    let reason = &rehearsed.state.question().unwrap().reason;
    assert!(
        matches!(reason, Reason::SameFailure { times: 3, .. }),
        "{reason}"
    );
    assert_eq!(remote_head(&rehearsal), before);
    assert_eq!(rehearsal.threads(), [("src/notes.rs".to_owned(), false)]);
}

#[test]
fn a_change_that_leaves_the_problem_does_not_count() {
    let world = World::start();
    let script = "cat > /dev/null; sed -i 's|^use crate::Database;|use crate::Database; // safe|' src/notes.rs";
    let mut rehearsal = reviewed_and_fixed(&world, script);
    let before = rehearsal.head();
    let rehearsed = rehearsal.play();
    let first = rehearsed.results[1].1.outcome.as_ref().unwrap_err();
    assert_eq!(first.kind, FailureKind::Unproven);
    insta::assert_snapshot!(first.message, @"not dealt with: src/notes.rs:6 is still found: SQL statement built from untrusted input: `database.query(&sql)` – whoever sends the value can read or change any row the program can – Use placeholders and pass the value as a parameter of the qu…");
    assert_eq!(remote_head(&rehearsal), before);
}

#[test]
fn a_fix_that_deletes_a_test_does_not_count() {
    let world = World::start();
    let without_test = FIXED.split("#[cfg(test)]").next().unwrap();
    let script = format!(
        "if grep -q 'weakens what judges'; then\n{}\nelse\n{}\nfi",
        writes("src/notes.rs", FIXED),
        writes("src/notes.rs", without_test)
    );
    let script = script.replace("cat > /dev/null\n", "");
    let mut rehearsal = reviewed_and_fixed(&world, &script);
    let rehearsed = rehearsal.play();
    let first = rehearsed.results[1].1.outcome.as_ref().unwrap_err();
    assert_eq!(first.kind, FailureKind::Unproven);
    insta::assert_snapshot!(first.message, @"the fix weakens what judges it; take that back and fix the cause: Test `nobody_has_no_notes` deleted in src/notes.rs:7 – what it checked is checked nowhere else in this change");
    // Told so, it brings the test back.
    assert_eq!(
        rehearsed.steps(),
        [Step::Review, Step::Fix, Step::Fix, Step::Review]
    );
    assert!(
        matches!(rehearsed.handoff(), Handoff::Approved(_)),
        "{:?}",
        rehearsed.last()
    );
    let pushed = rehearsal.git(&["show", &format!("{}:src/notes.rs", remote_head(&rehearsal))]);
    assert!(pushed.contains("#[test]"));
}

const DECLINES: &str = r#"
cat > /dev/null
echo '{"declined": [{"finding": 1, "reason": "owner is a constant of ours, @octo"}]}'
"#;

#[test]
fn a_person_decides_when_everything_is_declined() {
    let world = World::start();
    let mut rehearsal = reviewed_and_fixed(&world, DECLINES);
    let rehearsed = rehearsal.play();
    let question = rehearsed.state.question().unwrap();
    insta::assert_snapshot!(question.reason, @"
    the coding agent changes nothing and declines all findings
    - src/notes.rs: SQL statement built from untrusted input: `database.query(&sql)` – whoever sends the value can read or change any row …
      declined: owner is a constant of ours, @octo
    ");
    assert_eq!(rehearsal.comments().len(), 1);
    rehearsal.times = 2;
    let rehearsed = rehearsal.answer('a');
    assert!(
        matches!(rehearsed.handoff(), Handoff::NothingToFix(_)),
        "{:?}",
        rehearsed.last()
    );
    assert_eq!(rehearsal.threads(), [("src/notes.rs".to_owned(), true)]);
    let comments = rehearsal.comments();
    assert_eq!(comments.len(), 2);
    let reply = comments[1]["body"].as_str().unwrap();
    assert!(
        reply.contains("Declined: owner is a constant of ours, @\u{200B}octo"),
        "{reply}"
    );
}

#[test]
fn what_a_person_lets_pass_is_not_held_against_the_change_again() {
    let world = World::start();
    let mut rehearsal = reviewed_and_fixed(&world, DECLINES);
    rehearsal.steps.push(Step::Validate);
    rehearsal.play();
    let rehearsed = rehearsal.answer('a');
    assert_eq!(rehearsed.steps(), [Step::Fix, Step::Validate]);
    assert!(rehearsed.last().is_ok(), "{:?}", rehearsed.last());
    assert!(matches!(rehearsed.handoff(), Handoff::NothingToFix(_)));
}

/// Amends what was pushed, on another branch.
const AMENDS: &str = "git switch --quiet -c mine\ngit commit --quiet --amend --all -m 'Mine'";

#[test]
fn pushed_history_is_not_rewritten() {
    let world = World::start();
    let script = format!("{}\n{AMENDS}", writes("src/notes.rs", FIXED));
    let mut rehearsal = reviewed_and_fixed(&world, &script);
    let before = rehearsal.head();
    let rehearsed = rehearsal.play();
    assert!(
        matches!(rehearsed.handoff(), Handoff::Approved(_)),
        "{:?}",
        rehearsed.last()
    );
    // What it did is a commit on top.
    assert_eq!(rehearsal.git(&["rev-parse", "HEAD^"]), before);
    assert_eq!(remote_head(&rehearsal), rehearsal.head());
}
