//! A repository in which there is something for every call to find.

use baton_protocol::Oid;
use baton_protocol::Repository;
use baton_remote::github::NodeId;
use baton_testkit::Repo;
use baton_testkit::world::{JobEnd, World};
use serde_json::{Value, json};

pub(super) struct Ground {
    pub(super) world: World,
    pub(super) facts: Facts,
}

/// What the calls are about. Each change has something of its own, so that none
/// depends on another.
pub(super) struct Facts {
    pub(super) repository: Repository,
    /// With a discussion and checks.
    pub(super) pull: Pull,
    pub(super) merging: Pull,
    /// To be merged by the queue of its base, when it is asked for.
    pub(super) requested: Pull,
    /// Cannot be merged yet.
    pub(super) waiting: Pull,
    /// Was merged in the background, by a request with this id.
    pub(super) landed: (u32, String),
    /// Its base has moved on.
    pub(super) behind: Pull,
    pub(super) draft: Pull,
    pub(super) ready: Pull,
    pub(super) queued: Pull,
    pub(super) issue: u32,
    pub(super) open_issue: u32,
    pub(super) closed_issue: u32,
    pub(super) comment: u64,
    pub(super) review_comment: u64,
    pub(super) open_thread: NodeId,
    pub(super) resolved_thread: NodeId,
    pub(super) check_run: u64,
    pub(super) check_run_id: NodeId,
    pub(super) ruleset: u64,
    pub(super) run: u64,
    pub(super) other_run: u64,
    pub(super) job: u64,
    pub(super) artifact: u64,
}

pub(super) struct Pull {
    pub(super) number: u32,
    pub(super) id: NodeId,
    pub(super) head: Oid,
}

impl Ground {
    pub(super) fn prepare() -> Self {
        let world = World::start();
        let facts = prepare(&world);
        Self { world, facts }
    }

    /// Below the repository, as the owner sees it.
    pub(super) fn get(&self, path: &str) -> Value {
        let client = self.world.client("octo");
        let answer = client.get(&format!("/repos/octo/demo/{path}"));
        answer.expect(200).json()
    }
}

fn prepare(world: &World) -> Facts {
    let repo = world.checkout();
    repo.commit_file(".github/CODEOWNERS", "* @octo\n", "Name an owner");
    repo.git(&["push", "--quiet", "origin", "main"]);
    for base in ["queued", "doomed", "moving", "quiet"] {
        world.push(&repo, base);
    }
    let pull = open(world, &repo, "topic", "main", false);
    let merging = open(world, &repo, "merging", "main", false);
    let behind = open(world, &repo, "behind", "moving", false);
    let draft = open(world, &repo, "draft", "main", true);
    let ready = open(world, &repo, "ready", "main", false);
    let queued = open(world, &repo, "queueing", "queued", false);
    let requested = open(world, &repo, "requested", "queued", false);
    let waiting = open(world, &repo, "waiting", "queued", false);
    let landed = open(world, &repo, "landed", "quiet", false);
    let landed = (landed.number, land(world, landed.number));
    let allowed = json!({ "allow_auto_merge": true });
    let octo = world.client("octo");
    octo.patch("/repos/octo/demo", &allowed).expect(200);
    repo.git(&["checkout", "--quiet", "-B", "moving", "main"]);
    repo.commit_file("moved.txt", "on\n", "Move on");
    world.push(&repo, "moving");
    repo.git(&["checkout", "--quiet", "-B", "unopened", "main"]);
    repo.commit_file("unopened.txt", "\n", "Wait for a pull request");
    world.push(&repo, "unopened");
    let ruleset = start_queue(world, &[&queued, &requested]);
    let (open_thread, resolved_thread, review_comment) = discuss(world, &pull);
    let (run, other_run, job, artifact) = check(world, &pull);
    let passed = json!({ "name": "lint", "status": "completed", "conclusion": "success" });
    let check_run = world.check_run(pull.head.as_str(), passed);
    let path = format!("/repos/octo/demo/check-runs/{check_run}");
    let check_run_id = id(&world.client("octo").get(&path).expect(200).json()["node_id"]);
    Facts {
        repository: Repository::new("octo", "demo").unwrap(),
        issue: issue(world, "Something is wrong"),
        open_issue: issue(world, "Something else is wrong"),
        closed_issue: {
            let number = issue(world, "Something was wrong");
            let change = json!({ "state": "closed", "labels": ["bug"] });
            patch(world, &format!("issues/{number}"), &change);
            number
        },
        comment: {
            let path = format!("issues/{}/comments", pull.number);
            let comment = post(world, "reviewer", &path, &json!({ "body": "Why?" }));
            comment["id"].as_u64().unwrap()
        },
        check_run,
        check_run_id,
        pull,
        merging,
        requested,
        waiting,
        landed,
        behind,
        draft,
        ready,
        queued,
        review_comment,
        open_thread,
        resolved_thread,
        ruleset,
        run,
        other_run,
        job,
        artifact,
    }
}

