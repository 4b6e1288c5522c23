//! A local forge with some people in it, for tests of whatever asks one.
//!
//! ```no_run
//! # use baton_testkit::world::{JobEnd, World};
//! let world = World::start();
//! let repo = world.checkout();
//! repo.branch("fix/cart");
//! let head = repo.commit_file("cart.py", "", "Fix the cart");
//! world.push(&repo, "fix/cart");
//! let number = world.open_pull("Fix the cart", "fix/cart", "main");
//! let run = world.start_run("CI", &head, &["test"]);
//! run.end("test", &JobEnd::failure().step("Run pytest", "failure", "1 failed"));
//! ```

mod ci;
mod client;
mod withholding;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use baton_forge::{AccountKind, App, Forge, NewAccount, NewRepository, Role, Settings};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// For settings, faults and accounts.
pub use baton_forge as forge;
pub use ci::{CiRun, JobEnd};
pub use client::{Client, Response};
pub use withholding::Withheld;

use crate::{Repo, Sandbox};

/// Longer than anything takes: a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_mins(1);

/// Scopes that `gh` asks for.
pub const ALL_SCOPES: &[&str] = &["repo", "read:org", "gist", "workflow", "delete_repo"];

/// `octo` owns `octo/demo`; `reviewer` and the bot `ci-bot` may write there,
/// `guest` may only read, as everybody may. All have a token.
pub struct World {
    pub sandbox: Sandbox,
    address: SocketAddr,
    app: App,
    runtime: Runtime,
    tokens: BTreeMap<String, String>,
    stop: CancellationToken,
    server: Option<JoinHandle<()>>,
}

impl World {
    pub fn start() -> Self {
        Self::start_with(|_| {})
    }

    /// A forge with other settings.
    pub fn start_with(change: impl FnOnce(&mut Settings)) -> Self {
        let sandbox = Sandbox::new();
        let environment = sandbox.environment().clone().into_iter().collect();
        let mut settings = Settings::new(sandbox.path("forge"), environment);
        change(&mut settings);
        let stop = CancellationToken::new();
        let (server, app, address) = serve(settings, stop.clone());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime can be made");
        let mut world = Self {
            sandbox,
            address,
            app,
            runtime,
            tokens: BTreeMap::new(),
            stop,
            server: Some(server),
        };
        world.populate();
        world
    }

    fn populate(&mut self) {
        for login in ["octo", "reviewer", "guest"] {
            self.add_account(NewAccount::user(login));
        }
        self.add_account(NewAccount {
            kind: AccountKind::Bot,
            ..NewAccount::user("ci-bot")
        });
        self.add_repository(NewRepository::new("octo", "demo"));
        for login in ["reviewer", "ci-bot"] {
            self.add_collaborator("octo/demo", login, Role::Write);
        }
    }

    /// An account with a token.
    pub fn add_account(&mut self, account: NewAccount) {
        let login = account.login.clone();
        self.block_on(self.app.create_account(account))
            .expect("the account is new");
        let token = self
            .block_on(self.app.issue_token(&login, ALL_SCOPES, None))
            .expect("the account exists");
        self.tokens.insert(login, token);
    }

    pub fn add_repository(&self, new: NewRepository) {
        self.block_on(self.app.create_repository(new))
            .expect("the repository is new");
    }

    /// `repository` is `owner/name`.
    pub fn add_collaborator(&self, repository: &str, login: &str, role: Role) {
        let (owner, name) = repository.split_once('/').expect("`owner/name`");
        let given = self.app.set_collaborator(owner, name, login, role);
        self.block_on(given)
            .expect("account and repository are there");
    }

    /// Lets the forge execute the commands of checks files that are pushed to
    /// `octo/demo`.
    pub fn enable_pushed_checks(&self) {
        let enabled = self.app.set_pushed_checks("octo", "demo", true);
        self.block_on(enabled).expect("the repository is there");
    }

