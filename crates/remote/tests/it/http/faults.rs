//! Every kind of failure with every kind of call: what the server received, and
//! which error the caller gets.

use std::net::TcpListener;
use std::time::Duration;

use baton_remote::http::{Call, Class, Http, Method, Path, Phase, RateLimitKind, Safety, Settings};

use super::server::{Answer, Server, gzip, json, reply};
use super::{Pauses, settings};

const PROVEN: Safety = Safety::Idempotent {
    proof: "the test says so",
};

/// How often the server was asked, and the class of the error, for each safety.
async fn check(answer: impl Into<Answer>, class: Class, asked: [usize; 3]) {
    check_within(Duration::from_mins(1), answer, class, asked).await;
}

/// Like [`check`], for a server that takes its time.
async fn check_within(limit: Duration, answer: impl Into<Answer>, class: Class, asked: [usize; 3]) {
    let answer = answer.into();
    for (safety, asked) in [Safety::Read, PROVEN, Safety::Write].into_iter().zip(asked) {
        let answer = answer.clone();
        let server = Server::start(move |_, _| answer.clone()).await;
        let mut settings = settings(&server, &Pauses::default());
        settings.retry.attempts = 3;
        settings.limits.attempt = limit;
        let http = Http::new(settings).unwrap();
        let call = Call::new(Method::PUT, Path::new("/x", &[]), safety.clone()).json(&[1]);

        let error = http.json::<Vec<u8>>(&call).await.unwrap_err();

        let seen = (error.class(), server.count(), http.requests());
        assert_eq!(seen, (class, asked, asked as u64), "{safety:?}: {error}");
        assert!(server.requests().iter().all(|seen| seen.body == b"[1]"));
    }
}

/// What is repeated unless it is a write.
const UNLESS_WRITTEN: [usize; 3] = [3, 3, 1];

const NEVER: [usize; 3] = [1, 1, 1];

#[tokio::test]
async fn the_connection_is_closed_without_an_answer() {
    check(Answer::Close(vec![]), Class::Reset, UNLESS_WRITTEN).await;
}

#[tokio::test]
async fn the_connection_is_reset_without_an_answer() {
    check(Answer::Reset(vec![]), Class::Reset, UNLESS_WRITTEN).await;
}

#[tokio::test]
async fn the_head_is_cut_off() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-le".to_vec();
    check(Answer::Close(head), Class::Reset, UNLESS_WRITTEN).await;
}

#[tokio::test]
async fn the_body_is_cut_off() {
    let bytes = json("[1, 2, 3]").cut_after(4);
    check(Answer::Close(bytes), Class::IncompleteBody, UNLESS_WRITTEN).await;
}

#[tokio::test]
async fn the_connection_is_reset_in_the_body() {
    let bytes = json("[1, 2, 3]").cut_after(4);
    check(Answer::Reset(bytes), Class::IncompleteBody, UNLESS_WRITTEN).await;
}

#[tokio::test]
async fn the_chunked_body_is_cut_off() {
    let bytes = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n[1, 2\r\n".to_vec();
    check(Answer::Close(bytes), Class::IncompleteBody, UNLESS_WRITTEN).await;
}

#[tokio::test]
async fn the_packed_body_is_cut_off_but_the_connection_is_not() {
    let mut packed = gzip(b"[1, 2, 3]");
    packed.truncate(packed.len() - 9);
    let answer = reply(200).header("content-encoding", "gzip").body(packed);
    check(answer, Class::IncompleteBody, UNLESS_WRITTEN).await;
}

#[tokio::test]
async fn the_packed_body_is_damaged() {
    let answer = reply(200)
        .header("content-encoding", "gzip")
        .body("[1, 2, 3]");
    check(answer, Class::Undecodable, NEVER).await;
}

#[tokio::test]
async fn no_answer_comes() {
    let class = Class::Timeout(Phase::Answer);
    let limit = Duration::from_millis(50);
    check_within(limit, Answer::Stall(vec![]), class, UNLESS_WRITTEN).await;
}

#[tokio::test]
async fn the_body_does_not_end() {
    let bytes = json("[1, 2, 3]").cut_after(4);
    let class = Class::Timeout(Phase::Body);
    // Long enough for the head to come on a busy machine.
    let limit = Duration::from_millis(300);
    check_within(limit, Answer::Stall(bytes), class, UNLESS_WRITTEN).await;
}

#[tokio::test]
async fn the_answer_is_not_http() {
    check(
        Answer::Close(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec()),
        Class::Protocol,
        NEVER,
    )
    .await;
}

#[tokio::test]
async fn the_server_has_an_internal_error() {
    for status in [500, 502, 503, 504] {
        check(reply(status), Class::Status(status), UNLESS_WRITTEN).await;
    }
}

#[tokio::test]
async fn the_server_refuses() {
    for status in [400, 401, 403, 404, 409, 422, 451, 501] {
        check(reply(status), Class::Status(status), NEVER).await;
    }
}

#[tokio::test]
async fn the_quota_is_used_up() {
    let answer = reply(403)
        .header("x-ratelimit-remaining", 0)
        .header("x-ratelimit-reset", super::start().as_second() + 10);
    let class = Class::RateLimited(RateLimitKind::Primary);
    check(answer, class, UNLESS_WRITTEN).await;
}

#[tokio::test]
async fn the_server_wants_fewer_requests() {
    let class = Class::RateLimited(RateLimitKind::Secondary);
    check(reply(429).header("retry-after", 1), class, UNLESS_WRITTEN).await;
    check(reply(403).header("retry-after", 1), class, UNLESS_WRITTEN).await;
}

#[tokio::test]
async fn the_answer_is_too_large() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n";
    check(Answer::Stall(head.to_vec()), Class::TooLarge, NEVER).await;
}

#[tokio::test]
async fn the_answer_is_something_else() {
    let page = reply(200)
        .header("content-type", "text/html")
        .body("<html>");
    check(page, Class::NotJson, NEVER).await;
    check(json("[1,"), Class::BadJson, NEVER).await;
    check(json("{}"), Class::BadJson, NEVER).await;
}

#[tokio::test]
async fn no_server_is_there() {
    let unused = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    for safety in [Safety::Read, PROVEN, Safety::Write] {
        let pauses = Pauses::default();
        let mut settings = Settings::new(format!("http://{unused}"), "baton-test");
        settings.clock = pauses.clock();
        let http = Http::new(settings).unwrap();
        let call = Call::new(Method::PUT, Path::new("/x", &[]), safety);

        let error = http.send(&call).await.unwrap_err();

        assert_eq!(error.class(), Class::Connect);
        // Nothing was sent, so that even a write may be tried again.
        assert_eq!((error.attempts(), pauses.all().len()), (4, 3));
        insta::allow_duplicates! {
            insta::assert_snapshot!(
                error.to_string().replace(&unused.to_string(), "HOST:PORT"),
                @"PUT http://HOST:PORT/x: cannot connect to HOST:PORT (after 4 attempts)"
            );
        }
    }
}
