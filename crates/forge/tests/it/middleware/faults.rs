//! Every way to misbehave, over real HTTP.

use std::io::{ErrorKind, Read as _};
use std::time::Instant;

use baton_forge::{Fault, FaultKind, NewAccount};
use serde_json::json;

use crate::world::{Response, World};

fn strike(world: &World, kind: FaultKind) -> u64 {
    let fault = Fault::new(kind).on("GET", "/user").times(1);
    world.app().faults().add(fault)
}

/// The answer to `GET /user` under the fault; the one after it is fine again.
fn misbehaving(world: &World, kind: FaultKind) -> Response {
    let id = strike(world, kind);
    let octo = world.client("octo");
    octo.get("/users/octo").expect(200);
    let answer = octo.get("/api/v3/user");
    assert_eq!(world.app().faults().hits(id), 1);
    let after = octo.get("/user").expect(200);
    assert_eq!(after.json()["login"], "octo");
    answer
}

#[test]
fn latency_takes_its_time() {
    let world = World::start();
    let started = Instant::now();
    misbehaving(&world, FaultKind::Latency { milliseconds: 80 }).expect(200);
    // A lower bound: a busy machine can only make it longer.
    assert!(started.elapsed().as_millis() >= 80);
}

#[test]
fn server_errors_are_json_and_may_say_when_to_come_back() {
    let world = World::start();
    let kind = FaultKind::ServerError {
        status: 503,
        retry_after: Some(7),
    };
    let answer = misbehaving(&world, kind).expect(503);
    assert_eq!(answer.header("retry-after"), Some("7"));
    assert_eq!(answer.json()["message"], "Server Error");
}

