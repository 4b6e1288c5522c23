//! Authentication: tokens, `gh` and apps.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD as BASE64, URL_SAFE_NO_PAD as BASE64_URL};
use baton_host::cmd::Environment;
use baton_remote::github::auth::{App, AppKey, Installation, token_from_gh};
use baton_remote::github::{Auth, GitHub, Observer, Server};
use baton_remote::http::Clock;
use baton_testkit::Sandbox;
use jiff::Timestamp;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::server::{Answer, Scripted};
use super::{client, pull, repository, settings};

/// Made for these tests with `openssl genrsa -traditional 2048`; it opens nothing.
const PKCS1: &[u8] = include_bytes!("keys/app.pkcs1.pem");
/// The same key, by `openssl pkcs8 -topk8 -nocrypt`.
const PKCS8: &[u8] = include_bytes!("keys/app.pkcs8.pem");
/// Its public half, by `openssl rsa -RSAPublicKey_out -outform DER | base64`.
const PUBLIC: &str = include_str!("keys/app.public.b64");
/// A key on a curve, which is no RSA key.
const CURVE: &[u8] = include_bytes!("keys/curve.pkcs8.pem");

#[tokio::test]
async fn a_token_goes_with_every_request() {
    let server = Scripted::start().await;
    server.on_json("GET /repos/octo/app/pulls/12", &pull(12));
    client(&server)
        .pull_request(&repository(), 12)
        .await
        .unwrap();
    let headers = &server.seen()[0].headers;
    assert_eq!(headers["authorization"], "Bearer token-of-octo");
    assert_eq!(headers["accept"], "application/vnd.github+json");
    assert_eq!(headers["x-github-api-version"], "2022-11-28");
    assert_eq!(headers["user-agent"], "baton-tests");
}

/// A clock that the test sets.
fn clock(now: &Arc<AtomicI64>) -> Clock {
    let now = Arc::clone(now);
    Clock::new(
        move || Timestamp::from_second(now.load(Ordering::SeqCst)).unwrap(),
        |_| Box::pin(async {}),
        || 0.0,
    )
}

fn app_client(
    server: &Scripted,
    pem: &[u8],
    installation: Installation,
    now: &Arc<AtomicI64>,
) -> GitHub {
    let mut settings = settings(server);
    settings.clock = clock(now);
    let app = App {
        id: "4711".to_owned(),
        key: AppKey::from_pem(pem).unwrap(),
        installation,
    };
    let place = Server::at(&server.api_url());
    GitHub::new(&place, Auth::App(app), settings, Observer::default()).unwrap()
}

fn token(text: &str, expires_at: i64) -> Answer {
    let expires_at = Timestamp::from_second(expires_at).unwrap();
    Answer::json(
        201,
        &json!({ "token": text, "expires_at": expires_at.to_string() }),
    )
}

/// The claims of a JSON web token, whose signature is checked.
fn claims(authorization: &str) -> Value {
    let token = authorization.strip_prefix("Bearer ").unwrap();
    let (message, signature) = token.rsplit_once('.').unwrap();
    let public = BASE64.decode(PUBLIC.replace('\n', "")).unwrap();
    UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public)
        .verify(message.as_bytes(), &BASE64_URL.decode(signature).unwrap())
        .unwrap();
    let (header, claims) = message.split_once('.').unwrap();
    let read = |part| serde_json::from_slice::<Value>(&BASE64_URL.decode(part).unwrap()).unwrap();
    assert_eq!(read(header), json!({ "alg": "RS256", "typ": "JWT" }));
    read(claims)
}

const START: i64 = 2_000_000_000;
const TOKENS: &str = "POST /app/installations/99/access_tokens";
const PULL: &str = "GET /repos/octo/app/pulls/12";

#[tokio::test]
async fn an_app_signs_for_a_token_and_keeps_it_until_it_is_due() {
    let server = Scripted::start().await;
    server.on(TOKENS, token("first", START + 3600));
    server.on(TOKENS, token("second", START + 7200));
    server.on_json(PULL, &pull(12));
    let now = Arc::new(AtomicI64::new(START));
    let github = app_client(&server, PKCS1, Installation::Id(99), &now);
    for at in [START, START + 3539, START + 3540] {
        now.store(at, Ordering::SeqCst);
        github.pull_request(&repository(), 12).await.unwrap();
    }
    let seen = server.seen();
    let asked: Vec<&str> = seen.iter().map(|seen| seen.target.as_str()).collect();
    let (tokens, pull) = (
        "/api/v3/app/installations/99/access_tokens",
        "/api/v3/repos/octo/app/pulls/12",
    );
    assert_eq!(asked, [tokens, pull, pull, tokens, pull]);
    assert_eq!(seen[2].headers["authorization"], "Bearer first");
    assert_eq!(seen[4].headers["authorization"], "Bearer second");
    assert_eq!(
        claims(&seen[0].headers["authorization"]),
        json!({ "iss": "4711", "iat": START - 60, "exp": START + 540 })
    );
}

#[tokio::test]
async fn an_app_finds_the_installation_of_a_repository() {
    let server = Scripted::start().await;
    server.on_json("GET /repos/octo/app/installation", &json!({ "id": 99 }));
    server.on(TOKENS, token("first", START + 3600));
    server.on_json(PULL, &pull(12));
    let now = Arc::new(AtomicI64::new(START));
    let github = app_client(&server, PKCS8, Installation::Of(repository()), &now);
    github.pull_request(&repository(), 12).await.unwrap();
    claims(&server.seen()[0].headers["authorization"]);
}

