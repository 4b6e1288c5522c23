use serde_json::{Value, json};

use crate::world::World;

const ISSUES: &str = "/repos/octo/demo/issues";

#[test]
fn an_issue_lives_from_opened_to_closed_and_back() {
    let world = World::start();
    let octo = world.client("octo");
    let body = json!({
        "title": "Crash on start",
        "body": "It **crashes**.",
        "labels": ["bug", "from scratch"],
        "assignees": ["reviewer"],
    });
    let created = octo.post(ISSUES, &body).expect(201).json();
    assert_eq!(created["number"], 1);
    assert_eq!(created["state"], "open");
    assert_eq!(created["author_association"], "OWNER");
    assert_eq!(names(&created["labels"]), ["bug", "from scratch"]);
    assert_eq!(created["assignee"]["login"], "reviewer");
    assert_eq!(created["labels"][1]["color"], "ededed");

    let one = format!("{ISSUES}/1");
    let edit = json!({"state": "closed", "state_reason": "not_planned", "title": "Crash"});
    let closed = octo.patch(&one, &edit).expect(200).json();
    assert_eq!(closed["state"], "closed");
    assert_eq!(closed["state_reason"], "not_planned");
    assert_eq!(closed["closed_by"]["login"], "octo");
    assert!(closed["closed_at"].is_string());
    assert_eq!(octo.get(ISSUES).expect(200).json(), json!([]));

    let reopened = octo
        .patch(&one, &json!({"state": "open"}))
        .expect(200)
        .json();
    assert_eq!(reopened["state_reason"], "reopened");
    assert_eq!(reopened["closed_at"], Value::Null);

    let cleared = octo
        .patch(&one, &json!({"body": null, "labels": [], "assignees": []}))
        .expect(200)
        .json();
    assert_eq!(cleared["body"], Value::Null);
    assert_eq!(cleared["labels"], json!([]));
    assert_eq!(cleared["assignee"], Value::Null);
}

