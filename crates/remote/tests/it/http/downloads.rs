//! Responses that go to a file or a writer.

use std::fs;

use baton_remote::http::{Class, Http, Overflow};
use tempfile::tempdir;

use super::server::{Answer, Server, gzip, reply};
use super::{Pauses, client, get, message, settings};

#[tokio::test]
async fn a_large_answer_goes_by_in_pieces() {
    // As large as the log of a long build, and larger than what is ever held.
    const LENGTH: usize = 60 << 20;
    let server = Server::start(|_, _| reply(200).body(vec![b'.'; LENGTH])).await;
    let folder = tempdir().unwrap();
    let file = folder.path().join("log");
    let call = get("/log").size_cap(1 << 30);

    let download = client(&server)
        .download_file(&call, &file, Overflow::Refuse)
        .await
        .unwrap();

    assert_eq!((download.bytes, download.truncated), (LENGTH as u64, false));
    assert_eq!(download.reply.status(), 200);
    assert_eq!(fs::metadata(&file).unwrap().len(), LENGTH as u64);
}

#[tokio::test]
async fn a_cap_refuses_or_truncates() {
    let server = Server::start(|_, _| reply(200).body("0123456789")).await;
    let http = client(&server);
    let folder = tempdir().unwrap();
    let file = folder.path().join("log");
    let call = get("/log").size_cap(4);

    let error = http
        .download_file(&call, &file, Overflow::Refuse)
        .await
        .unwrap_err();
    assert_eq!(error.class(), Class::TooLarge);
    assert!(!file.exists());

    let download = http
        .download_file(&call, &file, Overflow::Truncate)
        .await
        .unwrap();
    assert_eq!((download.bytes, download.truncated), (4, true));
    assert_eq!(fs::read(&file).unwrap(), b"0123");

    let mut output = Vec::new();
    let error = http
        .download(&call, &mut output, Overflow::Refuse)
        .await
        .unwrap_err();
    // Its length was announced, so that nothing needed to be written.
    assert_eq!((error.class(), output), (Class::TooLarge, vec![]));

    let exact = get("/log").size_cap(10);
    let mut output = Vec::new();
    let download = http
        .download(&exact, &mut output, Overflow::Truncate)
        .await
        .unwrap();
    assert_eq!(
        (output, download.truncated),
        (b"0123456789".to_vec(), false)
    );
}

#[tokio::test]
async fn a_file_is_written_again_after_a_failure() {
    let server = Server::start(|_, before| match before {
        0 => Answer::Close(reply(200).body("0123456789").cut_after(6)),
        _ => reply(200).body("abc").into(),
    })
    .await;
    let folder = tempdir().unwrap();
    let file = folder.path().join("log");
    let download = client(&server)
        .download_file(&get("/log"), &file, Overflow::Refuse)
        .await
        .unwrap();
    assert_eq!(download.bytes, 3);
    assert_eq!(fs::read(&file).unwrap(), b"abc");
}

#[tokio::test]
async fn a_writer_does_not_get_the_same_twice() {
    let server =
        Server::start(|_, _| Answer::Close(reply(200).body("0123456789").cut_after(6))).await;
    let mut output = Vec::new();
    let error = client(&server)
        .download(&get("/log"), &mut output, Overflow::Refuse)
        .await
        .unwrap_err();
    assert_eq!((error.class(), server.count()), (Class::IncompleteBody, 1));
    assert_eq!(output, b"012345");
    insta::assert_snapshot!(message(&error, &server), @"
    GET http://127.0.0.1:PORT/log: the connection broke in the middle of the answer, after 6 bytes
    because: error reading a body from connection: end of file before message length reached
    hint: try again; if it stays so, check the network and the server's status page
    ");
}

#[tokio::test]
async fn a_writer_may_wait_for_the_first_byte() {
    let server = Server::start(|_, before| match before {
        0 => Answer::Close(vec![]),
        1 => reply(503).into(),
        _ => reply(200).body("abc").into(),
    })
    .await;
    let mut output = Vec::new();
    client(&server)
        .download(&get("/log"), &mut output, Overflow::Refuse)
        .await
        .unwrap();
    assert_eq!((output, server.count()), (b"abc".to_vec(), 3));
}

#[tokio::test]
async fn a_packed_answer_that_is_cut_off_is_not_taken_for_whole() {
    let mut packed = gzip(&vec![b'.'; 100_000]);
    packed.truncate(packed.len() - 9);
    let server = Server::start(move |_, _| {
        reply(200)
            .header("content-encoding", "gzip")
            .body(packed.clone())
    })
    .await;
    let mut settings = settings(&server, &Pauses::default());
    settings.retry.attempts = 1;
    let http = Http::new(settings).unwrap();
    let folder = tempdir().unwrap();
    let file = folder.path().join("log");
    let error = http
        .download_file(&get("/log"), &file, Overflow::Refuse)
        .await
        .unwrap_err();
    assert_eq!(error.class(), Class::IncompleteBody);
    assert!(!file.exists());
}

#[tokio::test]
async fn a_place_that_cannot_be_written_is_named() {
    let server = Server::start(|_, _| reply(200).body("abc")).await;
    let folder = tempdir().unwrap();
    let there = folder.path().join("there");
    fs::write(&there, "mine").unwrap();
    let error = client(&server)
        .download_file(&get("/log"), &there, Overflow::Refuse)
        .await
        .unwrap_err();
    assert_eq!(fs::read(&there).unwrap(), b"mine");
    let shown = message(&error, &server).replace(&folder.path().display().to_string(), "FOLDER");
    insta::assert_snapshot!(shown, @"
    GET http://127.0.0.1:PORT/log: cannot write the answer to FOLDER/there
    because: File exists (os error 17)
    hint: free some space or choose another place, then try again
    ");
}
