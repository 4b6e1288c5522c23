use super::*;

#[test]
fn a_branch_without_rules_asks_for_little() {
    let world = World::start();
    let scene = Scene::new(&world);
    insta::assert_snapshot!(scene.shown(), @r#"
    {
      "pr": "octo/demo#1",
      "ready_to_merge": true,
      "checks": {
        "ci_passing": false,
        "approvals_met": true,
        "no_conflicts": true,
        "up_to_date": true,
        "branch_protection_satisfied": true
      },
      "blocking_issues": [],
      "ledger": [
        {
          "rule": "open",
          "status": "satisfied",
          "requirement": "the pull request is open",
          "source": "the forge",
          "evidence": "state: OPEN"
        },
        {
          "rule": "draft",
          "status": "satisfied",
          "requirement": "it is not a draft",
          "source": "the forge",
          "evidence": "isDraft: false"
        },
        {
          "rule": "conflicts",
          "status": "satisfied",
          "requirement": "it merges with main without conflicts",
          "source": "the forge",
          "evidence": "mergeable: MERGEABLE"
        }
      ],
      "merge_command": "gh pr merge 1 --repo octo/demo --merge --match-head-commit HEAD",
      "merge_methods": [
        "merge",
        "squash",
        "rebase"
      ],
      "merge_state_status": "clean",
      "rules_of": "main",
      "message": "No CI reports on the head."
    }
    "#);
    assert_eq!(
        scene.cost(),
        Spent {
            requests: 5,
            points: 2
        }
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "the whole answer is shown")]
fn every_rule_of_a_protection_fails_at_first() {
    let world = World::start();
    let scene = Scene::with(
        &world,
        |repo| {
            repo.write("CODEOWNERS", "*.py @reviewer\n");
        },
        |_| {},
    );
    scene.main_goes_on();
    scene.protect(&json!({
        "required_status_checks": { "strict": true, "contexts": ["test", "lint"] },
        "required_pull_request_reviews": {
            "required_approving_review_count": 1,
            "require_code_owner_reviews": true,
            "require_last_push_approval": true,
        },
        "required_conversation_resolution": true,
        "required_linear_history": true,
        "required_signatures": true,
    }));
    scene.comment_on_line();
    insta::assert_snapshot!(scene.shown(), @r#"
    {
      "pr": "octo/demo#1",
      "ready_to_merge": false,
      "checks": {
        "ci_passing": false,
        "approvals_met": false,
        "no_conflicts": true,
        "up_to_date": false,
        "branch_protection_satisfied": false
      },
      "blocking_issues": [
        {
          "category": "approvals",
          "description": "not enough approvals: 1 approval of those with write access needed (latestOpinionatedReviews: no one has approved; 0 of 1)",
          "action_required": "A reviewer approves it. `gh pr review 1 --repo octo/demo --approve`"
        },
        {
          "category": "required_check",
          "description": "required check `test` has not reported (statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it)",
          "action_required": "Have it reported, or no longer ask for it."
        },
        {
          "category": "required_check",
          "description": "required check `lint` has not reported (statusCheckRollup: `lint` is not reported and no workflow of the head has a job of this name: another service has to report it)",
          "action_required": "Have it reported, or no longer ask for it."
        },
        {
          "category": "code_owners",
          "description": "a code owner has not approved it (CODEOWNERS line 1: `*.py` belongs to reviewer, for cart.py)",
          "action_required": "A code owner approves it. `gh pr review 1 --repo octo/demo --approve`"
        },
        {
          "category": "last_push_approval",
          "description": "no one else has approved the latest push (latestOpinionatedReviews: no approval of the head HEAD)",
          "action_required": "A reviewer approves it. `gh pr review 1 --repo octo/demo --approve`"
        },
        {
          "category": "up_to_date",
          "description": "the branch lacks commits of main (compare: behind_by = 1)",
          "action_required": "Bring the base branch in. `gh api --method PUT repos/octo/demo/pulls/1/update-branch -f expected_head_sha=HEAD`"
        },
        {
          "category": "conversations",
          "description": "review conversations are unresolved (reviewThreads: isResolved is false at cart.py:1)",
          "action_required": "Settle each conversation, then resolve it; find_unresolved_comments has them all. `baton pr find-unresolved-comments 'octo/demo#1'`"
        },
        {
          "category": "signatures",
          "description": "a commit has no verified signature (commits: signature of HEAD is null)",
          "action_required": "Sign the commits and push them again. `gh pr checkout 1 --repo octo/demo && git fetch origin main && git rebase --gpg-sign --force-rebase FETCH_HEAD && git push --force-with-lease`"
        }
      ],
      "branch_protection": {
        "required_approvals": 1,
        "current_approvals": 0,
        "required_checks": [
          "lint",
          "test"
        ],
        "passing_checks": [],
        "failing_checks": []
      },
      "ledger": [
        {
          "rule": "approvals",
          "status": "failing",
          "requirement": "1 approval of those with write access",
          "source": "branch protection of main",
          "evidence": "latestOpinionatedReviews: no one has approved; 0 of 1",
          "cleared_by": "anybody with write access other than octo",
          "action": "A reviewer approves it.",
          "commands": [
            "gh pr review 1 --repo octo/demo --approve"
          ]
        },
        {
          "rule": "required_check",
          "status": "failing",
          "requirement": "`test` passes",
          "source": "branch protection of main",
          "evidence": "statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it",
          "cleared_by": "the maintainers of CI or the rules",
          "action": "Have it reported, or no longer ask for it."
        },
        {
          "rule": "required_check",
          "status": "failing",
          "requirement": "`lint` passes",
          "source": "branch protection of main",
          "evidence": "statusCheckRollup: `lint` is not reported and no workflow of the head has a job of this name: another service has to report it",
          "cleared_by": "the maintainers of CI or the rules",
          "action": "Have it reported, or no longer ask for it."
        },
        {
          "rule": "code_owners",
          "status": "failing",
          "requirement": "an approval of a code owner for every changed file that has one",
          "source": "branch protection of main",
          "evidence": "CODEOWNERS line 1: `*.py` belongs to reviewer, for cart.py",
          "cleared_by": "reviewer",
          "action": "A code owner approves it.",
          "commands": [
            "gh pr review 1 --repo octo/demo --approve"
          ]
        },
        {
          "rule": "last_push_approval",
          "status": "failing",
          "requirement": "an approval of the latest push by someone other than who pushed",
          "source": "branch protection of main",
          "evidence": "latestOpinionatedReviews: no approval of the head HEAD",
          "cleared_by": "anybody with write access other than octo",
          "action": "A reviewer approves it.",
          "commands": [
            "gh pr review 1 --repo octo/demo --approve"
          ]
        },
        {
          "rule": "up_to_date",
          "status": "failing",
          "requirement": "the branch has all commits of main",
          "source": "branch protection of main",
          "evidence": "compare: behind_by = 1",
          "cleared_by": "octo, or anybody with write access",
          "action": "Bring the base branch in.",
          "commands": [
            "gh api --method PUT repos/octo/demo/pulls/1/update-branch -f expected_head_sha=HEAD"
          ]
        },
        {
          "rule": "conversations",
          "status": "failing",
          "requirement": "all review conversations are resolved",
          "source": "branch protection of main",
          "evidence": "reviewThreads: isResolved is false at cart.py:1",
          "cleared_by": "octo, or anybody with write access",
          "action": "Settle each conversation, then resolve it; find_unresolved_comments has them all.",
          "commands": [
            "baton pr find-unresolved-comments 'octo/demo#1'"
          ]
        },
        {
          "rule": "signatures",
          "status": "failing",
          "requirement": "every commit has a verified signature",
          "source": "branch protection of main",
          "evidence": "commits: signature of HEAD is null",
          "cleared_by": "octo",
          "action": "Sign the commits and push them again.",
          "commands": [
            "gh pr checkout 1 --repo octo/demo",
            "git fetch origin main",
            "git rebase --gpg-sign --force-rebase FETCH_HEAD",
            "git push --force-with-lease"
          ]
        },
        {
          "rule": "open",
          "status": "satisfied",
          "requirement": "the pull request is open",
          "source": "the forge",
          "evidence": "state: OPEN"
        },
        {
          "rule": "draft",
          "status": "satisfied",
          "requirement": "it is not a draft",
          "source": "the forge",
          "evidence": "isDraft: false"
        },
        {
          "rule": "conflicts",
          "status": "satisfied",
          "requirement": "it merges with main without conflicts",
          "source": "the forge",
          "evidence": "mergeable: MERGEABLE"
        },
        {
          "rule": "linear_history",
          "status": "satisfied",
          "requirement": "main gets no merge commits",
          "source": "branch protection of main",
          "evidence": "the repository allows squash and rebase"
        }
      ],
      "merge_methods": [
        "squash",
        "rebase"
      ],
      "merge_state_status": "blocked",
      "rules_of": "main",
      "message": "No CI reports on the head."
    }
    "#);
    assert_eq!(
        scene.cost(),
        Spent {
            requests: 6,
            points: 3
        }
    );
}

/// What is printed is done, until it is merged.
#[test]
#[expect(clippy::too_many_lines, reason = "the whole answer is shown")]
fn the_printed_commands_clear_the_way() {
    let world = World::start();
    let mut scene = Scene::with(
        &world,
        |repo| {
            repo.write("CODEOWNERS", "*.py @reviewer\n");
        },
        |_| {},
    );
    let (Some(octo), Some(reviewer)) = (Shell::new(&world, "octo"), Shell::new(&world, "reviewer"))
    else {
        return;
    };
    scene.main_goes_on();
    scene.protect(&json!({
        "required_status_checks": { "strict": true, "contexts": ["test"] },
        "required_pull_request_reviews": {
            "required_approving_review_count": 1,
            "require_code_owner_reviews": true,
            "require_last_push_approval": true,
        },
        "required_conversation_resolution": true,
        "required_linear_history": true,
    }));
    scene.comment_on_line();
    let client = world.client("octo");
    let hostile = "do not merge/it's $(touch owned) `x`";
    let labels = json!({ "labels": [hostile, "bug"] });
    client
        .post("/repos/octo/demo/issues/1/labels", &labels)
        .expect(200);
    let title = json!({ "title": "WIP: Fix the \"cart\" of $(touch owned)" });
    client.patch("/repos/octo/demo/pulls/1", &title).expect(200);
    octo.done("gh pr ready 1 --undo --repo octo/demo");
    insta::assert_snapshot!(scene.outline(), @r#"
    ready: false (no_conflicts)
    failing draft: isDraft: true
    failing hold: labels: do not merge/it's $(touch owned) `x`
    failing hold: title: WIP: Fix the "cart" of $(touch owned)
    failing approvals: latestOpinionatedReviews: no one has approved; 0 of 1
    failing required_check: statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it
    failing code_owners: CODEOWNERS line 1: `*.py` belongs to reviewer, for cart.py
    failing last_push_approval: latestOpinionatedReviews: no approval of the head HEAD
    failing up_to_date: compare: behind_by = 1
    failing conversations: reviewThreads: isResolved is false at cart.py:1
    satisfied open: state: OPEN
    satisfied conflicts: mergeable: MERGEABLE
    satisfied linear_history: the repository allows squash and rebase
    No CI reports on the head.
    "#);

    scene.follow("draft", &octo);
    scene.follow("hold", &octo);
    // The ledger resolves nothing; each conversation has its own command.
    let open = scene
        .caller
        .ask("find_unresolved_comments", &json!({ "pr": "octo/demo#1" }));
    let comment = &open["comments"][0];
    octo.done(
        comment["action_commands"]["resolve_command"]
            .as_str()
            .unwrap(),
    );
    scene.follow("up_to_date", &octo);
    scene.head = world.wait_for("the update", || {
        let pull = client.get("/repos/octo/demo/pulls/1").expect(200).json();
        let head = pull["head"]["sha"].as_str()?.to_owned();
        (head != scene.head).then_some(head)
    });
    scene.follow("approvals", &reviewer);
    let run = scene.run(&["test"]);
    run.end("test", &JobEnd::failure());
    insta::assert_snapshot!(scene.outline(), @"
    ready: false (approvals_met no_conflicts up_to_date)
    failing required_check: statusCheckRollup: `test` = FAILURE
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    satisfied approvals: latestOpinionatedReviews: APPROVED by reviewer
    satisfied code_owners: reviewDecision: APPROVED
    satisfied last_push_approval: latestOpinionatedReviews: APPROVED by reviewer at the head HEAD
    satisfied up_to_date: compare: behind_by = 0
    satisfied conversations: reviewThreads: isResolved is true for all 1
    satisfied linear_history: the repository allows squash and rebase
    ");
    scene.follow("required_check", &octo);
    insta::assert_snapshot!(scene.outline(), @"
    ready: false (approvals_met no_conflicts up_to_date)
    failing required_check: statusCheckRollup: `test` = QUEUED
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    satisfied approvals: latestOpinionatedReviews: APPROVED by reviewer
    satisfied code_owners: reviewDecision: APPROVED
    satisfied last_push_approval: latestOpinionatedReviews: APPROVED by reviewer at the head HEAD
    satisfied up_to_date: compare: behind_by = 0
    satisfied conversations: reviewThreads: isResolved is true for all 1
    satisfied linear_history: the repository allows squash and rebase
    CI is under way.
    ");

    let mut again = run;
    again.look();
    again.pass();
    let answer = scene.ask();
    insta::assert_snapshot!(outline(&answer).replace(&scene.head[..7], "HEAD"), @"
    ready: true (ci_passing approvals_met no_conflicts up_to_date branch_protection_satisfied)
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    satisfied approvals: latestOpinionatedReviews: APPROVED by reviewer
    satisfied required_check: statusCheckRollup: `test` = SUCCESS
    satisfied code_owners: reviewDecision: APPROVED
    satisfied last_push_approval: latestOpinionatedReviews: APPROVED by reviewer at the head HEAD
    satisfied up_to_date: compare: behind_by = 0
    satisfied conversations: reviewThreads: isResolved is true for all 1
    satisfied linear_history: the repository allows squash and rebase
    ");
    octo.done(answer["merge_command"].as_str().unwrap());
    let pull = client.get("/repos/octo/demo/pulls/1").expect(200).json();
    assert_eq!(
        (&pull["merged"], &pull["title"]),
        (&json!(true), &json!("Fix the \"cart\" of $(touch owned)"))
    );
    assert_eq!(pull["labels"][0]["name"], "bug");
    let owned = |shell: &Shell<'_>| shell.folder().join("owned").exists();
    assert!(!owned(&octo) && !owned(&reviewer), "a title was run");
    insta::assert_snapshot!(scene.caller.error(TOOL, &json!({ "pr": "octo/demo#1" })), @r#"
    {
      "error": "octo/demo#1 is merged already",
      "category": "logical",
      "suggestion": "There is nothing left to merge; ask about an open pull request."
    }
    "#);
}

#[test]
#[expect(clippy::too_many_lines, reason = "the whole answer is shown")]
fn rulesets_ask_like_protections() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.rules(&json!([
        { "type": "pull_request", "parameters": {
            "required_approving_review_count": 2, "dismiss_stale_reviews_on_push": false,
            "require_code_owner_review": false, "require_last_push_approval": false,
            "required_review_thread_resolution": true, "allowed_merge_methods": ["squash"],
        } },
        { "type": "required_status_checks", "parameters": {
            "required_status_checks": [{ "context": "test" }],
            "strict_required_status_checks_policy": true,
        } },
        { "type": "required_deployments", "parameters": {
            "required_deployment_environments": ["staging"],
        } },
        { "type": "required_linear_history" },
        { "type": "deletion" },
    ]));
    scene.review("reviewer", "APPROVE");
    insta::assert_snapshot!(scene.shown(), @r#"
    {
      "pr": "octo/demo#1",
      "ready_to_merge": false,
      "checks": {
        "ci_passing": false,
        "approvals_met": false,
        "no_conflicts": true,
        "up_to_date": true,
        "branch_protection_satisfied": false
      },
      "blocking_issues": [
        {
          "category": "approvals",
          "description": "not enough approvals: 2 approvals of those with write access needed (latestOpinionatedReviews: APPROVED by reviewer; 1 of 2)",
          "action_required": "A reviewer approves it. `gh pr review 1 --repo octo/demo --approve`"
        },
        {
          "category": "required_check",
          "description": "required check `test` has not reported (statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it)",
          "action_required": "Have it reported, or no longer ask for it."
        },
        {
          "category": "deployment",
          "description": "the head is not deployed to staging (deployments: none to staging)",
          "action_required": "Deploy the head to staging. `gh api 'repos/octo/demo/deployments?sha=HEAD'`"
        }
      ],
      "branch_protection": {
        "required_approvals": 2,
        "current_approvals": 1,
        "required_checks": [
          "test"
        ],
        "passing_checks": [],
        "failing_checks": []
      },
      "ledger": [
        {
          "rule": "approvals",
          "status": "failing",
          "requirement": "2 approvals of those with write access",
          "source": "ruleset 1 of octo/demo",
          "evidence": "latestOpinionatedReviews: APPROVED by reviewer; 1 of 2",
          "cleared_by": "anybody with write access other than octo",
          "action": "A reviewer approves it.",
          "commands": [
            "gh pr review 1 --repo octo/demo --approve"
          ]
        },
        {
          "rule": "required_check",
          "status": "failing",
          "requirement": "`test` passes",
          "source": "ruleset 1 of octo/demo",
          "evidence": "statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it",
          "cleared_by": "the maintainers of CI or the rules",
          "action": "Have it reported, or no longer ask for it."
        },
        {
          "rule": "deployment",
          "status": "failing",
          "requirement": "the head is deployed to staging",
          "source": "ruleset 1 of octo/demo",
          "evidence": "deployments: none to staging",
          "cleared_by": "those who deploy or may approve deployments",
          "action": "Deploy the head to staging.",
          "commands": [
            "gh api 'repos/octo/demo/deployments?sha=HEAD'"
          ]
        },
        {
          "rule": "open",
          "status": "satisfied",
          "requirement": "the pull request is open",
          "source": "the forge",
          "evidence": "state: OPEN"
        },
        {
          "rule": "draft",
          "status": "satisfied",
          "requirement": "it is not a draft",
          "source": "the forge",
          "evidence": "isDraft: false"
        },
        {
          "rule": "conflicts",
          "status": "satisfied",
          "requirement": "it merges with main without conflicts",
          "source": "the forge",
          "evidence": "mergeable: MERGEABLE"
        },
        {
          "rule": "conversations",
          "status": "satisfied",
          "requirement": "all review conversations are resolved",
          "source": "ruleset 1 of octo/demo",
          "evidence": "reviewThreads: none"
        },
        {
          "rule": "merge_methods",
          "status": "satisfied",
          "requirement": "it is merged by squash",
          "source": "ruleset 1 of octo/demo",
          "evidence": "the repository allows squash"
        },
        {
          "rule": "up_to_date",
          "status": "satisfied",
          "requirement": "the branch has all commits of main",
          "source": "ruleset 1 of octo/demo",
          "evidence": "compare: behind_by = 0"
        },
        {
          "rule": "linear_history",
          "status": "satisfied",
          "requirement": "main gets no merge commits",
          "source": "ruleset 1 of octo/demo",
          "evidence": "the repository allows squash"
        }
      ],
      "merge_methods": [
        "squash"
      ],
      "merge_state_status": "blocked",
      "rules_of": "main",
      "message": "No CI reports on the head."
    }
    "#);

    if let Some(shell) = Shell::new(&world, "octo") {
        scene.follow("deployment", &shell);
    }
    let octo = world.client("octo");
    let body = json!({
        "ref": scene.head, "environment": "staging", "auto_merge": false, "required_contexts": [],
    });
    let made = octo
        .post("/repos/octo/demo/deployments", &body)
        .expect(201)
        .json();
    let path = format!("/repos/octo/demo/deployments/{}/statuses", made["id"]);
    octo.post(&path, &json!({ "state": "failure" })).expect(201);
    insta::assert_snapshot!(scene.outline(), @"
    ready: false (no_conflicts up_to_date)
    failing approvals: latestOpinionatedReviews: APPROVED by reviewer; 1 of 2
    failing required_check: statusCheckRollup: `test` is not reported and no workflow of the head has a job of this name: another service has to report it
    failing deployment: deployments: staging = FAILURE
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    satisfied conversations: reviewThreads: none
    satisfied merge_methods: the repository allows squash
    satisfied up_to_date: compare: behind_by = 0
    satisfied linear_history: the repository allows squash
    No CI reports on the head.
    ");
    octo.post(&path, &json!({ "state": "success" })).expect(201);
    scene.review("ci-bot", "APPROVE");
    scene.run(&["test"]).pass();
    insta::assert_snapshot!(scene.outline(), @"
    ready: true (ci_passing approvals_met no_conflicts up_to_date branch_protection_satisfied)
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    satisfied approvals: latestOpinionatedReviews: APPROVED by reviewer, ci-bot
    satisfied conversations: reviewThreads: none
    satisfied merge_methods: the repository allows squash
    satisfied required_check: statusCheckRollup: `test` = SUCCESS
    satisfied up_to_date: compare: behind_by = 0
    satisfied deployment: deployments: staging = ACTIVE
    satisfied linear_history: the repository allows squash
    ");
    assert_eq!(scene.ask()["merge_methods"], json!(["squash"]));
}

#[test]
fn changes_that_were_asked_for_block() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.protect(&json!({
        "required_pull_request_reviews": { "required_approving_review_count": 1 },
    }));
    scene.review("reviewer", "REQUEST_CHANGES");
    insta::assert_snapshot!(scene.outline(), @"
    ready: false (no_conflicts up_to_date)
    failing approvals: latestOpinionatedReviews: CHANGES_REQUESTED by reviewer
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    No CI reports on the head.
    ");
    let Some(shell) = Shell::new(&world, "octo") else {
        return;
    };
    scene.follow("approvals", &shell);
    let pull = world.client("octo").get("/repos/octo/demo/pulls/1");
    assert_eq!(
        pull.expect(200).json()["requested_reviewers"][0]["login"],
        "reviewer"
    );
}

#[test]
fn what_the_forge_alone_can_judge_stays_unknown() {
    let world = World::start();
    let scene = Scene::new(&world);
    scene.rules(&json!([
        { "type": "update" },
        { "type": "code_scanning", "parameters": { "code_scanning_tools": [
            { "tool": "CodeQL", "alerts_threshold": "errors", "security_alerts_threshold": "high_or_higher" },
        ] } },
        { "type": "commit_message_pattern", "parameters": { "operator": "starts_with", "pattern": "Fix" } },
    ]));
    insta::assert_snapshot!(scene.outline(), @"
    ready: false (approvals_met no_conflicts up_to_date)
    failing update: rules: update
    unknown code_scanning: mergeStateStatus: BLOCKED; the results of code scanning are not told one by one
    unknown other: rules: a rule that this version does not know
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    No CI reports on the head.
    ");
}

#[test]
fn a_signature_that_is_missing_is_made() {
    let mut world = World::start();
    world.sandbox.link_tool("ssh-keygen");
    let scene = Scene::new(&world);
    scene.protect(&json!({ "required_signatures": true }));
    insta::assert_snapshot!(scene.outline(), @"
    ready: false (approvals_met no_conflicts up_to_date)
    failing signatures: commits: signature of HEAD is null
    satisfied open: state: OPEN
    satisfied draft: isDraft: false
    satisfied conflicts: mergeable: MERGEABLE
    No CI reports on the head.
    ");
    let Some(shell) = Shell::new(&world, "octo") else {
        return;
    };
    shell.done(
        "ssh-keygen -q -t ed25519 -N '' -f ../key && git config gpg.format ssh && \
         git config user.signingkey ../key.pub",
    );
    scene.follow("signatures", &shell);
    let answer = scene.ask();
    let entry = entries(&answer)
        .iter()
        .find(|entry| entry["rule"] == "signatures");
    // The forge knows no keys: it sees a signature and trusts none.
    let evidence = entry.unwrap()["evidence"].as_str().unwrap();
    assert!(evidence.ends_with("is UNKNOWN_KEY"), "{evidence}");
}
