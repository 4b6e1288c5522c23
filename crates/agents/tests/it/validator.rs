use std::time::Duration;

use baton_protocol::handoff::Handoff;
use baton_protocol::handoff::xml::Element;
use baton_remote::github::{Auth, GitHub, Observer, Server};
use baton_remote::http::Secret;
use baton_testkit::world::{JobEnd, Withheld, World};
use baton_workflow::{FailureKind, Mode, Step};
use serde_json::json;

use crate::fixer::writes;
use crate::rehearsal::{BRANCH, Rehearsal, Rehearsed};
use crate::reviewer::{BASE, FIXED};

fn ready(world: &World) -> Rehearsal<'_> {
    let mut rehearsal = Rehearsal::new(world, &[("src/lib.rs", BASE)], &[("src/notes.rs", FIXED)]);
    rehearsal.steps = vec![Step::Validate, Step::Merge];
    rehearsal
}

/// `type: description` of each failure.
#[track_caller]
fn failures(rehearsed: &Rehearsed) -> String {
    let Handoff::ValidationFailed(failed) = rehearsed.handoff() else {
        panic!("{:?}", rehearsed.last());
    };
    let failures = failed.failures.iter();
    let lines: Vec<String> = failures
        .map(|failure| format!("{}: {}", failure.failure_type, failure.description))
        .collect();
    lines.join("\n")
}

/// Moves the base on the forge.
fn change_base(rehearsal: &Rehearsal<'_>, file: &str, content: &str) {
    let repo = rehearsal.repo();
    repo.commit_file(file, content, "Go on");
    rehearsal.world.push(&repo, "main");
}

#[test]
fn what_is_valid_is_merged_once_however_often_steps_are_run() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    rehearsal.times = 2;
    let report = "printf 'SF:src/notes.rs\\nLF:4\\nLH:3\\nend_of_record\\n' > lcov.info";
    rehearsal.place.settings.preferred.test = Some(report.to_owned());
    world.start_run("CI", &rehearsal.head(), &["test"]).pass();
    let rehearsed = rehearsal.play();
    let Handoff::Merged(merged) = rehearsed.handoff() else {
        panic!("{:?}", rehearsed.last());
    };
    assert_eq!(
        rehearsed.steps(),
        [Step::Validate, Step::Validate, Step::Merge, Step::Merge]
    );
    let summary = merged.validation_summary.as_ref().unwrap();
    assert_eq!(summary.coverage.as_ref().unwrap().as_str(), "75%");
    assert_eq!(summary.lint.as_ref().unwrap().as_str(), "passed");
    assert!(
        rehearsed.said.iter().any(|said| said == "CI passed"),
        "{:?}",
        rehearsed.said
    );
    let pull = rehearsal.pull();
    assert_eq!(pull["merged"], true);
    assert_eq!(pull["merge_commit_sha"], merged.merge_sha.as_str());
    let repo = rehearsal.repo();
    repo.git(&["fetch", "--quiet", "origin"]);
    assert_eq!(
        repo.git(&["rev-parse", "origin/main"]).trim(),
        merged.merge_sha.as_str()
    );
    // The report of the tests is no part of the change.
    assert_eq!(rehearsal.git(&["status", "--porcelain"]), "");
    // One squashed commit on top of the base.
    assert_eq!(
        repo.git(&["rev-list", "--count", "main..origin/main"])
            .trim(),
        "1"
    );
}

#[test]
fn a_repository_without_ci_is_fine_and_said() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    rehearsal.steps = vec![Step::Validate];
    let rehearsed = rehearsal.play();
    assert!(rehearsed.last().is_ok(), "{:?}", rehearsed.last());
    assert!(
        rehearsed
            .said
            .iter()
            .any(|said| said == "No CI checks configured"),
        "{:?}",
        rehearsed.said
    );
}

