//! Children whose bytes are passed on while they run.

use std::fs;
use std::time::Duration;

use baton_host::cmd::{Outcome, Streamed};
use baton_testkit::Sandbox;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::shell;

#[tokio::test]
async fn bytes_pass_through_in_both_directions_at_once() {
    let sandbox = Sandbox::new();
    let Streamed {
        stdin,
        mut stdout,
        ending,
    } = shell(&sandbox, "cat; echo done >&2")
        .start_streamed()
        .unwrap();
    // Far more than the pipes hold: reading and writing have to alternate.
    let sent: Vec<u8> = (0..4 * 1024 * 1024)
        .map(|n: u32| n.to_le_bytes()[0])
        .collect();
    let copy = sent.clone();
    let feeder = tokio::spawn(async move {
        let mut stdin = stdin.unwrap();
        stdin.write_all(&copy).await.unwrap();
    });
    let mut received = Vec::new();
    stdout.read_to_end(&mut received).await.unwrap();
    feeder.await.unwrap();
    assert!(received == sent);
    let (outcome, stderr) = ending.wait().await;
    assert_eq!(outcome, Outcome::Exited(0));
    assert_eq!(stderr, "done\n");
}

#[tokio::test]
async fn a_failure_says_why() {
    let sandbox = Sandbox::new();
    let started = shell(&sandbox, "echo broken >&2; exit 3").start_streamed();
    let (outcome, stderr) = started.unwrap().ending.wait().await;
    assert_eq!(outcome, Outcome::Exited(3));
    assert_eq!(stderr, "broken\n");
}

#[tokio::test]
async fn dropping_it_ends_the_child_and_its_group() {
    let sandbox = Sandbox::new();
    let script = "sleep 600 & echo $! > pid.draft; mv pid.draft pid; wait";
    let started = shell(&sandbox, script).start_streamed().unwrap();
    let file = sandbox.path("pid");
    while !file.exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let pid = fs::read_to_string(file).unwrap();
    drop(started);
    while super::ending::is_alive(pid.trim()) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
