//! Conditional requests for cached responses.

use baton_remote::http::{
    Cache, Call, Credential, Credentials, Http, Overflow, Path, Safety, Secret, header,
};
use baton_state::{DATABASE_NAME, State};
use tempfile::{TempDir, tempdir};

use super::server::{Reply, Seen, Server, json, reply};
use super::{Pauses, TOKEN, get, settings};

/// Answers like a server that knows one version, `"v1"`, of everything.
fn versioned(seen: &Seen) -> Reply {
    if seen.header("if-none-match") == Some("\"v1\"") {
        reply(304)
            .header("etag", "\"v1\"")
            .header("x-ratelimit-remaining", 77)
    } else {
        json("[1]")
            .header("etag", "\"v1\"")
            .header("x-ratelimit-remaining", 76)
    }
}

fn cached(server: &Server, folder: &TempDir) -> Http {
    let mut settings = settings(server, &Pauses::default());
    settings.cache = Some(Cache::new(State::open(folder.path()).unwrap()));
    Http::new(settings).unwrap()
}

#[tokio::test]
async fn what_has_not_changed_is_confirmed_also_in_the_next_process() {
    let server = Server::start(|seen, _| versioned(seen)).await;
    let folder = tempdir().unwrap();
    let http = cached(&server, &folder);
    let first = http.send(&get("/x")).await.unwrap();
    assert!(!first.from_cache());
    drop(http);

    let http = cached(&server, &folder);
    let second = http.send(&get("/x")).await.unwrap();

    assert!(second.from_cache());
    assert_eq!((second.status(), second.bytes()), (200, first.bytes()));
    assert_eq!(second.json::<Vec<u8>>().unwrap(), [1]);
    // Headers that the server sends again win, and the others stay.
    let remaining = header::HeaderName::from_static("x-ratelimit-remaining");
    assert_eq!(second.header(&remaining), Some("77"));
    assert_eq!(
        second.header(&header::CONTENT_TYPE),
        Some("application/json")
    );
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn dates_confirm_as_well() {
    let date = "Sun, 04 May 2031 10:00:00 GMT";
    let server = Server::start(move |seen, _| match seen.header("if-modified-since") {
        Some(since) if since == date => reply(304),
        _ => json("[1]").header("last-modified", date),
    })
    .await;
    let folder = tempdir().unwrap();
    let http = cached(&server, &folder);
    http.send(&get("/x")).await.unwrap();
    assert!(http.send(&get("/x")).await.unwrap().from_cache());
}

#[tokio::test]
async fn what_has_changed_replaces_what_was_kept() {
    let server = Server::start(|seen, before| {
        let version = if before < 2 { "\"v1\"" } else { "\"v2\"" };
        if seen.header("if-none-match") == Some(version) {
            reply(304)
        } else {
            json(version).header("etag", version)
        }
    })
    .await;
    let folder = tempdir().unwrap();
    let http = cached(&server, &folder);
    let mut answers = Vec::new();
    for _ in 0..4 {
        let reply = http.send(&get("/x")).await.unwrap();
        answers.push((reply.json::<String>().unwrap(), reply.from_cache()));
    }
    let expected = [("v1", false), ("v1", true), ("v2", false), ("v2", true)];
    assert_eq!(
        answers,
        expected.map(|(version, kept)| (version.to_owned(), kept))
    );
}

#[tokio::test]
async fn an_answer_belongs_to_exactly_what_was_asked() {
    let server = Server::start(|seen, _| versioned(seen)).await;
    let folder = tempdir().unwrap();
    let http = cached(&server, &folder);
    http.send(&get("/x")).await.unwrap();
    for other in [
        get("/y"),
        get("/x").query("page", 1),
        get("/x").accept("text/plain"),
        get("/x").header("x-own", "1"),
        get("/x").cacheable(false),
        Call::query_by_post(Path::new("/x", &[])),
        Call::post(Path::new("/x", &[]), Safety::Write).cacheable(true),
    ] {
        assert!(!http.send(&other).await.unwrap().from_cache(), "{other:?}");
    }
    assert!(http.send(&get("/x")).await.unwrap().from_cache());
}

#[tokio::test]
async fn a_cached_response_is_only_used_for_its_own_credential() {
    let server = Server::start(|seen, _| versioned(seen)).await;
    let folder = tempdir().unwrap();
    cached(&server, &folder).send(&get("/x")).await.unwrap();
    let other = Credential::bearer(&Secret::new("ghp_another_one")).unwrap();
    for credentials in [Credentials::Anonymous, Credentials::Fixed(other)] {
        let mut settings = settings(&server, &Pauses::default());
        settings.cache = Some(Cache::new(State::open(folder.path()).unwrap()));
        settings.credentials = credentials;
        let http = Http::new(settings).unwrap();
        assert!(!http.send(&get("/x")).await.unwrap().from_cache());
    }
}

#[tokio::test]
async fn no_credential_gets_onto_the_disk() {
    // The second server echoes the request.
    let plain = Server::start(|seen, _| versioned(seen)).await;
    let echo = Server::start(|seen, _| {
        let sent = seen.header("authorization").unwrap_or_default();
        reply(200).header("etag", "\"v1\"").body(sent)
    })
    .await;
    let folder = tempdir().unwrap();
    for server in [&plain, &echo] {
        let http = cached(server, &folder);
        http.send(&get("/x")).await.unwrap();
        http.send(&get("/x")).await.unwrap();
    }
    assert!(plain.requests()[1].header("if-none-match").is_some());
    assert!(echo.requests()[1].header("if-none-match").is_none());
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let found = bytes
            .windows(TOKEN.len())
            .any(|window| window == TOKEN.as_bytes());
        assert!(!found);
    }
}