#[test]
fn what_makes_no_sense_is_refused_in_githubs_words() {
    let world = World::start();
    let octo = world.client("octo");
    let refused = |body: &Value| octo.post(ISSUES, body).expect(422).json();
    insta::assert_snapshot!(pretty(&refused(&json!({}))), @r#"
    {
      "message": "Validation Failed",
      "documentation_url": "https://docs.github.com/rest",
      "status": "422",
      "errors": [
        {
          "resource": "Issue",
          "code": "missing_field",
          "field": "title"
        }
      ]
    }
    "#);
    insta::assert_snapshot!(pretty(&refused(&json!({"title": "x".repeat(257), "body": "y".repeat(65_537)}))), @r#"
    {
      "message": "Validation Failed",
      "documentation_url": "https://docs.github.com/rest",
      "status": "422",
      "errors": [
        {
          "resource": "Issue",
          "code": "custom",
          "field": "title",
          "message": "title is too long (maximum is 256 characters)"
        },
        {
          "resource": "Issue",
          "code": "custom",
          "field": "body",
          "message": "body is too long (maximum is 65536 characters)"
        }
      ]
    }
    "#);
    insta::assert_snapshot!(pretty(&refused(&json!({"title": "x", "assignees": ["stranger"]}))), @r#"
    {
      "message": "Validation Failed",
      "documentation_url": "https://docs.github.com/rest",
      "status": "422",
      "errors": [
        {
          "resource": "Issue",
          "code": "invalid",
          "field": "assignees",
          "value": "stranger"
        }
      ]
    }
    "#);
    insta::assert_snapshot!(pretty(&refused(&json!({"title": {}}))), @r#"
    {
      "message": "Invalid request.\n\ntitle is not a string or a number",
      "documentation_url": "https://docs.github.com/rest",
      "status": "422"
    }
    "#);
    insta::assert_snapshot!(pretty(&octo.send("POST", ISSUES, Some(b"{")).expect(400).json()), @r#"
    {
      "message": "Problems parsing JSON",
      "documentation_url": "https://docs.github.com/rest",
      "status": "400"
    }
    "#);
    insta::assert_snapshot!(pretty(&octo.get("/repos/octo/demo/issues/7").expect(404).json()), @r#"
    {
      "message": "Not Found",
      "documentation_url": "https://docs.github.com/rest",
      "status": "404"
    }
    "#);
    for body in ["[]", "\"x\"", "null"] {
        let refused = octo.send("POST", ISSUES, Some(body.as_bytes())).expect(400);
        assert_eq!(refused.json()["message"], "Body should be a JSON object");
    }
    for path in ["abc", "0", "99999999999999999999", "%ff"] {
        let missing = octo.get(&format!("{ISSUES}/{path}")).expect(404);
        assert_eq!(missing.json()["message"], "Not Found");
    }
    world
        .anonymous()
        .post(ISSUES, &json!({"title": "x"}))
        .expect(401);
    assert_eq!(octo.get(ISSUES).json(), json!([]));
}

#[test]
fn who_may_only_read_opens_issues_and_edits_their_own() {
    let world = World::start();
    let (guest, octo) = (world.client("guest"), world.client("octo"));
    let body = json!({"title": "Question", "labels": ["bug"], "assignees": ["octo"]});
    let created = guest.post(ISSUES, &body).expect(201).json();
    // GitHub leaves out what the author may not decide.
    assert_eq!(created["labels"], json!([]));
    assert_eq!(created["assignees"], json!([]));
    assert_eq!(created["author_association"], "NONE");
    guest
        .patch("/repos/octo/demo/issues/1", &json!({"title": "Better"}))
        .expect(200);
    octo.post(ISSUES, &json!({"title": "Other"})).expect(201);
    guest
        .patch("/repos/octo/demo/issues/2", &json!({"title": "Mine"}))
        .expect(403);
    guest
        .post(
            "/repos/octo/demo/issues/1/labels",
            &json!({"labels": ["bug"]}),
        )
        .expect(403);
}

#[test]
fn a_list_is_filtered_sorted_and_paged() {
    let world = World::start();
    let octo = world.client("octo");
    for number in 1..=7 {
        let labels = if number % 2 == 0 { vec!["bug"] } else { vec![] };
        let body = json!({"title": format!("Issue {number}"), "labels": labels});
        octo.post(ISSUES, &body).expect(201);
    }
    octo.patch("/repos/octo/demo/issues/3", &json!({"state": "closed"}))
        .expect(200);
    octo.post(
        "/repos/octo/demo/issues/4/comments",
        &json!({"body": "Yes."}),
    )
    .expect(201);
    octo.patch("/repos/octo/demo/issues/5", &json!({"assignees": ["octo"]}))
        .expect(200);

    let listed = |query: &str| numbers(&octo.get(&format!("{ISSUES}?{query}")).expect(200).json());
    assert_eq!(listed(""), [7, 6, 5, 4, 2, 1]);
    assert_eq!(listed("state=closed"), [3]);
    assert_eq!(listed("state=all&direction=asc"), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(listed("labels=BUG"), [6, 4, 2]);
    assert_eq!(listed("labels=bug,question"), Vec::<i64>::new());
    assert_eq!(listed("assignee=octo"), [5]);
    assert_eq!(listed("assignee=none&per_page=2"), [7, 6]);
    assert_eq!(listed("sort=comments&per_page=1"), [4]);
    assert_eq!(listed("creator=guest"), Vec::<i64>::new());
    assert_eq!(listed("since=2020-01-01T00:00:00Z&per_page=1"), [7]);
    assert_eq!(
        listed("since=2999-01-01T00:00:00%2B01:00"),
        Vec::<i64>::new()
    );
    octo.get(&format!("{ISSUES}?state=ajar")).expect(422);

    let mut seen = Vec::new();
    let mut page = octo.get(&format!("{ISSUES}?state=all&per_page=3"));
    assert!(
        page.link("last")
            .unwrap()
            .ends_with("?state=all&per_page=3&page=3")
    );
    loop {
        seen.extend(numbers(&page.json()));
        match page.link("next") {
            Some(next) => page = octo.follow(&next),
            None => break,
        }
    }
    assert_eq!(seen, [7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(
        page.link("first").map(|link| link.ends_with("page=1")),
        Some(true)
    );
}

#[test]
fn labels_are_made_put_on_and_taken_off() {
    let world = World::start();
    let octo = world.client("octo");
    let labels = "/repos/octo/demo/labels";
    assert_eq!(
        octo.get(labels)
            .expect(200)
            .json()
            .as_array()
            .unwrap()
            .len(),
        9
    );
    let new = json!({"name": "Needs work", "color": "#FF0000", "description": "Not yet"});
    let made = octo.post(labels, &new).expect(201).json();
    assert_eq!(made["color"], "ff0000");
    assert!(
        made["url"]
            .as_str()
            .unwrap()
            .ends_with("/labels/Needs%20work")
    );
    let again = octo
        .post(labels, &json!({"name": "needs WORK"}))
        .expect(422)
        .json();
    assert_eq!(again["errors"][0]["code"], "already_exists");
    octo.post(labels, &json!({"name": "x", "color": "red"}))
        .expect(422);

    octo.post(ISSUES, &json!({"title": "x"})).expect(201);
    let on_issue = "/repos/octo/demo/issues/1/labels";
    let set = octo
        .post(on_issue, &json!({"labels": ["needs work", "bug"]}))
        .expect(200)
        .json();
    assert_eq!(names(&set), ["bug", "Needs work"]);
    let left = octo.delete("/repos/octo/demo/issues/1/labels/Needs%20work");
    assert_eq!(names(&left.expect(200).json()), ["bug"]);
    let missing = octo
        .delete("/repos/octo/demo/issues/1/labels/wip")
        .expect(404)
        .json();
    assert_eq!(missing["message"], "Label does not exist");
}

#[test]
fn comments_are_written_and_edited_by_their_author() {
    let world = World::start();
    let (octo, guest) = (world.client("octo"), world.client("guest"));
    octo.post(ISSUES, &json!({"title": "x"})).expect(201);
    let comments = "/repos/octo/demo/issues/1/comments";
    let made = guest
        .post(comments, &json!({"body": "Me too"}))
        .expect(201)
        .json();
    let one = format!("/repos/octo/demo/issues/comments/{}", made["id"]);
    assert!(
        made["html_url"]
            .as_str()
            .unwrap()
            .contains("/octo/demo/issues/1#issuecomment-")
    );
    assert_eq!(octo.get("/repos/octo/demo/issues/1").json()["comments"], 1);
    let edited = octo
        .patch(&one, &json!({"body": "Moderated"}))
        .expect(200)
        .json();
    assert_eq!(edited["body"], "Moderated");
    octo.post(comments, &json!({"body": " "})).expect(422);
    let foreign = octo
        .post(comments, &json!({"body": "Mine"}))
        .expect(201)
        .json();
    let foreign = format!("/repos/octo/demo/issues/comments/{}", foreign["id"]);
    guest.patch(&foreign, &json!({"body": "Yours"})).expect(403);
    assert_eq!(octo.get(&one).expect(200).json()["body"], "Moderated");

    let issue = octo.get("/repos/octo/demo/issues/1").json()["node_id"].clone();
    let lock = json!({"lockableId": issue, "lockReason": "RESOLVED"});
    octo.mutate("lockLockable", "clientMutationId", &lock);
    let locked = guest
        .post(comments, &json!({"body": "Still"}))
        .expect(403)
        .json();
    assert_eq!(
        locked["message"],
        "Unable to create comment because issue is locked."
    );
    octo.post(comments, &json!({"body": "Final"})).expect(201);
    let unlock = json!({"lockableId": issue});
    octo.mutate("unlockLockable", "clientMutationId", &unlock);
    guest.post(comments, &json!({"body": "Again"})).expect(201);
}

#[test]
fn one_reacts_once_in_each_way() {
    let world = World::start();
    let octo = world.client("octo");
    octo.post(ISSUES, &json!({"title": "x"})).expect(201);
    let comments = "/repos/octo/demo/issues/1/comments";
    let made = octo.post(comments, &json!({"body": "Me too"})).expect(201);
    let comment = format!("/repos/octo/demo/issues/comments/{}", made.json()["id"]);
    let reactions = format!("{comment}/reactions");
    octo.post(&reactions, &json!({"content": "+1"})).expect(201);
    octo.post(&reactions, &json!({"content": "+1"})).expect(200);
    octo.post(&reactions, &json!({"content": "shrug"}))
        .expect(422);
    world
        .client("guest")
        .post(&reactions, &json!({"content": "eyes"}))
        .expect(201);
    let rollup = octo.get(&comment).json()["reactions"].clone();
    assert_eq!(
        (&rollup["total_count"], &rollup["+1"]),
        (&json!(2), &json!(1))
    );
}

fn names(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap().iter();
    list.map(|item| item["name"].as_str().unwrap()).collect()
}

fn numbers(list: &Value) -> Vec<i64> {
    let list = list.as_array().unwrap().iter();
    list.map(|item| item["number"].as_i64().unwrap()).collect()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}
