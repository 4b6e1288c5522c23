//! What a call can change in the forge, as plain counts and words.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

use super::ground::Ground;

/// Everything that some call changes, each under a name. What a call makes is
/// counted, since it has another number after other calls.
pub(super) struct State(BTreeMap<String, Value>);

/// What became different: a number by how much, a word to what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Effect(BTreeMap<String, String>);

const QUESTION: &str = r#"query($pull: Int!) {
    repository(owner: "octo", name: "demo") {
        pullRequest(number: $pull) {
            reviewThreads(first: 50) { nodes { isResolved comments { totalCount } } }
        }
        mergeQueue(branch: "queued") { entries { totalCount } }
    }
}"#;

impl State {
    pub(super) fn read(ground: &Ground) -> Self {
        let mut state = Self(BTreeMap::new());
        state.look_at_issues(ground);
        state.look_at_pulls(ground);
        state.look_at_the_rest(ground);
        state
    }

    fn set(&mut self, name: impl Into<String>, value: Value) {
        self.0.insert(name.into(), value);
    }

    fn look_at_issues(&mut self, ground: &Ground) {
        let all = ground.get("issues?state=all&per_page=100");
        let comments = list(&all).iter();
        let comments: u64 = comments.filter_map(|one| one["comments"].as_u64()).sum();
        self.set("comments", json!(comments));
        let is_issue = |issue: &&Value| issue.get("pull_request").is_none();
        let issues: Vec<&Value> = list(&all).iter().filter(is_issue).collect();
        self.set("issues", json!(issues.len()));
        let facts = &ground.facts;
        for number in [facts.issue, facts.open_issue, facts.closed_issue] {
            let known = issues.iter().find(|issue| issue["number"] == number);
            let issue = known.expect("an issue stays");
            self.set(format!("issue {number} title"), issue["title"].clone());
            self.set(format!("issue {number} state"), issue["state"].clone());
            let labels = names(&issue["labels"]);
            self.set(format!("issue {number} labels"), labels);
        }
        let comment = ground.get(&format!("issues/comments/{}", facts.comment));
        self.set("comment text", comment["body"].clone());
        let reactions = comment["reactions"]["total_count"].clone();
        self.set("comment reactions", reactions);
    }

    fn look_at_pulls(&mut self, ground: &Ground) {
        let pulls = ground.get("pulls?state=all&per_page=100");
        self.set("pulls", json!(list(&pulls).len()));
        let facts = &ground.facts;
        for known in [
            &facts.pull,
            &facts.merging,
            &facts.behind,
            &facts.draft,
            &facts.ready,
            &facts.waiting,
        ] {
            let number = known.number;
            let pull = ground.get(&format!("pulls/{number}"));
            for field in ["title", "state", "draft", "merged", "commits"] {
                let name = format!("pull {number} {field}");
                self.set(name, pull[field].clone());
            }
            let is_armed = json!(!pull["auto_merge"].is_null());
            self.set(format!("pull {number} auto-merge"), is_armed);
            let asked = json!(list(&pull["requested_reviewers"]).len());
            self.set(format!("pull {number} reviewers"), asked);
        }
        let pull = facts.pull.number;
        for what in ["reviews", "comments"] {
            let all = ground.get(&format!("pulls/{pull}/{what}?per_page=100"));
            self.set(format!("pull {pull} {what}"), json!(list(&all).len()));
        }
    }

    fn look_at_the_rest(&mut self, ground: &Ground) {
        self.set("labels", json!(list(&ground.get("labels")).len()));
        self.set("branches", names(&ground.get("branches?per_page=100")));
        let runs = ground.get("actions/runs");
        for run in list(&runs["workflow_runs"]) {
            let name = format!("run {} attempt", run["id"]);
            self.set(name, run["run_attempt"].clone());
        }
        let body = json!({ "query": QUESTION, "variables": { "pull": ground.facts.pull.number } });
        let client = ground.world.client("octo");
        let answer = client.post("/graphql", &body).expect(200).json();
        let repository = &answer["data"]["repository"];
        let queue = &repository["mergeQueue"]["entries"]["totalCount"];
        self.set("queue", queue.clone());
        let threads = &repository["pullRequest"]["reviewThreads"]["nodes"];
        for (at, thread) in list(threads).iter().enumerate().take(2) {
            self.set(
                format!("thread {at} resolved"),
                thread["isResolved"].clone(),
            );
        }
    }

    pub(super) fn to(&self, after: &Self) -> Effect {
        let mut changed = BTreeMap::new();
        for (name, value) in &after.0 {
            let before = &self.0[name];
            if before == value {
                continue;
            }
            let how = match (before.as_i64(), value.as_i64()) {
                (Some(before), Some(after)) => format!("{:+}", after - before),
                _ => format!("{before} → {value}"),
            };
            changed.insert(name.clone(), how);
        }
        Effect(changed)
    }
}

impl Effect {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, how)) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{name} {how}")?;
        }
        Ok(())
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn names(value: &Value) -> Value {
    let names = list(value).iter().filter_map(|item| item["name"].as_str());
    // The queue makes branches of its own.
    let ours = names.filter(|name| !name.starts_with("gh-readonly-queue/"));
    json!(ours.collect::<Vec<_>>().join(" "))
}
