//! How many requests are under way at a time.

use std::time::Duration;

use super::server::{Answer, Server, json};
use super::{client, get};

/// As many as a client sends at the same time.
const MAX_IN_FLIGHT: usize = 16;

#[tokio::test]
async fn requests_wait_until_few_enough_are_under_way() {
    let server = Server::start(|seen, _| match seen.target.as_str() {
        "/slow" => Answer::Stall(Vec::new()),
        _ => json("[]").into(),
    })
    .await;
    let http = client(&server);
    let slow: Vec<_> = (0..MAX_IN_FLIGHT)
        .map(|_| {
            let http = http.clone();
            tokio::spawn(async move { http.send(&get("/slow")).await.map(drop) })
        })
        .collect();
    while server.count() < MAX_IN_FLIGHT {
        tokio::task::yield_now().await;
    }
    // A clone shares the limit.
    let clone = http.clone();
    let waiting = tokio::spawn(async move { clone.send(&get("/quick")).await.map(drop) });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(server.count(), MAX_IN_FLIGHT);
    // A request that its caller gave up makes room.
    slow[0].abort();
    waiting.await.unwrap().unwrap();
    assert_eq!(server.count(), MAX_IN_FLIGHT + 1);
}

#[tokio::test]
async fn many_requests_all_come_through() {
    let server = Server::start(|_, _| json("[]")).await;
    let http = client(&server);
    let calls = (0..5 * MAX_IN_FLIGHT).map(|_| async { http.send(&get("/x")).await });
    for answer in futures_util::future::join_all(calls).await {
        answer.unwrap();
    }
    assert_eq!(server.count(), 5 * MAX_IN_FLIGHT);
}