fn open(world: &World, repo: &Repo<'_>, branch: &str, base: &str, draft: bool) -> Pull {
    repo.git(&["checkout", "--quiet", "-B", branch, "main"]);
    let head = repo.commit_file(&format!("{branch}.txt"), "one\ntwo\n", "Add a file");
    world.push(repo, branch);
    let body = json!({ "title": branch, "head": branch, "base": base, "draft": draft });
    let pull = post(world, "octo", "pulls", &body);
    Pull {
        number: u32::try_from(pull["number"].as_u64().unwrap()).unwrap(),
        id: id(&pull["node_id"]),
        head: Oid::parse(&head).unwrap(),
    }
}

/// Merges in the background; the id of the request.
fn land(world: &World, number: u32) -> String {
    let octo = world.client("octo");
    let path = format!("/repos/octo/demo/pulls/{number}");
    let answer = octo.put(&format!("{path}/merge-async"), &json!({}));
    let answer = answer.expect(202).json();
    world.wait_for("the merge", || {
        (octo.get(&path).expect(200).json()["merged"] == true).then_some(())
    });
    answer["details"]["uuid"].as_str().unwrap().to_owned()
}

/// Nothing reports the check of what is queued, so that it stays there.
fn start_queue(world: &World, passed: &[&Pull]) -> u64 {
    let body = json!({
        "name": "queue",
        "enforcement": "active",
        "conditions": { "ref_name": { "include": ["refs/heads/queued"], "exclude": [] } },
        "rules": [
            { "type": "merge_queue", "parameters": {
                "check_response_timeout_minutes": 60,
                "grouping_strategy": "ALLGREEN",
                "max_entries_to_build": 5,
                "max_entries_to_merge": 5,
                "merge_method": "SQUASH",
                "min_entries_to_merge": 1,
                "min_entries_to_merge_wait_minutes": 5,
            } },
            { "type": "required_status_checks", "parameters": {
                "strict_required_status_checks_policy": false,
                "required_status_checks": [{ "context": "gate" }],
            } },
        ],
    });
    for pull in passed {
        world.status(pull.head.as_str(), "gate", "success", "as far as it goes");
    }
    let ruleset = post(world, "octo", "rulesets", &body);
    ruleset["id"].as_u64().unwrap()
}

/// An open thread, a resolved one, and the comment that began the first.
fn discuss(world: &World, pull: &Pull) -> (NodeId, NodeId, u64) {
    let path = format!("pulls/{}/reviews", pull.number);
    let comment = |line: u64, body: &str| json!({ "path": "topic.txt", "line": line, "side": "RIGHT", "body": body });
    let body = json!({
        "event": "COMMENT", "body": "Two questions",
        "comments": [comment(1, "One?"), comment(2, "Two?")],
    });
    post(world, "reviewer", &path, &body);
    let query = r#"query($pull: Int!) { repository(owner: "octo", name: "demo") {
        pullRequest(number: $pull) {
            reviewThreads(first: 2) { nodes { id comments(first: 1) { nodes { databaseId } } } }
        }
    } }"#;
    let asked = json!({ "query": query, "variables": { "pull": pull.number } });
    let answer = graphql(world, &asked);
    let threads = &answer["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"];
    let resolved = id(&threads[1]["id"]);
    let resolve = "mutation($id: ID!) {
        resolveReviewThread(input: { threadId: $id }) { thread { id } }
    }";
    graphql(
        world,
        &json!({ "query": resolve, "variables": { "id": resolved.as_str() } }),
    );
    let comment = &threads[0]["comments"]["nodes"][0]["databaseId"];
    (id(&threads[0]["id"]), resolved, comment.as_u64().unwrap())
}

/// Two runs that failed; a job and an artifact of the first.
fn check(world: &World, pull: &Pull) -> (u64, u64, u64, u64) {
    let mut runs = Vec::new();
    for workflow in ["CI", "Nightly"] {
        let run = world.start_run(workflow, pull.head.as_str(), &["test"]);
        run.artifact("report", "junit.xml", b"<testsuites/>");
        let failed = JobEnd::failure().set_up();
        run.end("test", &failed.failed_command("make test", "1 failed", 2));
        runs.push(run);
    }
    let path = format!("/repos/octo/demo/actions/runs/{}/artifacts", runs[0].id);
    let artifacts = world.client("octo").get(&path).expect(200).json();
    let artifact = artifacts["artifacts"][0]["id"].as_u64().unwrap();
    (runs[0].id, runs[1].id, runs[0].job("test"), artifact)
}

fn issue(world: &World, title: &str) -> u32 {
    let issue = post(world, "octo", "issues", &json!({ "title": title }));
    u32::try_from(issue["number"].as_u64().unwrap()).unwrap()
}

fn post(world: &World, login: &str, path: &str, body: &Value) -> Value {
    let path = format!("/repos/octo/demo/{path}");
    let answer = world.client(login).post(&path, body);
    assert!((200..300).contains(&answer.status), "{path}: {answer:?}");
    answer.json()
}

fn patch(world: &World, path: &str, body: &Value) {
    let path = format!("/repos/octo/demo/{path}");
    world.client("octo").patch(&path, body).expect(200);
}

fn graphql(world: &World, body: &Value) -> Value {
    let answer = world.client("octo").post("/graphql", body);
    let answer = answer.expect(200).json();
    assert_eq!(answer["errors"], Value::Null, "{answer}");
    answer
}

fn id(value: &Value) -> NodeId {
    NodeId::new(value.as_str().expect("an id"))
}
