//! What is sent, and what of the answer is given back.

use baton_remote::http::{Call, Http, Path, Safety, header};

use super::server::{Server, json, reply};
use super::{Pauses, TOKEN, client, get, settings};

#[tokio::test]
async fn a_call_carries_everything_that_it_was_given() {
    let server = Server::start(|_, _| reply(201).json(r#"{"id": 7}"#)).await;
    let mut settings = settings(&server, &Pauses::default());
    settings.base_url.push_str("/api/v3/");
    settings.headers = vec![("x-api-version", "2022-11-28".to_owned())];
    let http = Http::new(settings).unwrap();
    let call = Call::post(
        Path::new("/repos/{owner}/{repo}/issues", &[&"octo", &"a b"]),
        Safety::Write,
    )
    .query("per_page", 100)
    .query("q", "a&b=c d")
    .query_if_some("absent", None::<u8>)
    .header("x-own", "1")
    .accept("application/vnd.github+json")
    .json(&["body"]);

    let reply = http.send(&call).await.unwrap();

    assert_eq!(
        (reply.status(), &reply.bytes()[..]),
        (201, &br#"{"id": 7}"#[..])
    );
    let [seen] = &server.requests()[..] else {
        panic!("one request was expected");
    };
    assert_eq!(seen.method, "POST");
    assert_eq!(
        seen.target,
        "/api/v3/repos/octo/a%20b/issues?per_page=100&q=a%26b%3Dc+d"
    );
    assert_eq!(seen.body, br#"["body"]"#);
    for (name, value) in [
        ("accept", "application/vnd.github+json"),
        ("accept-encoding", "gzip"),
        ("authorization", &format!("Bearer {TOKEN}")),
        ("content-type", "application/json"),
        ("user-agent", "baton-test"),
        ("x-api-version", "2022-11-28"),
        ("x-own", "1"),
    ] {
        assert_eq!(seen.header(name), Some(value), "{name}");
    }
}

#[tokio::test]
async fn connections_are_used_again() {
    let server = Server::start(|_, _| json("[]").header("x-count", 1)).await;
    let http = client(&server);
    for _ in 0..5 {
        let reply = http.clone().send(&get("/x")).await.unwrap();
        assert_eq!(
            reply.header(&header::HeaderName::from_static("x-count")),
            Some("1")
        );
    }
    assert!(server.requests().iter().all(|seen| seen.connection == 0));
    assert_eq!(http.requests(), 5);
}

#[tokio::test]
async fn what_cannot_be_sent_is_not() {
    let server = Server::start(|_, _| reply(200)).await;
    let http = client(&server);
    let refused = async |call: Call| {
        let error = http.send(&call).await.unwrap_err();
        assert_eq!(error.attempts(), 0);
        error.to_string().replace(&server.url(), "BASE")
    };
    insta::assert_snapshot!(
        refused(Call::get(Path::new("/repos/{owner}/x", &[&".."]))).await,
        @"GET BASE/repos/{owner}/x: cannot be sent: owner is a dot segment, which would name another path"
    );
    insta::assert_snapshot!(refused(get("/x").accept("a\nb")).await, @"GET BASE/x: cannot be sent: the header `accept` has characters that cannot be sent");
    insta::assert_snapshot!(
        refused(Call::get(Path::url("https://elsewhere.test/x?token=y"))).await,
        @"GET https://elsewhere.test/x?token=***: leads to another host (https://elsewhere.test), where the credential must not go"
    );
    let unsendable = std::collections::BTreeMap::from([((1, 2), 3)]);
    insta::assert_snapshot!(
        refused(Call::post(Path::new("/x", &[]), Safety::Write).json(&unsendable)).await,
        @"POST BASE/x: cannot be sent: key must be a string"
    );
    assert_eq!(server.count(), 0);
}

#[test]
fn a_client_can_be_shared_between_threads() {
    fn shared(_: &(impl Clone + Send + Sync)) {}
    fn sendable(_: &impl Send) {}
    let http = Http::new(baton_remote::http::Settings::new("http://127.0.0.1:1", "t")).unwrap();
    shared(&http);
    let call = get("/x");
    sendable(&http.send(&call));
    sendable(&http.list::<u8>(&call, baton_remote::http::PageLimits::default()));
    let mut output = Vec::new();
    sendable(&http.download(&call, &mut output, baton_remote::http::Overflow::Refuse));
}
