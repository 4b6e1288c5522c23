//! The ground of every test: a forge, some users with tokens, a repository
//! with commits, and a client.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use baton_forge::{AccountKind, App, Forge, NewAccount, NewRepository, Role, Settings};
use baton_testkit::{Repo, Sandbox};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::contract;

/// Longer than anything takes: a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// Scopes that `gh` asks for.
pub(crate) const ALL_SCOPES: &[&str] = &["repo", "read:org", "gist", "workflow", "delete_repo"];

/// `octo` owns `octo/demo`; `reviewer` and `ci-bot` may write there, `guest`
/// may only read, as everybody may. All have a token.
pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
    pub(crate) address: SocketAddr,
    settings: Settings,
    app: App,
    runtime: Runtime,
    tokens: BTreeMap<String, String>,
    stop: CancellationToken,
    server: Option<JoinHandle<()>>,
}

impl World {
    pub(crate) fn start() -> Self {
        Self::start_with(|_| {})
    }

    /// A forge with other settings.
    pub(crate) fn start_with(change: impl FnOnce(&mut Settings)) -> Self {
        let sandbox = Sandbox::new();
        let environment = sandbox.environment().clone().into_iter().collect();
        let mut settings = Settings::new(sandbox.path("forge"), environment);
        // Where check commands leave something for a test to see.
        settings.job_environment.set("OUTSIDE", sandbox.home());
        change(&mut settings);
        let stop = CancellationToken::new();
        let (server, app, address) = serve(settings.clone(), stop.clone());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let mut world = Self {
            sandbox,
            address,
            settings,
            app,
            runtime,
            tokens: BTreeMap::new(),
            stop,
            server: Some(server),
        };
        world.populate();
        world
    }

    /// The forge stops in order and starts again on the same data, with the
    /// same tokens, on another port.
    pub(crate) fn restart(mut self) -> Self {
        self.stop.cancel();
        if let Some(server) = self.server.take() {
            server.join().expect("the forge stops in order");
        }
        self.stop = CancellationToken::new();
        let (server, app, address) = serve(self.settings.clone(), self.stop.clone());
        (self.server, self.app, self.address) = (Some(server), app, address);
        self
    }

    /// Asks until there is an answer.
    pub(crate) fn wait_for<T>(&self, mut look: impl FnMut() -> Option<T>) -> T {
        let started = Instant::now();
        loop {
            if let Some(found) = look() {
                return found;
            }
            assert!(started.elapsed() < PATIENCE, "it never happened");
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn populate(&mut self) {
        for login in ["octo", "reviewer", "guest"] {
            self.add_user(login);
        }
        self.add_account("ci-bot", AccountKind::Bot);
        self.create_repository(NewRepository::new("octo", "demo"));
        for login in ["reviewer", "ci-bot"] {
            self.run(
                self.app
                    .set_collaborator("octo", "demo", login, Role::Write),
            )
            .unwrap();
        }
    }

    pub(crate) fn add_user(&mut self, login: &str) {
        self.add_account(login, AccountKind::User);
    }

    /// An app that may write to `octo/demo`.
    pub(crate) fn add_bot(&mut self, login: &str) {
        self.add_account(login, AccountKind::Bot);
        let given = self
            .app
            .set_collaborator("octo", "demo", login, Role::Write);
        self.run(given).unwrap();
    }

    fn add_account(&mut self, login: &str, kind: AccountKind) {
        let account = NewAccount {
            kind,
            ..NewAccount::user(login)
        };
        self.run(self.app.create_account(account)).unwrap();
        let token = self.token(login, ALL_SCOPES);
        self.tokens.insert(login.to_owned(), token);
    }

    pub(crate) fn create_repository(&self, new: NewRepository) {
        self.run(self.app.create_repository(new)).unwrap();
    }

    /// A further token of a user.
    pub(crate) fn token(&self, login: &str, scopes: &[&str]) -> String {
        self.run(self.app.issue_token(login, scopes, None)).unwrap()
    }

    pub(crate) fn app(&self) -> &App {
        &self.app
    }

    pub(crate) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// A client with the user's token.
    pub(crate) fn client(&self, login: &str) -> Client {
        self.with_token(&self.tokens[login])
    }

    pub(crate) fn with_token(&self, token: &str) -> Client {
        Client::new(self.address, token)
    }

    pub(crate) fn anonymous(&self) -> Client {
        Client {
            address: self.address,
            headers: Vec::new(),
        }
    }

    /// What git is given to push and fetch as a user.
    pub(crate) fn git_url(&self, login: &str, repository: &str) -> String {
        self.git_url_with(&self.tokens[login], repository)
    }

    pub(crate) fn git_url_with(&self, token: &str, repository: &str) -> String {
        format!(
            "http://x-access-token:{token}@{}/{repository}.git",
            self.address
        )
    }

    /// A checkout with a `README.md`, pushed as `octo` to `main` of
    /// `octo/demo`; the remote is `origin`.
    pub(crate) fn checkout(&self) -> Repo<'_> {
        let repo = self.sandbox.repo("checkout");
        repo.commit_file("README.md", "# Demo\n", "Begin");
        repo.git(&[
            "remote",
            "add",
            "origin",
            &self.git_url("octo", "octo/demo"),
        ]);
        repo.git(&["push", "--quiet", "--set-upstream", "origin", "main"]);
        repo
    }

    /// The bare repository behind `octo/demo`.
    pub(crate) fn folder(&self) -> PathBuf {
        self.app.repository_folder("octo", "demo").unwrap()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(server) = self.server.take() {
            // A panic there has been printed, and this may already be one.
            let _ = server.join();
        }
    }
}

/// In a thread of its own, so that tests may block.
fn serve(settings: Settings, stop: CancellationToken) -> (JoinHandle<()>, App, SocketAddr) {
    let (send, receive) = mpsc::channel();
    let server = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let forge = Forge::start(settings).await.unwrap();
            send.send((forge.app().clone(), forge.address())).unwrap();
            forge.serve(stop).await;
        });
    });
    let (app, address) = receive.recv().expect("the forge starts");
    (server, app, address)
}

