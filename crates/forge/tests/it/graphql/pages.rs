//! Lists, and how much of them one may have.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::open_issue;
use crate::world::{Client, World};

const ISSUES: &str = "query($first: Int, $last: Int, $after: String, $before: String) {
    repository(owner: \"octo\", name: \"demo\") {
        issues(first: $first, last: $last, after: $after, before: $before) {
            totalCount nodes { number } edges { cursor node { number } }
            pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        }
    }
}";

fn page(client: &Client, variables: &Value) -> (Vec<i64>, Value) {
    let mut list = client.data(ISSUES, variables)["repository"]["issues"].take();
    let nodes = list["nodes"].as_array().unwrap();
    let numbers = nodes
        .iter()
        .map(|node| node["number"].as_i64().unwrap())
        .collect();
    assert_eq!(list["totalCount"], 5);
    (numbers, list["pageInfo"].take())
}

#[test]
fn a_list_is_read_page_by_page_from_either_end() {
    let world = World::start();
    let octo = world.client("octo");
    for number in 1..=5 {
        open_issue(&octo, &format!("Issue {number}"));
    }
    let (numbers, info) = page(&octo, &json!({ "first": 2 }));
    assert_eq!(numbers, [1, 2]);
    assert_eq!(
        (&info["hasNextPage"], &info["hasPreviousPage"]),
        (&json!(true), &json!(false))
    );
    let (numbers, info) = page(&octo, &json!({ "first": 2, "after": info["endCursor"] }));
    assert_eq!(numbers, [3, 4]);
    let (numbers, info) = page(&octo, &json!({ "first": 2, "after": info["endCursor"] }));
    assert_eq!(numbers, [5]);
    assert_eq!(
        (&info["hasNextPage"], &info["hasPreviousPage"]),
        (&json!(false), &json!(true))
    );
    let (numbers, info) = page(&octo, &json!({ "last": 2 }));
    assert_eq!(numbers, [4, 5]);
    let (numbers, _) = page(&octo, &json!({ "last": 2, "before": info["startCursor"] }));
    assert_eq!(numbers, [2, 3]);
}

#[test]
fn a_page_needs_a_size_that_is_not_too_large() {
    let world = World::start();
    let octo = world.client("octo");
    let asked = |list: &str| {
        let query = format!("{{ repository(owner: \"octo\", name: \"demo\") {{ {list} }} }}");
        octo.complaints(&query, &json!({}))
    };
    insta::assert_snapshot!(
        asked("issues { nodes { id } }"),
        @"MISSING_PAGINATION_BOUNDARIES: You must provide a `first` or `last` value to properly paginate the `issues` connection."
    );
    insta::assert_snapshot!(
        asked("issues(first: 101) { nodes { id } }"),
        @"EXCESSIVE_PAGINATION: Requesting 101 records on the `issues` connection exceeds the `first` limit of 100 records."
    );
    insta::assert_snapshot!(
        asked("issues(first: -1) { nodes { id } }"),
        @"INVALID_PAGINATION_BOUNDARIES: `first` on the `issues` connection cannot be less than zero."
    );
    insta::assert_snapshot!(
        asked("issues(first: 1, last: 1) { nodes { id } }"),
        @"INVALID_PAGINATION_BOUNDARIES: Passing both `first` and `last` to paginate the `issues` connection is not supported."
    );
    insta::assert_snapshot!(
        asked("issues(first: 1, after: \"nonsense\") { nodes { id } }"),
        @"INVALID_CURSOR_ARGUMENTS: `nonsense` does not appear to be a valid cursor."
    );
    let query = "{ repository(owner: \"octo\", name: \"demo\") { issues { totalCount } } }";
    let data = octo.data(query, &json!({}));
    assert_eq!(data["repository"]["issues"], json!({ "totalCount": 0 }));
}

#[test]
fn too_much_at_once_is_refused_before_it_is_looked_for() {
    let world = World::start();
    let octo = world.client("octo");
    let query = "{ repository(owner: \"octo\", name: \"demo\") { issues(first: 100) { nodes {
        comments(first: 100) { nodes { reactionGroups { reactors(first: 100) { nodes { __typename } } } } }
    } } } }";
    insta::assert_snapshot!(
        octo.complaints(query, &json!({})),
        @"MAX_NODE_LIMIT_EXCEEDED: This query requests up to 1,010,100 possible nodes which exceeds the maximum limit of 500,000."
    );
    let mut bomb = "{ ...F0 }".to_owned();
    for at in 0..25 {
        let next = at + 1;
        let _ = write!(bomb, "fragment F{at} on Query {{ ...F{next} ...F{next} }}");
    }
    bomb.push_str("fragment F25 on Query { viewer { login } }");
    insta::assert_snapshot!(
        octo.complaints(&bomb, &json!({})),
        @"RESOURCE_LIMITS_EXCEEDED: Resource limits for this query exceeded."
    );
}

#[test]
fn a_question_says_what_it_costs() {
    let world = World::start();
    let octo = world.client("octo");
    let query = "{ rateLimit { cost limit nodeCount remaining resetAt used }
        repository(owner: \"octo\", name: \"demo\") { issues(first: 50) { nodes { labels(first: 10) { nodes { name } } } } } }";
    let body = json!({ "query": query });
    let answer = octo.post("/api/graphql", &body).expect(200);
    let limit = answer.json()["data"]["rateLimit"].take();
    assert_eq!(
        (&limit["cost"], &limit["nodeCount"]),
        (&json!(1), &json!(550))
    );
    assert_eq!(answer.header("x-ratelimit-resource"), Some("graphql"));
    let remaining = limit["remaining"].to_string();
    assert_eq!(
        answer.header("x-ratelimit-remaining"),
        Some(remaining.as_str())
    );
}
