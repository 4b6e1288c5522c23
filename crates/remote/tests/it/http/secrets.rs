//! Credentials are displayed nowhere, even if a server echoes them.

use std::fmt::{Debug, Write as _};
use std::io;
use std::sync::{Arc, Mutex};

use baton_remote::http::{
    Call, Credential, Credentials, Http, Observer, PageLimits, Path, Safety, Secret, Settings,
};
use tracing_subscriber::fmt::MakeWriter;

use super::server::{Answer, Seen, Server, json, reply};
use super::{Pauses, TOKEN, get, message, settings};

/// Collects what is traced.
#[derive(Clone, Default)]
struct Traced(Arc<Mutex<Vec<u8>>>);

impl io::Write for Traced {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for Traced {
    type Writer = Self;

    fn make_writer(&'w self) -> Self {
        self.clone()
    }
}

/// Echoes the credential in every way that a server can.
fn echo(seen: &Seen) -> Answer {
    let sent = seen.header("authorization").unwrap_or(TOKEN).to_owned();
    let token = sent.rsplit(' ').next().unwrap();
    let mut escaped = String::new();
    for character in token.chars() {
        write!(escaped, "\\u{:04x}", u32::from(character)).unwrap();
    }
    // So that an excerpt would end in the middle of it.
    let padding = "x".repeat(190);
    let answer = match &*seen.target {
        "/text" => reply(400).body(format!("you sent {sent}")),
        "/cut" => reply(400).body(format!("{padding} {sent}")),
        "/spread" => reply(400).body(format!("{}{sent}", " ".repeat(4000))),
        "/message" => reply(422).json(&format!(
            r#"{{"message": "bad {token}", "{token}": ["{token}"]}}"#
        )),
        "/escaped" => reply(422).json(&format!(r#"{{"message": "{escaped}"}}"#)),
        "/html" => reply(200).body(format!("<p>{padding}{sent}")),
        "/json" => json(&format!(r#"{{"a": "{token}"}}"#)),
        "/json-text" => json(&format!("\"{padding}{token}\"")),
        "/page" => json("[1]").header("link", format!("<http://{token}@h/{token}>; rel=next")),
        "/insecure" => {
            reply(302).header("location", format!("http://{token}.test/{token}?{token}"))
        }
        "/moved" => reply(308).header("location", format!("/{token}?q={token}")),
        "/quota" => reply(403)
            .header("x-ratelimit-remaining", 0)
            .header("x-ratelimit-resource", token),
        "/status-line" => return Answer::Close(format!("HTTP/1.1 {token}\r\n\r\n").into_bytes()),
        "/header-name" => {
            return Answer::Close(format!("HTTP/1.1 200 OK\r\n{token}\r\n\r\n").into_bytes());
        }
        "/reason" => {
            return Answer::Close(
                format!("HTTP/1.1 500 {token}\r\ncontent-length: 0\r\n\r\n").into_bytes(),
            );
        }
        _ => reply(500)
            .header("x-echo", token)
            .header("set-cookie", token)
            .body(sent),
    };
    answer.into()
}

const ECHOES: [&str; 15] = [
    "/text",
    "/cut",
    "/spread",
    "/message",
    "/escaped",
    "/html",
    "/json",
    "/json-text",
    "/page",
    "/insecure",
    "/moved",
    "/quota",
    "/status-line",
    "/header-name",
    "/reason",
];

#[tokio::test]
async fn no_error_event_or_trace_shows_a_credential() {
    let server = Server::start(|seen, _| echo(seen)).await;
    let traced = Traced::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(traced.clone())
        .finish();
    // With only one subscriber in the process, a thread that has none switches
    // tracing off for all.
    let _other = tracing::Dispatch::new(tracing_subscriber::fmt().finish());
    let _guard = tracing::subscriber::set_default(subscriber);

    let basic = Credential::basic("octo", &Secret::new(TOKEN)).unwrap();
    let mut shown = String::new();
    for credentials in [
        settings(&server, &Pauses::default()).credentials,
        Credentials::Fixed(basic),
    ] {
        let events = Arc::new(Mutex::new(String::new()));
        let mut settings = settings(&server, &Pauses::default());
        settings.credentials = credentials;
        settings.retry.attempts = 2;
        settings.observer = Observer::new({
            let events = Arc::clone(&events);
            move |event| writeln!(events.lock().unwrap(), "{event:?}").unwrap()
        });
        note(&mut shown, &settings);
        let http = Http::new(settings).unwrap();
        note(&mut shown, &http);
        for path in ECHOES {
            let call = Call::get(Path::new("/{x}", &[&&path[1..]]));
            note(&mut shown, &call);
            let error = http
                .list::<u8>(&call, PageLimits::default())
                .await
                .unwrap_err();
            shown.push_str(&message(&error, &server));
            note(&mut shown, &error);
            note(&mut shown, error.failure());
        }
        shown.push_str(&events.lock().unwrap());
    }
    let asked = get("/x").query("token", TOKEN).query("q", TOKEN);
    let http = Http::new(settings(&server, &Pauses::default())).unwrap();
    shown.push_str(&message(&http.send(&asked).await.unwrap_err(), &server));

    let traced = String::from_utf8(traced.0.lock().unwrap().clone()).unwrap();
    assert!(traced.contains("request"), "nothing was traced");
    let encoded = "b2N0bzpnaHBf";
    for (what, text) in [("shown", shown), ("traced", traced)] {
        for part in [TOKEN, &TOKEN[..8], &TOKEN[12..], encoded] {
            let found = text.lines().find(|line| line.contains(part));
            assert_eq!(found, None, "{what}");
        }
    }
}

fn note(shown: &mut String, value: &impl Debug) {
    writeln!(shown, "{value:?}\n{value:#?}").unwrap();
}

#[tokio::test]
async fn a_moved_place_does_not_show_one_either() {
    let server = Server::start(|seen, _| match &*seen.target {
        "/old" => reply(301).header("location", format!("/{TOKEN}")),
        _ => json("[]"),
    })
    .await;
    let http = Http::new(settings(&server, &Pauses::default())).unwrap();
    let reply = http.send(&get("/old")).await.unwrap();
    assert_eq!(
        format!("{reply:?}"),
        "Reply { status: 200, bytes: 2, from_cache: false, moved: true, .. }"
    );
    assert_eq!(reply.moved_to(), Some(&*format!("{}/***", server.url())));
}

#[test]
fn an_unsendable_credential_is_not_displayed() {
    let error = Credential::bearer(&Secret::new(format!("{TOKEN}\n"))).unwrap_err();
    insta::assert_snapshot!(error, @"the credential has characters that cannot be sent; check it for line feeds and other control characters");
    assert_eq!(format!("{:?}", Secret::new(TOKEN)), "Secret(***)");
}

#[test]
fn a_proxy_with_a_password_is_not_displayed() {
    let mut settings = Settings::new("http://127.0.0.1:1", "t");
    settings.proxy.http = Some("http://me:hunter22@proxy.test:3128".to_owned());
    settings.proxy.https = Some("socks5://me:hunter22@proxy.test:3128".to_owned());
    let debug = format!("{settings:?}");
    assert!(
        debug.contains("***@proxy.test") && !debug.contains("hunter22"),
        "{debug}"
    );
    let error = Http::new(settings).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("hunter22"));
    insta::assert_snapshot!(error, @"the HTTPS proxy `socks5://***@proxy.test:3128` cannot be used: it must begin with http:// or https://");
}

#[tokio::test]
async fn a_write_shows_none_either() {
    let server = Server::start(|seen, _| echo(seen)).await;
    let http = Http::new(settings(&server, &Pauses::default())).unwrap();
    let call = Call::post(Path::new("/x", &[]), Safety::Write).json(&[TOKEN]);
    let error = http.send(&call).await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains(TOKEN));
}