    /// Set-up, and misbehaviour on request.
    pub fn app(&self) -> &App {
        &self.app
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What stands before `/octo/demo` in addresses of pages.
    pub fn web_url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn api_url(&self) -> String {
        format!("{}/api/v3", self.web_url())
    }

    pub fn token(&self, login: &str) -> &str {
        &self.tokens[login]
    }

    /// A client with the user's token.
    pub fn client(&self, login: &str) -> Client {
        Client::new(self.address, self.token(login))
    }

    /// Runs what the test is about. The forge has threads of its own.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Looks again and again until there is something to see.
    #[track_caller]
    pub fn wait_for<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let started = Instant::now();
        loop {
            if let Some(found) = look() {
                return found;
            }
            assert!(started.elapsed() < PATIENCE, "{what} never came");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// What git is given to push and fetch as a user.
    pub fn git_url(&self, login: &str, repository: &str) -> String {
        let token = self.token(login);
        format!(
            "http://x-access-token:{token}@{}/{repository}.git",
            self.address
        )
    }

    /// The folder `checkout` with a `README.md`, pushed as `octo` to `main` of
    /// `octo/demo`; the remote is `origin`.
    pub fn checkout(&self) -> Repo<'_> {
        let repo = self.sandbox.repo("checkout");
        repo.commit_file("README.md", "# Demo\n", "Begin");
        let url = self.git_url("octo", "octo/demo");
        repo.git(&["remote", "add", "origin", &url]);
        repo.git(&["push", "--quiet", "--set-upstream", "origin", "main"]);
        repo
    }

    /// Pushes what is checked out to a branch of `origin`, by force.
    pub fn push(&self, repo: &Repo<'_>, branch: &str) {
        let to = format!("HEAD:refs/heads/{branch}");
        repo.git(&["push", "--quiet", "--force", "origin", &to]);
    }

    /// Opens a pull request in `octo/demo` as `octo` and says its number.
    pub fn open_pull(&self, title: &str, head: &str, base: &str) -> u32 {
        let body = json!({ "title": title, "head": head, "base": base });
        let answer = self.client("octo").post("/repos/octo/demo/pulls", &body);
        let number = answer.expect(201).json()["number"].as_u64();
        number
            .and_then(|number| u32::try_from(number).ok())
            .expect("a pull request has a number")
    }

    /// Reports a commit status as `ci-bot`.
    pub fn status(&self, sha: &str, context: &str, state: &str, description: &str) {
        let body = json!({
            "context": context,
            "state": state,
            "description": description,
            "target_url": format!("https://ci.example.invalid/{context}"),
        });
        let path = format!("/repos/octo/demo/statuses/{sha}");
        self.client("ci-bot").post(&path, &body).expect(201);
    }

    /// Reports a check run as `ci-bot`, which is no CI with logs, and says its
    /// id. `body` has the fields of GitHub's API but `head_sha`.
    pub fn check_run(&self, sha: &str, mut body: Value) -> u64 {
        body["head_sha"] = json!(sha);
        let path = "/repos/octo/demo/check-runs";
        let answer = self.client("ci-bot").post(path, &body).expect(201).json();
        answer["id"].as_u64().expect("a check run has an id")
    }

    /// Protects a branch of `octo/demo`: these checks have to pass.
    pub fn require_checks(&self, branch: &str, contexts: &[&str]) {
        let body = json!({
            "required_status_checks": { "strict": false, "contexts": contexts },
            "enforce_admins": false,
            "required_pull_request_reviews": null,
            "restrictions": null,
        });
        let path = format!("/repos/octo/demo/branches/{branch}/protection");
        self.client("octo").put(&path, &body).expect(200);
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
            .expect("a runtime can be made");
        runtime.block_on(async {
            let forge = Forge::start(settings).await.expect("the forge starts");
            send.send((forge.app().clone(), forge.address()))
                .expect("the test waits for it");
            forge.serve(stop).await;
        });
    });
    let (app, address) = receive.recv().expect("the forge starts");
    (server, app, address)
}
