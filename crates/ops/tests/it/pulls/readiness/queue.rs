use super::*;

pub(super) fn scene<'w>(world: &'w World, on: &str) -> Scene<'w> {
    let text = format!("on: {on}\njobs:\n  test:\n    runs-on: x\n");
    let scene = Scene::with(
        world,
        |repo| {
            repo.write(".github/workflows/ci.yml", &text);
        },
        |_| {},
    );
    scene.rules(&json!([
        { "type": "merge_queue", "parameters": {
            "merge_method": "SQUASH", "check_response_timeout_minutes": 10,
            "grouping_strategy": "ALLGREEN", "max_entries_to_build": 5, "max_entries_to_merge": 5,
            "min_entries_to_merge": 1, "min_entries_to_merge_wait_minutes": 1,
        } },
        { "type": "required_status_checks", "parameters": {
            "required_status_checks": [{ "context": "test" }],
            "strict_required_status_checks_policy": false,
        } },
    ]));
    scene.run(&["test"]).pass();
    scene
}

#[test]
fn a_workflow_that_does_not_hear_of_it_blocks() {
    let world = World::start();
    let scene = scene(&world, "pull_request");
    insta::assert_snapshot!(scene.outline(), @"
    ready: false (approvals_met no_conflicts up_to_date)
    failing required_check: .github/workflows/ci.yml: `on` has no `merge_group`, so that `test` never reports in the merge queue
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    satisfied merge_queue: isInMergeQueue: false; the merge command puts it in
    The caller may merge past the rules as an administrator.
    ");
}

#[test]
fn the_merge_command_puts_it_in() {
    let world = World::start();
    let scene = scene(&world, "[pull_request, merge_group]");
    let answer = scene.ask();
    insta::assert_snapshot!(outline(&answer), @"
    ready: true (ci_passing approvals_met no_conflicts up_to_date branch_protection_satisfied)
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    satisfied merge_queue: isInMergeQueue: false; the merge command puts it in
    satisfied required_check: statusCheckRollup: `test` = SUCCESS
    ");
    let Some(shell) = Shell::new(&world, "octo") else {
        return;
    };
    shell.done(answer["merge_command"].as_str().unwrap());
    // It is only queued until the queue has made its commit.
    let taken_up = world.wait_for("the queue to take it up", || {
        let seen = scene.outline();
        seen.contains("AWAITING_CHECKS").then_some(seen)
    });
    insta::assert_snapshot!(taken_up, @"
    ready: true (ci_passing approvals_met no_conflicts up_to_date branch_protection_satisfied)
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    satisfied merge_queue: mergeQueueEntry: AWAITING_CHECKS at 1
    satisfied required_check: statusCheckRollup: `test` = SUCCESS
    It is in the merge queue at position 1 (AWAITING_CHECKS).
    ");
}
