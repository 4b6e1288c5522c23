use serde_json::{Value, json};

use super::{PULLS, message, open, pull, push_branch, settled};
use crate::world::{Response, World};

fn merge(world: &World, number: u64, body: &Value) -> Response {
    world
        .client("octo")
        .put(&format!("{PULLS}/{number}/merge"), body)
}

#[test]
fn a_merge_commit_has_both_parents_and_githubs_message() {
    let world = World::start();
    let repo = world.checkout();
    let base = repo.head();
    open(&world, &repo, "feature", "a.txt", "a\n");
    let head = repo.head();
    let octo = world.client("octo");

    let answer = merge(&world, 1, &json!({})).expect(200).json();
    assert_eq!(answer["merged"], true);
    assert_eq!(answer["message"], "Pull Request successfully merged");
    let sha = answer["sha"].as_str().unwrap();
    repo.git(&["fetch", "--quiet", "origin", "main"]);
    let shown = repo.git(&[
        "show",
        "--no-patch",
        "--format=%H %P%n%an <%ae>%n%B",
        "FETCH_HEAD",
    ]);
    assert_eq!(
        shown.trim_end(),
        format!(
            "{sha} {base} {head}\nocto <1+octo@users.noreply.github.com>\n\
             Merge pull request #1 from octo/feature\n\nAdd a.txt"
        )
    );
    let merged = pull(&octo, 1);
    assert_eq!(merged["merged"], true);
    assert_eq!(merged["state"], "closed");
    assert_eq!(merged["merged_by"]["login"], "octo");
    assert_eq!(merged["merge_commit_sha"], sha);
    // What was merged stays what it was.
    assert_eq!(merged["base"]["sha"], base);
    assert_eq!(merged["commits"], 1);
    let again = merge(&world, 1, &json!({})).expect(405);
    assert_eq!(message(again), "Pull Request is not mergeable");
}

