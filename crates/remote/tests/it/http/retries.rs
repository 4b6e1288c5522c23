//! When a call is retried.

use std::sync::Arc;
use std::time::Duration;

use baton_remote::http::{Class, Http, Phase, RateLimitKind, WaitLimit};
use jiff::SignedDuration;

use super::server::{Answer, Server, json, reply};
use super::{Pauses, get, message, settings, start};

#[tokio::test]
async fn pauses_double_and_are_spread_by_chance() {
    let server = Server::start(|_, _| reply(502)).await;
    let pauses = Pauses::default();
    let mut settings = settings(&server, &pauses);
    settings.retry.attempts = 8;
    settings.retry.longest_pause = Duration::from_secs(10);
    let http = Http::new(settings).unwrap();

    let error = http.send(&get("/x")).await.unwrap_err();

    assert_eq!(server.count(), 8);
    // Randomness is fixed at a half here, so each pause is three quarters of its
    // maximum.
    assert_eq!(pauses.seconds(), [0.375, 0.75, 1.5, 3.0, 6.0, 7.5, 7.5]);
    insta::assert_snapshot!(message(&error, &server), @"
    GET http://127.0.0.1:PORT/x: the server answered 502 Bad Gateway (after 8 attempts)
    hint: try again later; the server's status page may say more
    ");
}

#[tokio::test]
async fn a_later_attempt_may_succeed() {
    let answer = |_: &_, before| match before {
        0 => Answer::Close(vec![]),
        1 => reply(503).into(),
        2 => Answer::Close(json("[1, 2]").cut_after(3)),
        _ => json("[1, 2]").into(),
    };
    let server = Server::start(answer).await;
    let http = Http::new(settings(&server, &Pauses::default())).unwrap();
    let numbers: Vec<u8> = http.json(&get("/x")).await.unwrap();
    assert_eq!((numbers, server.count()), (vec![1, 2], 4));
}

#[tokio::test]
async fn retry_after_sets_the_pause() {
    let date = (start() + SignedDuration::from_secs(42)).strftime("%a, %d %b %Y %H:%M:%S GMT");
    for (header, seconds) in [("7", 7.0), ("0", 0.0), (&*date.to_string(), 42.0)] {
        for status in [429, 503] {
            let header = header.to_owned();
            let server = Server::start(move |_, before| match before {
                0 => reply(status).header("retry-after", &header),
                _ => json("[]"),
            })
            .await;
            let pauses = Pauses::default();
            let http = Http::new(settings(&server, &pauses)).unwrap();
            http.send(&get("/x")).await.unwrap();
            assert_eq!(pauses.seconds(), [seconds]);
        }
    }
}

#[tokio::test]
async fn a_wait_beyond_the_deadline_fails_at_once() {
    let server = Server::start(|_, _| reply(429).header("retry-after", 3600)).await;
    let pauses = Pauses::default();
    let http = Http::new(settings(&server, &pauses)).unwrap();

    let error = http.send(&get("/x")).await.unwrap_err();

    assert_eq!(error.class(), Class::RateLimited(RateLimitKind::Secondary));
    assert_eq!(error.retry_after(), Some(Duration::from_hours(1)));
    assert!(error.is_transient());
    assert_eq!((server.count(), pauses.all()), (1, vec![]));
    insta::assert_snapshot!(message(&error, &server), @"
    GET http://127.0.0.1:PORT/x: the server wants fewer requests (secondary rate limit); it may be asked again in 60 min
    hint: wait before the next call, and make fewer at a time
    ");
}

/// Each pause is short enough for its own call; together they are not.
#[tokio::test]
async fn waits_of_several_calls_have_one_limit() {
    let server = Server::start(|_, _| reply(429).header("retry-after", 20)).await;
    let pauses = Pauses::default();
    let http = Http::new(settings(&server, &pauses)).unwrap();
    let limit = Arc::new(WaitLimit::new(Duration::from_secs(45)));
    for _ in 0..3 {
        let call = get("/x").waiting_within(Some(Arc::clone(&limit)));
        let error = http.send(&call).await.unwrap_err();
        assert_eq!(error.class(), Class::RateLimited(RateLimitKind::Secondary));
        assert_eq!(error.retry_after(), Some(Duration::from_secs(20)));
    }
    assert_eq!(pauses.seconds(), [20.0, 20.0]);
}

#[tokio::test]
async fn all_attempts_together_have_a_deadline() {
    let server = Server::start(|_, _| Answer::Stall(vec![])).await;
    let http = Http::new(settings(&server, &Pauses::default())).unwrap();
    let call = get("/x").deadline(Duration::from_millis(60));
    let error = http.send(&call).await.unwrap_err();
    assert_eq!(error.class(), Class::Timeout(Phase::Overall));
    insta::assert_snapshot!(message(&error, &server), @"
    GET http://127.0.0.1:PORT/x: the call with its retries took longer than 60 ms
    hint: try again; if it stays so, check the network and the server's status page
    ");
}

#[tokio::test]
async fn a_server_that_drips_does_not_hold_a_call_for_ever() {
    // Each byte comes in time; all of them would not.
    let server = Server::start(|_, _| Answer::Drip(json("[1, 2, 3]").bytes())).await;
    let mut settings = settings(&server, &Pauses::default());
    settings.limits.attempt = Duration::from_millis(80);
    settings.retry.attempts = 1;
    let http = Http::new(settings).unwrap();
    let error = http.send(&get("/x")).await.unwrap_err();
    assert!(matches!(error.class(), Class::Timeout(_)), "{error}");
}
