//! Redirects.

use baton_remote::http::{Call, Class, Http, Method, Path, Safety};

use super::server::{Server, json, reply};
use super::{Pauses, TOKEN, client, get, message, settings};

const PROVEN: Safety = Safety::Idempotent {
    proof: "the test says so",
};

/// Redirects everything but `/new` there.
async fn moved(status: u16) -> Server {
    Server::start(move |seen, _| match &*seen.target {
        "/new" => json("[1]"),
        _ => reply(status).header("location", "/new"),
    })
    .await
}

#[tokio::test]
async fn reads_follow_redirects_and_report_permanent_moves() {
    for (status, for_good) in [
        (301, true),
        (302, false),
        (303, false),
        (307, false),
        (308, true),
    ] {
        let server = moved(status).await;
        let reply = client(&server).send(&get("/old")).await.unwrap();
        assert_eq!(&reply.bytes()[..], b"[1]");
        let place = for_good.then(|| format!("{}/new", server.url()));
        assert_eq!(reply.moved_to(), place.as_deref(), "{status}");
        // The origin is the same, so that the credential goes along.
        let authorized = |seen: &super::server::Seen| seen.header("authorization").is_some();
        assert!(server.requests().iter().all(authorized));
    }
}

#[tokio::test]
async fn only_what_may_be_repeated_is_sent_again() {
    let outcome = async |status, method: Method, safety: Safety| {
        let server = moved(status).await;
        let call = Call::new(method, Path::new("/old", &[]), safety).json(&[1]);
        let outcome = client(&server).send(&call).await;
        let methods: String = server.requests().iter().map(|seen| &*seen.method).collect();
        let body = &server.requests()[server.count() - 1].body;
        assert_eq!(body, b"[1]");
        (methods, outcome.map(|_| ()).map_err(|error| error.class()))
    };
    let twice = |method: &str| (format!("{method}{method}"), Ok(()));
    let once = |method: &str| (method.to_owned(), Err(Class::Redirect));
    for status in [307, 308] {
        assert_eq!(
            outcome(status, Method::POST, Safety::Read).await,
            twice("POST")
        );
        assert_eq!(outcome(status, Method::PUT, PROVEN).await, twice("PUT"));
        assert_eq!(
            outcome(status, Method::POST, Safety::Write).await,
            once("POST")
        );
    }
    // These would have to become a GET, which is another call.
    for status in [301, 302, 303] {
        assert_eq!(
            outcome(status, Method::POST, Safety::Read).await,
            once("POST")
        );
        assert_eq!(outcome(status, Method::PUT, PROVEN).await, once("PUT"));
        assert_eq!(
            outcome(status, Method::POST, Safety::Write).await,
            once("POST")
        );
    }
}

#[tokio::test]
async fn another_origin_gets_no_credential_and_no_body() {
    let storage = Server::start(|_, _| reply(200).body("log")).await;
    let target = format!("{}/log?sig=s3cret#x", storage.url());
    let server = Server::start(move |_, _| reply(302).header("location", &target)).await;
    let mut settings = settings(&server, &Pauses::default());
    settings.headers = vec![("x-api-version", "1".to_owned())];
    let http = Http::new(settings).unwrap();

    let reply = http.send(&get("/logs").header("x-own", "1")).await.unwrap();

    assert_eq!(&reply.bytes()[..], b"log");
    assert_eq!(reply.moved_to(), None);
    let seen = &storage.requests()[0];
    assert_eq!(seen.target, "/log?sig=s3cret");
    for name in [
        "authorization",
        "x-api-version",
        "x-own",
        "referer",
        "cookie",
    ] {
        assert_eq!(seen.header(name), None, "{name}");
    }

    let call = Call::query_by_post(Path::new("/logs", &[])).json(&[TOKEN]);
    let error = http.send(&call).await.unwrap_err();
    assert_eq!((error.class(), storage.count()), (Class::Redirect, 1));
}

#[tokio::test]
async fn quotas_of_another_origin_are_ignored() {
    let storage = Server::start(|_, _| {
        reply(200)
            .header("x-ratelimit-remaining", 0)
            .header("x-ratelimit-reset", 9_999_999_999_u64)
    })
    .await;
    let target = storage.url();
    let server = Server::start(move |_, _| reply(302).header("location", &target)).await;
    let http = client(&server);
    for _ in 0..2 {
        http.send(&get("/logs")).await.unwrap();
    }
}

#[tokio::test]
async fn bad_targets_are_refused() {
    let refused = async |location: &'static str| {
        let server = Server::start(move |_, _| reply(302).header("location", location)).await;
        let error = client(&server).send(&get("/x")).await.unwrap_err();
        assert_eq!((error.class(), server.count()), (Class::Redirect, 1));
        message(&error, &server)
    };
    insta::assert_snapshot!(refused("http://storage.example.test/log?sig=s3cret").await, @"
    GET http://127.0.0.1:PORT/x: a redirect was not followed: it leads to http://storage.example.test/log, which is not encrypted
    hint: the server has to send to an https:// address
    ");
    insta::assert_snapshot!(refused("ftp://127.0.0.1/x").await, @"
    GET http://127.0.0.1:PORT/x: a redirect was not followed: the server gave no target that can be used
    hint: check the configured URL; if it is right, the server has to be mended
    ");
    insta::assert_snapshot!(refused("http://").await, @"
    GET http://127.0.0.1:PORT/x: a redirect was not followed: the server gave no target that can be used
    hint: check the configured URL; if it is right, the server has to be mended
    ");

    let server = Server::start(|_, _| reply(302)).await;
    let error = client(&server).send(&get("/x")).await.unwrap_err();
    insta::assert_snapshot!(message(&error, &server), @"
    GET http://127.0.0.1:PORT/x: a redirect was not followed: the server gave no target that can be used
    hint: check the configured URL; if it is right, the server has to be mended
    ");

    let server = moved(307).await;
    let write = Call::post(Path::new("/old", &[]), Safety::Write);
    let error = client(&server).send(&write).await.unwrap_err();
    insta::assert_snapshot!(message(&error, &server), @"
    POST http://127.0.0.1:PORT/old: a redirect was not followed: it leads to http://127.0.0.1:PORT/new, and a POST must not be sent again
    hint: use the address that the server names
    ");
}

#[tokio::test]
async fn a_chain_has_an_end() {
    let server =
        Server::start(|seen, _| reply(302).header("location", format!("{}x", seen.target))).await;
    let error = client(&server).send(&get("/x")).await.unwrap_err();
    assert_eq!(server.count(), 6);
    insta::assert_snapshot!(message(&error, &server), @"
    GET http://127.0.0.1:PORT/x: a redirect was not followed: there were more than 5
    hint: check the configured URL; if it is right, the server has to be mended
    ");
}