/// A failed check that the token may not read is not taken for one that passed.
#[test]
fn ci_that_may_not_be_read_is_left_to_a_person() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    let run = world.start_run("CI", &rehearsal.head(), &["test"]);
    run.end("test", &JobEnd::failure());
    let nodes = "repository.pullRequest.commits.nodes.*.commit.statusCheckRollup.contexts.nodes.*";
    let server = Server::at(&world.withholding(&[Withheld::Field(nodes)]));
    let auth = Auth::Token(Secret::new(world.token("octo")));
    let settings = server.settings("baton-tests");
    rehearsal.place.github = GitHub::new(&server, auth, settings, Observer::default()).unwrap();
    let rehearsed = rehearsal.play();
    let failure = rehearsed.failure();
    assert_eq!(failure.kind, FailureKind::Blocked);
    let message = failure.message.replace(&rehearsal.head(), "HEAD");
    insta::assert_snapshot!(message, @r#"CI of HEAD cannot be judged: 1 of 1 checks of the head could not be read: Resource not accessible by personal access token. Use a token that may read checks: a classic one with the scope `repo`, as `gh auth login` makes it, or an app with the permissions "Checks" and "Commit statuses". A fine-grained personal token cannot read check runs"#);
    assert_eq!(rehearsal.pull()["merged"], false);
}

#[test]
fn failing_ci_goes_to_the_fixer_with_the_test() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    let run = world.start_run("CI", &rehearsal.head(), &["test"]);
    let log = "running 1 test\ntest tests::nobody_has_no_notes ... FAILED\n\nfailures:\n\n\
        ---- tests::nobody_has_no_notes stdout ----\n\
        thread 'tests::nobody_has_no_notes' panicked at src/notes.rs:12:9:\nassertion failed\n\n\
        failures:\n    tests::nobody_has_no_notes\n\n\
        test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
    run.end(
        "test",
        &JobEnd::failure()
            .set_up()
            .failed_command("cargo test", log, 101),
    );
    let rehearsed = rehearsal.play();
    insta::assert_snapshot!(failures(&rehearsed), @"test: CI / test: tests::nobody_has_no_notes (src/notes.rs:12) – thread 'tests::nobody_has_no_notes' panicked at src/notes.rs:12:9: assertion failed; shown by `cargo test -- --exact tests::nobody_has_no_notes`");
    assert_eq!(rehearsal.pull()["merged"], false);
}

#[test]
fn ci_that_does_not_end_is_waited_for_and_then_a_person_is_asked() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    rehearsal.place.settings.ci_patience = Duration::from_millis(60);
    world
        .start_run("CI", &rehearsal.head(), &["test"])
        .begin("test");
    let rehearsed = rehearsal.play();
    let failure = rehearsed.failure();
    assert_eq!(failure.kind, FailureKind::Blocked);
    let told = failure.message.replace(&rehearsal.head(), "HEAD");
    insta::assert_snapshot!(told, @"CI of HEAD has not ended within 60ms: CI is still running (0 of 1 check ended); check back in 30s");
}

#[test]
fn failing_checks_here_are_fixed_reviewed_and_merged() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    rehearsal.steps = vec![Step::Review, Step::Fix, Step::Validate, Step::Merge];
    rehearsal.place.settings.preferred.test = Some("grep -q 'kept' src/kept.rs".to_owned());
    rehearsal.place.coder = rehearsal.agent(
        "coder",
        &writes("src/kept.rs", "pub const NOTES: &str = \"kept\";\n"),
    );
    let rehearsed = rehearsal.play();
    assert_eq!(
        rehearsed.steps(),
        [
            Step::Review,
            Step::Validate,
            Step::Fix,
            Step::Review,
            Step::Validate,
            Step::Merge
        ]
    );
    assert!(
        matches!(rehearsed.handoff(), Handoff::Merged(_)),
        "{:?}",
        rehearsed.last()
    );
    assert_eq!(rehearsal.reviews().len(), 2);
    // The fixer could not know yet whether its commit helps.
    let passed = rehearsed.state.passed().iter();
    let mut fixed = passed.filter_map(|passed| match &*passed.handoff {
        Handoff::Fixed(fixed) => Some(fixed),
        _ => None,
    });
    let fixed = fixed.next_back().unwrap();
    assert!(fixed.fixes_applied.is_empty());
    let attempts = fixed.other.iter().flat_map(Element::elements);
    assert_eq!(attempts.count(), 1);
}

