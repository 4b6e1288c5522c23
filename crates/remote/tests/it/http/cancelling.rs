//! Dropping a call ends it.

use std::time::Duration;

use baton_remote::http::Overflow;
use tempfile::tempdir;

use super::server::{Answer, Server, json, reply};
use super::{client, get};

/// Longer than anything here takes.
const ENOUGH: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_dropped_call_leaves_its_connection() {
    for sent in [vec![], json("[1, 2, 3]").cut_after(4)] {
        let server = Server::start(move |_, _| Answer::Stall(sent.clone())).await;
        let http = client(&server);
        let call = get("/x");
        tokio::select! {
            _ = http.send(&call) => panic!("there was no answer"),
            () = server.asked() => {}
        }
        tokio::time::timeout(ENOUGH, server.left()).await.unwrap();
    }
}

#[tokio::test]
async fn a_dropped_download_leaves_no_file() {
    let server =
        Server::start(|_, _| Answer::Stall(reply(200).body("0123456789").cut_after(4))).await;
    let http = client(&server);
    let folder = tempdir().unwrap();
    let file = folder.path().join("log");
    let call = get("/log");
    let downloading = http.download_file(&call, &file, Overflow::Refuse);
    tokio::select! {
        _ = downloading => panic!("there was no end"),
        () = server.asked() => {}
    }
    assert!(!file.exists());
    tokio::time::timeout(ENOUGH, server.left()).await.unwrap();
}
