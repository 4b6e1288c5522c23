//! Keeping within quotas, and handling rate limits.

use std::time::Duration;

use baton_remote::http::{
    Call, Class, Failure, Http, Path, RateLimitKind, Reply as Answered, Safety,
};

use super::server::{Reply, Server, json, reply};
use super::{Pauses, get, message, settings, start};

fn with_quota(answer: Reply, remaining: u64, reset_in: i64) -> Reply {
    answer
        .header("x-ratelimit-limit", 5000)
        .header("x-ratelimit-remaining", remaining)
        .header("x-ratelimit-reset", start().as_second() + reset_in)
        .header("x-ratelimit-resource", "core")
}

#[tokio::test]
async fn a_used_up_quota_reports_its_reset() {
    let server = Server::start(|_, _| {
        with_quota(
            reply(403).json(r#"{"message": "API rate limit exceeded"}"#),
            0,
            1800,
        )
    })
    .await;
    let http = Http::new(settings(&server, &Pauses::default())).unwrap();

    let error = http.send(&get("/x")).await.unwrap_err();

    let Failure::RateLimited(limit) = error.failure() else {
        panic!("another failure: {error}");
    };
    assert_eq!(limit.kind, RateLimitKind::Primary);
    assert_eq!(limit.retry_after, Some(Duration::from_mins(30)));
    assert_eq!(limit.reset, Some(start() + Duration::from_mins(30)));
    insta::assert_snapshot!(message(&error, &server), @"
    GET http://127.0.0.1:PORT/x: the quota `core` is used up; it may be asked again in 30 min
    hint: wait until the quota is renewed, or use a credential with more
    ");

    // The limit is known now: nothing is sent, not even a write.
    let write = Call::post(Path::new("/x", &[]), Safety::Write);
    let error = http.send(&write).await.unwrap_err();
    assert_eq!(error.class(), Class::RateLimited(RateLimitKind::Primary));
    assert_eq!((error.attempts(), server.count()), (0, 1));
    // Another quota is not concerned.
    http.send(&get("/x").resource("search")).await.unwrap_err();
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn a_quota_that_is_renewed_in_time_is_waited_for() {
    let server = Server::start(|_, before| match before {
        0 => with_quota(json("[]"), 0, 20),
        _ => with_quota(json("[]"), 4999, 3600),
    })
    .await;
    let pauses = Pauses::default();
    let http = Http::new(settings(&server, &pauses)).unwrap();
    http.send(&get("/x")).await.unwrap();
    let write = Call::post(Path::new("/x", &[]), Safety::Write);
    http.send(&write).await.unwrap();
    assert_eq!((server.count(), pauses.seconds()), (2, vec![20.0]));
}

#[tokio::test]
async fn calls_are_spread_when_little_is_left() {
    let server = Server::start(|_, before| {
        let before = u64::try_from(before).unwrap();
        with_quota(json("[]"), 501 - before, 1000)
    })
    .await;
    let pauses = Pauses::default();
    let http = Http::new(settings(&server, &pauses)).unwrap();
    for _ in 0..5 {
        http.send(&get("/x")).await.unwrap();
    }
    // The second leaves the reserve untouched; the third begins to spread: a
    // thousand seconds for five hundred calls.
    let seconds = pauses.seconds();
    assert_eq!(seconds.len(), 2, "{seconds:?}");
    assert!(
        seconds.iter().all(|pause| (1.9..2.1).contains(pause)),
        "{seconds:?}"
    );
}

#[tokio::test]
async fn a_refusal_without_a_time_is_waited_out_for_a_minute() {
    let message = r#"{"message": "You have exceeded a secondary rate limit."}"#;
    let server = Server::start(move |_, before| match before {
        0 => with_quota(reply(403).json(message), 4000, 600),
        _ => json("[]"),
    })
    .await;
    let pauses = Pauses::default();
    let http = Http::new(settings(&server, &pauses)).unwrap();
    http.send(&get("/x")).await.unwrap();
    assert_eq!(pauses.seconds(), [60.0]);
}

#[tokio::test]
async fn a_limit_inside_a_good_answer_is_found_by_the_judge() {
    fn judge(reply: &Answered) -> Option<RateLimitKind> {
        let limited = reply
            .bytes()
            .windows(12)
            .any(|window| window == b"RATE_LIMITED");
        limited.then_some(RateLimitKind::Primary)
    }
    let server = Server::start(|_, before| match before {
        0 => with_quota(json(r#"{"errors": [{"type": "RATE_LIMITED"}]}"#), 0, 30),
        _ => with_quota(json(r#"{"data": 1}"#), 4999, 3600),
    })
    .await;
    let pauses = Pauses::default();
    let http = Http::new(settings(&server, &pauses)).unwrap();
    let call = Call::query_by_post(Path::new("/graphql", &[]))
        .json(&["query"])
        .judged_by(judge);
    let reply = http.send(&call).await.unwrap();
    assert_eq!(&reply.bytes()[..], br#"{"data": 1}"#);
    assert_eq!((server.count(), pauses.seconds()), (2, vec![30.0]));
}
