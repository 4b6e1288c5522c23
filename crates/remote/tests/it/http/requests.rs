//! What is sent, and what is returned of the response.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use baton_remote::http::{
    Call, Class, Credential, Credentials, Http, NoCredential, Overflow, PageLimits, Path, Phase,
    ProvideCredential, Safety, Secret, Settings, header,
};

use super::server::{Answer, Server, json, reply};
use super::{Pauses, TOKEN, client, get, message, settings};

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
async fn a_write_does_not_fail_because_an_idle_connection_was_closed() {
    let server = Server::start(|_, _| Answer::Close(json("[]").bytes())).await;
    let http = client(&server);
    let write = Call::post(Path::new("/x", &[]), Safety::Write);
    for _ in 0..3 {
        http.send(&write).await.unwrap();
        // Long enough for this machine to notice that the server has gone.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let connections: Vec<_> = server
        .requests()
        .iter()
        .map(|seen| seen.connection)
        .collect();
    assert_eq!(connections, [0, 1, 2]);
}

/// Gives another credential each time, and at last none.
struct Renewed(AtomicUsize);

impl ProvideCredential for Renewed {
    fn credential(
        &self,
    ) -> Pin<Box<dyn Future<Output = Result<Credential, NoCredential>> + Send + '_>> {
        Box::pin(async {
            match self.0.fetch_add(1, Ordering::Relaxed) {
                number @ 0..2 => Ok(Credential::bearer(&Secret::new(format!("token-{number}")))?),
                _ => Err("the key file is gone".into()),
            }
        })
    }
}

#[tokio::test]
async fn a_credential_is_asked_for_with_each_call() {
    let server = Server::start(|_, _| json("[]")).await;
    let mut settings = settings(&server, &Pauses::default());
    settings.credentials = Credentials::Provided(Arc::new(Renewed(AtomicUsize::new(0))));
    let http = Http::new(settings).unwrap();
    for _ in 0..2 {
        http.send(&get("/x")).await.unwrap();
    }
    let error = http.send(&get("/x")).await.unwrap_err();
    let requests = server.requests();
    let sent: Vec<_> = requests
        .iter()
        .map(|seen| seen.header("authorization").unwrap())
        .collect();
    assert_eq!(sent, ["Bearer token-0", "Bearer token-1"]);
    assert_eq!(error.class(), Class::Credential);
    insta::assert_snapshot!(message(&error, &server), @"
    GET http://127.0.0.1:PORT/x: no credential could be had
    because: the key file is gone
    hint: check how the credential is configured
    ");
}

#[tokio::test]
async fn a_credential_that_does_not_come_is_not_waited_for_for_ever() {
    struct Never;
    impl ProvideCredential for Never {
        fn credential(
            &self,
        ) -> Pin<Box<dyn Future<Output = Result<Credential, NoCredential>> + Send + '_>> {
            Box::pin(std::future::pending())
        }
    }
    let server = Server::start(|_, _| json("[]")).await;
    let mut settings = settings(&server, &Pauses::default());
    settings.credentials = Credentials::Provided(Arc::new(Never));
    let http = Http::new(settings).unwrap();
    let call = get("/x").deadline(Duration::from_millis(20));
    let error = http.send(&call).await.unwrap_err();
    assert_eq!(
        (error.class(), server.count()),
        (Class::Timeout(Phase::Overall), 0)
    );
}

#[tokio::test]
async fn many_calls_at_a_time_do_not_get_mixed_up() {
    let server = Server::start(|seen, _| json(&seen.target[1..])).await;
    let http = client(&server);
    let calls = (0..64_u64).map(|number| {
        let http = http.clone();
        tokio::spawn(async move {
            let call = Call::get(Path::new("/{number}", &[&number]));
            http.json::<u64>(&call).await.unwrap() == number
        })
    });
    for call in calls.collect::<Vec<_>>() {
        assert!(call.await.unwrap());
    }
    assert_eq!(http.requests(), 64);
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
    let http = Http::new(Settings::new("http://127.0.0.1:1", "t")).unwrap();
    shared(&http);
    let call = get("/x");
    sendable(&http.send(&call));
    sendable(&http.list::<u8>(&call, PageLimits::default()));
    let mut output = Vec::new();
    sendable(&http.download(&call, &mut output, Overflow::Refuse));
}
