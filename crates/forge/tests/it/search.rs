use baton_forge::NewRepository;
use serde_json::json;

use crate::world::{Client, World};

#[test]
fn issues_are_found_by_words_and_qualifiers() {
    let world = World::start();
    let octo = world.client("octo");
    populate(&world);
    let found = |query: &str| numbers(&octo, query);
    assert_eq!(found("crash repo:octo/demo"), [3, 1]);
    assert_eq!(found("crash in:title repo:octo/demo"), [1]);
    assert_eq!(found("\"on start\" repo:octo/demo"), [1]);
    assert_eq!(found("repo:octo/demo -crash"), [2]);
    assert_eq!(found("repo:octo/demo NOT crash state:open"), [2]);
    assert_eq!(found("repo:octo/demo is:closed"), [3]);
    assert_eq!(found("repo:octo/demo type:pr"), [0; 0]);
    assert_eq!(found("repo:octo/demo is:issue label:bug"), [1]);
    assert_eq!(found("repo:octo/demo label:\"good first issue\""), [2]);
    assert_eq!(
        found("repo:octo/demo label:bug,\"good first issue\""),
        [2, 1]
    );
    assert_eq!(found("repo:octo/demo -label:bug"), [3, 2]);
    assert_eq!(found("repo:octo/demo no:label"), [3]);
    assert_eq!(found("repo:octo/demo no:assignee"), [3, 1]);
    assert_eq!(found("repo:octo/demo assignee:@me"), [2]);
    assert_eq!(found("repo:octo/demo author:guest"), [3]);
    assert_eq!(found("repo:octo/demo involves:reviewer"), [3, 2]);
    assert_eq!(found("repo:octo/demo commenter:reviewer"), [3]);
    assert_eq!(found("repo:octo/demo mentions:reviewer"), [2]);
    assert_eq!(found("repo:octo/demo no:label sort:created-asc"), [3]);
    assert_eq!(found("repo:octo/demo sort:created-asc"), [1, 2, 3]);
    assert_eq!(found("repo:octo/demo is:merged"), [0; 0]);
    assert_eq!(
        found("repo:octo/demo head:x base:y draft:true review-requested:@me"),
        [0; 0]
    );
    assert_eq!(found("repo:octo/demo % _ ' \" ; --"), [0; 0]);
}

#[test]
fn a_search_shows_only_what_one_may_read() {
    let world = World::start();
    populate(&world);
    let guest = world.client("guest");
    assert_eq!(numbers(&world.client("octo"), "secret"), [1]);
    assert_eq!(numbers(&guest, "secret"), [0; 0]);
    assert_eq!(numbers(&guest, "user:octo crash"), [3, 1]);
    let closed = guest
        .get("/search/issues?q=repo:octo/closed")
        .expect(422)
        .json();
    assert_eq!(closed["errors"][0]["field"], "q");
    guest.get("/search/issues").expect(422);
    guest.get("/search/issues?q=author:@me").expect(200);
    world
        .anonymous()
        .get("/search/issues?q=author:@me")
        .expect(401);

    let page = guest
        .get("/search/issues?q=user:octo&per_page=2&sort=created&order=asc")
        .expect(200);
    assert!(page.link("next").unwrap().contains("q=user:octo"));
    let body = page.json();
    assert_eq!(
        (&body["total_count"], &body["items"][0]["number"]),
        (&json!(3), &json!(1))
    );
    assert_eq!(body["items"][0]["score"], 1.0);
}

#[test]
fn a_search_with_an_unknown_qualifier_is_refused() {
    let world = World::start();
    populate(&world);
    for query in ["milestone:later", "is:sponsored", "no:milestone"] {
        let path = format!("/search/issues?q=repo:octo/demo+{query}");
        let refused = world.client("octo").get(&path).expect(422).json();
        let message = refused["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains(query), "{message}");
    }
}

fn populate(world: &World) {
    let (octo, guest, reviewer) = (
        world.client("octo"),
        world.client("guest"),
        world.client("reviewer"),
    );
    let issues = "/repos/octo/demo/issues";
    octo.post(
        issues,
        &json!({"title": "Crash ON start", "labels": ["bug"]}),
    )
    .expect(201);
    octo.post(issues, &json!({"title": "Idea", "body": "Ask @reviewer", "labels": ["good first issue"], "assignees": ["octo"]})).expect(201);
    guest
        .post(
            issues,
            &json!({"title": "Question", "body": "Is it a crash?"}),
        )
        .expect(201);
    reviewer
        .post(
            "/repos/octo/demo/issues/3/comments",
            &json!({"body": "No."}),
        )
        .expect(201);
    octo.patch(
        "/repos/octo/demo/issues/3",
        &json!({"state": "closed", "state_reason": "not_planned"}),
    )
    .expect(200);
    world.create_repository(NewRepository {
        private: true,
        ..NewRepository::new("octo", "closed")
    });
    octo.post("/repos/octo/closed/issues", &json!({"title": "A secret"}))
        .expect(201);
}

fn numbers(client: &Client, query: &str) -> Vec<i64> {
    let encoded: String = query
        .bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect();
    let body = client
        .get(&format!("/search/issues?q={encoded}"))
        .expect(200)
        .json();
    let items = body["items"].as_array().unwrap();
    assert_eq!(body["total_count"], json!(items.len()));
    items
        .iter()
        .map(|item| item["number"].as_i64().unwrap())
        .collect()
}
