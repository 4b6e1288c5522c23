//! A login reaches one server, and nothing else on this machine.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use baton_host::git::{Authorization, GitError};
use baton_testkit::Sandbox;

use super::git;

/// `user:s3cret-token`, as git sends it.
const SENT: &str = "Basic dXNlcjpzM2NyZXQtdG9rZW4=";

/// Answers every request alike, and remembers its `Authorization`.
struct Server {
    origin: String,
    seen: Arc<Mutex<Vec<Option<String>>>>,
}

impl Server {
    fn start(answer: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut header = None;
                for line in BufReader::new(&stream).lines().map_while(Result::ok) {
                    if line.is_empty() {
                        break;
                    }
                    if let Some(value) = line.strip_prefix("Authorization: ") {
                        header = Some(value.to_owned());
                    }
                }
                let unknown = header.is_none();
                noted.lock().unwrap().push(header);
                let answer = if unknown && !answer.starts_with("302") {
                    "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\""
                } else {
                    &answer
                };
                let _ = write!(
                    &stream,
                    "HTTP/1.1 {answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                );
            }
        });
        Self { origin, seen }
    }

    fn login(&self) -> Authorization {
        Authorization {
            origin: self.origin.clone(),
            username: "user".to_owned(),
            secret: "s3cret-token".to_owned(),
        }
    }

    fn seen(&self) -> Vec<Option<String>> {
        self.seen.lock().unwrap().clone()
    }
}

#[tokio::test]
async fn only_the_server_gets_the_login() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let other = Server::start("404 Not Found".to_owned());
    let server = Server::start("404 Not Found".to_owned());
    // The user's helper is asked about other servers only.
    let helper = sandbox.fake("helper", "env > \"$HOME/seen\"; cat > \"$HOME/asked\"");
    let helper = format!("!{}", helper.path().display());
    repo.git(&["config", "--global", "credential.helper", &helper]);
    let git = git(&sandbox, &repo).await.with_login(Some(server.login()));

    let url = format!("{}/x.git", server.origin);
    let error = git.fetch(&url, &[]).await.unwrap_err();
    assert!(matches!(error, GitError::Remote { .. }), "{error}");
    let last = server.seen().pop().flatten();
    assert_eq!(last.as_deref(), Some(SENT));
    assert!(!sandbox.home().join("seen").exists());

    let url = format!("{}/x.git", other.origin);
    git.fetch(&url, &[]).await.unwrap_err();
    assert!(
        other.seen().iter().all(Option::is_none),
        "{:?}",
        other.seen()
    );
    let environment = std::fs::read_to_string(sandbox.home().join("seen")).unwrap();
    for secret in ["s3cret-token", SENT] {
        assert!(!environment.contains(secret), "{environment}");
    }
}

#[tokio::test]
async fn a_redirect_does_not_carry_the_login_elsewhere() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let other = Server::start("404 Not Found".to_owned());
    let target = "x.git/info/refs?service=git-upload-pack";
    let server = Server::start(format!("302 Found\r\nLocation: {}/{target}", other.origin));
    let git = git(&sandbox, &repo).await.with_login(Some(server.login()));
    let url = format!("{}/x.git", server.origin);
    git.fetch(&url, &[]).await.unwrap_err();
    assert!(!other.seen().is_empty(), "the redirect was followed");
    assert!(
        other.seen().iter().all(Option::is_none),
        "{:?}",
        other.seen()
    );
}

#[tokio::test]
async fn the_repository_does_not_learn_the_login() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("project");
    let other = Server::start("404 Not Found".to_owned());
    let server = Server::start("404 Not Found".to_owned());
    let proxy = format!("http.{}.proxy", server.origin);
    repo.git(&["config", &proxy, &other.origin]);
    repo.git(&["config", "http.proxy", &other.origin]);
    let instead = format!("url.{}/.insteadOf", other.origin);
    repo.git(&["config", &instead, &format!("{}/", server.origin)]);
    let git = git(&sandbox, &repo).await.with_login(Some(server.login()));
    git.fetch(&format!("{}/x.git", server.origin), &[])
        .await
        .unwrap_err();
    assert_eq!(other.seen(), []);
    assert_eq!(server.seen().pop().flatten().as_deref(), Some(SENT));
}
