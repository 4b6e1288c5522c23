use serde_json::{Value, json};

use super::{PULLS, message, open, pull, push_branch, settled};
use crate::world::World;

#[test]
fn a_pull_request_knows_its_branches_and_what_it_changes() {
    let world = World::start();
    let repo = world.checkout();
    let base = repo.head();
    let made = open(&world, &repo, "feature", "src/a.txt", "one\ntwo\n");

    assert_eq!(made["number"], 1);
    assert_eq!(made["state"], "open");
    assert_eq!(made["mergeable"], Value::Null);
    assert_eq!(made["mergeable_state"], "unknown");
    let found = settled(&world, 1);
    assert_eq!(found["mergeable"], true);
    assert_eq!(found["mergeable_state"], "clean");
    let essence = json!({
        "title": found["title"],
        "head": [found["head"]["label"], found["head"]["ref"], found["head"]["sha"]],
        "base": [found["base"]["label"], found["base"]["ref"], found["base"]["sha"]],
        "counts": [found["commits"], found["additions"], found["deletions"], found["changed_files"]],
        "merged": found["merged"],
        "draft": found["draft"],
    });
    assert_eq!(
        essence,
        json!({
            "title": "Add src/a.txt",
            "head": ["octo:feature", "feature", repo.head()],
            "base": ["octo:main", "main", base],
            "counts": [1, 2, 0, 1],
            "merged": false,
            "draft": false,
        })
    );
    // The commit of the trial merge can be fetched, as CI does.
    repo.git(&["fetch", "--quiet", "origin", "refs/pull/1/merge"]);
    let fetched = repo.git(&["rev-parse", "FETCH_HEAD", "FETCH_HEAD^1", "FETCH_HEAD^2"]);
    let sha = found["merge_commit_sha"].as_str().unwrap();
    assert_eq!(fetched.trim(), format!("{sha}\n{base}\n{}", repo.head()));
}

