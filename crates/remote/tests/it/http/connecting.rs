//! Base URLs, TLS and proxies.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use baton_remote::http::{Class, Http, PlainHttp, Settings, Trust};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::server::{Answer, Server, json};
use super::{Pauses, get, message, settings};

/// The authority that vouches for [`certified`], and one that does not.
const AUTHORITY: &[u8] = include_bytes!("tls/authority.pem");
const OTHER_AUTHORITY: &[u8] = include_bytes!("tls/other-authority.pem");

/// A server by the name of `localhost`.
fn certified() -> ServerConfig {
    let certificate = CertificateDer::from_pem_slice(include_bytes!("tls/server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/server-key.pem")).unwrap();
    ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap()
}

fn secure(server: &Server, trust: Trust) -> Settings {
    let mut settings = settings(server, &Pauses::default());
    settings.base_url = format!("https://localhost:{}", server.address.port());
    settings.trust = trust;
    settings
}

#[tokio::test]
async fn an_authority_of_ones_own_is_believed_when_it_is_named() {
    let server = Server::start_tls(certified(), |_, _| json("[1]")).await;
    for trust in [
        Trust::Only(AUTHORITY.into()),
        Trust::SystemAnd(AUTHORITY.into()),
    ] {
        let http = Http::new(secure(&server, trust)).unwrap();
        let numbers: Vec<u8> = http.json(&get("/x")).await.unwrap();
        assert_eq!(numbers, [1]);
    }
    for trust in [Trust::Only(OTHER_AUTHORITY.into()), Trust::System] {
        let http = Http::new(secure(&server, trust)).unwrap();
        let error = http.send(&get("/x")).await.unwrap_err();
        assert_eq!((error.class(), error.attempts()), (Class::Tls, 1));
        insta::allow_duplicates! {
            insta::assert_snapshot!(message(&error, &server), @"
            GET https://localhost:PORT/x: cannot make an encrypted connection to localhost:PORT
            because: invalid peer certificate: UnknownIssuer
            hint: if the server uses certificates of your organisation, give their file with SSL_CERT_FILE
            ");
        }
    }
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn http_2_is_spoken_where_it_is_offered() {
    let mut config = certified();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    // The test server does not speak it, but sees its first line.
    let server = Server::start_tls(config, |_, _| Answer::Close(vec![])).await;
    let mut settings = secure(&server, Trust::Only(AUTHORITY.into()));
    settings.retry.attempts = 1;
    let http = Http::new(settings).unwrap();
    http.send(&get("/x")).await.unwrap_err();
    assert_eq!(server.requests()[0].method, "PRI");
}

#[tokio::test]
async fn a_certificate_for_another_name_is_not_believed() {
    let server = Server::start_tls(certified(), |_, _| json("[1]")).await;
    let mut settings = secure(&server, Trust::Only(AUTHORITY.into()));
    settings.base_url = format!("https://127.0.0.1:{}", server.address.port());
    let error = Http::new(settings)
        .unwrap()
        .send(&get("/x"))
        .await
        .unwrap_err();
    assert_eq!((error.class(), server.count()), (Class::Tls, 0));
}

#[test]
fn unusable_certificates_are_reported() {
    let refused = |pem: &str| {
        let mut settings = Settings::new("https://localhost", "t");
        settings.trust = Trust::Only(pem.into());
        Http::new(settings).unwrap_err().to_string()
    };
    insta::assert_snapshot!(refused(""), @"the certificates to trust cannot be used: there are none; give a file with at least one `BEGIN CERTIFICATE` block");
    insta::assert_snapshot!(refused("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n"), @"the certificates to trust cannot be used: base64 decode error: InvalidCharacter(33); give a file with at least one `BEGIN CERTIFICATE` block");
    insta::assert_snapshot!(refused("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), @"the certificates to trust cannot be used: invalid peer certificate: BadEncoding; give a file with at least one `BEGIN CERTIFICATE` block");
}

#[test]
fn a_credential_does_not_travel_in_clear() {
    let accepted = |url: &str, plain_http| {
        let mut settings = Settings::new(url, "t");
        settings.plain_http = plain_http;
        Http::new(settings)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    for url in [
        "https://api.example.test",
        "http://127.0.0.1:8080/api",
        "http://127.1.2.3",
        "http://[::1]:8080",
        "http://localhost",
        "http://github.localhost:3000/",
    ] {
        accepted(url, PlainHttp::LoopbackOnly).unwrap();
    }
    for url in [
        "http://api.example.test",
        "http://localhost.example.test",
        "http://10.0.0.1",
    ] {
        accepted(url, PlainHttp::LoopbackOnly).unwrap_err();
        accepted(url, PlainHttp::Anywhere).unwrap();
    }
    let refused = |url| accepted(url, PlainHttp::LoopbackOnly).unwrap_err();
    insta::assert_snapshot!(refused("http://api.example.test"), @"the base URL `http://api.example.test` is not encrypted, and the credential would travel in clear; use https://, or allow plain HTTP for this host in your own configuration");
    insta::assert_snapshot!(refused("https://me:hunter22@api.example.test"), @"the base URL `https://***@api.example.test` cannot be used: it must not hold credentials");
    insta::assert_snapshot!(refused("https://api.example.test/?a=b"), @"the base URL `https://api.example.test/?a=b` cannot be used: it must have neither a query nor a fragment");
    insta::assert_snapshot!(refused("ftp://api.example.test"), @"the base URL `ftp://api.example.test` cannot be used: it must begin with https://");
    insta::assert_snapshot!(refused("api.example.test"), @"the base URL `api.example.test` cannot be used: relative URL without a base");
    insta::assert_snapshot!(refused(""), @"the base URL `` cannot be used: relative URL without a base");
}

#[tokio::test]
async fn a_plain_proxy_gets_the_whole_url() {
    let proxy = Server::start(|_, _| json("[1]")).await;
    let mut settings = settings(&proxy, &Pauses::default());
    settings.base_url = "http://api.localhost:81".to_owned();
    settings.proxy.http = Some(proxy.url().replace("http://", "http://me:hunter22@"));
    let http = Http::new(settings.clone()).unwrap();
    http.send(&get("/x")).await.unwrap();
    let seen = &proxy.requests()[0];
    assert_eq!(seen.target, "http://api.localhost:81/x");
    assert_eq!(
        seen.header("proxy-authorization"),
        Some("Basic bWU6aHVudGVyMjI=")
    );

    settings.base_url = proxy.url();
    settings.proxy.no_proxy = Some("other.test, 127.0.0.1".to_owned());
    let http = Http::new(settings).unwrap();
    http.send(&get("/x")).await.unwrap();
    assert_eq!(proxy.requests()[1].target, "/x");
}

/// A proxy that tunnels TLS and counts connections, or responds with `refusal`.
async fn tunnel(refusal: Option<&'static str>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let tunnels = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&tunnels);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(through(BufReader::new(stream), refusal));
        }
    });
    (format!("http://me:hunter22@{address}"), tunnels)
}

async fn through(
    mut client: BufReader<TcpStream>,
    refusal: Option<&'static str>,
) -> std::io::Result<()> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && client.read_line(&mut head).await? > 0 {}
    let target = head
        .strip_prefix("CONNECT ")
        .unwrap()
        .split(' ')
        .next()
        .unwrap();
    if let Some(refusal) = refusal {
        let answer = format!("HTTP/1.1 {refusal}\r\ncontent-length: 0\r\n\r\n");
        return client.write_all(answer.as_bytes()).await;
    }
    let mut server = TcpStream::connect(target).await?;
    client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}

#[tokio::test]
async fn encrypted_calls_go_through_a_tunnel() {
    let server = Server::start_tls(certified(), |_, _| json("[1]")).await;
    let (proxy, tunnels) = tunnel(None).await;
    let mut settings = secure(&server, Trust::Only(AUTHORITY.into()));
    settings.proxy.https = Some(proxy);
    let http = Http::new(settings.clone()).unwrap();
    for _ in 0..3 {
        http.send(&get("/x")).await.unwrap();
    }
    assert_eq!((server.count(), tunnels.load(Ordering::Relaxed)), (3, 1));

    settings.proxy.no_proxy = Some("localhost".to_owned());
    Http::new(settings).unwrap().send(&get("/x")).await.unwrap();
    assert_eq!((server.count(), tunnels.load(Ordering::Relaxed)), (4, 1));
}

#[tokio::test]
async fn a_proxy_that_refuses_is_named() {
    let server = Server::start_tls(certified(), |_, _| json("[1]")).await;
    for (refusal, class) in [
        ("407 Who are you", Class::Proxy),
        ("502 Bad Gateway", Class::Proxy),
    ] {
        let (proxy, _) = tunnel(Some(refusal)).await;
        let mut settings = secure(&server, Trust::Only(AUTHORITY.into()));
        settings.proxy.https = Some(proxy.clone());
        let error = Http::new(settings)
            .unwrap()
            .send(&get("/x"))
            .await
            .unwrap_err();
        assert_eq!(error.class(), class, "{error}");
        let port = proxy.rsplit(':').next().unwrap();
        let shown = message(&error, &server).replace(port, "PROXY");
        insta::allow_duplicates! {
            insta::assert_snapshot!(shown.lines().next().unwrap(), @"GET https://localhost:PORT/x: the proxy 127.0.0.1:PROXY does not let it through");
        }
        assert!(!format!("{shown}{error:?}").contains("hunter22"));
    }
}

#[tokio::test]
async fn a_plain_proxy_that_refuses_is_named() {
    let proxy = Server::start(|_, _| super::server::reply(407)).await;
    let mut settings = settings(&proxy, &Pauses::default());
    settings.base_url = "http://api.localhost:81".to_owned();
    settings.proxy.http = Some(proxy.url());
    let error = Http::new(settings)
        .unwrap()
        .send(&get("/x"))
        .await
        .unwrap_err();
    assert_eq!(error.class(), Class::Proxy);
    insta::assert_snapshot!(message(&error, &proxy), @"
    GET http://api.localhost:81/x: the proxy 127.0.0.1:PORT does not let it through
    because: it wants a user name and a password
    hint: check the proxy's address and credentials, or name the host in NO_PROXY
    ");
}

#[tokio::test]
async fn a_proxy_that_is_not_there_is_named() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    for base in ["http://api.localhost:81", "https://api.localhost:81"] {
        let mut settings = Settings::new(base, "t");
        settings.clock = Pauses::default().clock();
        settings.proxy.http = Some(format!("http://{unused}"));
        settings.proxy.https = Some(format!("http://{unused}"));
        let error = Http::new(settings)
            .unwrap()
            .send(&get("/x"))
            .await
            .unwrap_err();
        assert_eq!(error.class(), Class::Connect, "{error:?}");
        let shown = error.to_string().replace(&unused.to_string(), "UNUSED");
        assert_eq!(
            shown,
            format!("GET {base}/x: cannot connect to the proxy UNUSED (after 4 attempts)")
        );
    }
}
