use baton_testkit::github::{Answer, Exceptions, OpenApi};
use serde_json::{Value, json};

use super::{contract, shown};

fn description() -> Option<&'static OpenApi> {
    contract().map(|contract| &contract.rest)
}

fn request_problems(method: &str, target: &str, body: &Value) -> Option<String> {
    let description = description()?;
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    };
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let problems = description.check_request(method, path, query, body.as_bytes());
    Some(shown(&problems))
}

fn answer_problems(method: &str, path: &str, status: u16, body: &str) -> Option<String> {
    let answer = Answer {
        status,
        content_type: "application/json; charset=utf-8",
        body: body.as_bytes(),
    };
    let problems = description()?.check_response(method, path, answer);
    Some(shown(&problems))
}

macro_rules! problems {
    ($problems:expr, @$expected:literal) => {
        if let Some(problems) = $problems {
            insta::assert_snapshot!(problems, @$expected);
        }
    };
}

fn label() -> Value {
    json!({
        "id": 1, "node_id": "LA_1", "url": "https://api.github.com/repos/octo/demo/labels/bug",
        "name": "bug", "description": null, "color": "ff0000", "default": true,
    })
}

#[test]
fn examples_of_the_description_hold() {
    let Some(description) = description() else {
        return;
    };
    let mut problems = Vec::new();
    for (method, path, status, body) in description.examples() {
        let body = body.to_string();
        let answer = Answer {
            status,
            content_type: "application/json",
            body: body.as_bytes(),
        };
        problems.extend(description.check_response(&method, &path, answer));
    }
    let outdated = Exceptions::parse(include_str!("outdated_rest_examples.toml")).unwrap();
    assert_eq!(outdated.idle(&problems), Vec::<String>::new());
    assert_eq!(shown(&outdated.filter(problems)), "");
}

#[test]
fn a_sound_request_passes() {
    problems!(request_problems("GET", "/repos/octo/demo/pulls?state=open&per_page=100&page=2", &Value::Null), @"");
    problems!(request_problems("POST", "/repos/octo/demo/pulls", &json!({ "title": "T", "head": "feature", "base": "main", "draft": true })), @"");
    problems!(request_problems("GET", "/repos/octo/demo/contents/docs/a%20b.md?ref=main", &Value::Null), @"");
    problems!(request_problems("DELETE", "/repos/octo/demo/git/refs/heads/fix/one", &Value::Null), @"");
    problems!(request_problems("GET", "/repositories/1000/issues?per_page=3&page=2", &Value::Null), @"");
    problems!(request_problems("GET", "/repositories/1000", &Value::Null), @"");
}

