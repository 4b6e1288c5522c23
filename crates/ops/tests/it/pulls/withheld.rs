//! What a token may not read is never taken for a yes.

use baton_ops::pulls::OptionalChecks;
use baton_testkit::world::{JobEnd, Withheld, World};
use serde_json::{Value, json};

use super::world::ToolCaller;

const CONTEXTS: &str =
    "repository.pullRequest.commits.nodes.*.commit.statusCheckRollup.contexts.nodes.*";
const ROLLUP: &str = "repository.pullRequest.commits.nodes.*.commit.statusCheckRollup";
const SUITES: &str = "repository.pullRequest.commits.nodes.*.commit.checkSuites";
const PROTECTION: &str = "repository.pullRequest.baseRef.branchProtectionRule";
const UPDATE_RULE: &str = "repository.pullRequest.baseRef.refUpdateRule";

/// A pull request of which everything is as it should be: a required check has passed, and a
/// ruleset has its approval.
fn ready() -> World {
    let world = World::start();
    let head = open_pull(&world);
    world.require_checks("main", &["test"]);
    let octo = world.client("octo");
    let ruleset = json!({
        "name": "main",
        "target": "branch",
        "enforcement": "active",
        "conditions": { "ref_name": { "include": ["refs/heads/main"], "exclude": [] } },
        "rules": [{ "type": "pull_request", "parameters": {
            "required_approving_review_count": 1,
            "dismiss_stale_reviews_on_push": false,
            "require_code_owner_review": false,
            "require_last_push_approval": false,
            "required_review_thread_resolution": false,
        } }],
    });
    octo.post("/repos/octo/demo/rulesets", &ruleset).expect(201);
    let review = json!({ "event": "APPROVE", "body": "Good.", "commit_id": head });
    let reviewer = world.client("reviewer");
    reviewer
        .post("/repos/octo/demo/pulls/1/reviews", &review)
        .expect(200);
    world.start_run("CI", &head, &["test"]).pass();
    world
}

fn open_pull(world: &World) -> String {
    let repo = world.checkout();
    repo.branch("fix/cart");
    let head = repo.commit_file("cart.py", "total = 0\n", "Fix the cart");
    world.push(&repo, "fix/cart");
    assert_eq!(world.open_pull("Fix the cart", "fix/cart", "main"), 1);
    head
}

fn ask(caller: &ToolCaller<'_>, tool: &str) -> Value {
    caller.ask(tool, &json!({ "pr": "octo/demo#1" }))
}

/// The answers that count, and what stands in the way.
fn outline(caller: &ToolCaller<'_>) -> String {
    let tests = ask(caller, "get_failing_tests");
    let ready = ask(caller, "check_merge_readiness");
    let checks = ready["checks"].as_object().unwrap();
    let yes: Vec<&str> = checks
        .iter()
        .filter(|(_, value)| **value == true)
        .map(|(name, _)| name.as_str())
        .collect();
    let mut lines = vec![
        format!(
            "tests {}: {}",
            tests["status"],
            tests["message"].as_str().unwrap_or("-")
        ),
        format!("ready {}: {}", ready["ready_to_merge"], yes.join(" ")),
    ];
    lines.extend(
        ready["message"]
            .as_str()
            .map(|message| format!("  {message}")),
    );
    for issue in ready["blocking_issues"].as_array().unwrap() {
        let text = |key: &str| issue[key].as_str().unwrap().to_owned();
        lines.push(format!("  {}: {}", text("category"), text("description")));
        lines.push(format!("    {}", text("action_required")));
    }
    lines.join("\n")
}