#[test]
fn a_squash_is_one_commit_by_the_author() {
    let world = World::start();
    let repo = world.checkout();
    let base = repo.head();
    push_branch(&repo, "feature", "a.txt", "a\n");
    repo.write("b.txt", "b\n");
    repo.git(&["add", "."]);
    let author = "Helping Hand <hand@example.invalid>";
    repo.git(&[
        "commit",
        "--quiet",
        "--author",
        author,
        "-m",
        "Write b.txt\n\nBecause.",
    ]);
    repo.git(&["push", "--quiet", "origin", "feature"]);
    let reviewer = world.client("reviewer");
    let body = json!({ "title": "Two files", "head": "feature", "base": "main" });
    reviewer.post(PULLS, &body).expect(201);

    merge(&world, 1, &json!({ "merge_method": "squash" })).expect(200);
    repo.git(&["fetch", "--quiet", "origin", "main"]);
    let shown = repo.git(&[
        "show",
        "--no-patch",
        "--format=%P%n%an / %cn%n%B",
        "FETCH_HEAD",
    ]);
    let shown = shown.replace(&base, "BASE");
    insta::assert_snapshot!(shown.trim_end(), @r"
    BASE
    reviewer / octo
    Two files (#1)

    * Write a.txt

    * Write b.txt

    Because.

    ---------

    Co-authored-by: Test Author <author@example.invalid>
    Co-authored-by: Helping Hand <hand@example.invalid>
    ");
    assert_eq!(repo.git(&["diff", "FETCH_HEAD", "feature"]), "");
}

#[test]
fn a_squash_of_one_commit_keeps_its_message() {
    let world = World::start();
    let repo = world.checkout();
    push_branch(&repo, "feature", "a.txt", "a\n");
    repo.git(&[
        "commit",
        "--quiet",
        "--amend",
        "-m",
        "Fix the thing\n\nIt was broken.",
    ]);
    repo.git(&["push", "--quiet", "--force", "origin", "feature"]);
    let octo = world.client("octo");
    let body = json!({ "title": "Another title", "head": "feature", "base": "main" });
    octo.post(PULLS, &body).expect(201);
    merge(&world, 1, &json!({ "merge_method": "squash" })).expect(200);
    repo.git(&["fetch", "--quiet", "origin", "main"]);
    let shown = repo.git(&["show", "--no-patch", "--format=%B", "FETCH_HEAD"]);
    insta::assert_snapshot!(shown.trim_end(), @r"
    Fix the thing (#1)

    It was broken.

    Co-authored-by: Test Author <author@example.invalid>
    ");
}

#[test]
fn given_words_win() {
    let world = World::start();
    let repo = world.checkout();
    open(&world, &repo, "feature", "a.txt", "a\n");
    let order = json!({
        "merge_method": "squash", "commit_title": "My title", "commit_message": "My message",
    });
    merge(&world, 1, &order).expect(200);
    repo.git(&["fetch", "--quiet", "origin", "main"]);
    let shown = repo.git(&["show", "--no-patch", "--format=%B", "FETCH_HEAD"]);
    assert_eq!(shown.trim_end(), "My title\n\nMy message");
}

#[test]
fn a_rebase_puts_each_commit_on_top() {
    let world = World::start();
    let repo = world.checkout();
    push_branch(&repo, "feature", "a.txt", "a\n");
    repo.commit_file("b.txt", "b\n", "Write b.txt\n\nBody.");
    repo.git(&["push", "--quiet", "origin", "feature"]);
    let octo = world.client("octo");
    let body = json!({ "title": "T", "head": "feature", "base": "main" });
    octo.post(PULLS, &body).expect(201);
    repo.checkout("main");
    repo.commit_file("c.txt", "c\n", "Write c.txt");
    repo.git(&["push", "--quiet", "origin", "main"]);

    assert_eq!(settled(&world, 1)["mergeable"], true);
    merge(&world, 1, &json!({ "merge_method": "rebase" })).expect(200);
    repo.git(&["fetch", "--quiet", "origin", "main"]);
    let log = repo.git(&["log", "--format=%s / %an / %cn", "FETCH_HEAD"]);
    insta::assert_snapshot!(log.trim_end(), @r"
    Write b.txt / Test Author / octo
    Write a.txt / Test Author / octo
    Write c.txt / Test Author / Test Author
    Begin / Test Author / Test Author
    ");
    let body = repo.git(&["show", "--no-patch", "--format=%b", "FETCH_HEAD"]);
    assert_eq!(body.trim_end(), "Body.");
    assert_eq!(pull(&octo, 1)["merged"], true);
}

#[test]
fn conflicts_are_found_and_go_away_with_a_push() {
    let world = World::start();
    let repo = world.checkout();
    open(&world, &repo, "feature", "README.md", "# Feature\n");
    repo.checkout("main");
    repo.commit_file("README.md", "# Main\n", "Change the title");
    repo.git(&["push", "--quiet", "origin", "main"]);
    let octo = world.client("octo");

    let found = settled(&world, 1);
    assert_eq!(found["mergeable"], false);
    assert_eq!(found["rebaseable"], false);
    assert_eq!(found["mergeable_state"], "dirty");
    let refused = merge(&world, 1, &json!({})).expect(405);
    assert_eq!(message(refused), "Pull Request is not mergeable");

    repo.checkout("feature");
    repo.try_git(&["merge", "main"]);
    repo.write("README.md", "# Both\n");
    repo.commit("Merge main");
    repo.git(&["push", "--quiet", "origin", "feature"]);
    // What was known before the push is not told any more.
    assert_ne!(pull(&octo, 1)["mergeable_state"], "dirty");
    assert_eq!(settled(&world, 1)["mergeable_state"], "clean");
    merge(&world, 1, &json!({})).expect(200);
}

#[test]
fn a_merge_is_guarded_by_the_head_and_by_what_it_is() {
    let world = World::start();
    let repo = world.checkout();
    open(&world, &repo, "feature", "a.txt", "a\n");
    let head = repo.head();
    repo.commit_file("b.txt", "b\n", "Write b.txt");
    repo.git(&["push", "--quiet", "origin", "feature"]);
    let stale = merge(&world, 1, &json!({ "sha": head })).expect(409);
    insta::assert_snapshot!(message(stale), @"Head branch was modified. Review and try the merge again.");
    merge(&world, 1, &json!({ "merge_method": "blend" })).expect(422);
    merge(&world, 1, &json!({ "sha": repo.head() })).expect(200);

    push_branch(&repo, "draft", "d.txt", "d\n");
    let octo = world.client("octo");
    let body = json!({ "title": "T", "head": "draft", "base": "main", "draft": true });
    octo.post(PULLS, &body).expect(201);
    assert_eq!(settled(&world, 2)["mergeable_state"], "draft");
    assert_eq!(
        message(merge(&world, 2, &json!({})).expect(405)),
        "Pull Request is still a draft"
    );

    octo.patch("/repos/octo/demo", &json!({ "allow_squash_merge": false }))
        .expect(200);
    open(&world, &repo, "last", "e.txt", "e\n");
    let refused = merge(&world, 3, &json!({ "merge_method": "squash" })).expect(405);
    insta::assert_snapshot!(message(refused), @"Squash merges are not allowed on this repository.");
}

#[test]
fn a_merge_closes_issues_and_deletes_its_branch() {
    let world = World::start();
    let repo = world.checkout();
    let octo = world.client("octo");
    for title in ["One", "Two", "Three"] {
        octo.post("/repos/octo/demo/issues", &json!({ "title": title }))
            .expect(201);
    }
    octo.patch(
        "/repos/octo/demo",
        &json!({ "delete_branch_on_merge": true }),
    )
    .expect(200);
    push_branch(&repo, "feature", "a.txt", "a\n");
    let body = json!({
        "title": "Fix", "head": "feature", "base": "main", "body": "Fixes #1, mentions #2.",
    });
    octo.post(PULLS, &body).expect(201);
    // A second one on top of the first goes where the first went.
    repo.branch("above");
    repo.checkout("above");
    repo.commit_file("b.txt", "b\n", "Write b.txt, closes #3");
    repo.git(&["push", "--quiet", "origin", "above"]);
    let body = json!({ "title": "Above", "head": "above", "base": "feature" });
    octo.post(PULLS, &body).expect(201);

    merge(&world, 4, &json!({})).expect(200);
    let state = |number: u64| {
        let issue = octo
            .get(&format!("/repos/octo/demo/issues/{number}"))
            .expect(200);
        issue.json()["state"].as_str().unwrap().to_owned()
    };
    assert_eq!([state(1), state(2), state(3)], ["closed", "open", "open"]);
    let branches = repo.git(&["ls-remote", "--heads", "origin"]);
    assert!(!branches.contains("refs/heads/feature"), "{branches}");
    let above = settled(&world, 5);
    assert_eq!(
        (&above["state"], &above["base"]["ref"]),
        (&json!("open"), &json!("main"))
    );
    assert_eq!(above["commits"], 1);

    merge(&world, 5, &json!({})).expect(200);
    assert_eq!(state(3), "closed");
}

#[test]
fn a_branch_is_brought_up_to_date() {
    let world = World::start();
    let repo = world.checkout();
    open(&world, &repo, "feature", "a.txt", "a\n");
    let head = repo.head();
    let octo = world.client("octo");
    let path = format!("{PULLS}/1/update-branch");
    let refused = |body: Value| message(octo.put(&path, &body).expect(422));
    insta::assert_snapshot!(refused(json!({})), @"There are no new commits on the base branch.");
    repo.checkout("main");
    repo.commit_file("b.txt", "b\n", "Write b.txt");
    repo.git(&["push", "--quiet", "origin", "main"]);
    insta::assert_snapshot!(refused(json!({ "expected_head_sha": repo.head() })), @"expected head sha didn’t match current head ref.");

    let accepted = octo
        .put(&path, &json!({ "expected_head_sha": head }))
        .expect(202);
    assert_eq!(message(accepted), "Updating pull request branch.");
    let updated = pull(&octo, 1);
    repo.git(&["fetch", "--quiet", "origin", "feature"]);
    let shown = repo.git(&["show", "--no-patch", "--format=%H%n%s", "FETCH_HEAD"]);
    let sha = updated["head"]["sha"].as_str().unwrap();
    assert_eq!(
        shown.trim_end(),
        format!("{sha}\nMerge branch 'main' into feature")
    );
    assert_eq!(updated["commits"], 2);
}

#[test]
fn a_merge_that_was_cut_off_is_completed() {
    let world = World::start();
    let commit = {
        let repo = world.checkout();
        open(&world, &repo, "feature", "a.txt", "a\n");
        open(&world, &repo, "other", "b.txt", "b\n");
        repo.checkout("main");
        repo.git(&["merge", "--quiet", "--squash", "feature"]);
        let commit = repo.commit("Add a.txt (#1)");
        // As after a crash: both merges are intended, one branch has moved.
        let database = rusqlite::Connection::open(world.sandbox.path("forge/forge.sqlite3"));
        let nowhere = "0123456789012345678901234567890123456789";
        for (number, commit) in [(1, commit.as_str()), (2, nowhere)] {
            let sql = "INSERT INTO merges_under_way SELECT id, ?2, author_id FROM issues
                       WHERE number = ?1";
            let database = database.as_ref().unwrap();
            database.execute(sql, (number, commit)).unwrap();
        }
        let folder = world.folder();
        repo.git(&["push", "--quiet", folder.to_str().unwrap(), "main"]);
        commit
    };
    let world = world.restart();
    let octo = world.client("octo");
    let merged = world.wait_for(|| Some(pull(&octo, 1)).filter(|found| found["merged"] == true));
    assert_eq!(merged["merge_commit_sha"], commit);
    assert_eq!(merged["merged_by"]["login"], "octo");
    assert_eq!(pull(&octo, 2)["state"], "open");
}

#[test]
fn merges_at_the_same_time_all_land() {
    let world = World::start();
    let repo = world.checkout();
    let numbers: Vec<u64> = (1..=4).collect();
    for number in &numbers {
        let name = format!("branch-{number}");
        open(&world, &repo, &name, &format!("{name}.txt"), "x\n");
    }
    let octo = world.client("octo");
    std::thread::scope(|scope| {
        for number in &numbers {
            let octo = octo.clone();
            scope.spawn(move || {
                let order = json!({ "merge_method": "squash" });
                octo.put(&format!("{PULLS}/{number}/merge"), &order)
                    .expect(200);
            });
        }
    });
    repo.git(&["fetch", "--quiet", "origin", "main"]);
    let files = repo.git(&["ls-tree", "--name-only", "FETCH_HEAD"]);
    assert_eq!(files.lines().count(), 5, "{files}");
    let commits = repo.git(&["rev-list", "--count", "FETCH_HEAD"]);
    assert_eq!(commits.trim(), "5");
}