#[tokio::test]
async fn a_revoked_token_is_renewed_once() {
    let server = Scripted::start().await;
    server.on(TOKENS, token("first", START + 3600));
    server.on(TOKENS, token("second", START + 3600));
    server.on(
        PULL,
        Answer::json(401, &json!({ "message": "Bad credentials" })),
    );
    server.on_json(PULL, &pull(12));
    server.on(
        "GET /repos/octo/app/pulls/13",
        Answer::json(401, &json!({ "message": "Bad credentials" })),
    );
    let now = Arc::new(AtomicI64::new(START));
    let github = app_client(&server, PKCS1, Installation::Id(99), &now);
    github.pull_request(&repository(), 12).await.unwrap();
    let error = github.pull_request(&repository(), 13).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read pull request octo/app#13: GitHub does not accept the token (Bad credentials)"
    );
    let pulls = server
        .targets()
        .iter()
        .filter(|target| target.contains("/pulls/"))
        .count();
    assert_eq!(pulls, 4);
}

#[tokio::test]
async fn waiting_calls_share_one_token() {
    let server = Scripted::start().await;
    server.on(TOKENS, token("first", START + 3600));
    server.on_json(PULL, &pull(12));
    let now = Arc::new(AtomicI64::new(START));
    let github = app_client(&server, PKCS1, Installation::Id(99), &now);
    let repository = repository();
    let (a, b, c) = tokio::join!(
        github.pull_request(&repository, 12),
        github.pull_request(&repository, 12),
        github.pull_request(&repository, 12),
    );
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    assert_eq!(server.seen().len(), 4);
}

#[tokio::test]
async fn an_app_without_a_token_reports_the_reason() {
    let server = Scripted::start().await;
    server.on(
        "GET /repos/octo/app/installation",
        Answer::json(404, &json!({ "message": "Not Found" })),
    );
    server.on(
        TOKENS,
        Answer::json(
            401,
            &json!({ "message": "'Expiration time' claim ('exp') is too far in the future" }),
        ),
    );
    let now = Arc::new(AtomicI64::new(START));
    let explain = async |installation| {
        let github = app_client(&server, PKCS1, installation, &now);
        let error = github.pull_request(&repository(), 12).await.unwrap_err();
        let source = std::error::Error::source(&error).unwrap();
        format!("{error}\n{source}").replace(&server.authority(), "HOST")
    };
    insta::assert_snapshot!(explain(Installation::Of(repository())).await, @r"
    cannot read pull request octo/app#12: GET http://HOST/api/v3/repos/{owner}/{repo}/pulls/{pull_number}: no credential could be had
    the app is not installed for octo/app, or its id and key do not belong together; install it from the app's page
    ");
    insta::assert_snapshot!(explain(Installation::Id(99)).await, @r"
    cannot read pull request octo/app#12: GET http://HOST/api/v3/repos/{owner}/{repo}/pulls/{pull_number}: no credential could be had
    GitHub rejects the app's key ('Expiration time' claim ('exp') is too far in the future); check the app's id, its key and this machine's clock
    ");
}

#[test]
fn unusable_keys_are_explained_and_never_displayed() {
    let refused = |pem: &[u8]| AppKey::from_pem(pem).unwrap_err().to_string();
    insta::assert_snapshot!(refused(b"secret"), @"the app's private key is no PEM file; download one from the app's settings page and give its whole text, from BEGIN to END");
    insta::assert_snapshot!(refused(CURVE), @"the app's private key is no RSA key, which GitHub's apps have; download a new one from the app's settings page");
    let broken = "-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0\n-----END RSA PRIVATE KEY-----\n";
    insta::assert_snapshot!(refused(broken.as_bytes()), @"the app's private key cannot be used (InvalidEncoding); download a new one from the app's settings page");
    assert_eq!(
        format!("{:?}", AppKey::from_pem(PKCS1).unwrap()),
        "AppKey(***)"
    );
}

#[tokio::test]
async fn gh_gives_its_token() {
    let ask = async |script: &str| {
        let sandbox = Sandbox::new();
        sandbox.fake("gh", script);
        let environment: Environment = sandbox.environment().clone().into_iter().collect();
        let cancel = CancellationToken::new();
        match token_from_gh("github.example.com", &environment, &cancel).await {
            Ok(token) => format!("token {}", token.expose()),
            Err(error) => error.to_string(),
        }
    };
    insta::assert_snapshot!(ask("echo \"$*\" | tr ' ' _").await, @"token auth_token_--hostname=github.example.com");
    insta::assert_snapshot!(ask("echo 'no oauth token found' >&2; exit 1").await, @"gh has no login for github.example.com; run `gh auth login --hostname github.example.com`");
    insta::assert_snapshot!(ask("echo two words").await, @"gh gave an unusable token for github.example.com; run `gh auth login --hostname github.example.com` again");
    insta::assert_snapshot!(ask("echo nonsense >&2; exit 70").await, @"gh exited with code 70 when asked for its token: nonsense");
    let nothing = Environment::from_iter([("PATH", "/nonexistent")]);
    let error = token_from_gh("github.com", &nothing, &CancellationToken::new())
        .await
        .unwrap_err();
    insta::assert_snapshot!(error, @"cannot start gh; install it from https://cli.github.com, or give a token in GH_TOKEN");
}
