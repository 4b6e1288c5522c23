//! Things by their id, and the schema about itself.

use serde_json::{Value, json};

use super::{open_issue, open_pull, text, two_branches};
use crate::world::World;

#[test]
fn every_id_in_an_answer_is_one_that_can_be_asked_for() {
    let world = World::start();
    let repo = two_branches(&world);
    let octo = world.client("octo");
    open_pull(&octo);
    let issue = open_issue(&octo, "Broken");
    octo.mutate(
        "addComment",
        "clientMutationId",
        &json!({ "subjectId": issue, "body": "So it is" }),
    );
    let sha = repo.head();
    let status = json!({ "state": "success", "context": "ci" });
    octo.post(&format!("/api/v3/repos/octo/demo/statuses/{sha}"), &status)
        .expect(201);
    let check = json!({ "name": "test", "head_sha": sha });
    let bot = world.client("ci-bot");
    bot.post("/api/v3/repos/octo/demo/check-runs", &check)
        .expect(201);

    let query = "{ viewer { id __typename } repository(owner: \"octo\", name: \"demo\") {
        id __typename
        defaultBranchRef { id __typename target { id __typename } }
        object(expression: \"main:\") { id __typename ... on Tree { entries { object { id __typename } } } }
        label(name: \"bug\") { id __typename }
        pullRequest(number: 1) { id __typename commits(last: 1) { nodes { commit {
            id __typename
            checkSuites(first: 1) { nodes { id __typename app { id __typename } checkRuns(first: 1) { nodes { id __typename } } } }
            statusCheckRollup { contexts(first: 9) { nodes { ... on StatusContext { id __typename } } } }
        } } } }
        issue(number: 2) { id __typename comments(first: 1) { nodes { id __typename } } }
    } }";
    let mut found = Vec::new();
    collect(&octo.data(query, &json!({})), &mut found);
    let mut kinds: Vec<String> = found.iter().map(|(_, kind)| kind.clone()).collect();
    kinds.sort();
    kinds.dedup();
    assert_eq!(
        kinds,
        [
            "App",
            "Blob",
            "CheckRun",
            "CheckSuite",
            "Commit",
            "Issue",
            "IssueComment",
            "Label",
            "PullRequest",
            "Ref",
            "Repository",
            "StatusContext",
            "Tree",
            "User",
        ]
    );
    for (id, kind) in found {
        let node = octo.data(
            "query($id: ID!) { node(id: $id) { id __typename } }",
            &json!({ "id": id }),
        );
        assert_eq!(node["node"], json!({ "id": id, "__typename": kind }));
    }
}

/// All pairs of an id and its type.
fn collect(value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(object) => {
            if let (Some(id), Some(kind)) = (object.get("id"), object.get("__typename")) {
                found.push((text(id), text(kind)));
            }
            object.values().for_each(|value| collect(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
        _ => {}
    }
}

#[test]
fn the_schema_can_be_asked_about_itself() {
    let world = World::start();
    let octo = world.client("octo");
    let query = "query PullRequest_fields{PullRequest: __type(name: \"PullRequest\"){fields(includeDeprecated: true){name}}}";
    let fields = octo.data(query, &json!({}))["PullRequest"]["fields"].take();
    let names: Vec<_> = fields
        .as_array()
        .unwrap()
        .iter()
        .map(|field| &field["name"])
        .collect();
    assert!(names.contains(&&json!("isInMergeQueue")));
    let query = "{ __schema { queryType { name } mutationType { name } types { name } directives { name } } }";
    let schema = octo.data(query, &json!({}))["__schema"].take();
    assert_eq!(schema["mutationType"]["name"], "Mutation");
    let query = "{ __type(name: \"Actor\") { kind possibleTypes { name } } }";
    let actor = octo.data(query, &json!({}))["__type"].take();
    let kinds = actor["possibleTypes"].as_array().unwrap();
    let mut kinds: Vec<String> = kinds.iter().map(|kind| text(&kind["name"])).collect();
    kinds.sort();
    assert_eq!(actor["kind"], "INTERFACE");
    assert_eq!(kinds, ["Bot", "Organization", "User"]);
}

#[test]
fn fields_come_in_the_order_of_the_question() {
    let world = World::start();
    let _repo = two_branches(&world);
    let octo = world.client("octo");
    open_pull(&octo);
    // What git has to be asked for takes longer than what the database has.
    let query = "{ repository(owner: \"octo\", name: \"demo\") { pullRequest(number: 1) {
        files(first: 1) { nodes { path } } number commits(first: 9) { nodes { commit { message } } } title
    } } }";
    let answer = octo
        .post("/api/graphql", &json!({ "query": query }))
        .expect(200)
        .text();
    let order: Vec<_> = ["files", "number", "commits", "title"]
        .iter()
        .map(|field| answer.find(&format!("\"{field}\"")).unwrap())
        .collect();
    assert!(order.is_sorted(), "{answer}");
}
