use baton_protocol::handoff::Handoff;
use baton_testkit::world::World;
use baton_workflow::{FailureKind, Reason, Step};

use crate::rehearsal::Rehearsal;
use crate::reviewer::{BASE, FIXED, INJECTION, with_injection};

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
        "Fixed in COMMIT: fix: deal with SQL statement built from untrusted input; `rust/sql-injection` no longer reports it"
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
    assert!(
        reply.contains("`rust/sql-injection` no longer reports it."),
        "{reply}"
    );
}

/// The replies in the threads of each file, without marks.
fn replies(rehearsal: &Rehearsal<'_>, file: &str) -> Vec<String> {
    let comments = rehearsal.comments();
    let replies = comments.iter().filter(|comment| {
        let is_reply = comment["in_reply_to_id"].as_u64().is_some();
        is_reply && comment["path"] == file
    });
    let words = replies.map(|reply| {
        let body = reply["body"].as_str().unwrap();
        body.split("<!--").next().unwrap().trim().to_owned()
    });
    words.collect()
}

#[test]
fn each_finding_names_the_commit_that_changed_its_lines() {
    let world = World::start();
    let base = [
        ("src/lib.rs", BASE),
        ("Cargo.toml", "[package]\nname = \"notes\"\n"),
    ];
    let tags = INJECTION.replace("titles", "tags").replace("notes", "tags");
    let change = [("src/notes.rs", INJECTION), ("src/tags.rs", tags.as_str())];
    let mut rehearsal = Rehearsal::new(&world, &base, &change);
    rehearsal.steps = vec![Step::Review, Step::Fix];
    rehearsal.times = 2;
    let fixed_tags = FIXED.replace("titles", "tags").replace("notes", "tags");
    let script = format!(
        "{}\ngit add --all\ngit commit --quiet -m 'fix: bind the owner of tags'\n{}\n\
         git add --all\ngit commit --quiet -m 'fix: bind the owner of notes'\n\
         echo 'Notes.' > README.md\ngit add --all\ngit commit --quiet -m 'docs: say what it is'",
        writes("src/tags.rs", &fixed_tags),
        writes("src/notes.rs", FIXED),
    );
    rehearsal.place.coder = rehearsal.agent("coder", &script);
    let rehearsed = rehearsal.play();
    assert!(
        matches!(rehearsed.handoff(), Handoff::Approved(_)),
        "{:?}",
        rehearsed.last()
    );
    let (notes, tags) = (
        rehearsal.git(&["rev-parse", "HEAD^"]),
        rehearsal.git(&["rev-parse", "HEAD^^"]),
    );
    let told = |file: &str| {
        let text = replies(&rehearsal, file).join("\n---\n");
        text.replace(&notes, "NOTES").replace(&tags, "TAGS")
    };
    insta::assert_snapshot!(told("src/notes.rs"), @"
    Fixed in NOTES: `fix: bind the owner of notes`

    `rust/sql-injection` no longer reports it.
    ");
    insta::assert_snapshot!(told("src/tags.rs"), @"
    Fixed in TAGS: `fix: bind the owner of tags`

    `rust/sql-injection` no longer reports it.
    ");
    let passed = rehearsed.state.passed().iter();
    let mut fixed = passed.filter_map(|passed| match &*passed.handoff {
        Handoff::Fixed(fixed) => Some(fixed),
        _ => None,
    });
    let fixed = fixed.next_back().unwrap();
    assert_eq!(
        (fixed.fixes_applied.len(), fixed.commits_added),
        (2, Some(3))
    );
}

#[test]
fn other_names_in_the_flagged_lines_are_no_fix() {
    let world = World::start();
    let script = "cat > /dev/null; sed -i 's/\\bsql\\b/statement/g' src/notes.rs";
    let mut rehearsal = reviewed_and_fixed(&world, script);
    let before = rehearsal.head();
    let rehearsed = rehearsal.play();
    let first = rehearsed.results[1].1.outcome.as_ref().unwrap_err();
    assert_eq!(first.kind, FailureKind::Unproven);
    assert!(
        first
            .message
            .starts_with("not dealt with: src/notes.rs:6 is still found: "),
        "{}",
        first.message
    );
    assert_eq!(remote_head(&rehearsal), before);
    assert_eq!(replies(&rehearsal, "src/notes.rs"), Vec::<String>::new());
}

#[test]
fn a_finding_that_comes_back_is_not_called_fixed_twice() {
    let world = World::start();
    let mut rehearsal = reviewed_and_fixed(&world, &writes("src/notes.rs", FIXED));
    rehearsal.steps = vec![Step::Review];
    rehearsal.play();
    // What an earlier round said about the same finding.
    let thread = rehearsal.comments()[0]["id"].as_u64().unwrap();
    let reply = serde_json::json!({
        "body": "Fixed in 1234567: `fix: bind it`\n\n<!-- baton:resolve-review-thread 0123 -->",
        "in_reply_to": thread,
    });
    world
        .client("octo")
        .post("/repos/octo/demo/pulls/2/comments", &reply)
        .expect(201);
    rehearsal.steps = vec![Step::Review, Step::Fix];
    rehearsal.times = 2;
    let rehearsed = rehearsal.answer('r');
    assert!(
        matches!(rehearsed.handoff(), Handoff::Approved(_)),
        "{:?}",
        rehearsed.last()
    );
    let told = replies(&rehearsal, "src/notes.rs").join("\n---\n");
    let told = told.replace(&rehearsal.head()[..7], "HEAD");
    insta::assert_snapshot!(told, @"
    Fixed in 1234567: `fix: bind it`
    ---
    It was reported again after it had been fixed. This time: changed in HEAD: fix: deal with SQL statement built from untrusted input; `rust/sql-injection` does not report it now.
    ");
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
    insta::assert_snapshot!(first.message, @"not dealt with: src/notes.rs:6 is still found: SQL statement built from untrusted input: `database.query(&sql)` – anyone who sends the value can read or change any row the program can – Use placeholders and pass the value as a parameter of the…");
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
    - src/notes.rs: SQL statement built from untrusted input: `database.query(&sql)` – anyone who sends the value can read or change any r…
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

#[test]
fn only_the_steps_in_which_an_agent_works_need_one() {
    let world = World::start();
    let mut rehearsal = reviewed_and_fixed(&world, "exit 1");
    rehearsal.place.coder_missing = Some("there is no program mine".to_owned());
    let rehearsed = rehearsal.play();
    assert_eq!(rehearsed.steps(), [Step::Review, Step::Fix]);
    assert_eq!(rehearsed.failure().kind, FailureKind::Permanent);
    assert_eq!(rehearsed.failure().message, "there is no program mine");
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