#[test]
fn a_head_that_moved_is_not_merged_but_looked_at() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    rehearsal.steps = vec![Step::Review, Step::Fix, Step::Validate, Step::Merge];
    rehearsal.policy.mode = Mode::Semi;
    rehearsal.play();
    let rehearsed = rehearsal.answer('y');
    assert_eq!(rehearsed.steps(), [Step::Review, Step::Validate]);
    let repo = rehearsal.repo();
    repo.git(&["fetch", "--quiet", "origin"]);
    repo.git(&[
        "checkout",
        "--quiet",
        "--detach",
        &format!("origin/{BRANCH}"),
    ]);
    repo.commit_file("src/more.rs", "pub const MORE: u32 = 1;\n", "Add more");
    world.push(&repo, BRANCH);
    let rehearsed = rehearsal.answer('y');
    assert_eq!(
        rehearsed.steps(),
        [Step::Merge, Step::Fix, Step::Review, Step::Validate]
    );
    let refused = rehearsed.state.passed().iter().rev().nth(2).unwrap();
    assert!(matches!(&*refused.handoff, Handoff::ValidationFailed(_)));
    assert_eq!(rehearsal.pull()["merged"], false);
    assert_eq!(rehearsal.head(), repo.head());
    // The new commit was reviewed and validated; now it may go in.
    let rehearsed = rehearsal.answer('y');
    assert!(
        matches!(rehearsed.handoff(), Handoff::Merged(_)),
        "{:?}",
        rehearsed.last()
    );
}

#[test]
fn a_conflict_is_handed_to_the_fixer_who_merges_the_base() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    rehearsal.steps = vec![Step::Fix, Step::Validate, Step::Merge];
    change_base(&rehearsal, "src/notes.rs", "pub fn notes() {}\n");
    let both = format!("{FIXED}\npub fn notes() {{}}\n");
    rehearsal.place.coder = rehearsal.agent("coder", &writes("src/notes.rs", &both));
    let rehearsed = rehearsal.play();
    let failed = rehearsed.state.passed().iter();
    let mut failed = failed.filter_map(|passed| match &*passed.handoff {
        Handoff::ValidationFailed(failed) => Some(&failed.failures),
        _ => None,
    });
    let failed = failed.next_back().unwrap();
    assert_eq!(failed[0].failure_type.as_str(), "conflict");
    insta::assert_snapshot!(failed[0].description, @"feature/issue-1-notes and main conflict in src/notes.rs");
    assert_eq!(
        rehearsed.steps(),
        [Step::Validate, Step::Fix, Step::Validate, Step::Merge]
    );
    assert!(
        matches!(rehearsed.handoff(), Handoff::Merged(_)),
        "{:?}",
        rehearsed.last()
    );
    assert_eq!(
        rehearsal
            .git(&["log", "-1", "--format=%P"])
            .split(' ')
            .count(),
        2
    );
}

#[test]
fn a_conflict_with_markers_left_is_none_that_was_resolved() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    rehearsal.steps = vec![Step::Fix, Step::Validate];
    change_base(&rehearsal, "src/notes.rs", "pub fn notes() {}\n");
    rehearsal.place.coder = rehearsal.agent(
        "coder",
        "cat > /dev/null; echo '// hm' >> src/lib.rs; git add --all",
    );
    let rehearsed = rehearsal.play();
    assert_eq!(rehearsed.failure().kind, FailureKind::Unproven);
    insta::assert_snapshot!(rehearsed.failure().message, @"src/notes.rs still has conflict markers in it");
}

