//! The `gh pr` commands.

use serde_json::{Value, json};

use crate::checks::eventually;
use crate::gh::{Gh, checkout, world_with_gh};

/// GitHub finds out in the background whether a pull request can be merged, and
/// so does the forge; people look again, too.
#[track_caller]
fn settled(gh: &Gh<'_>, number: &str) -> String {
    eventually("the result of the trial", || {
        let pull = gh.json(&["pr", "view", number, "--json", "mergeStateStatus,mergeable"]);
        let state = pull["mergeStateStatus"].as_str().unwrap().to_owned();
        (pull["mergeable"] != "UNKNOWN").then_some(state)
    })
}

#[test]
fn a_pull_request_from_its_opening_to_its_merge() {
    let Some(world) = world_with_gh() else { return };
    let repo = checkout(&world);
    let gh = Gh::new(&world, "octo", repo.path());
    let reviewer = Gh::new(&world, "reviewer", repo.path());

    let url = gh.succeeds(&[
        "pr",
        "create",
        "--title",
        "Change it",
        "--body",
        "It needs that.",
        "--draft",
        "--label",
        "bug",
        "--assignee",
        "@me",
        "--reviewer",
        "reviewer",
    ]);
    assert_eq!(url, "http://github.localhost/octo/demo/pull/1\n");
    let complaint = gh.fails(&["pr", "create", "--title", "Again", "--body", ""]);
    assert!(complaint.contains("already exists"), "{complaint}");

    let shown = gh.succeeds(&["pr", "view", "1"]);
    assert!(
        shown.contains("title:\tChange it\nstate:\tDRAFT\n"),
        "{shown}"
    );
    assert!(
        shown.contains("reviewers:\treviewer (Requested)\n"),
        "{shown}"
    );
    gh.succeeds(&["pr", "ready", "1"]);
    gh.succeeds(&["pr", "ready", "1", "--undo"]);
    gh.succeeds(&["pr", "ready"]);

    let diff = gh.succeeds(&["pr", "diff", "1"]);
    assert!(
        diff.contains("+++ b/change.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n"),
        "{diff}"
    );
    assert_eq!(
        gh.succeeds(&["pr", "diff", "1", "--name-only"]),
        "change.txt\n"
    );

    let said = gh.succeeds(&["pr", "comment", "1", "--body", "Look at it"]);
    assert_eq!(
        said,
        "http://github.localhost/octo/demo/pull/1#issuecomment-1\n"
    );
    gh.succeeds(&[
        "pr",
        "comment",
        "1",
        "--edit-last",
        "--body",
        "Please look at it",
    ]);
    reviewer.succeeds(&["pr", "review", "1", "--comment", "--body", "Hm"]);
    reviewer.succeeds(&["pr", "review", "1", "--request-changes", "--body", "No"]);
    reviewer.succeeds(&["pr", "review", "1", "--approve"]);
    let complaint = gh.fails(&["pr", "review", "1", "--approve"]);
    assert!(complaint.contains("your own pull request"), "{complaint}");

    gh.succeeds(&[
        "pr",
        "edit",
        "1",
        "--title",
        "Change all of it",
        "--add-label",
        "enhancement",
        "--remove-label",
        "bug",
        "--body",
        "New text",
    ]);
    let pull = gh.json(&["pr", "view", "1", "--json", "title,body,labels"]);
    assert_eq!(pull["title"], "Change all of it");
    assert_eq!(pull["labels"][0]["name"], "enhancement");

    assert_eq!(settled(&gh, "1"), "CLEAN");
    gh.succeeds(&["pr", "merge", "1", "--squash", "--delete-branch"]);
    let pull = gh.json(&[
        "pr",
        "view",
        "1",
        "--json",
        "state,mergedBy,mergeCommit,mergedAt",
    ]);
    assert_eq!(pull["state"], "MERGED");
    assert_eq!(pull["mergedBy"]["login"], "octo");
    let tip = gh.json(&["api", "repos/octo/demo/commits/main"]);
    assert_eq!(tip["sha"], pull["mergeCommit"]["oid"]);
    let message = tip["commit"]["message"].as_str().unwrap();
    assert!(message.starts_with("Change something (#1)\n"), "{message}");
    let branches = gh.json(&["api", "repos/octo/demo/branches"]);
    assert_eq!(branches.as_array().unwrap().len(), 1, "{branches}");
}

