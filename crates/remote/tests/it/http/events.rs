//! The events that an observer receives.

use std::sync::{Arc, Mutex};

use baton_remote::http::{Cache, Call, Event, Http, Observer, Path};
use baton_state::State;
use tempfile::tempdir;

use super::server::{Answer, Server, json, reply};
use super::{Pauses, get, settings};

/// A line for each event, without what differs from run to run.
fn observed() -> (Observer, Arc<Mutex<Vec<String>>>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let observer = Observer::new({
        let lines = Arc::clone(&lines);
        move |event| {
            let line = match event {
                Event::Requested(done) => format!(
                    "{} {}: {:?}, attempt {}, {} bytes, kept: {}, quota: {:?}",
                    done.method,
                    done.path,
                    done.outcome,
                    done.attempt,
                    done.bytes,
                    done.from_cache,
                    done.quota
                        .map(|quota| (quota.resource.to_owned(), quota.remaining)),
                ),
                Event::Waiting {
                    method,
                    path,
                    pause,
                    reason,
                } => {
                    format!("{method} {path}: waits {pause:?}, {reason:?}")
                }
            };
            lines.lock().unwrap().push(line);
        }
    });
    (observer, lines)
}

#[tokio::test]
async fn every_request_is_an_event() {
    let server = Server::start(|seen, before| match before {
        0 => Answer::Close(vec![]),
        1 => reply(503).header("retry-after", 2).into(),
        2 => reply(301).header("location", "/new").into(),
        _ if seen.header("if-none-match").is_some() => reply(304)
            .header("x-ratelimit-remaining", 4321)
            .header("x-ratelimit-resource", "core")
            .into(),
        _ => json("[1, 2]")
            .header("etag", "\"v1\"")
            .header("x-ratelimit-remaining", 4321)
            .into(),
    })
    .await;
    let folder = tempdir().unwrap();
    let (observer, lines) = observed();
    let mut settings = settings(&server, &Pauses::default());
    settings.observer = observer;
    settings.cache = Some(Cache::new(State::open(folder.path()).unwrap()));
    let http = Http::new(settings).unwrap();

    let call = Call::get(Path::new("/repos/{owner}", &[&"octo"]));
    http.send(&call).await.unwrap();
    http.send(&call).await.unwrap();
    let own = format!("{}/repos/octo?page=2", server.url());
    http.send(&Call::get(Path::url(own))).await.unwrap();

    insta::assert_snapshot!(lines.lock().unwrap().join("\n"), @r#"
    GET /repos/{owner}: Err(Reset), attempt 1, 0 bytes, kept: false, quota: None
    GET /repos/{owner}: waits 375ms, Retry(Reset)
    GET /repos/{owner}: Ok(503), attempt 2, 0 bytes, kept: false, quota: None
    GET /repos/{owner}: waits 2s, Retry(Status(503))
    GET /repos/{owner}: Ok(301), attempt 3, 0 bytes, kept: false, quota: None
    GET /repos/{owner}: Ok(200), attempt 3, 6 bytes, kept: false, quota: Some(("core", 4321))
    GET /repos/{owner}: Ok(304), attempt 1, 6 bytes, kept: true, quota: Some(("core", 4321))
    GET /repos/octo: Ok(200), attempt 1, 6 bytes, kept: false, quota: Some(("core", 4321))
    "#);
}

#[tokio::test]
async fn failures_are_events_as_well() {
    let server = Server::start(|_, before| match before {
        0 => reply(404).json(r#"{"message": "Not Found"}"#).into(),
        _ => Answer::Close(json("[1, 2, 3]").cut_after(4)),
    })
    .await;
    let (observer, lines) = observed();
    let mut settings = settings(&server, &Pauses::default());
    settings.observer = observer;
    settings.retry.attempts = 1;
    let http = Http::new(settings).unwrap();
    http.send(&get("/x")).await.unwrap_err();
    http.send(&get("/x")).await.unwrap_err();
    insta::assert_snapshot!(lines.lock().unwrap().join("\n"), @"
    GET /x: Ok(404), attempt 1, 24 bytes, kept: false, quota: None
    GET /x: Err(IncompleteBody), attempt 1, 4 bytes, kept: false, quota: None
    ");
}
