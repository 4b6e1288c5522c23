//! Where branches were before pushes that took commits away.

use baton_remote::github::questions::force_pushes::PushedSide;
use baton_remote::github::{Fact, GitHubErrorKind, NodeId};
use serde_json::{Value, json};

use super::server::{Answer, Scripted};
use super::{client, repository};

const QUESTION: &str = "ForcePushes";
const TIME: &str = "2026-01-02T03:04:05Z";

fn push(kind: &str, before: Option<char>, after: char) -> Value {
    let commit = |letter: char| json!({ "oid": letter.to_string().repeat(40) });
    json!({
        "__typename": kind, "createdAt": TIME, "actor": { "login": "octo" },
        "beforeCommit": before.map(commit), "afterCommit": commit(after),
    })
}

fn pull(pushes: &[Value], next: Option<&str>) -> Value {
    json!({
        "__typename": "PullRequest", "number": 1, "createdAt": TIME,
        "timelineItems": { "pageInfo": { "hasNextPage": next.is_some(), "endCursor": next }, "nodes": pushes },
    })
}

fn answer(nodes: &Value) -> Answer {
    Answer::json(200, &json!({ "data": { "nodes": nodes } }))
}

fn ids(count: usize) -> Vec<NodeId> {
    (1..=count)
        .map(|number| NodeId::new(format!("PR_{number}")))
        .collect()
}

#[tokio::test]
async fn pushes_are_read_page_by_page_for_each_pull_request() {
    let server = Scripted::start().await;
    let head = "HeadRefForcePushedEvent";
    let first = [push(head, Some('a'), 'b')];
    let long = pull(&[push("BaseRefForcePushedEvent", None, 'c')], Some("two"));
    server.on_graphql(QUESTION, answer(&json!([pull(&first, None), long])));
    let rest = pull(&[push(head, Some('d'), 'e')], None);
    server.on_graphql(QUESTION, answer(&json!([rest])));
    let found = client(&server)
        .force_pushes(&repository(), &ids(2))
        .await
        .unwrap();
    let known: Vec<_> = found.iter().map(|one| one.known().unwrap()).collect();
    assert_eq!(
        known[0].pushes[0].before.as_ref().unwrap().short(),
        "aaaaaaa"
    );
    let sides: Vec<_> = known[1].pushes.iter().map(|push| push.side).collect();
    assert_eq!(sides, [PushedSide::Base, PushedSide::Head]);
    assert_eq!(known[1].pushes[0].before, None);
    assert!(!known[0].truncated && !known[1].truncated);
}

#[tokio::test]
async fn what_is_withheld_is_not_taken_for_nothing() {
    let server = Scripted::start().await;
    let hidden = json!({
        "data": { "nodes": [null, pull(&[Value::Null], None)] },
        "errors": [{ "type": "FORBIDDEN", "path": ["nodes", 0], "message": "Resource not accessible by integration" }],
    });
    server.on_graphql(QUESTION, Answer::json(200, &hidden));
    let found = client(&server)
        .force_pushes(&repository(), &ids(2))
        .await
        .unwrap();
    let why = found[0].unreadable().unwrap();
    assert_eq!(why.reason, "Resource not accessible by integration");
    assert!(found[1].known().unwrap().truncated);
}

#[tokio::test]
async fn the_pages_of_one_pull_request_are_bounded() {
    let server = Scripted::start().await;
    for _ in 0..5 {
        let endless = pull(
            &[push("HeadRefForcePushedEvent", Some('a'), 'b')],
            Some("more"),
        );
        server.on_graphql(QUESTION, answer(&json!([endless])));
    }
    let found = client(&server)
        .force_pushes(&repository(), &ids(1))
        .await
        .unwrap();
    let known = found[0].known().unwrap();
    assert_eq!((known.pushes.len(), known.truncated), (5, true));
}

#[tokio::test]
async fn an_older_server_is_unknown_to_those_who_ask_for_facts() {
    let server = Scripted::start().await;
    let errors = json!([{
        "message": "Field 'timelineItems' doesn't exist on type 'PullRequest'",
        "extensions": { "code": "undefinedField" },
    }]);
    server.on_graphql(QUESTION, Answer::json(200, &json!({ "errors": errors })));
    let asked = client(&server).force_pushes(&repository(), &ids(1)).await;
    let kind = asked.as_ref().unwrap_err().kind();
    assert!(
        matches!(kind, GitHubErrorKind::UnknownToServer { .. }),
        "{kind:?}"
    );
    assert!(matches!(Fact::from_answer(asked), Ok(Fact::Unreadable(_))));
}