#[test]
fn a_branch_that_has_to_be_up_to_date_is_brought_there() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    let protection = json!({
        "required_status_checks": { "strict": true, "contexts": [] },
        "enforce_admins": false,
        "required_pull_request_reviews": null,
        "restrictions": null,
    });
    let path = "/repos/octo/demo/branches/main/protection";
    change_base(&rehearsal, "src/other.rs", "pub fn other() {}\n");
    world.client("octo").put(path, &protection).expect(200);
    rehearsal.times = 2;
    let rehearsed = rehearsal.play();
    assert!(
        matches!(rehearsed.handoff(), Handoff::Merged(_)),
        "{:?}",
        rehearsed.last()
    );
    let subjects = rehearsal.git(&["log", "--format=%s", "--first-parent", "-2"]);
    insta::assert_snapshot!(subjects, @"
    Merge main into feature/issue-1-notes
    feat: keep notes
    ");
}

#[test]
fn what_only_people_can_clear_is_asked_for() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    let protection = json!({
        "required_status_checks": null,
        "enforce_admins": false,
        "required_pull_request_reviews": { "required_approving_review_count": 1 },
        "restrictions": null,
    });
    let path = "/repos/octo/demo/branches/main/protection";
    world.client("octo").put(path, &protection).expect(200);
    let rehearsed = rehearsal.play();
    let failure = rehearsed.failure();
    assert_eq!(failure.kind, FailureKind::Blocked);
    insta::assert_snapshot!(failure.message, @"it cannot be merged yet: 1 approval of those with write access (latestOpinionatedReviews: no one has approved; 0 of 1), to be cleared by anybody with write access other than octo: A reviewer approves it.");
    // Someone approves: the next look finds nothing in the way.
    let review = json!({ "event": "APPROVE" });
    world
        .client("reviewer")
        .post("/repos/octo/demo/pulls/2/reviews", &review)
        .expect(200);
    let rehearsed = rehearsal.answer('r');
    assert!(
        matches!(rehearsed.handoff(), Handoff::Merged(_)),
        "{:?}",
        rehearsed.last()
    );
}

#[test]
fn what_the_formatter_mends_becomes_part_of_the_change() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    rehearsal.times = 2;
    let format = "grep -q formatted src/notes.rs || echo '// formatted' >> src/notes.rs";
    rehearsal.place.settings.preferred.format = Some(format.to_owned());
    let rehearsed = rehearsal.play();
    assert!(
        matches!(rehearsed.handoff(), Handoff::Merged(_)),
        "{:?}",
        rehearsed.last()
    );
    assert_eq!(
        rehearsal.git(&["log", "-1", "--format=%s"]),
        "style: apply formatter and linter"
    );
    let repo = rehearsal.repo();
    repo.git(&["fetch", "--quiet", "origin"]);
    assert!(
        repo.git(&["show", "origin/main:src/notes.rs"])
            .contains("// formatted")
    );
}

#[test]
fn one_that_someone_merged_is_taken_as_it_is() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    let merge = json!({ "merge_method": "merge" });
    world
        .client("octo")
        .put("/repos/octo/demo/pulls/2/merge", &merge)
        .expect(200);
    let rehearsed = rehearsal.play();
    let Handoff::Merged(merged) = rehearsed.handoff() else {
        panic!("{:?}", rehearsed.last());
    };
    assert_eq!(
        rehearsal.pull()["merge_commit_sha"],
        merged.merge_sha.as_str()
    );
}