#[test]
fn every_field_of_a_pull_request_can_be_asked_for() {
    let Some(world) = world_with_gh() else { return };
    let repo = checkout(&world);
    let gh = Gh::new(&world, "octo", repo.path());
    gh.succeeds(&["pr", "create", "--fill"]);
    settled(&gh, "1");
    let reviewer = Gh::new(&world, "reviewer", repo.path());
    reviewer.succeeds(&["pr", "review", "1", "--approve", "--body", "Yes"]);
    reviewer.succeeds(&["pr", "comment", "1", "--body", "Nice"]);
    let status =
        json!({ "state": "success", "context": "ci/test", "target_url": "http://ci.test/1" });
    let path = format!("/api/v3/repos/octo/demo/statuses/{}", repo.head());
    world.client("octo").post(&path, &status).expect(201);

    // Without a list, `gh` says which fields it knows.
    let complaint = gh.fails(&["pr", "view", "1", "--json"]);
    let fields: Vec<&str> = complaint.lines().skip(1).map(str::trim).collect();
    assert!(fields.len() > 30, "{complaint}");
    let pull = gh.json(&["pr", "view", "1", "--json", &fields.join(",")]);
    let expected = json!({
        "title": "Change something",
        "state": "OPEN",
        "isDraft": false,
        "additions": 2,
        "deletions": 0,
        "changedFiles": 1,
        "baseRefName": "main",
        "headRefName": "feature",
        "headRefOid": repo.head(),
        "isCrossRepository": false,
        "mergeable": "MERGEABLE",
        "mergeStateStatus": "CLEAN",
        "maintainerCanModify": false,
        "files": [{ "path": "change.txt", "additions": 2, "deletions": 0 }],
        "mergedAt": null,
        "projectCards": [],
        "url": "http://github.localhost/octo/demo/pull/1",
    });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&pull[field], value, "{field}");
    }
    assert_eq!(pull["commits"][0]["messageHeadline"], "Change something");
    assert_eq!(pull["reviews"][0]["state"], "APPROVED");
    assert_eq!(pull["latestReviews"][0]["author"]["login"], "reviewer");
    assert_eq!(pull["comments"][0]["authorAssociation"], "COLLABORATOR");
    assert_eq!(pull["statusCheckRollup"][0]["context"], "ci/test");
    assert_ne!(pull["potentialMergeCommit"]["oid"], Value::Null);
}

#[test]
fn pull_requests_are_listed_and_found() {
    let Some(world) = world_with_gh() else { return };
    let repo = checkout(&world);
    let gh = Gh::new(&world, "octo", repo.path());
    gh.succeeds(&[
        "pr", "create", "--title", "One", "--body", "", "--label", "bug",
    ]);
    let numbers = |args: &[&str]| -> Vec<i64> {
        let all = [&["pr", "list", "--json", "number"], args].concat();
        let list = gh.json(&all);
        let list = list.as_array().unwrap().clone();
        list.iter()
            .map(|pull| pull["number"].as_i64().unwrap())
            .collect()
    };
    assert_eq!(numbers(&[]), [1]);
    assert_eq!(numbers(&["--head", "feature", "--state", "all"]), [1]);
    assert_eq!(numbers(&["--base", "other"]), [0_i64; 0]);
    assert_eq!(numbers(&["--label", "bug"]), [1]);
    assert_eq!(numbers(&["--author", "@me"]), [1]);
    assert_eq!(numbers(&["--state", "closed"]), [0_i64; 0]);
    assert!(
        gh.succeeds(&["pr", "list"])
            .starts_with("1\tOne\tfeature\tOPEN\t")
    );
    let status = gh.succeeds(&["pr", "status"]);
    assert!(status.contains("#1  One [feature]"), "{status}");
    assert!(gh.succeeds(&["pr", "view"]).contains("title:\tOne\n"));
    assert!(
        gh.fails(&["pr", "view", "99"])
            .contains("Could not resolve to a PullRequest with the number of 99.")
    );

    gh.succeeds(&["pr", "close", "1", "--comment", "bye"]);
    assert_eq!(numbers(&["--state", "closed"]), [1]);
    gh.succeeds(&["pr", "reopen", "1"]);
    assert_eq!(numbers(&[]), [1]);
    repo.checkout("main");
    gh.succeeds(&["pr", "checkout", "1"]);
    assert_eq!(repo.git(&["branch", "--show-current"]).trim(), "feature");
}

