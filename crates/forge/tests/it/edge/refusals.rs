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
    "" 400 "Problems parsing JSON"
    "no json" 400 "Problems parsing JSON"
    "[]" 422 "Invalid request.\n\ninvalid length 0, expected struct Fault with 6 elements at line 1 column 2"
    "{\"kind\":\"nonsense\"}" 422 "Invalid request.\n\nkind: unknown variant `nonsense`, expected one of `latency`, `server_error`, `late_server_error`, `reset_before`, `reset_after`, `reset_mid_body`, `truncated_body`, `html_body`, `gzip_bomb`, `primary_rate_limit`, `secondary_rate_limit`, `mergeable_unknown`, `lag`, `revoked_token`, `sso_required` at line 1 column 18"
    "{\"kind\":\"lag\"}" 422 "Invalid request.\n\nkind.lag: invalid type: unit variant, expected struct variant at line 1 column 14"
    "{\"x\":1}" 422 "Invalid request.\n\nx: unknown field `x`, expected one of `method`, `path`, `operation`, `skip`, `count`, `kind` at line 1 column 4"
    "#);
}