#[test]
fn commits_behind_the_review_are_reviewed_before_they_are_merged() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    rehearsal.steps = vec![Step::Review, Step::Fix, Step::Validate];
    rehearsal.policy.mode = Mode::Supervised;
    let mut rehearsed = rehearsal.play();
    while !rehearsed.steps().contains(&Step::Review) {
        rehearsed = rehearsal.answer('y');
    }
    let repo = rehearsal.repo();
    repo.git(&["fetch", "--quiet", "origin"]);
    repo.git(&[
        "checkout",
        "--quiet",
        "--detach",
        &format!("origin/{BRANCH}"),
    ]);
    repo.commit_file("src/more.rs", "pub const MORE: u32 = 1;\n", "Add more");
    world.push(&repo, BRANCH);
    let rehearsed = rehearsal.answer('y');
    assert_eq!(rehearsed.steps(), [Step::Validate]);
    let told = failures(&rehearsed).replace(&repo.head()[..7], "HEAD");
    assert!(told.starts_with("head_moved: "), "{told}");
    assert!(
        told.ends_with("and the head of the pull request is HEAD"),
        "{told}"
    );
    assert_eq!(rehearsal.answer('y').steps(), [Step::Fix]);
    assert_eq!(rehearsal.answer('y').steps(), [Step::Review]);
    let rehearsed = rehearsal.answer('y');
    assert_eq!(rehearsed.steps(), [Step::Validate]);
    assert!(rehearsed.last().is_ok(), "{:?}", rehearsed.last());
}

#[test]
fn a_missing_tool_is_no_fault_of_the_change() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    rehearsal.place.settings.preferred.lint = Some("no-such-linter .".to_owned());
    let rehearsed = rehearsal.play();
    let failure = rehearsed.failure();
    assert_eq!(failure.kind, FailureKind::Permanent);
    insta::assert_snapshot!(failure.message, @"the change cannot be validated here: `no-such-linter .` was not found on this machine. Install what it needs, or give another `commands.lint`.");
}

#[test]
fn a_missing_tool_that_the_project_chose_is_no_fault_of_the_change() {
    let world = World::start();
    let mut rehearsal = Rehearsal::new(
        &world,
        &[(".flake8", "[flake8]\n"), ("setup.py", "")],
        &[("shop.py", "PRICE = 1\n")],
    );
    rehearsal.steps = vec![Step::Validate, Step::Merge];
    rehearsal.place.settings.preferred.lint = None;
    let rehearsed = rehearsal.play();
    let failure = rehearsed.failure();
    assert_eq!(failure.kind, FailureKind::Permanent);
    let message = &failure.message;
    assert!(
        message.contains("`flake8` was not found on this machine."),
        "{message}"
    );
}

#[test]
fn a_missing_test_runner_is_asked_for_at_once() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    rehearsal.place.settings.preferred.test = Some("no-such-runner".to_owned());
    let rehearsed = rehearsal.play();
    let failure = rehearsed.failure();
    assert_eq!(failure.kind, FailureKind::Permanent);
    insta::assert_snapshot!(failure.message, @"the change cannot be validated here: Test command not found: no-such-runner. Install what it needs, or set `commands.test`");
}

#[test]
fn a_linter_that_was_broken_before_does_not_judge_the_change() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    let lint = "echo 'cannot load the plugin' >&2; exit 2";
    rehearsal.place.settings.preferred.lint = Some(lint.to_owned());
    let rehearsed = rehearsal.play();
    let Handoff::Merged(merged) = rehearsed.handoff() else {
        panic!("{:?}", rehearsed.last());
    };
    let summary = merged.validation_summary.as_ref().unwrap();
    assert_eq!(summary.lint, None);
    let said = rehearsed.said.join("\n");
    assert!(
        said.contains("the linter fails in the same way on the tree before the change"),
        "{said}"
    );
}

#[test]
fn a_linter_that_the_change_breaks_fails_it() {
    let world = World::start();
    let mut rehearsal = ready(&world);
    // The file is the change's own.
    let lint = "test ! -e src/notes.rs || { echo 'cannot load the plugin' >&2; exit 2; }";
    rehearsal.place.settings.preferred.lint = Some(lint.to_owned());
    let told = failures(&rehearsal.play());
    assert!(told.starts_with("lint: "), "{told}");
    assert!(told.ends_with("cannot load the plugin"), "{told}");
}