#[test]
fn a_connection_is_reset_before_anything_is_sent() {
    let world = World::start();
    let id = strike(&world, FaultKind::ResetBefore);
    let (bytes, end) = world.client("octo").exchange("GET", "/user", None);
    assert!(bytes.is_empty());
    assert_eq!(end.unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!(world.app().faults().hits(id), 1);
    world.client("octo").get("/user").expect(200);
}

#[test]
fn a_connection_is_reset_in_the_middle_of_the_body() {
    let world = World::start();
    let whole = world.client("octo").get("/user").expect(200);
    strike(&world, FaultKind::ResetMidBody);
    let (bytes, end) = world.client("octo").exchange("GET", "/user", None);
    assert_eq!(end.unwrap_err().kind(), ErrorKind::ConnectionReset);
    let answer = Response::parse(&bytes).expect(200);
    let announced: usize = answer.header("content-length").unwrap().parse().unwrap();
    assert_eq!(announced, whole.body.len());
    assert_eq!(answer.body, whole.body[..announced / 2]);
}

#[test]
fn a_body_is_cut_short_and_looks_whole() {
    let world = World::start();
    let whole = world.client("octo").get("/user").expect(200);
    let answer = misbehaving(&world, FaultKind::TruncatedBody).expect(200);
    assert_eq!(answer.body, whole.body[..whole.body.len() / 2]);
    assert_eq!(
        answer.header("content-length"),
        Some(answer.body.len().to_string().as_str())
    );
}

#[test]
fn a_page_comes_instead_of_json() {
    let world = World::start();
    let answer = misbehaving(&world, FaultKind::HtmlBody { status: 502 }).expect(502);
    assert_eq!(
        answer.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert!(answer.text().starts_with("<!DOCTYPE html>"));
}

#[test]
fn a_small_answer_unpacks_to_a_large_one() {
    let world = World::start();
    let bytes = 64 << 20;
    let answer = misbehaving(&world, FaultKind::GzipBomb { bytes }).expect(200);
    assert_eq!(answer.header("content-encoding"), Some("gzip"));
    assert!(answer.body.len() < 1 << 20, "{}", answer.body.len());
    let mut decoder = flate2::read::GzDecoder::new(&answer.body[..]);
    let mut unpacked = 0;
    let mut chunk = vec![0; 1 << 16];
    loop {
        match decoder.read(&mut chunk).unwrap() {
            0 => break,
            read => unpacked += read as u64,
        }
    }
    assert_eq!(unpacked, bytes + 2);
}

#[test]
fn the_allowance_can_be_said_to_be_used_up() {
    let world = World::start();
    let kind = FaultKind::PrimaryRateLimit { reset_after: 3 };
    let answer = misbehaving(&world, kind).expect(403);
    assert_eq!(answer.header("x-ratelimit-remaining"), Some("0"));
    let message = answer.json()["message"].as_str().unwrap().to_owned();
    assert!(
        message.starts_with("API rate limit exceeded for user ID "),
        "{message}"
    );
    // The real allowance is untouched.
    let after = world.client("octo").get("/user");
    assert_ne!(after.header("x-ratelimit-remaining"), Some("0"));
}

#[test]
fn graphql_is_told_in_an_answer_that_is_fine() {
    let world = World::start();
    let kind = FaultKind::PrimaryRateLimit { reset_after: 3 };
    world
        .app()
        .faults()
        .add(Fault::new(kind).on("POST", "/graphql"));
    let query = json!({ "query": "query Viewer { viewer { login } }" });
    let answer = world.client("octo").post("/graphql", &query).expect(200);
    assert_eq!(answer.json()["errors"][0]["type"], "RATE_LIMITED");
    assert_eq!(answer.header("x-ratelimit-resource"), Some("graphql"));
}

#[test]
fn operations_are_told_apart() {
    let world = World::start();
    let kind = FaultKind::ServerError {
        status: 500,
        retry_after: None,
    };
    let id = world
        .app()
        .faults()
        .add(Fault::new(kind).operation("Second"));
    let octo = world.client("octo");
    let ask = |name: &str| {
        let query = format!("query {name} {{ viewer {{ login }} }}");
        octo.post(
            "/api/graphql",
            &json!({ "query": query, "variables": null }),
        )
        .status
    };
    assert_ne!(ask("First"), 500);
    assert_eq!(ask("Second"), 500);
    assert_eq!(world.app().faults().hits(id), 1);
}

#[test]
fn too_fast_is_told_while_there_is_quota() {
    let world = World::start();
    for status in [403, 429] {
        let kind = FaultKind::SecondaryRateLimit {
            status,
            retry_after: Some(1),
        };
        let answer = misbehaving(&world, kind).expect(status);
        assert_eq!(answer.header("retry-after"), Some("1"));
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("You have exceeded a secondary rate limit"));
    }
    let kind = FaultKind::SecondaryRateLimit {
        status: 403,
        retry_after: None,
    };
    assert_eq!(misbehaving(&world, kind).header("retry-after"), None);
}

#[test]
fn a_token_is_revoked_for_a_while() {
    let world = World::start();
    let answer = misbehaving(&world, FaultKind::RevokedToken).expect(401);
    assert_eq!(answer.json()["message"], "Bad credentials");
}

#[test]
fn single_sign_on_is_asked_for() {
    let world = World::start();
    let kind = FaultKind::SsoRequired {
        organization: "acme\r\nX: y".to_owned(),
    };
    let answer = misbehaving(&world, kind).expect(403);
    insta::assert_snapshot!(answer.header("x-github-sso").unwrap(), @"required; url=https://github.com/orgs/acmeXy/sso?authorization_request=AAAAAAAAAAAAAAAA");
}

#[test]
fn faults_are_set_listed_and_taken_back_over_http() {
    let world = World::start();
    let mut root = NewAccount::user("root");
    root.site_admin = true;
    world.run(world.app().create_account(root)).unwrap();
    let root = world.with_token(&world.token("root", &["repo"]));

    let fault = json!({
        "method": "GET", "path": "/users/*", "skip": 1, "count": 2,
        "kind": { "server_error": { "status": 502, "retry_after": null } },
    });
    let added = root.post("/_forge/faults", &fault).expect(201).json();
    let statuses: Vec<u16> = (0..4).map(|_| root.get("/users/octo").status).collect();
    assert_eq!(statuses, [200, 502, 502, 200]);
    insta::assert_snapshot!(root.get("/_forge/faults").expect(200).text(), @r#"[{"id":1,"kind":"server_error","method":"GET","path":"/users/*","operation":null,"skip":1,"count":2,"seen":3,"hits":2}]"#);

    let address = format!("/_forge/faults/{}", added["id"]);
    root.delete(&address).expect(204);
    root.delete(&address).expect(404);
    root.post("/_forge/faults", &json!({ "kind": "reset_before" }))
        .expect(201);
    root.delete("/_forge/faults").expect(204);
    assert_eq!(root.get("/_forge/faults").json(), json!([]));
    root.get("/user").expect(200);
}

fn titles(world: &World) -> Vec<String> {
    let issues = world.client("octo").get("/repos/octo/demo/issues");
    let issues = issues.expect(200).json();
    let all = issues.as_array().unwrap().iter();
    all.map(|issue| issue["title"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_lost_answer_was_done_nevertheless() {
    let world = World::start();
    let issue = json!({ "title": "Once" }).to_string();
    let path = "/repos/octo/demo/issues";
    let faults = world.app().faults();
    faults.add(Fault::new(FaultKind::ResetAfter).on("POST", path).times(1));
    let octo = world.client("octo");
    let (bytes, end) = octo.exchange("POST", path, Some(issue.as_bytes()));
    assert!(bytes.is_empty());
    assert_eq!(end.unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!(titles(&world), ["Once"]);

    let late = FaultKind::LateServerError { status: 502 };
    faults.add(Fault::new(late).on("POST", path).times(1));
    octo.post(path, &json!({ "title": "Twice" })).expect(502);
    assert_eq!(titles(&world), ["Twice", "Once"]);

    faults.add(Fault::new(FaultKind::ResetBefore).on("POST", path).times(1));
    octo.exchange("POST", path, Some(issue.as_bytes()))
        .1
        .unwrap_err();
    assert_eq!(titles(&world).len(), 2);
}

#[test]
fn a_read_can_be_late() {
    let world = World::start();
    let path = "/repos/octo/demo/issues";
    let octo = world.client("octo");
    octo.post(path, &json!({ "title": "Old" })).expect(201);
    // A minute: everything that this test writes is younger.
    let kind = FaultKind::Lag {
        milliseconds: 60_000,
    };
    let id = world.app().faults().add(Fault::new(kind));
    let new = octo.post(path, &json!({ "title": "New" })).expect(201);
    let new = format!("{path}/{}", new.json()["number"]);
    assert_eq!(titles(&world), ["Old"]);
    octo.get(&new).expect(404);
    // A write is done on what is true now.
    octo.patch(&new, &json!({ "title": "Newer" })).expect(200);
    assert_eq!(titles(&world), ["Old"]);
    // So is a token that was issued just now.
    let token = world.token("octo", &["repo"]);
    world.with_token(&token).get("/user").expect(200);

    world.app().faults().remove(id);
    assert_eq!(titles(&world), ["Newer", "Old"]);

    // A lag that is over by the time of the read hides nothing.
    let kind = FaultKind::Lag { milliseconds: 1 };
    world.app().faults().add(Fault::new(kind));
    octo.post(path, &json!({ "title": "Newest" })).expect(201);
    let seen = world.wait_for(|| Some(titles(&world)).filter(|titles| titles.len() == 3));
    assert_eq!(seen, ["Newest", "Newer", "Old"]);
}

#[test]
fn whether_it_merges_is_not_known_yet() {
    let world = World::start();
    let repo = world.checkout();
    repo.git(&["checkout", "--quiet", "-b", "rain"]);
    repo.commit_file("rain.txt", "drops\n", "Let it rain");
    repo.git(&["push", "--quiet", "origin", "rain"]);
    let octo = world.client("octo");
    let pull = json!({ "title": "Rain", "head": "rain", "base": "main" });
    octo.post("/repos/octo/demo/pulls", &pull).expect(201);
    let pull = "/repos/octo/demo/pulls/1";
    let known = || octo.get(pull).expect(200).json()["mergeable"].as_bool();
    world.wait_for(known);
    let fault = Fault::new(FaultKind::MergeableUnknown).on("GET", pull);
    world.app().faults().add(fault.times(2));
    for _ in 0..2 {
        let body = octo.get(pull).expect(200).json();
        assert_eq!(body["mergeable"], json!(null));
        assert_eq!(body["mergeable_state"], "unknown");
        assert_eq!(body["title"], "Rain");
    }
    assert_eq!(known(), Some(true));
}
