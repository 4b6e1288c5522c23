//! A pull request that people and bots talk about.

use baton_testkit::Repo;
use baton_testkit::world::World;
use serde_json::{Value, json};

use super::world::ToolCaller;

/// `octo` has opened `octo/demo#1`, which changes lines 5 and 25 of a file of
/// thirty lines and adds another file, and asks about it.
pub(crate) struct Scene<'w> {
    pub(crate) world: &'w World,
    pub(crate) caller: ToolCaller<'w>,
    pub(crate) repo: Repo<'w>,
    pub(crate) head: String,
}

pub(crate) const FILE: &str = "src/cart.py";

impl<'w> Scene<'w> {
    pub(crate) fn new(world: &'w World) -> Self {
        let repo = world.checkout();
        repo.commit_file(FILE, lines(&[]), "Add the cart");
        world.push(&repo, "main");
        repo.branch("fix/cart");
        repo.write("src/new.py", "one\ntwo\nthree\n");
        let changed = lines(&[(5, "five"), (25, "twenty-five")]);
        let head = repo.commit_file(FILE, changed, "Fix the cart");
        world.push(&repo, "fix/cart");
        assert_eq!(world.open_pull("Fix the cart", "fix/cart", "main"), 1);
        Self {
            world,
            caller: ToolCaller::new(world),
            repo,
            head,
        }
    }

    /// Commits other content and pushes it.
    pub(crate) fn push_file(&mut self, file: &str, content: &str, message: &str) -> String {
        self.head = self.repo.commit_file(file, content, message);
        self.world.push(&self.repo, "fix/cart");
        self.head.clone()
    }

    /// Reviews the head. A thread is `(file, line, text)`. The review's id.
    pub(crate) fn review(
        &self,
        login: &str,
        event: &str,
        body: &str,
        threads: &[(&str, u32, &str)],
    ) -> u64 {
        let comments: Vec<Value> = threads
            .iter()
            .map(|(path, line, body)| json!({ "path": path, "line": line, "body": body }))
            .collect();
        let review = json!({
            "event": event, "body": body, "comments": comments, "commit_id": self.head,
        });
        let path = "/repos/octo/demo/pulls/1/reviews";
        let answer = self.world.client(login).post(path, &review).expect(200);
        answer.json()["id"].as_u64().unwrap()
    }

    /// Begins a thread and gives the number of its first comment.
    pub(crate) fn thread(&self, login: &str, file: &str, line: u32, body: &str) -> u64 {
        let comment = json!({
            "path": file, "line": line, "body": body, "commit_id": self.head, "side": "RIGHT",
        });
        let path = "/repos/octo/demo/pulls/1/comments";
        let answer = self.world.client(login).post(path, &comment).expect(201);
        answer.json()["id"].as_u64().unwrap()
    }

    pub(crate) fn reply(&self, login: &str, comment: u64, body: &str) -> u64 {
        let path = format!("/repos/octo/demo/pulls/1/comments/{comment}/replies");
        let body = json!({ "body": body });
        let answer = self.world.client(login).post(&path, &body).expect(201);
        answer.json()["id"].as_u64().unwrap()
    }

    /// Says something in the conversation.
    pub(crate) fn say(&self, login: &str, body: &str) -> Value {
        let path = "/repos/octo/demo/issues/1/comments";
        let answer = self
            .world
            .client(login)
            .post(path, &json!({ "body": body }));
        answer.expect(201).json()
    }

    pub(crate) fn graphql(&self, login: &str, query: &str) -> Value {
        let answer = self
            .world
            .client(login)
            .post("/graphql", &json!({ "query": query }))
            .expect(200)
            .json();
        assert!(answer.get("errors").is_none(), "{answer}");
        answer["data"].clone()
    }

    /// Id and state of each thread: `PRRT_… resolved: text | text`.
    pub(crate) fn threads(&self) -> Vec<(String, bool, Vec<String>)> {
        let data = self.graphql(
            "octo",
            "{ repository(owner: \"octo\", name: \"demo\") { pullRequest(number: 1) { \
             reviewThreads(first: 50) { nodes { id isResolved comments(first: 50) { nodes { body } } } } } } }",
        );
        let nodes = &data["repository"]["pullRequest"]["reviewThreads"]["nodes"];
        let thread = |node: &Value| {
            let comments = node["comments"]["nodes"].as_array().unwrap();
            let text = |comment: &Value| comment["body"].as_str().unwrap().to_owned();
            (
                node["id"].as_str().unwrap().to_owned(),
                node["isResolved"].as_bool().unwrap(),
                comments.iter().map(text).collect(),
            )
        };
        nodes.as_array().unwrap().iter().map(thread).collect()
    }

    pub(crate) fn resolve(&self, login: &str, thread: &str) {
        self.graphql(
            login,
            &format!("mutation {{ resolveReviewThread(input: {{threadId: \"{thread}\"}}) {{ thread {{ id }} }} }}"),
        );
    }

    /// The answer for a snapshot, without the moments at which things happened.
    pub(crate) fn shown(&self, answer: &Value) -> String {
        self.caller.shown(&timeless(answer))
    }
}

/// Thirty lines, some of them replaced.
pub(crate) fn lines(changed: &[(usize, &str)]) -> String {
    let line = |number: usize| match changed.iter().find(|(at, _)| *at == number) {
        Some((_, text)) => format!("{text}\n"),
        None => format!("line {number}\n"),
    };
    (1..=30).map(line).collect()
}

fn timeless(value: &Value) -> Value {
    match value {
        Value::Object(object) => Value::Object(
            object
                .iter()
                .map(|(key, value)| match key.as_str() {
                    "created_at" | "updated_at" => (key.clone(), json!("(a moment)")),
                    _ => (key.clone(), timeless(value)),
                })
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.iter().map(timeless).collect()),
        other => other.clone(),
    }
}
