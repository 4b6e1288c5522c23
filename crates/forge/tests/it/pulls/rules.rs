use serde_json::{Value, json};

use super::{PULLS, approve, message, open, report, settled};
use crate::world::{Response, World};

const PROTECTION: &str = "/repos/octo/demo/branches/main/protection";
const RULESETS: &str = "/repos/octo/demo/rulesets";

/// Protection that asks for nothing but what is given.
fn protect(world: &World, more: Value) -> Value {
    let mut body = json!({
        "required_status_checks": null,
        "enforce_admins": true,
        "required_pull_request_reviews": null,
        "restrictions": null,
    });
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    world
        .client("octo")
        .put(PROTECTION, &body)
        .expect(200)
        .json()
}

fn ruleset(world: &World, rules: Value) -> Value {
    let body = json!({
        "name": "main",
        "target": "branch",
        "enforcement": "active",
        "conditions": { "ref_name": { "include": ["~DEFAULT_BRANCH"], "exclude": [] } },
        "rules": rules,
    });
    world
        .client("octo")
        .post(RULESETS, &body)
        .expect(201)
        .json()
}

fn merge(world: &World, login: &str, number: u64, body: &Value) -> Response {
    world
        .client(login)
        .put(&format!("{PULLS}/{number}/merge"), body)
}