#[test]
#[expect(clippy::too_many_lines, reason = "the whole matrix is shown")]
fn nothing_that_is_withheld_is_a_yes() {
    let world = ready();
    insta::assert_snapshot!(outline(&ToolCaller::withholding(&world, &[])), @r#"
    tests "passed": -
    ready true: ci_passing approvals_met no_conflicts up_to_date branch_protection_satisfied
    "#);
    let cases: &[(&str, &[Withheld])] = &[
        ("null check nodes", &[Withheld::Field(CONTEXTS)]),
        (
            "null check nodes without a word",
            &[Withheld::Silently(CONTEXTS)],
        ),
        ("null rollup", &[Withheld::Field(ROLLUP)]),
        ("null suites", &[Withheld::Field(SUITES)]),
        (
            "403 on REST checks",
            &[Withheld::Path("/check-runs"), Withheld::Path("/status")],
        ),
        ("403 on rulesets", &[Withheld::Path("/rules/branches/")]),
        (
            "403 on classic protection",
            &[
                Withheld::Field(PROTECTION),
                Withheld::Field(UPDATE_RULE),
                Withheld::Path("/branches/main"),
            ],
        ),
        (
            "null review decision",
            &[Withheld::Field("repository.pullRequest.reviewDecision")],
        ),
        (
            "null reviews",
            &[Withheld::Field(
                "repository.pullRequest.latestOpinionatedReviews.nodes.*",
            )],
        ),
        (
            "null labels",
            &[Withheld::Field("repository.pullRequest.labels")],
        ),
        (
            "null base",
            &[Withheld::Field("repository.pullRequest.baseRef")],
        ),
        ("403 on the comparison", &[Withheld::Path("/compare/")]),
    ];
    let shown = cases.iter().map(|(name, what)| {
        format!(
            "{name}\n{}",
            outline(&ToolCaller::withholding(&world, what))
        )
    });
    insta::assert_snapshot!(shown.collect::<Vec<_>>().join("\n\n"), @r#"
    null check nodes
    tests "unknown": 1 of 1 checks of the head could not be read: Resource not accessible by personal access token. Use a token that may read checks: a classic one with the scope `repo`, as `gh auth login` makes it, or an app with the permissions "Checks" and "Commit statuses". A fine-grained personal token cannot read check runs
    ready false: approvals_met no_conflicts up_to_date
      The caller may merge past the rules as an administrator.
      required_check: not known: `test` passes (statusCheckRollup: `test` is not reported, and 1 of 1 checks of the head could not be read: Resource not accessible by personal access token)
        Use a token that may read checks: a classic one with the scope `repo`, as `gh auth login` makes it, or an app with the permissions "Checks" and "Commit statuses". A fine-grained personal token cannot read check runs.
      ci: not known: every check of the head passes (1 of 1 checks of the head could not be read: Resource not accessible by personal access token)
        Use a token that may read checks: a classic one with the scope `repo`, as `gh auth login` makes it, or an app with the permissions "Checks" and "Commit statuses". A fine-grained personal token cannot read check runs.

    null check nodes without a word
    tests "unknown": 1 of 1 checks of the head could not be read: GitHub left it out of its answer without a reason. Use a token that may read checks: a classic one with the scope `repo`, as `gh auth login` makes it, or an app with the permissions "Checks" and "Commit statuses". A fine-grained personal token cannot read check runs
    ready false: approvals_met no_conflicts up_to_date
      The caller may merge past the rules as an administrator.
      required_check: not known: `test` passes (statusCheckRollup: `test` is not reported, and 1 of 1 checks of the head could not be read: GitHub left it out of its answer without a reason)
        Use a token that may read checks: a classic one with the scope `repo`, as `gh auth login` makes it, or an app with the permissions "Checks" and "Commit statuses". A fine-grained personal token cannot read check runs.
      ci: not known: every check of the head passes (1 of 1 checks of the head could not be read: GitHub left it out of its answer without a reason)
        Use a token that may read checks: a classic one with the scope `repo`, as `gh auth login` makes it, or an app with the permissions "Checks" and "Commit statuses". A fine-grained personal token cannot read check runs.

    null rollup
    tests "unknown": the summary of the head's checks could not be read: Resource not accessible by personal access token. Use a token that may read checks: a classic one with the scope `repo`, as `gh auth login` makes it, or an app with the permissions "Checks" and "Commit statuses". A fine-grained personal token cannot read check runs
    ready false: approvals_met no_conflicts up_to_date
      The caller may merge past the rules as an administrator.
      required_check: not known: `test` passes (statusCheckRollup: `test` is not reported, and the summary of the head's checks could not be read: Resource not accessible by personal access token)
        Use a token that may read checks: a classic one with the scope `repo`, as `gh auth login` makes it, or an app with the permissions "Checks" and "Commit statuses". A fine-grained personal token cannot read check runs.
      ci: not known: every check of the head passes (the summary of the head's checks could not be read: Resource not accessible by personal access token)
        Use a token that may read checks: a classic one with the scope `repo`, as `gh auth login` makes it, or an app with the permissions "Checks" and "Commit statuses". A fine-grained personal token cannot read check runs.

    null suites
    tests "unknown": 1 of 1 check suites of the head could not be read: Resource not accessible by personal access token. Use a token that may read checks: a classic one with the scope `repo`, as `gh auth login` makes it, or an app with the permissions "Checks" and "Commit statuses". A fine-grained personal token cannot read check runs
    ready false: approvals_met no_conflicts up_to_date
      The caller may merge past the rules as an administrator.
      required_check: not known: `test` passes (statusCheckRollup: `test` = SUCCESS, and 1 of 1 check suites of the head could not be read: Resource not accessible by personal access token)
        Use a token that may read checks: a classic one with the scope `repo`, as `gh auth login` makes it, or an app with the permissions "Checks" and "Commit statuses". A fine-grained personal token cannot read check runs.
      ci: not known: every check of the head passes (1 of 1 check suites of the head could not be read: Resource not accessible by personal access token)
        Use a token that may read checks: a classic one with the scope `repo`, as `gh auth login` makes it, or an app with the permissions "Checks" and "Commit statuses". A fine-grained personal token cannot read check runs.

    403 on REST checks
    tests "passed": -
    ready true: ci_passing approvals_met no_conflicts up_to_date branch_protection_satisfied

    403 on rulesets
    tests "passed": -
    ready false: ci_passing no_conflicts up_to_date
      The caller may merge past the rules as an administrator.
      unread_rules: not known: there may be rulesets (the rules of branch 'main' of octo/demo could not be read: the token may not do this: Resource not accessible by personal access token)
        Give the token read access to "Metadata" of the repository, or use a classic one with the scope `repo`.

    403 on classic protection
    tests "unknown": the list of checks that the base branch requires could not be read: Resource not accessible by personal access token. Give the token read access to "Pull requests" and "Contents" of the repository, or use a classic one with the scope `repo`
    ready false: ci_passing no_conflicts up_to_date
      The caller may merge past the rules as an administrator.
      unread_rules: not known: there may be a branch protection (branch 'main' of octo/demo could not be read: the token may not do this: Resource not accessible by personal access token)
        Give the token read access to "Contents" of the repository, or use a classic one with the scope `repo`.
      unread_rules: not known: there may be rulesets (the rules of branch 'main' of octo/demo could not be read: the token may not do this: Resource not accessible by personal access token)
        Give the token read access to "Metadata" of the repository, or use a classic one with the scope `repo`.

    null review decision
    tests "passed": -
    ready false: ci_passing no_conflicts up_to_date
      The caller may merge past the rules as an administrator.
      approvals: not known: no review is missing (repository.pullRequest.reviewDecision could not be read: Resource not accessible by personal access token)
        Give the token read access to "Pull requests" and "Contents" of the repository, or use a classic one with the scope `repo`.

    null reviews
    tests "passed": -
    ready true: ci_passing approvals_met no_conflicts up_to_date branch_protection_satisfied

    null labels
    tests "passed": -
    ready false: ci_passing approvals_met no_conflicts up_to_date branch_protection_satisfied
      The caller may merge past the rules as an administrator.
      hold: not known: no label asks to wait (repository.pullRequest.labels could not be read: Resource not accessible by personal access token)
        Give the token read access to "Pull requests" and "Contents" of the repository, or use a classic one with the scope `repo`.

    null base
    tests "unknown": the list of checks that the base branch requires could not be read: Resource not accessible by personal access token. Give the token read access to "Pull requests" and "Contents" of the repository, or use a classic one with the scope `repo`
    ready false: ci_passing no_conflicts up_to_date
      The caller may merge past the rules as an administrator.
      open: not known: the pull request is open (repository.pullRequest.baseRef could not be read: Resource not accessible by personal access token)
        Give the token read access to "Pull requests" and "Contents" of the repository, or use a classic one with the scope `repo`.
      unread_rules: not known: there may be a branch protection (repository.pullRequest.baseRef could not be read: Resource not accessible by personal access token)
        Give the token read access to "Pull requests" and "Contents" of the repository, or use a classic one with the scope `repo`.

    403 on the comparison
    tests "passed": -
    ready true: ci_passing approvals_met no_conflicts branch_protection_satisfied
      'main' with '2250ffbaa7d5ddfd7cec99bc4eaddf3a3dc6de4e' in octo/demo could not be read: the token may not do this: Resource not accessible by personal access token. Give the token more permissions, or ask a user who has them.
    "#);
}

/// A refusal of what no merge depends on is reported and not in the way.
#[test]
fn what_does_not_matter_is_not_in_the_way() {
    let world = ready();
    for (lost, what) in [
        (
            "combinedSlug",
            Withheld::FieldScope {
                field: "combinedSlug",
                scope: "read:org",
            },
        ),
        (
            "viewerCanUpdateBranch",
            Withheld::UnknownField("viewerCanUpdateBranch", "PullRequest"),
        ),
        ("with", Withheld::BadGateway("/compare/")),
    ] {
        let answer = ask(
            &ToolCaller::withholding(&world, &[what]),
            "check_merge_readiness",
        );
        assert_eq!(answer["ready_to_merge"], true, "{answer}");
        let [part] = answer["unreadable"].as_array().unwrap().as_slice() else {
            panic!("{answer}")
        };
        assert!(part["what"].as_str().unwrap().contains(lost), "{part}");
        assert!(part["remedy"].as_str().unwrap().len() > 20, "{part}");
    }
    let whole = ask(
        &ToolCaller::withholding(&world, &[]),
        "check_merge_readiness",
    );
    assert!(whole.get("unreadable").is_none(), "{whole}");
}

/// The rules are what keeps it from being merged, and they may not be read.
#[test]
fn rules_that_are_hidden_ask_for_something() {
    let world = World::start();
    open_pull(&world);
    let honest = ask(
        &ToolCaller::withholding(&world, &[]),
        "check_merge_readiness",
    );
    assert_eq!(honest["ready_to_merge"], true, "{honest}");
    assert_eq!(honest["checks"]["approvals_met"], true, "{honest}");
    for what in [
        &[Withheld::Path("/rules/branches/")][..],
        &[
            Withheld::Field(PROTECTION),
            Withheld::Path("/branches/main"),
        ],
    ] {
        let answer = ask(
            &ToolCaller::withholding(&world, what),
            "check_merge_readiness",
        );
        assert_eq!(answer["ready_to_merge"], false, "{answer}");
        assert_eq!(answer["checks"]["approvals_met"], false, "{answer}");
        assert_eq!(
            answer["checks"]["branch_protection_satisfied"], false,
            "{answer}"
        );
        assert_eq!(answer.get("branch_protection"), None, "{answer}");
        assert_eq!(answer["checks"]["no_conflicts"], true, "{answer}");
    }
}

#[test]
fn no_ci_is_told_from_ci_that_is_hidden() {
    let world = World::start();
    open_pull(&world);
    let none = ask(&ToolCaller::withholding(&world, &[]), "get_failing_tests");
    assert_eq!(none["message"], "No CI checks configured");
    let hidden = ask(
        &ToolCaller::withholding(&world, &[Withheld::Field(ROLLUP)]),
        "get_failing_tests",
    );
    assert_eq!(hidden["status"], "unknown");
    insta::assert_snapshot!(hidden["message"].as_str().unwrap(), @r#"the summary of the head's checks could not be read: Resource not accessible by personal access token. Use a token that may read checks: a classic one with the scope `repo`, as `gh auth login` makes it, or an app with the permissions "Checks" and "Commit statuses". A fine-grained personal token cannot read check runs"#);
    insta::assert_snapshot!(hidden["instructions"]["summary"].as_str().unwrap(), @"Not all checks could be read, so it is not known whether they passed");
}

/// What failed is said, though the rest is hidden.
#[test]
fn a_failure_that_can_be_read_stays_one() {
    let world = World::start();
    let head = open_pull(&world);
    let run = world.start_run("CI", &head, &["test"]);
    run.end("test", &JobEnd::failure());
    let answer = ask(
        &ToolCaller::withholding(&world, &[Withheld::Field(SUITES)]),
        "get_failing_tests",
    );
    assert_eq!(answer["status"], "failed", "{answer}");
    assert_eq!(answer["failures"][0]["check_name"], "CI / test", "{answer}");
    let message = answer["message"].as_str().unwrap();
    assert!(message.contains("could not be read"), "{message}");
}

#[test]
fn a_failed_check_that_no_rule_requires_blocks_unless_it_is_ignored() {
    let world = World::start();
    let head = open_pull(&world);
    let run = world.start_run("CI", &head, &["lint"]);
    run.end("lint", &JobEnd::failure());
    let mut caller = ToolCaller::withholding(&world, &[]);
    insta::assert_snapshot!(outline(&caller), @r#"
    tests "failed": -
    ready false: approvals_met no_conflicts up_to_date branch_protection_satisfied
      Not required and failed: lint.
      ci: check `lint` failed, and no rule requires it (statusCheckRollup: `lint` = FAILURE)
        Fix what failed, which get_failing_tests tells; run it again only if nothing is wrong with the change. With `readiness.optional_checks = "ignore"` in your configuration it does not stand in the way. `gh run rerun 1 --failed --repo octo/demo`
    "#);
    caller.server.optional_checks = OptionalChecks::Ignore;
    let ignored = ask(&caller, "check_merge_readiness");
    assert_eq!(ignored["ready_to_merge"], true, "{ignored}");
    assert_eq!(ignored["checks"]["ci_passing"], false, "{ignored}");
    insta::assert_snapshot!(ignored["message"].as_str().unwrap(), @"Not required and failed: lint.");
}