#[tokio::test]
async fn a_cache_that_fails_is_done_without() {
    let server = Server::start(|seen, _| versioned(seen)).await;
    let folder = tempdir().unwrap();
    drop(State::open(folder.path()).unwrap());
    let path = folder.path().join(DATABASE_NAME);
    let mut bytes = std::fs::read(&path).unwrap();
    // The first page and those of the schema are met on opening; the tables are in the others.
    for page in bytes.chunks_mut(4096).skip(1) {
        if !page.windows(7).any(|text| text == b"CREATE ") {
            page.fill(0xA5);
        }
    }
    std::fs::write(&path, &bytes).unwrap();
    let http = cached(&server, &folder);
    for _ in 0..2 {
        let reply = http.send(&get("/x")).await.unwrap();
        assert_eq!(reply.json::<Vec<u8>>().unwrap(), [1]);
        assert!(!reply.from_cache());
    }
}

#[tokio::test]
async fn a_cached_response_that_is_too_large_for_the_call_is_requested_again() {
    let server = Server::start(|seen, _| versioned(seen)).await;
    let folder = tempdir().unwrap();
    let http = cached(&server, &folder);
    http.send(&get("/x")).await.unwrap();
    http.send(&get("/x").size_cap(2)).await.unwrap_err();
    assert_eq!(server.requests()[1].header("if-none-match"), None);
}

#[tokio::test]
async fn a_download_takes_nothing_from_the_cache() {
    let server = Server::start(|seen, _| versioned(seen)).await;
    let folder = tempdir().unwrap();
    let http = cached(&server, &folder);
    http.send(&get("/x")).await.unwrap();
    let mut output = Vec::new();
    http.download(&get("/x"), &mut output, Overflow::Refuse)
        .await
        .unwrap();
    assert_eq!(output, b"[1]");
    assert_eq!(server.requests()[1].header("if-none-match"), None);
}

#[tokio::test]
async fn an_unrequested_confirmation_is_a_refusal() {
    let server = Server::start(|_, _| reply(304)).await;
    let error = super::client(&server).send(&get("/x")).await.unwrap_err();
    assert_eq!(error.status(), Some(304));
}
