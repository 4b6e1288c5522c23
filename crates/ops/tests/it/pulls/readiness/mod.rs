//! `check_merge_readiness`: every rule both ways, and every printed command run
//! by the real `gh` and git.

mod ci;
mod merge;
mod queue;
mod rules;
mod state;

use baton_testkit::Repo;
use baton_testkit::world::forge::NewRepository;
use baton_testkit::world::{CiRun, JobEnd, World};
use serde_json::{Value, json};

use super::shell::Shell;
use super::world::{Spent, ToolCaller};

const TOOL: &str = "check_merge_readiness";

/// A pull request of `octo`, and another user who asks about it.
struct Scene<'w> {
    world: &'w World,
    caller: ToolCaller<'w>,
    repo: Repo<'w>,
    head: String,
}

impl<'w> Scene<'w> {
    fn new(world: &'w World) -> Self {
        Self::with(world, |_| {}, |_| {})
    }

    /// With more files on `main`, and in the head commit.
    fn with(
        world: &'w World,
        on_main: impl FnOnce(&Repo<'_>),
        in_head: impl FnOnce(&Repo<'_>),
    ) -> Self {
        let repo = world.checkout();
        on_main(&repo);
        repo.commit("Prepare");
        world.push(&repo, "main");
        repo.branch("fix/cart");
        in_head(&repo);
        let head = repo.commit_file("cart.py", "total = 0\n", "Fix the cart");
        world.push(&repo, "fix/cart");
        assert_eq!(world.open_pull("Fix the cart", "fix/cart", "main"), 1);
        Self {
            world,
            caller: ToolCaller::new(world),
            repo,
            head,
        }
    }

    fn ask(&self) -> Value {
        self.caller.ask(TOOL, &json!({ "pr": "octo/demo#1" }))
    }

    /// The whole answer, for a snapshot.
    fn shown(&self) -> String {
        let text = self.caller.shown(&self.ask());
        text.replace(&self.head, "HEAD")
            .replace(&self.head[..7], "HEAD")
    }

    fn outline(&self) -> String {
        outline(&self.ask()).replace(&self.head[..7], "HEAD")
    }

    fn run(&self, jobs: &[&str]) -> CiRun {
        self.world.start_run("CI", &self.head, jobs)
    }

    fn protect(&self, body: &Value) {
        let mut all = json!({
            "required_status_checks": null,
            "enforce_admins": true,
            "required_pull_request_reviews": null,
            "restrictions": null,
        });
        for (name, value) in body.as_object().unwrap() {
            all[name] = value.clone();
        }
        let path = "/repos/octo/demo/branches/main/protection";
        self.world.client("octo").put(path, &all).expect(200);
    }

    fn rules(&self, rules: &Value) {
        let body = json!({
            "name": "main",
            "target": "branch",
            "enforcement": "active",
            "conditions": { "ref_name": { "include": ["refs/heads/main"], "exclude": [] } },
            "rules": rules,
        });
        let octo = self.world.client("octo");
        octo.post("/repos/octo/demo/rulesets", &body).expect(201);
    }

    fn review(&self, login: &str, event: &str) {
        let body = json!({ "event": event, "body": "Seen.", "commit_id": self.head });
        let client = self.world.client(login);
        client
            .post("/repos/octo/demo/pulls/1/reviews", &body)
            .expect(200);
    }

    fn comment_on_line(&self) {
        let body = json!({
            "body": "Why?", "commit_id": self.head, "path": "cart.py", "line": 1, "side": "RIGHT",
        });
        let client = self.world.client("reviewer");
        client
            .post("/repos/octo/demo/pulls/1/comments", &body)
            .expect(201);
    }

    /// What an answer costs when the forge knows already whether it merges.
    fn cost(&self) -> Spent {
        self.ask();
        let before = self.caller.spent();
        self.ask();
        let after = self.caller.spent();
        Spent {
            requests: after.requests - before.requests,
            points: after.points - before.points,
        }
    }

    /// Others go on meanwhile.
    fn main_goes_on(&self) {
        self.repo.checkout("main");
        self.repo.commit_file("other.py", "", "Go on");
        self.world.push(&self.repo, "main");
    }

    /// Runs what the ledger prints for a rule.
    #[track_caller]
    fn follow(&self, rule: &str, shell: &Shell<'_>) {
        for command in commands(&self.ask(), rule) {
            shell.done(&command);
        }
    }
}

fn entries(answer: &Value) -> &Vec<Value> {
    answer["ledger"].as_array().unwrap()
}

/// `ready` or not, the five answers, and a line per entry of the ledger.
fn outline(answer: &Value) -> String {
    let checks = answer["checks"].as_object().unwrap();
    let yes: Vec<&str> = checks
        .iter()
        .filter(|(_, value)| **value == true)
        .map(|(name, _)| name.as_str())
        .collect();
    let mut lines = vec![format!(
        "ready: {} ({})",
        answer["ready_to_merge"],
        yes.join(" ")
    )];
    for entry in entries(answer) {
        let text = |key: &str| entry[key].as_str().unwrap_or("-").to_owned();
        lines.push(format!(
            "{} {}: {}",
            text("status"),
            text("rule"),
            text("evidence")
        ));
    }
    if let Some(message) = answer["message"].as_str() {
        lines.push(message.to_owned());
    }
    lines.join("\n")
}

fn commands(answer: &Value, rule: &str) -> Vec<String> {
    entries(answer)
        .iter()
        .filter(|entry| entry["rule"] == rule && entry["status"] != "satisfied")
        .flat_map(|entry| entry["commands"].as_array().cloned().unwrap_or_default())
        .map(|command| command.as_str().unwrap().to_owned())
        .collect()
}
