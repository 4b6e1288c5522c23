//! Lists that come in pages, and lists that never end.

use std::sync::{Arc, Mutex};

use baton_remote::github::resources::pulls::PullFilter;
use baton_remote::github::{Auth, Event, GitHub, Observer, Server};
use baton_remote::http::Secret;
use serde_json::{Value, json};

use super::server::{Answer, Scripted};
use super::{HEAD, client, pull, repository, settings};

fn next(server: &Scripted, target: &str) -> String {
    format!(
        "<{}{target}>; rel=\"next\", <{0}/x>; rel=\"last\"",
        server.api_url()
    )
}

#[tokio::test]
async fn pages_are_read_to_the_end() {
    let server = Scripted::start().await;
    let second = "/repos/octo/app/pulls?state=open&per_page=100&page=2";
    server.on(
        "GET /repos/octo/app/pulls?state=open&per_page=100",
        Answer::json(200, &json!([pull(1), pull(2)])).header("link", next(&server, second)),
    );
    server.on_json(&format!("GET {second}"), &json!([pull(3)]));
    let github = client(&server);
    let pulls = github
        .pull_requests(&repository(), PullFilter::Open)
        .await
        .unwrap();
    let numbers: Vec<u32> = pulls.items.iter().map(|pull| pull.number).collect();
    assert_eq!((numbers, pulls.truncated), (vec![1, 2, 3], false));
}

#[tokio::test]
async fn an_endless_list_is_cut_and_marked_as_truncated() {
    let server = Scripted::start().await;
    let first = "/repos/octo/app/check-runs/9/annotations?per_page=100".to_owned();
    let page = |number: usize| format!("{first}&page={number}");
    let annotation = json!({ "path": "a.rs", "start_line": 1, "end_line": 1, "message": null });
    for number in 1..=40 {
        let route = if number == 1 {
            first.clone()
        } else {
            page(number)
        };
        server.on(
            &format!("GET {route}"),
            Answer::json(200, &json!([annotation]))
                .header("link", next(&server, &page(number + 1))),
        );
    }
    let github = client(&server);
    let annotations = github.annotations(&repository(), 9).await.unwrap();
    assert_eq!((annotations.items.len(), annotations.truncated), (30, true));
}

#[tokio::test]
async fn items_below_a_field_are_joined() {
    let server = Scripted::start().await;
    let run = |id: u64| json!({ "id": id, "name": "build", "head_sha": HEAD, "status": "completed", "conclusion": "success" });
    let second = "/repos/octo/app/commits/main/check-runs?filter=latest&per_page=100&page=2";
    server.on(
        "GET /repos/octo/app/commits/main/check-runs?filter=latest&per_page=100",
        Answer::json(200, &json!({ "total_count": 2, "check_runs": [run(1)] }))
            .header("link", next(&server, second)),
    );
    server.on_json(
        &format!("GET {second}"),
        &json!({ "total_count": 2, "check_runs": [run(2)] }),
    );
    let github = client(&server);
    let runs = github.check_runs(&repository(), "main").await.unwrap();
    let ids: Vec<u64> = runs.items.iter().map(|run| run.id).collect();
    assert_eq!(ids, [1, 2]);
}

#[tokio::test]
async fn a_page_without_its_items_is_no_empty_list() {
    let server = Scripted::start().await;
    let route = "GET /repos/octo/app/commits/main/check-runs?filter=latest&per_page=100";
    server.on_json(route, &json!({ "total_count": 0 }));
    let error = client(&server)
        .check_runs(&repository(), "main")
        .await
        .unwrap_err();
    insta::assert_snapshot!(error, @"cannot list the checks of 'main' in octo/app: the answer is not what was expected: check_runs: invalid type: null, expected a sequence");
}

/// GitHub ignores a filter that it does not understand.
#[tokio::test]
async fn pull_requests_of_other_branches_are_left_out() {
    let server = Scripted::start().await;
    let route = "GET /repos/octo/app/pulls?state=all&head=octo%3Afix%2Fdoor&per_page=100";
    server.on_json(route, &json!([pull(1)]));
    let github = client(&server);
    let pulls = github
        .pull_requests_from(&repository(), "octo", "fix/door", PullFilter::All)
        .await
        .unwrap();
    assert!(pulls.items.is_empty());
}