#[test]
fn checks_of_a_pull_request() {
    let Some(world) = world_with_gh() else { return };
    let repo = checkout(&world);
    let gh = Gh::new(&world, "octo", repo.path());
    gh.succeeds(&["pr", "create", "--title", "One", "--body", ""]);
    assert!(
        gh.fails(&["pr", "checks", "1"])
            .contains("no checks reported")
    );

    let protection = json!({
        "required_status_checks": { "strict": false, "contexts": ["ci/test"] },
        "enforce_admins": true,
        "required_pull_request_reviews": null,
        "restrictions": null,
    });
    let octo = world.client("octo");
    octo.put(
        "/api/v3/repos/octo/demo/branches/main/protection",
        &protection,
    )
    .expect(200);
    let report = |state: &str, context: &str| {
        let path = format!("/api/v3/repos/octo/demo/statuses/{}", repo.head());
        let body = json!({ "state": state, "context": context, "target_url": "http://ci.test/1" });
        octo.post(&path, &body).expect(201);
    };
    report("pending", "ci/test");
    report("failure", "ci/lint");
    let printed = gh.run(&["pr", "checks", "1"]);
    assert_eq!(
        printed.code,
        Some(1),
        "{}{}",
        printed.stdout,
        printed.stderr
    );
    assert!(
        printed.stdout.contains("ci/lint\tfail\t"),
        "{}",
        printed.stdout
    );
    let printed = gh.run(&["pr", "checks", "1", "--required"]);
    assert!(
        printed.stdout.contains("ci/test\tpending\t"),
        "{}",
        printed.stdout
    );
    assert!(!printed.stdout.contains("ci/lint"), "{}", printed.stdout);

    assert_eq!(settled(&gh, "1"), "BLOCKED");
    let complaint = gh.fails(&["pr", "merge", "1", "--merge"]);
    assert!(
        complaint.contains("the base branch policy prohibits the merge"),
        "{complaint}"
    );
    report("success", "ci/test");
    report("success", "ci/lint");
    gh.succeeds(&["pr", "checks", "1"]);
    gh.succeeds(&["pr", "merge", "1", "--merge"]);
    assert_eq!(
        gh.json(&["pr", "view", "1", "--json", "state"]),
        json!({ "state": "MERGED" })
    );
}

#[test]
fn a_pull_request_merges_itself_when_it_may() {
    let Some(world) = world_with_gh() else { return };
    let repo = checkout(&world);
    let gh = Gh::new(&world, "octo", repo.path());
    let octo = world.client("octo");
    octo.patch(
        "/api/v3/repos/octo/demo",
        &json!({ "allow_auto_merge": true }),
    )
    .expect(200);
    let protection = json!({
        "required_status_checks": { "strict": false, "contexts": ["ci/test"] },
        "enforce_admins": true,
        "required_pull_request_reviews": null,
        "restrictions": null,
    });
    octo.put(
        "/api/v3/repos/octo/demo/branches/main/protection",
        &protection,
    )
    .expect(200);
    gh.succeeds(&["pr", "create", "--title", "One", "--body", ""]);
    assert_eq!(settled(&gh, "1"), "BLOCKED");

    gh.succeeds(&["pr", "merge", "1", "--auto", "--squash"]);
    gh.succeeds(&["pr", "merge", "1", "--disable-auto"]);
    gh.succeeds(&[
        "pr",
        "merge",
        "1",
        "--auto",
        "--squash",
        "--match-head-commit",
        &repo.head(),
    ]);
    let path = format!("/api/v3/repos/octo/demo/statuses/{}", repo.head());
    octo.post(&path, &json!({ "state": "success", "context": "ci/test" }))
        .expect(201);
    eventually("the merge", || {
        let pull = gh.json(&["pr", "view", "1", "--json", "state"]);
        (pull["state"] == "MERGED").then_some(())
    });
}