#[test]
fn what_cannot_be_opened_is_refused_in_githubs_words() {
    let world = World::start();
    let repo = world.checkout();
    open(&world, &repo, "feature", "a.txt", "a\n");
    repo.git(&["push", "--quiet", "origin", "main:refs/heads/same"]);
    let orphan = world.sandbox.repo("orphan");
    orphan.commit_file("b.txt", "b\n", "Begin elsewhere");
    let url = world.git_url("octo", "octo/demo");
    orphan.git(&["push", "--quiet", &url, "HEAD:refs/heads/orphan"]);
    let octo = world.client("octo");

    let refused = |head: &str, base: &str, title: Value| {
        let body = json!({ "title": title, "head": head, "base": base });
        let answer = octo.post(PULLS, &body).expect(422).json();
        assert_eq!(answer["message"], "Validation Failed");
        answer["errors"].to_string()
    };
    insta::assert_snapshot!(refused("same", "main", json!("T")), @r#"[{"resource":"PullRequest","code":"custom","message":"No commits between main and same"}]"#);
    insta::assert_snapshot!(refused("feature", "main", json!("T")), @r#"[{"resource":"PullRequest","code":"custom","message":"A pull request already exists for octo:feature."}]"#);
    insta::assert_snapshot!(refused("nothing", "nowhere", json!("T")), @r#"[{"resource":"PullRequest","code":"invalid","field":"head"},{"resource":"PullRequest","code":"invalid","field":"base"}]"#);
    insta::assert_snapshot!(refused("orphan", "main", json!("T")), @r#"[{"resource":"PullRequest","code":"custom","message":"The orphan branch has no history in common with main"}]"#);
    insta::assert_snapshot!(refused("feature", "main", Value::Null), @r#"[{"resource":"Issue","code":"missing_field","field":"title"}]"#);
    insta::assert_snapshot!(refused("stranger:feature", "main", json!("T")), @r#"[{"resource":"PullRequest","code":"invalid","field":"head"}]"#);

    let body = json!({ "title": "T", "head": "feature", "base": "main" });
    let anonymous = world.anonymous().post(PULLS, &body).expect(401);
    assert_eq!(message(anonymous), "Requires authentication");
    world.client("guest").post(PULLS, &body).expect(422);
}

#[test]
fn a_fork_brings_its_commits_along() {
    let world = World::start();
    let repo = world.checkout();
    let guest = world.client("guest");
    guest.post("/repos/octo/demo/forks", &json!({})).expect(202);
    let url = world.git_url("guest", "guest/demo");
    repo.branch("patch");
    repo.checkout("patch");
    let head = repo.commit_file("a.txt", "a\n", "Write a.txt");
    repo.git(&["push", "--quiet", &url, "patch"]);

    let body = json!({ "title": "From afar", "head": "guest:patch", "base": "main" });
    let made = guest.post(PULLS, &body).expect(201).json();
    assert_eq!(made["head"]["label"], "guest:patch");
    assert_eq!(made["head"]["repo"]["full_name"], "guest/demo");
    assert_eq!(made["base"]["repo"]["full_name"], "octo/demo");
    assert_eq!(made["maintainer_can_modify"], true);
    repo.git(&["fetch", "--quiet", "origin", "refs/pull/1/head"]);
    assert_eq!(repo.git(&["rev-parse", "FETCH_HEAD"]).trim(), head);

    // Commits that are pushed to the fork later follow.
    let head = repo.commit_file("b.txt", "b\n", "Write b.txt");
    repo.git(&["push", "--quiet", &url, "patch"]);
    assert_eq!(pull(&guest, 1)["head"]["sha"], head);
    let octo = world.client("octo");
    settled(&world, 1);
    let path = format!("{PULLS}/1/merge");
    guest.put(&path, &json!({})).expect(403);
    octo.put(&path, &json!({})).expect(200);
}

#[test]
fn lists_are_filtered_and_paged() {
    let world = World::start();
    let repo = world.checkout();
    for name in ["one", "two", "three"] {
        open(&world, &repo, name, &format!("{name}.txt"), "x\n");
    }
    let octo = world.client("octo");
    octo.patch(&format!("{PULLS}/2"), &json!({ "state": "closed" }))
        .expect(200);
    let numbers = |query: &str| {
        let list = octo.get(&format!("{PULLS}?{query}")).expect(200).json();
        let list: Vec<_> = list
            .as_array()
            .unwrap()
            .iter()
            .map(|p| p["number"].clone())
            .collect();
        Value::Array(list).to_string()
    };
    assert_eq!(numbers(""), "[3,1]");
    assert_eq!(numbers("state=all"), "[3,2,1]");
    assert_eq!(numbers("state=closed"), "[2]");
    assert_eq!(numbers("head=octo:one"), "[1]");
    assert_eq!(numbers("head=guest:one"), "[]");
    assert_eq!(numbers("base=other"), "[]");
    assert_eq!(numbers("state=all&direction=asc&per_page=2&page=2"), "[3]");
    let first = octo.get(&format!("{PULLS}?per_page=1")).expect(200);
    assert_eq!(
        octo.follow(&first.link("next").unwrap()).json()[0]["number"],
        1
    );
    octo.get(&format!("{PULLS}?state=odd")).expect(422);
}

#[test]
fn files_commits_diff_and_patch_are_gits_own() {
    let world = World::start();
    let repo = world.checkout();
    repo.commit_file("old.txt", "same\nsame\nsame\n", "Write old.txt");
    repo.commit_file("gone.txt", "gone\n", "Write gone.txt");
    repo.git(&["push", "--quiet", "origin", "main"]);
    repo.branch("feature");
    repo.checkout("feature");
    repo.git(&["mv", "old.txt", "new näme.txt"]);
    repo.remove("gone.txt");
    repo.write("data.bin", [0u8, 159, 146, 150]);
    repo.write("README.md", "# Demo\n\nMore.\n");
    repo.commit("Change much");
    repo.commit_file(
        "README.md",
        "# Demo\n\nEven more.\n",
        "Change more\n\nWith a body.",
    );
    repo.git(&["push", "--quiet", "origin", "feature"]);
    let octo = world.client("octo");
    let body = json!({ "title": "Much", "head": "feature", "base": "main" });
    octo.post(PULLS, &body).expect(201);

    let files = octo.get(&format!("{PULLS}/1/files")).expect(200).json();
    let shown: Vec<_> = files
        .as_array()
        .unwrap()
        .iter()
        .map(|file| {
            format!(
                "{} {} +{} -{} {} {}",
                file["status"],
                file["filename"],
                file["additions"],
                file["deletions"],
                file["previous_filename"],
                file["patch"],
            )
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    "modified" "README.md" +2 -0 null "@@ -1 +1,3 @@\n # Demo\n+\n+Even more."
    "added" "data.bin" +0 -0 null null
    "removed" "gone.txt" +0 -1 null "@@ -1 +0,0 @@\n-gone"
    "renamed" "new näme.txt" +0 -0 "old.txt" null
    "#);
    let commits = octo.get(&format!("{PULLS}/1/commits")).expect(200).json();
    let messages: Vec<_> = commits
        .as_array()
        .unwrap()
        .iter()
        .map(|commit| commit["commit"]["message"].as_str().unwrap())
        .collect();
    assert_eq!(messages, ["Change much", "Change more\n\nWith a body."]);

    let in_form = |form: &str| {
        let client = octo.clone().header("Accept", form);
        client.get(&format!("{PULLS}/1")).expect(200)
    };
    let diff = in_form("application/vnd.github.v3.diff");
    assert_eq!(
        diff.header("content-type"),
        Some("application/vnd.github.diff; charset=utf-8")
    );
    let expected = repo.git(&["-c", "core.quotePath=false", "diff", "main...feature"]);
    assert_eq!(diff.text().trim_end(), expected.trim_end());
    let patch = in_form("application/vnd.github.v3.patch").text();
    assert_eq!(patch.matches("\nSubject: [PATCH ").count(), 2, "{patch}");
}

#[test]
fn text_state_base_and_draft_can_be_changed() {
    let world = World::start();
    let repo = world.checkout();
    repo.git(&["push", "--quiet", "origin", "main:refs/heads/stable"]);
    open(&world, &repo, "feature", "a.txt", "a\n");
    let octo = world.client("octo");
    let path = format!("{PULLS}/1");

    let change = json!({ "title": "Better", "body": "Why", "base": "stable" });
    let changed = octo.patch(&path, &change).expect(200).json();
    assert_eq!(changed["title"], "Better");
    assert_eq!(changed["body"], "Why");
    assert_eq!(changed["base"]["ref"], "stable");
    let missing = octo.patch(&path, &json!({ "base": "nowhere" })).expect(422);
    assert_eq!(
        missing.json()["errors"][0]["message"],
        "Proposed base branch 'nowhere' was not found"
    );
    world
        .client("guest")
        .patch(&path, &json!({ "title": "Mine" }))
        .expect(403);

    octo.patch(&path, &json!({ "state": "closed" })).expect(200);
    assert_eq!(pull(&octo, 1)["state"], "closed");
    let reopened = octo.patch(&path, &json!({ "state": "open" })).expect(200);
    assert_eq!(reopened.json()["closed_at"], Value::Null);
    // The same through the API of issues.
    octo.patch("/repos/octo/demo/issues/1", &json!({ "state": "closed" }))
        .expect(200);
    let closed = pull(&octo, 1);
    assert_eq!(
        (&closed["state"], &closed["merged"]),
        (&json!("closed"), &json!(false))
    );
    repo.git(&["push", "--quiet", "origin", ":feature"]);
    let refused = octo.patch(&path, &json!({ "state": "open" })).expect(422);
    assert_eq!(
        refused.json()["errors"][0]["message"],
        "state cannot be changed. The feature branch has been deleted."
    );
}

#[test]
fn a_draft_becomes_ready_and_a_draft_again() {
    let world = World::start();
    let repo = world.checkout();
    open(&world, &repo, "feature", "a.txt", "a\n");
    let answer = super::mutate(
        &world,
        1,
        "convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { isDraft } }",
    );
    let shown = &answer["data"]["convertPullRequestToDraft"]["pullRequest"]["isDraft"];
    assert_eq!(*shown, true, "{answer}");
    assert_eq!(settled(&world, 1)["mergeable_state"], "draft");
    super::mutate(
        &world,
        1,
        "markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }",
    );
    let found = settled(&world, 1);
    assert_eq!(
        (&found["draft"], &found["mergeable_state"]),
        (&json!(false), &json!("clean"))
    );
}

#[test]
fn a_pull_request_outlives_its_fork() {
    let world = World::start();
    let repo = world.checkout();
    let guest = world.client("guest");
    guest.post("/repos/octo/demo/forks", &json!({})).expect(202);
    let url = world.git_url("guest", "guest/demo");
    repo.branch("patch");
    repo.checkout("patch");
    repo.commit_file("a.txt", "a\n", "Write a.txt");
    repo.git(&["push", "--quiet", &url, "patch"]);
    let body = json!({ "title": "From afar", "head": "guest:patch", "base": "main" });
    guest.post(PULLS, &body).expect(201);
    guest.delete("/repos/guest/demo").expect(204);
    repo.checkout("main");
    repo.commit_file("b.txt", "b\n", "Write b.txt");
    repo.git(&["push", "--quiet", "origin", "main"]);
    let found = settled(&world, 1);
    assert_eq!(found["head"]["repo"], Value::Null);
    assert_eq!(
        (&found["state"], &found["mergeable"]),
        (&json!("open"), &json!(true))
    );
    world
        .client("octo")
        .put(&format!("{PULLS}/1/merge"), &json!({}))
        .expect(200);
}

#[test]
fn reviewers_are_asked_and_code_owners_by_themselves() {
    let world = World::start();
    let repo = world.checkout();
    repo.commit_file("CODEOWNERS", "*.rs @reviewer\n", "Say who owns what");
    repo.git(&["push", "--quiet", "origin", "main"]);
    let made = open(&world, &repo, "feature", "a.rs", "fn a() {}\n");
    assert_eq!(made["requested_reviewers"][0]["login"], "reviewer");

    let octo = world.client("octo");
    let path = format!("{PULLS}/1/requested_reviewers");
    let asked = octo
        .post(&path, &json!({ "reviewers": ["ci-bot"] }))
        .expect(201);
    let logins: Vec<_> = asked.json()["requested_reviewers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|user| user["login"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(logins, ["reviewer", "ci-bot"]);
    let refused = |login: &str| {
        message(
            octo.post(&path, &json!({ "reviewers": [login] }))
                .expect(422),
        )
    };
    insta::assert_snapshot!(refused("octo"), @"Review cannot be requested from pull request author.");
    insta::assert_snapshot!(refused("guest"), @"Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the repository.");

    super::approve(&world, 1);
    let left = pull(&octo, 1)["requested_reviewers"].take();
    assert_eq!(left.as_array().unwrap().len(), 1);
    assert_eq!(left[0]["login"], "ci-bot");
}

#[test]
fn a_commit_leads_to_its_pull_requests() {
    let world = World::start();
    let repo = world.checkout();
    let begin = repo.head();
    open(&world, &repo, "feature", "a.txt", "a\n");
    let head = repo.head();
    let octo = world.client("octo");
    let of = |sha: &str| {
        let list = octo
            .get(&format!("/repos/octo/demo/commits/{sha}/pulls"))
            .expect(200);
        list.json().as_array().unwrap().len()
    };
    assert_eq!(of(&head), 1);
    assert_eq!(of(&begin), 0);
    settled(&world, 1);
    let body = json!({ "merge_method": "squash" });
    let merged = octo
        .put(&format!("{PULLS}/1/merge"), &body)
        .expect(200)
        .json();
    assert_eq!(of(merged["sha"].as_str().unwrap()), 1);
    octo.get("/repos/octo/demo/commits/0123456789012345678901234567890123456789/pulls")
        .expect(422);
}

#[test]
fn an_issue_can_become_a_pull_request() {
    let world = World::start();
    let repo = world.checkout();
    let octo = world.client("octo");
    octo.post("/repos/octo/demo/issues", &json!({ "title": "Wish" }))
        .expect(201);
    push_branch(&repo, "feature", "a.txt", "a\n");
    let body = json!({ "issue": 1, "head": "feature", "base": "main", "draft": true });
    let made = octo.post(PULLS, &body).expect(201).json();
    assert_eq!(
        (&made["number"], &made["title"], &made["draft"]),
        (&json!(1), &json!("Wish"), &json!(true))
    );
    let issue = octo.get("/repos/octo/demo/issues/1").expect(200).json();
    assert_eq!(issue["draft"], true);
}