fn checks_page(head: &str, names: &[&str], next: Option<&str>) -> Value {
    let node = |name: &&str| json!({ "__typename": "StatusContext", "id": "S", "context": name, "state": "SUCCESS", "isRequired": false });
    let nodes: Vec<Value> = names.iter().map(node).collect();
    json!({ "data": {
        "rateLimit": { "cost": 1, "remaining": 4999, "resetAt": "2031-05-06T08:00:00Z" },
        "repository": { "pullRequest": {
            "id": "PR_12", "number": 12, "url": "https://github.com/octo/app/pull/12", "state": "OPEN",
            "isDraft": false, "isCrossRepository": false, "baseRefName": "main", "headRefName": "door", "headRefOid": head,
            "commits": { "nodes": [{ "commit": { "oid": head, "statusCheckRollup": {
                "state": "SUCCESS",
                "contexts": { "totalCount": 3, "pageInfo": { "hasNextPage": next.is_some(), "endCursor": next }, "nodes": nodes }
            } } }] }
        } }
    } })
}

fn names(
    github: &baton_remote::github::questions::pull_request_checks::PullRequestChecks,
) -> Vec<String> {
    use baton_remote::github::questions::pull_request_checks::Check;
    let name = |check: &Check| match check {
        Check::Status(status) => status.context.clone(),
        other => panic!("{other:?}"),
    };
    github.head.readable().map(name).collect()
}

#[tokio::test]
async fn cursors_are_followed_and_points_reported() {
    let server = Scripted::start().await;
    for page in [
        checks_page(HEAD, &["a", "b"], Some("two")),
        checks_page(HEAD, &["c"], None),
    ] {
        server.on_graphql("PullRequestChecks", Answer::json(200, &page));
    }
    let points = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&points);
    let observer = Observer::new(move |event| noted.lock().unwrap().push(format!("{event:?}")));
    let auth = Auth::Token(Secret::new("token-of-octo"));
    let place = Server::at(&server.api_url());
    let github = GitHub::new(&place, auth, settings(&server), observer).unwrap();
    let checks = github.pull_request_checks(&repository(), 12).await.unwrap();
    assert_eq!(names(&checks), ["a", "b", "c"]);
    assert!(!checks.head.truncated);
    let sent: Vec<Value> = server
        .seen()
        .into_iter()
        .map(|seen| seen.body["variables"].clone())
        .collect();
    assert_eq!(
        sent,
        [
            json!({ "owner": "octo", "name": "app", "number": 12, "after": null, "firstPage": true, "withBase": false }),
            json!({ "owner": "octo", "name": "app", "number": 12, "after": "two", "firstPage": false, "withBase": false }),
        ]
    );
    insta::assert_snapshot!(points.lock().unwrap()[0], @r#"PointsSpent { document: "pull_request_checks", cost: 1, remaining: 4999, reset: Some(2031-05-06T08:00:00Z) }"#);
}

#[tokio::test]
async fn a_push_between_two_pages_starts_over() {
    let other = "4444444444444444444444444444444444444444";
    let server = Scripted::start().await;
    for page in [
        checks_page(HEAD, &["old"], Some("two")),
        checks_page(other, &["rest"], None),
        checks_page(other, &["new"], Some("two")),
        checks_page(other, &["rest"], None),
    ] {
        server.on_graphql("PullRequestChecks", Answer::json(200, &page));
    }
    let checks = client(&server)
        .pull_request_checks(&repository(), 12)
        .await
        .unwrap();
    assert_eq!(names(&checks), ["new", "rest"]);
    assert_eq!(checks.pull.head_ref_oid.as_str(), other);
}

#[tokio::test]
async fn cursors_without_end_are_cut() {
    let server = Scripted::start().await;
    let page = checks_page(HEAD, &["a"], Some("again"));
    server.on_graphql("PullRequestChecks", Answer::json(200, &page));
    let checks = client(&server)
        .pull_request_checks(&repository(), 12)
        .await
        .unwrap();
    assert_eq!(
        (checks.head.checks.len(), checks.head.truncated),
        (20, true)
    );
}

#[tokio::test]
async fn a_renamed_repository_is_followed_and_reported() {
    let server = Scripted::start().await;
    let target = format!("{}/repositories/77/pulls/12", server.api_url());
    server.on(
        "GET /repos/octo/app/pulls/12",
        Answer::json(
            301,
            &json!({ "message": "Moved Permanently", "url": target }),
        )
        .header("location", target),
    );
    server.on_json("GET /repositories/77/pulls/12", &pull(12));
    let moves = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&moves);
    let observer = Observer::new(move |event| {
        if let Event::RepositoryMoved { repository, to } = event {
            let path = to.split_once("/api/v3").unwrap().1;
            noted
                .lock()
                .unwrap()
                .push(format!("{repository} is at {path}"));
        }
    });
    let auth = Auth::Token(Secret::new("token-of-octo"));
    let place = Server::at(&server.api_url());
    let github = GitHub::new(&place, auth, settings(&server), observer).unwrap();
    github.pull_request(&repository(), 12).await.unwrap();
    assert_eq!(
        *moves.lock().unwrap(),
        ["octo/app is at /repositories/77/pulls/12"]
    );
}
