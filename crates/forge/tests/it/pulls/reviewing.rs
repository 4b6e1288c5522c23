use serde_json::{Value, json};

use super::{PULLS, open, pull, push_branch};
use crate::world::{Response, World};

/// Ten numbered lines, some of them replaced.
fn lines(changed: &[(usize, &str)]) -> String {
    (1..=10)
        .map(|number| {
            let other = changed.iter().find(|(line, _)| *line == number);
            other.map_or(format!("line {number}\n"), |(_, text)| format!("{text}\n"))
        })
        .collect()
}

/// `file.txt` with ten lines in `main`, and a pull request that changes the
/// second and the ninth.
fn reviewed(world: &World) -> (baton_testkit::Repo<'_>, String) {
    let repo = world.checkout();
    repo.commit_file("file.txt", lines(&[]), "Write file.txt");
    repo.git(&["push", "--quiet", "origin", "main"]);
    let content = lines(&[(2, "TWO"), (9, "NINE")]);
    open(world, &repo, "feature", "file.txt", &content);
    let head = repo.head();
    (repo, head)
}

fn sentences(response: Response) -> String {
    let body = response.expect(422).json();
    assert_eq!(body["message"], "Unprocessable Entity");
    body["errors"].to_string()
}

#[test]
fn a_review_has_an_opinion_and_conversations() {
    let world = World::start();
    let (_repo, head) = reviewed(&world);
    let reviewer = world.client("reviewer");
    let body = json!({
        "event": "REQUEST_CHANGES",
        "body": "Not yet",
        "comments": [
            { "path": "file.txt", "line": 2, "body": "Why?" },
            { "path": "file.txt", "line": 10, "start_line": 8, "body": "All of this" },
            { "path": "file.txt", "line": 2, "side": "LEFT", "body": "It was fine" },
            { "path": "file.txt", "position": 3, "body": "By position" },
        ],
    });
    let review = reviewer
        .post(&format!("{PULLS}/1/reviews"), &body)
        .expect(200)
        .json();
    assert_eq!(review["state"], "CHANGES_REQUESTED");
    assert_eq!(review["commit_id"], head);
    assert_eq!(review["user"]["login"], "reviewer");

    let octo = world.client("octo");
    let list = octo.get(&format!("{PULLS}/1/comments")).expect(200).json();
    let shown: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|comment| {
            format!(
                "{} {} {}-{} at {}: {}",
                comment["body"],
                comment["side"],
                comment["start_line"],
                comment["line"],
                comment["position"],
                comment["diff_hunk"],
            )
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    "Why?" "RIGHT" null-2 at 3: "@@ -1,10 +1,10 @@\n line 1\n-line 2\n+TWO"
    "All of this" "RIGHT" 8-10 at 12: "@@ -1,10 +1,10 @@\n line 1\n-line 2\n+TWO\n line 3\n line 4\n line 5\n line 6\n line 7\n line 8\n-line 9\n+NINE\n line 10"
    "It was fine" "LEFT" null-2 at 2: "@@ -1,10 +1,10 @@\n line 1\n-line 2"
    "By position" "RIGHT" null-2 at 3: "@@ -1,10 +1,10 @@\n line 1\n-line 2\n+TWO"
    "#);
    assert_eq!(pull(&octo, 1)["review_comments"], 4);

    let first = list[0]["id"].as_u64().unwrap();
    let answer = octo
        .post(
            &format!("{PULLS}/1/comments/{first}/replies"),
            &json!({ "body": "Because." }),
        )
        .expect(201)
        .json();
    assert_eq!(answer["in_reply_to_id"], first);
    assert_eq!(
        (&answer["path"], &answer["line"]),
        (&json!("file.txt"), &json!(2))
    );
    let edited = octo
        .patch(
            &format!("/repos/octo/demo/pulls/comments/{}", answer["id"]),
            &json!({ "body": "Because of this." }),
        )
        .expect(200);
    assert_eq!(edited.json()["body"], "Because of this.");
    world
        .client("guest")
        .patch(
            &format!("/repos/octo/demo/pulls/comments/{}", answer["id"]),
            &json!({ "body": "Mine" }),
        )
        .expect(403);
    assert_eq!(pull(&octo, 1)["review_comments"], 5);
}

#[test]
fn comments_beside_the_diff_are_refused() {
    let world = World::start();
    let (_repo, head) = reviewed(&world);
    let reviewer = world.client("reviewer");
    let review = |comment: Value| {
        let body = json!({ "event": "COMMENT", "comments": [comment] });
        sentences(reviewer.post(&format!("{PULLS}/1/reviews"), &body))
    };
    insta::assert_snapshot!(review(json!({ "path": "file.txt", "line": 99, "body": "x" })), @r#"["Pull request review thread line must be part of the diff and Pull request review thread diff hunk can't be blank"]"#);
    insta::assert_snapshot!(review(json!({ "path": "other.txt", "line": 1, "body": "x" })), @r#"["Pull request review thread path is invalid and Pull request review thread diff hunk can't be blank"]"#);
    insta::assert_snapshot!(review(json!({ "path": "file.txt", "line": 2, "start_line": 2, "body": "x" })), @r#"["Pull request review thread start line must precede the end line."]"#);
    let body = json!({ "commit_id": head, "path": "file.txt", "line": 99, "body": "x" });
    let refused = reviewer
        .post(&format!("{PULLS}/1/comments"), &body)
        .expect(422)
        .json();
    insta::assert_snapshot!(refused["errors"], @r#"[{"resource":"PullRequestReviewComment","code":"custom","field":"pull_request_review_thread.line","message":"pull_request_review_thread.line must be part of the diff"}]"#);
    // Nothing of it was kept.
    let list = reviewer
        .get(&format!("{PULLS}/1/reviews"))
        .expect(200)
        .json();
    assert_eq!(list, json!([]));
}

#[test]
fn conversations_follow_their_lines_until_these_change() {
    let world = World::start();
    let (repo, head) = reviewed(&world);
    let reviewer = world.client("reviewer");
    for (line, body) in [(2, "Stays"), (9, "Changes")] {
        let body = json!({ "commit_id": head, "path": "file.txt", "line": line, "body": body });
        reviewer
            .post(&format!("{PULLS}/1/comments"), &body)
            .expect(201);
    }
    let whole = json!({
        "commit_id": head, "path": "file.txt", "subject_type": "file", "body": "Whole file",
    });
    reviewer
        .post(&format!("{PULLS}/1/comments"), &whole)
        .expect(201);

    let content = format!("zero\n{}", lines(&[(2, "TWO"), (9, "nine!")]));
    let second = repo.commit_file("file.txt", content, "Change more");
    repo.git(&["push", "--quiet", "origin", "feature"]);
    let list = reviewer
        .get(&format!("{PULLS}/1/comments"))
        .expect(200)
        .json();
    let place = |index: usize| {
        let comment = &list[index];
        json!([
            comment["line"],
            comment["original_line"],
            comment["position"],
            comment["original_position"]
        ])
    };
    assert_eq!(place(0), json!([3, 2, 4, 3]));
    assert_eq!(place(1), json!([null, 9, null, 11]));
    assert_eq!(list[0]["commit_id"], second);
    assert_eq!(list[0]["original_commit_id"], head);
    assert_eq!(list[2]["subject_type"], "file");
    assert_eq!(list[2]["line"], Value::Null);

    // A comment on an older commit finds its place in the newest one.
    let body = json!({ "commit_id": head, "path": "file.txt", "line": 2, "body": "Late" });
    let late = reviewer
        .post(&format!("{PULLS}/1/comments"), &body)
        .expect(201)
        .json();
    assert_eq!(json!([late["line"], late["original_line"]]), json!([3, 2]));
}

#[test]
fn a_pending_review_is_its_authors_alone() {
    let world = World::start();
    let (_repo, _) = reviewed(&world);
    let reviewer = world.client("reviewer");
    let octo = world.client("octo");
    let all = format!("{PULLS}/1/reviews");
    let body = json!({ "comments": [{ "path": "file.txt", "line": 2, "body": "Hm" }] });
    let pending = reviewer.post(&all, &body).expect(200).json();
    assert_eq!(pending["state"], "PENDING");
    assert_eq!(pending["submitted_at"], Value::Null);
    let one = format!("{all}/{}", pending["id"]);
    octo.get(&one).expect(404);
    assert_eq!(octo.get(&all).json(), json!([]));
    assert_eq!(octo.get(&format!("{PULLS}/1/comments")).json(), json!([]));
    assert_eq!(reviewer.get(&all).json()[0]["id"], pending["id"]);
    let second = sentences(reviewer.post(&all, &json!({})));
    insta::assert_snapshot!(second, @r#"["User can only have one pending review per pull request"]"#);
    octo.post(&format!("{one}/events"), &json!({ "event": "APPROVE" }))
        .expect(404);

    let submitted = reviewer
        .post(
            &format!("{one}/events"),
            &json!({ "event": "COMMENT", "body": "Done" }),
        )
        .expect(200)
        .json();
    assert_eq!(
        (&submitted["state"], &submitted["body"]),
        (&json!("COMMENTED"), &json!("Done"))
    );
    assert_eq!(octo.get(&format!("{one}/comments")).json()[0]["body"], "Hm");

    let pending = reviewer.post(&all, &json!({})).expect(200).json();
    let one = format!("{all}/{}", pending["id"]);
    reviewer.delete(&one).expect(200);
    reviewer.get(&one).expect(404);
}

#[test]
fn opinions_are_checked_and_dismissed() {
    let world = World::start();
    let (_repo, _) = reviewed(&world);
    let octo = world.client("octo");
    let reviewer = world.client("reviewer");
    let all = format!("{PULLS}/1/reviews");
    let own = |event: &str| sentences(octo.post(&all, &json!({ "event": event, "body": "x" })));
    insta::assert_snapshot!(own("APPROVE"), @r#"["Can not approve your own pull request"]"#);
    insta::assert_snapshot!(own("REQUEST_CHANGES"), @r#"["Can not request changes on your own pull request"]"#);
    sentences(reviewer.post(&all, &json!({ "event": "REQUEST_CHANGES" })));
    sentences(reviewer.post(&all, &json!({ "event": "APPLAUD" })));

    let approved = super::approve(&world, 1);
    let one = format!("{all}/{}", approved["id"]);
    let dismissal = json!({ "message": "Changed since" });
    world
        .client("guest")
        .put(&format!("{one}/dismissals"), &dismissal)
        .expect(403);
    let dismissed = octo
        .put(&format!("{one}/dismissals"), &dismissal)
        .expect(200);
    assert_eq!(dismissed.json()["state"], "DISMISSED");
    let again = sentences(octo.put(&format!("{one}/dismissals"), &dismissal));
    insta::assert_snapshot!(again, @r#"["Can not dismiss a dismissed pull request review"]"#);
}

#[test]
fn conversations_are_resolved_and_opened_again() {
    let world = World::start();
    let (_repo, head) = reviewed(&world);
    let reviewer = world.client("reviewer");
    let body = json!({ "commit_id": head, "path": "file.txt", "line": 2, "body": "Hm" });
    reviewer
        .post(&format!("{PULLS}/1/comments"), &body)
        .expect(201);
    let ask = |login: &str, query: String| {
        let body = json!({ "query": query });
        world
            .client(login)
            .post("/graphql", &body)
            .expect(200)
            .json()
    };
    let pull_query = "query { repository(owner: \"octo\", name: \"demo\") {
        pullRequest(number: 1) { reviewThreads(first: 5) { nodes { id isResolved isOutdated line } } }
    } }";
    let threads = || {
        let found = ask("octo", pull_query.to_owned());
        found["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"].clone()
    };
    let id = threads()[0]["id"].as_str().unwrap().to_owned();
    let change = |login: &str, mutation: &str| {
        ask(
            login,
            format!(
                "mutation {{ {mutation}(input: {{ threadId: \"{id}\" }})
            {{ thread {{ isResolved resolvedBy {{ login }} }} }} }}"
            ),
        )
    };
    let refused = change("guest", "resolveReviewThread");
    assert!(refused["errors"][0].is_object(), "{refused}");
    let resolved = change("octo", "resolveReviewThread");
    assert_eq!(
        resolved["data"]["resolveReviewThread"]["thread"],
        json!({ "isResolved": true, "resolvedBy": { "login": "octo" } })
    );
    assert_eq!(threads()[0]["isResolved"], true);
    change("reviewer", "unresolveReviewThread");
    assert_eq!(threads()[0]["isResolved"], false);
    assert_eq!(
        (&threads()[0]["isOutdated"], &threads()[0]["line"]),
        (&json!(false), &json!(2))
    );
}

#[test]
fn odd_text_is_kept_as_it_is() {
    let world = World::start();
    let repo = world.checkout();
    let title = "<script>alert(1)</script> \u{1b}[31m `$(rm -rf /)` 'quoted' \u{202e}";
    push_branch(&repo, "feature", "a.txt", "a\n");
    let octo = world.client("octo");
    let body = json!({ "title": title, "body": title, "head": "feature", "base": "main" });
    octo.post(PULLS, &body).expect(201);
    assert_eq!(pull(&octo, 1)["title"], title);
    octo.put(&format!("{PULLS}/1/merge"), &json!({}))
        .expect(200);
    repo.git(&["fetch", "--quiet", "origin", "main"]);
    let message = repo.git(&["show", "--no-patch", "--format=%b", "FETCH_HEAD"]);
    assert_eq!(message.trim_end(), title);
}