/// Asks the forge, one connection per request.
#[derive(Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    headers: Vec<(String, String)>,
}

impl Client {
    pub(crate) fn new(address: SocketAddr, token: &str) -> Self {
        Self {
            address,
            headers: vec![("Authorization".to_owned(), format!("token {token}"))],
        }
    }

    /// The same with one more header.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// No one in particular.
    pub(crate) fn without_token(&self) -> Self {
        Self {
            address: self.address,
            headers: Vec::new(),
        }
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.send("GET", path, None)
    }

    pub(crate) fn delete(&self, path: &str) -> Response {
        self.send("DELETE", path, None)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Response {
        self.send("POST", path, Some(body.to_string().as_bytes()))
    }

    pub(crate) fn patch(&self, path: &str, body: &Value) -> Response {
        self.send("PATCH", path, Some(body.to_string().as_bytes()))
    }

    pub(crate) fn put(&self, path: &str, body: &Value) -> Response {
        self.send("PUT", path, Some(body.to_string().as_bytes()))
    }

    /// The API's part of an address in an answer, such as a link to the next page.
    pub(crate) fn follow(&self, url: &str) -> Response {
        let root = format!("http://{}", self.address);
        let path = url.strip_prefix(&root).expect("a link stays in the forge");
        self.send("GET", path, None)
    }

    pub(crate) fn send(&self, method: &str, path: &str, body: Option<&[u8]>) -> Response {
        let (answer, end) = self.exchange(method, path, body);
        end.unwrap();
        let response = Response::parse(&answer);
        contract::hold(method, path, body, &response);
        response
    }

    /// All that came back, and how the connection ended.
    pub(crate) fn exchange(
        &self,
        method: &str,
        path: &str,
        body: Option<&[u8]>,
    ) -> (Vec<u8>, io::Result<()>) {
        let mut stream = TcpStream::connect(self.address).expect("the forge listens");
        stream
            .write_all(self.head(method, path, body).as_bytes())
            .unwrap();
        // A server that refuses may have hung up already.
        let _ = stream.write_all(body.unwrap_or_default());
        let mut answer = Vec::new();
        let end = stream.read_to_end(&mut answer).map(drop);
        (answer, end)
    }

    /// All that came back from a forge that may not be there any more.
    pub(crate) fn try_exchange(
        &self,
        method: &str,
        path: &str,
        body: Option<&[u8]>,
    ) -> Option<Vec<u8>> {
        let mut stream = TcpStream::connect(self.address).ok()?;
        let head = self.head(method, path, body);
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(body.unwrap_or_default()).ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        Some(answer)
    }

    fn head(&self, method: &str, path: &str, body: Option<&[u8]>) -> String {
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n",
            self.address
        );
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = body {
            head.push_str("Content-Type: application/json\r\n");
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        head
    }
}

pub(crate) struct Response {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn parse(answer: &[u8]) -> Self {
        Self::try_parse(answer).expect("an answer has a head")
    }

    /// Absent where not even the head is complete.
    pub(crate) fn try_parse(answer: &[u8]) -> Option<Self> {
        let end = answer.windows(4).position(|window| window == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1));
        let headers: Vec<_> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let mut response = Self {
            status: status.unwrap().parse().unwrap(),
            headers,
            body: answer[end + 4..].to_vec(),
        };
        if response.header("transfer-encoding") == Some("chunked") {
            response.body = unchunk(&response.body);
        }
        Some(response)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Fails the test unless the status is as expected.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text());
        self
    }

    /// The address of a page in the `Link` header.
    pub(crate) fn link(&self, relation: &str) -> Option<String> {
        let sign = format!("rel=\"{relation}\"");
        self.header("link")?
            .split(", ")
            .find(|part| part.ends_with(&sign))
            .and_then(|part| part.split(['<', '>']).nth(1))
            .map(str::to_owned)
    }
}

fn unchunk(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|window| window == b"\r\n") {
        let size = String::from_utf8_lossy(&rest[..end]).into_owned();
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        if size == 0 {
            break;
        }
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 4 + size..];
    }
    body
}
