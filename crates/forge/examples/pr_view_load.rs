//! How many times per second the forge answers what `gh pr view` asks, over
//! HTTP, on one machine with any client.
//!
//!     cargo run --release -p baton-forge --example pr_view_load [SECONDS] [CONNECTIONS]
//!
//! The pull request has commits, labels, reviews, comments and checks, so that
//! every part of the answer has something in it.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an example shows what it found, and ends where it cannot go on"
)]

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use baton_forge::{App, Forge, NewAccount, NewRepository, Settings};
use baton_testkit::Sandbox;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::{JoinSet, spawn_blocking};
use tokio_util::sync::CancellationToken;

/// Word for word what `gh` 2.23 sends.
const PR_VIEW: &str = include_str!("pr_view.graphql");

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().map_or(10, |text| text.parse().unwrap());
    let connections = arguments.next().map_or(8, |text| text.parse().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let sandbox = Sandbox::new();
        let forge = Forge::start(settings(&sandbox)).await.unwrap();
        let (app, address) = (forge.app().clone(), forge.address());
        let stop = CancellationToken::new();
        let serving = tokio::spawn(forge.serve(stop.clone()));
        let token = set_up(&app).await;
        let url = format!("http://x:{token}@{address}/octo/demo.git");
        // Its folder stays as long as it does, and the forge's data is in there.
        let _sandbox = spawn_blocking(move || push(sandbox, &url)).await.unwrap();
        let client = Client { address, token };
        fill(&client).await;
        measure(&client, Duration::from_secs(seconds), connections).await;
        stop.cancel();
        serving.await.unwrap();
    });
}

fn settings(sandbox: &Sandbox) -> Settings {
    let environment = sandbox.environment().clone().into_iter().collect();
    Settings::new(sandbox.path("forge"), environment)
}

/// An account and a repository; gives the account's token.
async fn set_up(app: &App) -> String {
    app.create_account(NewAccount::user("octo")).await.unwrap();
    let new = NewRepository::new("octo", "demo");
    app.create_repository(new).await.unwrap();
    app.issue_token("octo", &["repo"], None).await.unwrap()
}

/// `main`, and `feature` with three commits more.
fn push(sandbox: Sandbox, url: &str) -> Sandbox {
    let repo = sandbox.repo("checkout");
    repo.commit_file("README.md", "# Demo\n", "Begin");
    repo.branch("feature");
    repo.checkout("feature");
    for number in 1..=3 {
        let content = "line\n".repeat(number);
        repo.commit_file("change.txt", content, &format!("Change {number}"));
    }
    repo.git(&["push", "--quiet", url, "main", "feature"]);
    sandbox
}

/// A pull request of which there is much to say.
async fn fill(client: &Client) {
    let pulls = "/repos/octo/demo/pulls";
    let new = json!({"title": "Change it", "body": "Fixes #9", "head": "feature", "base": "main"});
    let pull = client.post(pulls, &new).await;
    let sha = pull["head"]["sha"].as_str().unwrap();
    for number in 1..=5 {
        let body = json!({ "body": format!("Comment {number}") });
        client
            .post("/repos/octo/demo/issues/1/comments", &body)
            .await;
        let body = json!({"body": format!("Review {number}"), "event": "COMMENT"});
        client.post(&format!("{pulls}/1/reviews"), &body).await;
        let body = json!({"state": "success", "context": format!("ci/{number}")});
        client
            .post(&format!("/repos/octo/demo/statuses/{sha}"), &body)
            .await;
    }
    let body = json!({"labels": ["bug", "enhancement"]});
    client.post("/repos/octo/demo/issues/1/labels", &body).await;
    client
        .post(
            "/repos/octo/demo/issues/1/assignees",
            &json!({"assignees": ["octo"]}),
        )
        .await;
}

async fn measure(client: &Client, length: Duration, connections: usize) {
    let variables = json!({"owner": "octo", "repo": "demo", "pr_number": 1});
    let body = json!({"query": PR_VIEW, "variables": variables});
    let request = client.request("POST", "/api/graphql", &body);
    let mut stream = TcpStream::connect(client.address).await.unwrap();
    let answer = exchange(&mut stream, &request).await;
    let shown: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(shown["errors"], Value::Null, "{shown}");
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..connections {
        let (address, request) = (client.address, request.clone());
        tasks.spawn(async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let mut times = Vec::new();
            while start.elapsed() < length {
                let asked = Instant::now();
                exchange(&mut stream, &request).await;
                times.push(asked.elapsed());
            }
            times
        });
    }
    let mut times: Vec<Duration> = tasks.join_all().await.concat();
    let took = start.elapsed();
    let per_query = took / u32::try_from(times.len()).unwrap();
    times.sort();
    let at = |part: usize| times[times.len() * part / 100];
    println!(
        "{:.0} queries/s ({} in {took:.1?}, {connections} connections, {} bytes each)",
        per_query.as_secs_f64().recip(),
        times.len(),
        answer.len(),
    );
    println!(
        "half within {:.1?}, 99 of 100 within {:.1?}",
        at(50),
        at(99)
    );
}

struct Client {
    address: SocketAddr,
    token: String,
}

impl Client {
    fn request(&self, method: &str, path: &str, body: &Value) -> Vec<u8> {
        let (body, token) = (body.to_string(), &self.token);
        let length = body.len();
        format!(
            "{method} {path} HTTP/1.1\r\nHost: forge\r\nAuthorization: token {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .into_bytes()
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let request = self.request("POST", &format!("/api/v3{path}"), body);
        let answer = exchange(&mut stream, &request).await;
        serde_json::from_slice(&answer).unwrap()
    }
}

/// Asks once, and gives the body of the answer.
async fn exchange(stream: &mut TcpStream, request: &[u8]) -> Vec<u8> {
    stream.write_all(request).await.unwrap();
    let mut answer = Vec::with_capacity(16 * 1024);
    loop {
        let count = stream.read_buf(&mut answer).await.unwrap();
        assert!(count > 0, "the forge hung up");
        let Some(end) = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"))
            .and_then(|length| length.trim().parse::<usize>().ok())
            .expect("an answer says how long it is");
        if answer.len() >= end + 4 + length {
            assert!(head.starts_with("http/1.1 2"), "{head}");
            return answer.split_off(end + 4);
        }
    }
}
