use std::collections::BTreeSet;
use std::io::Read as _;

use baton_forge::{NewAccount, Settings};

use crate::world::World;

#[test]
fn an_answer_says_what_it_is_and_for_whom() {
    let world = World::start();
    let answer = world.client("octo").get("/api/v3/user");
    let shown: Vec<String> = [
        "content-type",
        "cache-control",
        "vary",
        "x-github-media-type",
        "x-github-api-version-selected",
        "x-oauth-scopes",
        "x-accepted-oauth-scopes",
        "x-ratelimit-resource",
        "x-content-type-options",
    ]
    .iter()
    .map(|name| format!("{name}: {}", answer.header(name).unwrap_or("-")))
    .collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    content-type: application/json; charset=utf-8
    cache-control: private, max-age=60, s-maxage=60
    vary: Accept, Authorization, Cookie, X-GitHub-OTP, Accept-Encoding
    x-github-media-type: github.v3; format=json
    x-github-api-version-selected: 2022-11-28
    x-oauth-scopes: repo, read:org, gist, workflow, delete_repo
    x-accepted-oauth-scopes: 
    x-ratelimit-resource: core
    x-content-type-options: nosniff
    ");
    // Any page in the user's browser could read the forge with this one.
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

#[test]
fn request_ids_differ() {
    let world = World::start();
    let ids: BTreeSet<String> = (0..5)
        .map(|_| world.anonymous().get("/user"))
        .map(|answer| answer.header("x-github-request-id").unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), 5);
    for id in &ids {
        assert_eq!(id.split(':').count(), 5, "{id}");
        assert!(
            id.chars().all(|c| c.is_ascii_hexdigit() || c == ':'),
            "{id}"
        );
    }
}

#[test]
fn scopes_are_those_of_the_token() {
    let world = World::start();
    let token = world.token("octo", &["repo", "gist"]);
    let answer = world.with_token(&token).get("/user");
    assert_eq!(answer.header("x-oauth-scopes"), Some("repo, gist"));
    let anonymous = world.anonymous().get("/users/octo").expect(200);
    assert_eq!(anonymous.header("x-oauth-scopes"), None);
    assert!(
        anonymous
            .header("cache-control")
            .unwrap()
            .starts_with("public")
    );
}

#[test]
fn the_api_is_where_each_client_looks_for_it() {
    let world = World::start();
    for path in [
        "/user",
        "/api/v3/user",
        "http://api.github.localhost/user",
        "http://github.localhost/api/v3/user",
    ] {
        let answer = world.client("octo").get(path).expect(200);
        assert_eq!(answer.json()["login"], "octo", "{path}");
    }
    let by_host = world.client("octo").header("X-Forwarded-Host", "api.x");
    assert_eq!(by_host.get("/user").status, 200);
}

#[test]
fn large_answers_are_packed_for_those_who_can_unpack() {
    let world = World::start_with(|settings: &mut Settings| {
        settings.public_url = Some(format!("http://{}.example", "long".repeat(20)));
    });
    world
        .run(world.app().create_account(NewAccount::user("other")))
        .unwrap();
    let plain = world.client("octo").get("/users/other").expect(200);
    assert_eq!(plain.header("content-encoding"), None);
    let client = world
        .client("octo")
        .header("Accept-Encoding", "deflate, gzip");
    let packed = client.get("/users/other").expect(200);
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert!(packed.body.len() < plain.body.len());
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&packed.body[..])
        .read_to_end(&mut unpacked)
        .unwrap();
    assert_eq!(unpacked, plain.body);
    assert_eq!(packed.header("etag"), plain.header("etag"));
    let refusing = world.client("octo").header("Accept-Encoding", "gzip;q=0");
    assert_eq!(
        refusing.get("/users/other").header("content-encoding"),
        None
    );
}