/// What git shows of a push that must fail, without git's own word on it.
fn refused(output: std::process::Output) -> String {
    assert!(!output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    let lines = text
        .lines()
        .filter(|line| line.starts_with("remote:") && !line.contains("hook declined"));
    lines.map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn protection_is_kept_as_it_is_put() {
    let world = World::start();
    world.checkout();
    let octo = world.client("octo");
    assert_eq!(
        message(octo.get(PROTECTION).expect(404)),
        "Branch not protected"
    );
    let missing = octo
        .get("/repos/octo/demo/branches/nowhere/protection")
        .expect(404);
    assert_eq!(message(missing), "Branch not found");
    world.client("reviewer").get(PROTECTION).expect(403);

    let put = protect(
        &world,
        json!({
            "required_status_checks": { "strict": true, "contexts": ["ci"] },
            "required_pull_request_reviews": {
                "required_approving_review_count": 2,
                "require_code_owner_reviews": true,
                "dismissal_restrictions": { "users": ["reviewer"] },
            },
            "restrictions": { "users": ["octo"], "teams": [] },
            "required_linear_history": true,
        }),
    );
    let found = octo.get(PROTECTION).expect(200).json();
    assert_eq!(put, found);
    assert_eq!(
        found["required_status_checks"]["checks"],
        json!([{ "context": "ci", "app_id": null }])
    );
    let reviews = &found["required_pull_request_reviews"];
    assert_eq!(reviews["required_approving_review_count"], 2);
    assert_eq!(
        reviews["dismissal_restrictions"]["users"][0]["login"],
        "reviewer"
    );
    assert_eq!(found["restrictions"]["users"][0]["login"], "octo");
    assert_eq!(found["required_linear_history"]["enabled"], true);
    assert_eq!(found["allow_deletions"]["enabled"], false);

    octo.delete(PROTECTION).expect(204);
    octo.get(PROTECTION).expect(404);
}

#[test]
fn a_protected_branch_refuses_pushes_in_githubs_words() {
    let world = World::start();
    let repo = world.checkout();
    protect(
        &world,
        json!({ "required_pull_request_reviews": { "required_approving_review_count": 1 } }),
    );
    repo.commit_file("a.txt", "a\n", "Write a.txt");
    let push = |refs: &[&str]| {
        let mut args = vec!["push", "origin"];
        args.extend(refs);
        repo.try_git(&args)
    };
    insta::assert_snapshot!(refused(push(&["main"])), @r"
    remote: error: GH006: Protected branch update failed for refs/heads/main.
    remote:
    remote: - Changes must be made through a pull request.
    ");
    insta::assert_snapshot!(refused(push(&[":main"])), @r"
    remote: error: GH006: Protected branch update failed for refs/heads/main.
    remote:
    remote: - Cannot delete this protected branch
    ");
    // Another branch in the same push goes through.
    let both = push(&["main", "main:refs/heads/free"]);
    let text = String::from_utf8(both.stderr).unwrap();
    assert!(text.contains("[new branch]"), "{text}");
    assert!(text.contains("! [remote rejected] main -> main"), "{text}");
    let heads = repo.git(&["ls-remote", "--heads", "origin"]);
    assert!(heads.contains("refs/heads/free"), "{heads}");

    // The API of refs is held to the same.
    let octo = world.client("octo");
    let answer = octo
        .delete("/repos/octo/demo/git/refs/heads/main")
        .expect(422);
    insta::assert_snapshot!(message(answer), @r"
    GH006: Protected branch update failed for refs/heads/main.

    - Cannot delete this protected branch
    ");
    // Anyone who administers may, where the rules do not bind them.
    octo.delete(&format!("{PROTECTION}/enforce_admins"))
        .expect(204);
    assert!(push(&["main"]).status.success());
}

#[test]
fn a_merge_waits_for_reviews_checks_and_conversations() {
    let world = World::start();
    let repo = world.checkout();
    protect(
        &world,
        json!({
            "required_status_checks": { "strict": true, "contexts": ["ci"] },
            "required_pull_request_reviews": { "required_approving_review_count": 1 },
            "required_conversation_resolution": true,
        }),
    );
    open(&world, &repo, "feature", "a.txt", "a\n");
    let head = repo.head();
    let octo = world.client("octo");
    let state = || {
        settled(&world, 1)["mergeable_state"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let refusal = || message(merge(&world, "reviewer", 1, &json!({})).expect(405));
    assert_eq!(state(), "blocked");
    insta::assert_snapshot!(refusal(), @r#"At least 1 approving review is required by reviewers with write access. Required status check "ci" is expected."#);
    // Anyone who may only read is heard, and not counted.
    world
        .client("guest")
        .post(
            &format!("{PULLS}/1/reviews"),
            &json!({ "event": "APPROVE" }),
        )
        .expect(200);
    report(&world, &head, "ci", "pending");
    approve(&world, 1);
    insta::assert_snapshot!(refusal(), @r#"Required status check "ci" is pending."#);
    report(&world, &head, "ci", "failure");
    insta::assert_snapshot!(refusal(), @r#"Required status check "ci" is failing."#);
    report(&world, &head, "ci", "success");
    assert_eq!(state(), "clean");
    report(&world, &head, "other", "failure");
    assert_eq!(state(), "unstable");

    let comment = json!({ "commit_id": head, "path": "a.txt", "line": 1, "body": "Hm" });
    octo.post(&format!("{PULLS}/1/comments"), &comment)
        .expect(201);
    assert_eq!(state(), "blocked");
    insta::assert_snapshot!(refusal(), @"All comments must be resolved.");
    let query = "{ repository(owner: \"octo\", name: \"demo\") { pullRequest(number: 1) {
        reviewThreads(first: 1) { nodes { id } }
    } } }";
    let mut found = octo.data(query, &json!({}));
    let threads = &mut found["repository"]["pullRequest"]["reviewThreads"]["nodes"];
    let thread = json!({ "threadId": threads[0]["id"].take() });
    octo.mutate("resolveReviewThread", "clientMutationId", &thread);

    octo.delete(&format!("{PROTECTION}/enforce_admins"))
        .expect(204);
    repo.checkout("main");
    repo.commit_file("b.txt", "b\n", "Write b.txt");
    repo.git(&["push", "--quiet", "origin", "main"]);
    assert_eq!(state(), "behind");
    insta::assert_snapshot!(refusal(), @"The head branch is not up to date with the base branch.");
    // An administrator is not held to it.
    merge(&world, "octo", 1, &json!({})).expect(200);
}

#[test]
fn a_push_takes_approvals_back_where_that_is_wanted() {
    let world = World::start();
    let repo = world.checkout();
    protect(
        &world,
        json!({ "required_pull_request_reviews": {
            "required_approving_review_count": 1,
            "dismiss_stale_reviews": true,
            "require_last_push_approval": true,
        } }),
    );
    open(&world, &repo, "feature", "a.txt", "a\n");
    let octo = world.client("octo");
    approve(&world, 1);
    assert_eq!(settled(&world, 1)["mergeable_state"], "clean");
    // Commits of the base do not change what was approved.
    octo.delete(&format!("{PROTECTION}/enforce_admins"))
        .expect(204);
    repo.checkout("main");
    repo.commit_file("b.txt", "b\n", "Write b.txt");
    repo.git(&["push", "--quiet", "origin", "main"]);
    octo.put(&format!("{PULLS}/1/update-branch"), &json!({}))
        .expect(202);
    let states = || {
        let list = octo.get(&format!("{PULLS}/1/reviews")).json();
        list[0]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(states(), "APPROVED");
    repo.checkout("feature");
    repo.git(&["pull", "--quiet", "--ff-only", "origin", "feature"]);
    repo.commit_file("a.txt", "other\n", "Change a.txt");
    repo.git(&["push", "--quiet", "origin", "feature"]);
    assert_eq!(states(), "DISMISSED");
    assert_eq!(settled(&world, 1)["mergeable_state"], "blocked");
    let refusal = message(merge(&world, "reviewer", 1, &json!({})).expect(405));
    insta::assert_snapshot!(refusal, @"At least 1 approving review is required by reviewers with write access. New changes require approval from someone other than the last pusher.");
}

#[test]
fn code_owners_have_to_approve() {
    let world = World::start();
    let repo = world.checkout();
    repo.commit_file(".github/CODEOWNERS", "*.txt @ci-bot\n", "Say who owns what");
    repo.git(&["push", "--quiet", "origin", "main"]);
    ruleset(
        &world,
        json!([{ "type": "pull_request", "parameters": {
            "dismiss_stale_reviews_on_push": false,
            "require_code_owner_review": true,
            "require_last_push_approval": false,
            "required_approving_review_count": 1,
            "required_review_thread_resolution": false,
            "allowed_merge_methods": ["squash"],
        } }]),
    );
    open(&world, &repo, "feature", "a.txt", "a\n");
    approve(&world, 1);
    let refusal = message(merge(&world, "octo", 1, &json!({})).expect(405));
    insta::assert_snapshot!(refusal, @r"
    Repository rule violations found

    Waiting on code owner review from ci-bot.

    Merge commits are not allowed on this repository.
    ");
    let body = json!({ "event": "APPROVE" });
    world
        .client("ci-bot")
        .post(&format!("{PULLS}/1/reviews"), &body)
        .expect(200);
    merge(&world, "octo", 1, &json!({ "merge_method": "squash" })).expect(200);
}

#[test]
fn rulesets_bind_pushes_unless_they_are_bypassed() {
    let world = World::start();
    let repo = world.checkout();
    let made = ruleset(
        &world,
        json!([
            { "type": "deletion" },
            { "type": "non_fast_forward" },
            { "type": "required_linear_history" },
            { "type": "commit_message_pattern", "parameters": {
                "operator": "regex", "pattern": "^[A-Z]", "negate": false } },
        ]),
    );
    let push = |args: &[&str]| repo.try_git(&[&["push", "origin"], args].concat());
    let page = format!("http://{}", world.address);
    repo.commit_file("a.txt", "a\n", "write a.txt");
    let shown = refused(push(&["main"])).replace(&page, "FORGE");
    insta::assert_snapshot!(shown, @r"
    remote: error: GH013: Repository rule violations found for refs/heads/main.
    remote: Review all repository rules at FORGE/octo/demo/rules?ref=refs%2Fheads%2Fmain
    remote:
    remote: - Commit message must match a given regex pattern: ^[A-Z]
    ");
    repo.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    repo.branch("side");
    repo.commit_file("b.txt", "b\n", "Write b.txt");
    repo.checkout("side");
    repo.commit_file("c.txt", "c\n", "Write c.txt");
    repo.checkout("main");
    repo.git(&["merge", "--quiet", "--no-ff", "-m", "Merge side", "side"]);
    assert!(
        refused(push(&["main"])).ends_with("remote: - This branch must not contain merge commits.")
    );
    assert!(push(&["main:refs/heads/elsewhere"]).status.success());

    let octo = world.client("octo");
    let one = format!("{RULESETS}/{}", made["id"]);
    let bypass = json!({ "bypass_actors": [
        { "actor_id": 5, "actor_type": "RepositoryRole", "bypass_mode": "always" },
    ] });
    octo.put(&one, &bypass).expect(200);
    assert!(push(&["main"]).status.success());
    octo.put(
        &one,
        &json!({ "enforcement": "disabled", "bypass_actors": [] }),
    )
    .expect(200);
    assert!(push(&["--force", "main~1:main"]).status.success());
    octo.delete(&one).expect(204);
    octo.get(&one).expect(404);
}

#[test]
fn rulesets_are_shown_listed_and_checked() {
    let world = World::start();
    world.checkout();
    let octo = world.client("octo");
    let body = json!({
        "name": "all", "enforcement": "active",
        "conditions": { "ref_name": { "include": ["refs/heads/release/**/*"], "exclude": [] } },
        "rules": [{ "type": "required_linear_history" }],
    });
    let made = octo.post(RULESETS, &body).expect(201).json();
    assert_eq!(
        (&made["source_type"], &made["source"]),
        (&json!("Repository"), &json!("octo/demo"))
    );
    world.client("guest").post(RULESETS, &body).expect(403);

    let rules = |branch: &str| {
        octo.get(&format!("/repos/octo/demo/rules/branches/{branch}"))
            .expect(200)
            .json()
    };
    assert_eq!(rules("main"), json!([]));
    assert_eq!(
        rules("release/1/0"),
        json!([{
            "type": "required_linear_history",
            "ruleset_source_type": "Repository",
            "ruleset_source": "octo/demo",
            "ruleset_id": made["id"],
        }])
    );
    let list = octo.get(RULESETS).expect(200).json();
    assert_eq!(list[0]["name"], "all");
    assert_eq!(list[0]["rules"], Value::Null);

    let bad = json!({ "name": "x", "enforcement": "active", "rules": [{ "type": "surprise" }] });
    let answer = octo.post(RULESETS, &bad).expect(422).json();
    assert_eq!(answer["errors"][0]["message"], "Invalid rule 'surprise'");
    let answer = octo.post(RULESETS, &body).expect(422).json();
    assert_eq!(answer["errors"][0]["message"], "Name must be unique");
}

#[test]
fn a_required_deployment_has_to_succeed() {
    let world = World::start();
    let repo = world.checkout();
    ruleset(
        &world,
        json!([{ "type": "required_deployments", "parameters": {
            "required_deployment_environments": ["staging"] } }]),
    );
    open(&world, &repo, "feature", "a.txt", "a\n");
    let refusal = message(merge(&world, "octo", 1, &json!({})).expect(405));
    insta::assert_snapshot!(refusal, @r"
    Repository rule violations found

    Missing successful active staging deployment.
    ");
    let bot = world.client("ci-bot");
    let all = "/repos/octo/demo/deployments";
    let body = json!({ "ref": "feature", "environment": "staging" });
    let made = bot.post(all, &body).expect(201).json();
    assert_eq!(made["sha"], repo.head());
    let statuses = format!("{all}/{}/statuses", made["id"]);
    for state in ["in_progress", "success"] {
        bot.post(&statuses, &json!({ "state": state })).expect(201);
    }
    bot.post(&statuses, &json!({ "state": "odd" })).expect(422);
    let list = bot.get(&statuses).expect(200).json();
    assert_eq!(
        (&list[0]["state"], &list[1]["state"]),
        (&json!("success"), &json!("in_progress"))
    );
    merge(&world, "octo", 1, &json!({})).expect(200);

    let next = bot
        .post(all, &json!({ "ref": "main", "environment": "staging" }))
        .expect(201)
        .json();
    bot.post(
        &format!("{all}/{}/statuses", next["id"]),
        &json!({ "state": "success" }),
    )
    .expect(201);
    assert_eq!(bot.get(&statuses).json()[0]["state"], "inactive");
    let found = bot
        .get(&format!("{all}?environment=staging&ref=main"))
        .json();
    assert_eq!(found.as_array().unwrap().len(), 1);
}

#[test]
fn patterns_protect_branches_that_come_later() {
    let world = World::start();
    let repo = world.checkout();
    let octo = world.client("octo");
    let body = json!({
        "name": "releases", "enforcement": "active",
        "conditions": { "ref_name": { "include": ["refs/heads/release/*"], "exclude": [] } },
        "rules": [{ "type": "creation" }, { "type": "update" }],
    });
    octo.post(RULESETS, &body).expect(201);
    let output = repo.try_git(&["push", "origin", "main:refs/heads/release/1"]);
    assert!(
        refused(output).ends_with("remote: - Cannot create ref due to creations being restricted.")
    );
    // Other names are free.
    assert!(
        repo.try_git(&["push", "origin", "main:refs/heads/released"])
            .status
            .success()
    );
}

#[test]
fn users_who_may_not_push_may_not_merge() {
    let world = World::start();
    let repo = world.checkout();
    protect(
        &world,
        json!({ "restrictions": { "users": ["octo"], "teams": [] } }),
    );
    open(&world, &repo, "feature", "a.txt", "a\n");
    let refusal = message(merge(&world, "reviewer", 1, &json!({})).expect(405));
    insta::assert_snapshot!(refusal, @"You're not authorized to push to this branch.");
    let url = world.git_url("reviewer", "octo/demo");
    let output = repo.try_git(&["push", &url, "feature:main"]);
    assert!(refused(output).contains("remote: - You're not authorized to push to this branch."));
    merge(&world, "octo", 1, &json!({})).expect(200);
}
