use baton_forge::NewAccount;
use serde_json::json;

use crate::world::World;

#[test]
fn bad_requests_are_answered_in_githubs_words() {
    let world = World::start();
    let octo = world.client("octo");
    let mut shown = Vec::new();
    let mut show = |what: &str, answer: crate::world::Response| {
        assert_eq!(
            answer.header("content-type").unwrap().split(';').next(),
            Some("application/json"),
            "{what}"
        );
        shown.push(format!("{what}: {} {}", answer.status, answer.text()));
    };
    show("no such route", octo.get("/api/v3/nothing/here"));
    show("no such method", octo.delete("/api/v3/user"));
    let old = octo.clone().header("X-GitHub-Api-Version", "1999-01-01");
    show("version", old.get("/user"));
    let image = octo.clone().header("Accept", "image/png");
    show("accept", image.get("/user"));
    show("wrong token", world.with_token("nonsense").get("/user"));
    insta::assert_snapshot!(shown.join("\n"), @r#"
    no such route: 404 {"message":"Not Found","documentation_url":"https://docs.github.com/rest","status":"404"}
    no such method: 404 {"message":"Not Found","documentation_url":"https://docs.github.com/rest","status":"404"}
    version: 400 {"message":"Version \"1999-01-01\" is not a supported version. See the documentation for supported versions.","documentation_url":"https://docs.github.com/rest","status":"400"}
    accept: 415 {"message":"Unsupported 'Accept' header: \"image/png\". Must accept 'application/json'.","documentation_url":"https://docs.github.com/rest","status":"415"}
    wrong token: 401 {"message":"Bad credentials","documentation_url":"https://docs.github.com/rest","status":"401"}
    "#);
}

#[test]
fn the_forges_own_api_is_for_its_administrator() {
    let world = World::start();
    let fault = json!({ "kind": "reset_before" });
    world.anonymous().post("/_forge/faults", &fault).expect(401);
    world
        .client("octo")
        .post("/_forge/faults", &fault)
        .expect(403);

    let mut root = NewAccount::user("root");
    root.site_admin = true;
    world.run(world.app().create_account(root)).unwrap();
    let token = world.token("root", &["repo"]);
    let root = world.with_token(&token);
    let mut shown = Vec::new();
    for bad in [
        "",
        "no json",
        "[]",
        r#"{"kind":"nonsense"}"#,
        r#"{"kind":"lag"}"#,
        r#"{"x":1}"#,
    ] {
        let answer = root.send("POST", "/_forge/faults", Some(bad.as_bytes()));
        shown.push(format!(
            "{bad:?} {} {}",
            answer.status,
            answer.json()["message"]
        ));
    }
    insta::assert_snapshot!(shown.join("\n"), @r#"
    "" 422 "Invalid request.\n\nmissing field `kind`"
    "no json" 400 "Problems parsing JSON"
    "[]" 400 "Body should be a JSON object"
    "{\"kind\":\"nonsense\"}" 422 "Invalid request.\n\nunknown variant `nonsense`, expected one of `latency`, `server_error`, `late_server_error`, `reset_before`, `reset_after`, `reset_mid_body`, `truncated_body`, `html_body`, `gzip_bomb`, `primary_rate_limit`, `secondary_rate_limit`, `mergeable_unknown`, `lag`, `revoked_token`, `sso_required`"
    "{\"kind\":\"lag\"}" 422 "Invalid request.\n\ninvalid type: unit variant, expected an object"
    "{\"x\":1}" 422 "Invalid request.\n\nunknown field `x`, expected one of `method`, `path`, `operation`, `skip`, `count`, `kind`"
    "#);
}

#[test]
fn a_renamed_repository_is_found_where_it_went() {
    let world = World::start();
    let octo = world.client("octo");
    octo.post("/repos/octo/demo/issues", &json!({ "title": "It rains" }))
        .expect(201);
    octo.patch("/repos/octo/demo", &json!({ "name": "weather" }))
        .expect(200);

    let moved = octo.get("/repos/octo/demo/issues?state=all").expect(301);
    let location = moved.header("location").unwrap();
    assert!(location.ends_with("/api/v3/repositories/1/issues?state=all"));
    assert_eq!(moved.json()["message"], "Moved Permanently");
    assert_eq!(
        octo.follow(location).expect(200).json()[0]["title"],
        "It rains"
    );

    let write = octo.post("/repos/octo/demo/issues", &json!({ "title": "It pours" }));
    let location = write.expect(307).header("location").unwrap().to_owned();
    let path = location.split_once("/api/v3").unwrap().1;
    octo.post(path, &json!({ "title": "It pours" })).expect(201);
    octo.get("/repos/octo/none").expect(404);
    octo.get("/repositories/99").expect(404);

    // Anyone who may not see it is not told where it went.
    octo.patch("/repos/octo/weather", &json!({ "private": true }))
        .expect(200);
    world.client("guest").get("/repos/octo/demo").expect(404);
    world.client("guest").get("/repositories/1").expect(404);
}

#[test]
fn a_blocked_repository_says_so() {
    let world = World::start();
    for (reason, status) in [("tos", 403), ("dmca", 451)] {
        let blocked = world
            .app()
            .suspend_repository("octo", "demo", Some(reason.to_owned()));
        world.run(blocked).unwrap();
        let answer = world.client("guest").get("/repos/octo/demo").expect(status);
        assert_eq!(answer.json()["message"], "Repository access blocked");
        assert_eq!(answer.json()["block"]["reason"], reason);
    }
}

#[test]
fn a_body_that_is_too_large_is_refused() {
    let world = World::start();
    let body = format!("{{\"title\":\"{}\"}}", "x".repeat(3 << 20));
    let answer = world
        .client("octo")
        .exchange("POST", "/repos/octo/demo/issues", Some(body.as_bytes()))
        .0;
    let answer = crate::world::Response::parse(&answer).expect(413);
    assert_eq!(answer.json()["status"], "413");
}
