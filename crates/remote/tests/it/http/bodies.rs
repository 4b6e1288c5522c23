//! Responses that are large, packed, or invalid.

use baton_remote::http::{Class, Failure, HttpError};
use serde_json::Value;

use super::server::{Answer, Reply, Server, json, reply};
use super::{client, get, message};

async fn failing(answer: impl Into<Answer>) -> (HttpError, Server) {
    let answer = answer.into();
    let server = Server::start(move |_, _| answer.clone()).await;
    let outcome = client(&server).json::<Vec<u8>>(&get("/x")).await;
    (outcome.unwrap_err(), server)
}

async fn message_of(answer: Reply) -> String {
    let (error, server) = failing(answer).await;
    message(&error, &server)
}

#[tokio::test]
async fn packed_answers_are_unpacked() {
    let server = Server::start(|_, _| json("[1, 2]").gzip()).await;
    let numbers: Vec<u8> = client(&server).json(&get("/x")).await.unwrap();
    assert_eq!(numbers, [1, 2]);
}

#[tokio::test]
async fn an_answer_may_have_as_many_bytes_as_its_cap() {
    let server = Server::start(|_, _| reply(200).body("x".repeat(100_000))).await;
    let http = client(&server);
    let reply = http.send(&get("/x").size_cap(100_000)).await.unwrap();
    assert_eq!(reply.bytes().len(), 100_000);
    let error = http.send(&get("/x").size_cap(99_999)).await.unwrap_err();
    assert_eq!(error.class(), Class::TooLarge);
}

#[tokio::test]
async fn a_small_answer_cannot_become_a_large_one() {
    let bomb = reply(200).body(vec![0; 8 << 20]).gzip();
    assert!(bomb.bytes().len() < 10_000);
    let server = Server::start(move |_, _| bomb.clone()).await;
    let call = get("/x").size_cap(1 << 20);
    let error = client(&server).send(&call).await.unwrap_err();
    assert_eq!(error.class(), Class::TooLarge);
    insta::assert_snapshot!(message(&error, &server), @"
    GET http://127.0.0.1:PORT/x: the answer has more than 1.0 MiB
    hint: ask for less at a time
    ");
}

#[tokio::test]
async fn a_page_instead_of_json_is_quoted() {
    let page = "<!doctype html>\n<title>Sign in</title>\u{1b}[2J<p>Please sign in to the network.";
    let answer = reply(200)
        .header("content-type", "text/html; charset=utf-8")
        .body(page);
    insta::assert_snapshot!(message_of(answer).await, @r#"
    GET http://127.0.0.1:PORT/x: an HTML page came instead of JSON; it begins: <!doctype html> <title>Sign in</title>\u{1b}[2J<p>Please sign in to the network.
    hint: check the configured URL, and for a proxy or a login page on the way
    "#);
    // Also without a content type.
    insta::assert_snapshot!(message_of(reply(200).body("\n<html>")).await, @"
    GET http://127.0.0.1:PORT/x: an HTML page came instead of JSON; it begins: <html>
    hint: check the configured URL, and for a proxy or a login page on the way
    ");
}

#[tokio::test]
async fn invalid_json_is_quoted() {
    insta::assert_snapshot!(message_of(reply(200).body("upstream unavailable")).await, @"
    GET http://127.0.0.1:PORT/x: the answer is not JSON; it begins: upstream unavailable
    hint: check the configured URL, and for a proxy or a login page on the way
    ");
    insta::assert_snapshot!(message_of(reply(204)).await, @"
    GET http://127.0.0.1:PORT/x: the answer is not JSON; it is empty
    hint: check the configured URL, and for a proxy or a login page on the way
    ");
    insta::assert_snapshot!(message_of(reply(200).body(b"\xff\xfe\x00".to_vec())).await, @r#"
    GET http://127.0.0.1:PORT/x: the answer is not JSON; it begins: ��\u{0}
    hint: check the configured URL, and for a proxy or a login page on the way
    "#);
}

#[tokio::test]
async fn broken_json_is_named_with_its_place() {
    insta::assert_snapshot!(message_of(json("[1,\n 2,, 3]")).await, @"
    GET http://127.0.0.1:PORT/x: the answer is not the JSON that was expected: expected value at line 2, column 4
    hint: check that the server is of a supported version
    ");
    insta::assert_snapshot!(message_of(json("[1, \"two\"]")).await, @r#"
    GET http://127.0.0.1:PORT/x: the answer is not the JSON that was expected: invalid type: string "two", expected u8 at line 1, column 9
    hint: check that the server is of a supported version
    "#);
    insta::assert_snapshot!(message_of(json("[1, 2")).await, @"
    GET http://127.0.0.1:PORT/x: the answer is not the JSON that was expected: EOF while parsing a list at line 1, column 5
    hint: check that the server is of a supported version
    ");
    insta::assert_snapshot!(message_of(json(&"[".repeat(100_000))).await, @"
    GET http://127.0.0.1:PORT/x: the answer is not the JSON that was expected: invalid type: sequence, expected u8 at line 1, column 1
    hint: check that the server is of a supported version
    ");
}

#[tokio::test]
async fn a_refusal_keeps_the_message_of_the_server() {
    let body = r#"{"message": "Validation Failed\u001b[31m", "errors": [{"field": "head"}]}"#;
    let (error, server) = failing(reply(422).json(body)).await;
    let Failure::Status(refusal) = error.failure() else {
        panic!("another failure: {error}");
    };
    let field = refusal
        .json
        .as_ref()
        .and_then(|json| json.pointer("/errors/0/field"));
    assert_eq!(field, Some(&Value::from("head")));
    insta::assert_snapshot!(message(&error, &server), @r#"
    GET http://127.0.0.1:PORT/x: the server answered 422 Unprocessable Entity: Validation Failed\u{1b}[31m
    hint: check what was sent against what the server says
    "#);
}

#[tokio::test]
async fn a_refusal_may_contain_anything() {
    insta::assert_snapshot!(message_of(reply(404)).await, @"
    GET http://127.0.0.1:PORT/x: the server answered 404 Not Found
    hint: check the name, and that the token may see it
    ");
    insta::assert_snapshot!(message_of(reply(451).body("x ".repeat(1_000_000))).await, @"
    GET http://127.0.0.1:PORT/x: the server answered 451 Unavailable For Legal Reasons: x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x…
    hint: check what was asked against what the server says
    ");
    insta::assert_snapshot!(message_of(reply(401).json("[]")).await, @"
    GET http://127.0.0.1:PORT/x: the server answered 401 Unauthorized: []
    hint: check that the token is valid and not expired
    ");
}
