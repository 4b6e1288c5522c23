//! What is said to a question that cannot be answered.

use serde_json::{Value, json};

use super::{open_issue, repository_id};
use crate::world::World;

#[test]
fn what_is_not_there_is_a_null_with_an_error() {
    let world = World::start();
    let octo = world.client("octo");
    let answer = octo.graphql(
        "{ repository(owner: \"octo\", name: \"none\") { id } viewer { login } }",
        &json!({}),
    );
    assert_eq!(
        answer,
        json!({
            "data": { "repository": null, "viewer": { "login": "octo" } },
            "errors": [{
                "type": "NOT_FOUND",
                "path": ["repository"],
                "locations": [{ "line": 1, "column": 3 }],
                "message": "Could not resolve to a Repository with the name 'octo/none'.",
            }],
        })
    );
    let query = "{
        user(login: \"stranger\") { id }
        organization(login: \"octo\") { id }
        node(id: \"PR_nothing\") { id }
        nodes(ids: [\"I_AAAAAAAAACo\"]) { id }
        repository(owner: \"octo\", name: \"demo\") {
            pullRequest(number: 7) { id }
            issue(number: 7) { id }
            issueOrPullRequest(number: 7) { __typename }
            label(name: \"none\") { id }
            ref(qualifiedName: \"refs/heads/none\") { id }
            object(expression: \"none\") { oid }
        }
    }";
    insta::assert_snapshot!(octo.complaints(query, &json!({})), @"
    NOT_FOUND: Could not resolve to a User with the login of 'stranger'.
    NOT_FOUND: Could not resolve to an Organization with the login of 'octo'.
    NOT_FOUND: Could not resolve to a node with the global id of 'PR_nothing'
    NOT_FOUND: Could not resolve to a node with the global id of 'I_AAAAAAAAACo'
    NOT_FOUND: Could not resolve to a PullRequest with the number of 7.
    NOT_FOUND: Could not resolve to an Issue with the number of 7.
    NOT_FOUND: Could not resolve to an issue or pull request with the number of 7.
    ");
    let data = octo.graphql(query, &json!({}))["data"].take();
    assert_eq!(data["repository"]["ref"], Value::Null);
    assert_eq!(data["nodes"], json!([null]));
}

#[test]
fn a_document_that_is_wrong_is_not_executed() {
    let world = World::start();
    let octo = world.client("octo");
    for (query, message) in [
        (
            "{ viewer { shoeSize } }",
            "Field 'shoeSize' doesn't exist on type 'User'",
        ),
        (
            "{ repository(owner: \"octo\") { id } }",
            "Field 'repository' is missing required arguments: name",
        ),
        (
            "{ viewer(size: 1) { login } }",
            "Field 'viewer' doesn't accept argument 'size'",
        ),
    ] {
        let answer = octo.graphql(query, &json!({}));
        assert_eq!(answer["data"], Value::Null);
        assert_eq!(answer["errors"][0]["message"], message);
        assert_ne!(answer["errors"][0]["extensions"]["code"], Value::Null);
    }
    for query in [
        "",
        "{",
        "{ viewer { login }",
        "query { ...F }",
        "subscription { x }",
    ] {
        let answer = octo.graphql(query, &json!({}));
        assert_eq!(answer.get("data"), None, "{query}");
        assert_ne!(answer["errors"][0]["message"], Value::Null, "{query}");
    }
}

#[test]
fn only_queries_of_known_users_are_read() {
    let world = World::start();
    let query = json!({ "query": "{ viewer { login } }" });
    let anonymous = world.anonymous().post("/api/graphql", &query).expect(401);
    assert_eq!(
        anonymous.json()["message"],
        "This endpoint requires you to be authenticated."
    );
    let octo = world.client("octo");
    let answer = octo.send("POST", "/api/graphql", Some(b"{")).expect(400);
    assert_eq!(answer.json()["message"], "Problems parsing JSON");
    for body in [json!({}), json!({ "query": 7 }), json!([])] {
        let answer = octo.post("/graphql", &body).expect(200).json();
        assert_eq!(
            answer["errors"][0]["message"],
            "A query attribute must be specified and must be a string."
        );
    }
    let body = json!({ "query": "{ viewer { login } }", "variables": null });
    let answer = octo.post("/graphql", &body).expect(200).json();
    assert_eq!(answer, json!({ "data": { "viewer": { "login": "octo" } } }));
}

#[test]
fn one_operation_of_several_is_chosen_by_name() {
    let world = World::start();
    let octo = world.client("octo");
    let query = "query Who { viewer { login } } query Kind { viewer { __typename } }";
    let body = json!({ "query": query, "operationName": "Kind" });
    let answer = octo.post("/api/graphql", &body).expect(200).json();
    assert_eq!(
        answer["data"],
        json!({ "viewer": { "__typename": "User" } })
    );
    let body = json!({ "query": query });
    let answer = octo.post("/api/graphql", &body).expect(200).json();
    assert_ne!(answer["errors"], Value::Null, "{answer}");
}

#[test]
fn a_refused_caller_gets_the_reason() {
    let world = World::start();
    let (octo, guest) = (world.client("octo"), world.client("guest"));
    let issue = open_issue(&octo, "Broken");
    let labels = "{ repository(owner: \"octo\", name: \"demo\") { label(name: \"bug\") { id } } }";
    let label = octo.data(labels, &json!({}))["repository"]["label"]["id"].take();
    insta::assert_snapshot!(
        guest.refused("addLabelsToLabelable", &json!({ "labelableId": issue, "labelIds": [label] })),
        @"FORBIDDEN: Resource not accessible by personal access token"
    );
    insta::assert_snapshot!(
        guest.refused("closeIssue", &json!({ "issueId": issue })),
        @"FORBIDDEN: Resource not accessible by personal access token"
    );
    insta::assert_snapshot!(
        octo.refused("createIssue", &json!({ "repositoryId": repository_id(&octo), "title": " " })),
        @"UNPROCESSABLE: title is missing field"
    );
}

#[test]
fn a_private_repository_is_no_ones_business() {
    let world = World::start();
    let mut secret = baton_forge::NewRepository::new("octo", "secret");
    secret.private = true;
    world.create_repository(secret);
    let (octo, guest) = (world.client("octo"), world.client("guest"));
    let query = "{ repository(owner: \"octo\", name: \"secret\") { id } }";
    let id = octo.data(query, &json!({}))["repository"]["id"].take();
    insta::assert_snapshot!(
        guest.complaints(query, &json!({})),
        @"NOT_FOUND: Could not resolve to a Repository with the name 'octo/secret'."
    );
    let node = "query($id: ID!) { node(id: $id) { id } }";
    assert!(
        guest
            .complaints(node, &json!({ "id": id }))
            .starts_with("NOT_FOUND: ")
    );
    let owned =
        "{ user(login: \"octo\") { repositories(first: 9) { totalCount nodes { name } } } }";
    assert_eq!(
        guest.data(owned, &json!({}))["user"]["repositories"],
        json!({ "totalCount": 1, "nodes": [{ "name": "demo" }] })
    );
}
