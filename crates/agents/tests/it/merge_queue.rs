//! A base that takes changes through its merge queue only.

use std::thread;

use baton_protocol::handoff::Handoff;
use baton_testkit::world::World;
use baton_workflow::{FailureKind, Step};
use serde_json::json;

use crate::rehearsal::Rehearsal;
use crate::reviewer::{BASE, FIXED};

/// A queue on `main` that waits for these checks.
fn rehearsal<'w>(world: &'w World, checks: &[&str]) -> Rehearsal<'w> {
    let mut rehearsal = Rehearsal::new(world, &[("src/lib.rs", BASE)], &[("src/notes.rs", FIXED)]);
    rehearsal.steps = vec![Step::Validate, Step::Merge];
    let mut rules = vec![json!({ "type": "merge_queue", "parameters": {
        "check_response_timeout_minutes": 60,
        "grouping_strategy": "ALLGREEN",
        "max_entries_to_build": 5,
        "max_entries_to_merge": 5,
        "merge_method": "REBASE",
        "min_entries_to_merge": 1,
        "min_entries_to_merge_wait_minutes": 5,
    } })];
    if !checks.is_empty() {
        let checks: Vec<_> = checks.iter().map(|one| json!({ "context": one })).collect();
        rules.push(json!({ "type": "required_status_checks", "parameters": {
            "strict_required_status_checks_policy": false,
            "required_status_checks": checks,
        } }));
    }
    let ruleset = json!({
        "name": "queue",
        "enforcement": "active",
        "conditions": { "ref_name": { "include": ["~DEFAULT_BRANCH"], "exclude": [] } },
        "rules": rules,
    });
    let octo = world.client("octo");
    octo.post("/repos/octo/demo/rulesets", &ruleset).expect(201);
    for check in checks {
        world.status(&rehearsal.head(), check, "success", "");
    }
    rehearsal
}

/// Waits for the commit that the queue builds, and says how its check ended.
fn report(world: &World, check: &str, state: &str) {
    let octo = world.client("octo");
    let group = world.wait_for("the queue builds", || {
        let refs = "/repos/octo/demo/git/matching-refs/heads/gh-readonly-queue/main/";
        let refs = octo.get(refs).expect(200).json();
        refs[0]["object"]["sha"].as_str().map(str::to_owned)
    });
    world.status(&group, check, state, "");
}

#[test]
fn what_is_valid_is_put_in_and_its_merge_waited_for() {
    let world = World::start();
    let mut rehearsal = rehearsal(&world, &["ci"]);
    rehearsal.times = 2;
    let head = rehearsal.head();
    let rehearsed = thread::scope(|scope| {
        scope.spawn(|| report(&world, "ci", "success"));
        rehearsal.play()
    });
    let Handoff::Merged(merged) = rehearsed.handoff() else {
        panic!("{:?}", rehearsed.last());
    };
    let pull = rehearsal.pull();
    assert_eq!(pull["merged"], true);
    assert_eq!(pull["head"]["sha"], head);
    assert_eq!(pull["merge_commit_sha"], merged.merge_sha.as_str());
    // The queue has a method of its own.
    assert_eq!(merged.merge_strategy, None);
    let said = rehearsal.shown(&rehearsed.said.join("\n"));
    let put_in = said.lines().filter(|line| line.starts_with("putting "));
    let put_in: Vec<String> = put_in
        .map(|line| line.replace(&head[..7], "HEAD"))
        .collect();
    assert_eq!(put_in, ["putting HEAD into the merge queue of main"]);
}

#[test]
fn what_the_queue_takes_out_goes_to_the_fixer() {
    let world = World::start();
    let mut rehearsal = rehearsal(&world, &["ci"]);
    let head = rehearsal.head();
    let rehearsed = thread::scope(|scope| {
        scope.spawn(|| report(&world, "ci", "failure"));
        rehearsal.play()
    });
    let Handoff::ValidationFailed(failed) = rehearsed.handoff() else {
        panic!("{:?}", rehearsed.last());
    };
    let told = failed.failures[0].description.replace(&head[..7], "HEAD");
    insta::assert_snapshot!(told, @"the merge queue of main took HEAD out without merging it: its checks failed on top of what is merged before it, or someone took it out");
    assert_eq!(rehearsal.pull()["merged"], false);
}

#[test]
fn a_queue_that_does_not_move_is_asked_about() {
    let world = World::start();
    let mut rehearsal = rehearsal(&world, &["ci"]);
    rehearsal.place.settings.ci_patience = std::time::Duration::from_millis(200);
    let rehearsed = rehearsal.play();
    let failure = rehearsed.failure();
    assert_eq!(failure.kind, FailureKind::Blocked);
    // What it waits for in there depends on how far the forge is.
    let told = failure.message.replace("AWAITING_CHECKS", "QUEUED");
    insta::assert_snapshot!(told, @"it waits in the merge queue of main at position 1 (QUEUED), and was not merged within 200ms");
}