#[test]
fn a_wrong_request_is_found() {
    problems!(request_problems("GET", "/repos/octo/demo/pulls?state=merged&per_page=many&sate=open", &Value::Null), @"
    GET /repos/{owner}/{repo}/pulls, query: `state` cannot be `merged`
    GET /repos/{owner}/{repo}/pulls, query: `per_page` cannot be `many`
    GET /repos/{owner}/{repo}/pulls, query: GitHub knows no parameter `sate`
    ");
    problems!(request_problems("GET", "/search/issues", &Value::Null), @"GET /search/issues, query: `q` is required");
    problems!(request_problems("POST", "/repos/octo/demo/pulls", &json!({ "title": 1, "head": "feature", "drft": true })), @r#"
    POST /repos/{owner}/{repo}/pulls, request: "base" is a required property
    POST /repos/{owner}/{repo}/pulls, request, /title: 1 is not of type "string"
    POST /repos/{owner}/{repo}/pulls, request, /drft: GitHub knows no such field
    "#);
    problems!(request_problems("POST", "/repos/octo/demo/issues", &Value::Null), @"POST /repos/{owner}/{repo}/issues, request: a body is required");
    problems!(request_problems("DELETE", "/repos/octo/demo/git/refs/heads/x", &json!({ "force": true })), @"DELETE /repos/{owner}/{repo}/git/refs/{ref}, request: GitHub expects no body here");
    problems!(request_problems("GET", "/repos/octo/demo/pull/1", &Value::Null), @"GET /repos/octo/demo/pull/1, request: no such operation is listed in xtask/peers/github/operations.txt; add it if GitHub has it");
    problems!(request_problems("PUT", "/repos/octo/demo/pulls/1", &Value::Null), @"PUT /repos/octo/demo/pulls/1, request: no such operation is listed in xtask/peers/github/operations.txt; add it if GitHub has it");
}

#[test]
fn a_sound_answer_passes() {
    problems!(answer_problems("GET", "/repos/octo/demo/labels/bug", 200, &label().to_string()), @"");
    problems!(answer_problems("DELETE", "/repos/octo/demo/labels/bug", 204, ""), @"");
    problems!(answer_problems("GET", "/repos/octo/demo/labels", 304, ""), @"");
    problems!(answer_problems("GET", "/repos/octo/demo/labels", 401, r#"{"message":"Bad credentials","documentation_url":"https://docs.github.com/rest","status":"401"}"#), @"");
}

/// What GitHub does although its description does not say so.
#[test]
fn refusals_are_as_github_sends_them() {
    let refusal = r#"{"message":"Not Found","documentation_url":"https://docs.github.com/rest","status":"404"}"#;
    problems!(answer_problems("GET", "/repos/octo/demo/collaborators/guest", 404, refusal), @"");
    let invalid = r#"{"message":"Validation Failed","errors":[{"resource":"Label","code":"already_exists","field":"name"}],"documentation_url":"https://docs.github.com/rest","status":"422"}"#;
    problems!(answer_problems("POST", "/repos/octo/demo/labels", 422, invalid), @"");
    problems!(answer_problems("POST", "/repos/octo/demo/labels", 201, invalid), @r#"
    POST /repos/{owner}/{repo}/labels, response 201: "id" is a required property
    POST /repos/{owner}/{repo}/labels, response 201: "node_id" is a required property
    POST /repos/{owner}/{repo}/labels, response 201: "url" is a required property
    POST /repos/{owner}/{repo}/labels, response 201: "name" is a required property
    POST /repos/{owner}/{repo}/labels, response 201: "description" is a required property
    POST /repos/{owner}/{repo}/labels, response 201: "color" is a required property
    POST /repos/{owner}/{repo}/labels, response 201: "default" is a required property
    POST /repos/{owner}/{repo}/labels, response 201, /message: GitHub knows no such field
    POST /repos/{owner}/{repo}/labels, response 201, /errors: GitHub knows no such field
    POST /repos/{owner}/{repo}/labels, response 201, /documentation_url: GitHub knows no such field
    POST /repos/{owner}/{repo}/labels, response 201, /status: GitHub knows no such field
    "#);
}

#[test]
fn a_wrong_answer_is_found() {
    let path = "/repos/octo/demo/labels/bug";
    let changed = |key: &str, value: Value| {
        let mut label = label();
        label[key] = value;
        answer_problems("GET", path, 200, &label.to_string())
    };
    problems!(changed("colour", json!("red")), @"GET /repos/{owner}/{repo}/labels/{name}, response 200, /colour: GitHub knows no such field");
    problems!(changed("id", json!("1")), @r#"GET /repos/{owner}/{repo}/labels/{name}, response 200, /id: "1" is not of type "integer""#);
    problems!(changed("name", Value::Null), @r#"GET /repos/{owner}/{repo}/labels/{name}, response 200, /name: null is not of type "string""#);
    problems!(changed("url", json!("no address")), @r#"GET /repos/{owner}/{repo}/labels/{name}, response 200, /url: "no address" is not a "uri""#);
    problems!(answer_problems("GET", path, 200, "{}"), @r#"
    GET /repos/{owner}/{repo}/labels/{name}, response 200: "id" is a required property
    GET /repos/{owner}/{repo}/labels/{name}, response 200: "node_id" is a required property
    GET /repos/{owner}/{repo}/labels/{name}, response 200: "url" is a required property
    GET /repos/{owner}/{repo}/labels/{name}, response 200: "name" is a required property
    GET /repos/{owner}/{repo}/labels/{name}, response 200: "description" is a required property
    GET /repos/{owner}/{repo}/labels/{name}, response 200: "color" is a required property
    GET /repos/{owner}/{repo}/labels/{name}, response 200: "default" is a required property
    "#);
    problems!(answer_problems("GET", path, 200, "[]"), @r#"GET /repos/{owner}/{repo}/labels/{name}, response 200: [] is not of type "object""#);
    problems!(answer_problems("GET", path, 200, "<html>"), @"GET /repos/{owner}/{repo}/labels/{name}, response 200: the body is not JSON: expected value at line 1 column 1");
    problems!(answer_problems("GET", path, 201, "{}"), @"GET /repos/{owner}/{repo}/labels/{name}, response 201: GitHub answers with 200, 404");
    problems!(answer_problems("DELETE", path, 204, "{}"), @"DELETE /repos/{owner}/{repo}/labels/{name}, response 204: GitHub sends no body here");
    problems!(answer_problems("GET", path, 404, r#"{"error":"Not Found"}"#), @"
    GET /repos/{owner}/{repo}/labels/{name}, response 404, /error: GitHub knows no such field
    GET /repos/{owner}/{repo}/labels/{name}, response 404: GitHub gives `message` with every refusal
    GET /repos/{owner}/{repo}/labels/{name}, response 404: GitHub gives `documentation_url` with every refusal
    ");
}

/// One wrong field deep inside is named with its place, past all alternatives.
#[test]
fn a_problem_is_named_where_it_is() {
    let Some(description) = description() else {
        return;
    };
    let (.., body) = description
        .examples()
        .into_iter()
        .find(|(method, path, ..)| method == "GET" && path == "/repos/{owner}/{repo}/issues")
        .unwrap();
    let mut body = body.clone();
    body[0]["labels"][0]["color"] = json!(7);
    body[0]["user"]["site_admin"] = json!("no");
    let text = body.to_string();
    problems!(answer_problems("GET", "/repos/octo/demo/issues", 200, &text), @r#"
    GET /repos/{owner}/{repo}/issues, response 200, /0/user/site_admin: "no" is not of type "boolean"
    GET /repos/{owner}/{repo}/issues, response 200, /0/labels/0/color: 7 is not of types "null", "string"
    "#);
}

#[test]
fn other_media_types_are_left_alone() {
    let Some(description) = description() else {
        return;
    };
    let answer = Answer {
        status: 200,
        content_type: "application/vnd.github.diff; charset=utf-8",
        body: b"diff --git a/a b/a\n",
    };
    let problems = description.check_response("GET", "/repos/octo/demo/pulls/1", answer);
    assert_eq!(problems, []);
}

#[test]
fn operations_are_known_by_their_templates() {
    let Some(description) = description() else {
        return;
    };
    assert!(description.has("GET", "/repos/{owner}/{repo}/pulls/{pull_number}"));
    assert!(!description.has("GET", "/repos/{owner}/{repo}/pulls/{number}"));
    assert!(!description.has("POST", "/repos/{owner}/{repo}/pulls/{pull_number}"));
}
