//! A pull request of which nothing is as it should be.

use baton_testkit::world::{JobEnd, World};
use serde_json::{Value, json};

use crate::pulls::discussion::{FILE, Scene, lines};

/// `octo/demo#1` is red, talked about, in conflict and not approved; `#2` stands on what it was.
pub(super) struct RedPull {
    thread: String,
    head: String,
    job: u64,
}

impl RedPull {
    pub(super) fn new(world: &World) -> Self {
        let mut scene = Scene::new(world);
        scene.repo.branch("feat/more");
        scene
            .repo
            .commit_file("src/more.py", "more = 1\n", "Add more");
        world.push(&scene.repo, "feat/more");
        assert_eq!(world.open_pull("Add more", "feat/more", "fix/cart"), 2);
        scene.repo.checkout("fix/cart");
        let content = lines(&[(5, "5 unsafe"), (25, "twenty-five")]);
        scene.push_file(FILE, &content, "Write digits");
        discuss(&scene);
        let run = world.start_run("CI", &scene.head, &["test", "lint"]);
        run.end(
            "test",
            &JobEnd::failure().failed_command("pytest", "1 failed", 1),
        );
        run.end("lint", &JobEnd::success());
        move_base(&scene);
        protect(world);
        wait_for_conflict(world);
        Self {
            thread: scene.threads()[0].0.clone(),
            head: scene.head.clone(),
            job: run.job("test"),
        }
    }

    /// What a tool is asked, so that the honest answer is a no. Tools that change something are
    /// asked for what they have to refuse.
    pub(super) fn input(&self, tool: &str) -> Value {
        let pr = "octo/demo#1";
        match tool {
            "list_pull_requests" | "plan_merges" => json!({ "repository": "octo/demo" }),
            "manage_stacked_prs" => json!({ "base_pr": pr, "dependent_pr": "octo/demo#2" }),
            "restack" => json!({ "base_pr": pr, "dependent_pr": "octo/demo#2", "dry_run": true }),
            // The commit is older than the comment.
            "resolve_review_thread" => {
                json!({ "pr": pr, "thread": self.thread, "commit": self.head })
            }
            "comment_on_pull_request" => json!({ "pr": pr, "body": "Why?", "thread": "12345" }),
            "submit_review" => {
                json!({ "pr": pr, "verdict": "approve", "commit": "0".repeat(40) })
            }
            "update_branch" => json!({ "pr": pr, "expected_head": "0".repeat(40) }),
            "rerun_failed_jobs" => json!({ "pr": pr, "run": 12_345 }),
            "get_job_log" => json!({ "job": self.job.to_string(), "repository": "octo/demo" }),
            // A new tool that needs more gets a row of its own here.
            _ => json!({ "pr": pr }),
        }
    }
}

fn discuss(scene: &Scene<'_>) {
    let threads = [
        (FILE, 5, "Write it in words."),
        (FILE, 25, "_🔴 Critical_\n\nThis is wrong."),
    ];
    scene.review("reviewer", "REQUEST_CHANGES", "Not yet.", &threads);
    scene.say("guest", "Does this fix #2?");
    let octo = scene.world.client("octo");
    let labels = json!({ "labels": ["do not merge"] });
    octo.post("/repos/octo/demo/issues/1/labels", &labels)
        .expect(200);
    let reviewers = json!({ "reviewers": ["reviewer"] });
    octo.post("/repos/octo/demo/pulls/1/requested_reviewers", &reviewers)
        .expect(201);
}

/// Two sources of rules, as there often are.
fn protect(world: &World) {
    world.require_checks("main", &["test"]);
    let ruleset = json!({
        "name": "main",
        "target": "branch",
        "enforcement": "active",
        "conditions": { "ref_name": { "include": ["refs/heads/main"], "exclude": [] } },
        "rules": [{ "type": "pull_request", "parameters": {
            "required_approving_review_count": 1,
            "dismiss_stale_reviews_on_push": false,
            "require_code_owner_review": true,
            "require_last_push_approval": true,
            "required_review_thread_resolution": true,
        } }],
    });
    world
        .client("octo")
        .post("/repos/octo/demo/rulesets", &ruleset)
        .expect(201);
}

/// The base changes the same line, and says who owns the file.
fn move_base(scene: &Scene<'_>) {
    scene.repo.checkout("main");
    scene.repo.write(".github/CODEOWNERS", "src/ @reviewer\n");
    scene
        .repo
        .commit_file(FILE, lines(&[(5, "fünf")]), "Write umlauts");
    scene.world.push(&scene.repo, "main");
}

fn wait_for_conflict(world: &World) {
    world.wait_for("the conflict", || {
        let is = |number: u32, mergeable: bool| {
            let path = format!("/repos/octo/demo/pulls/{number}");
            world.client("octo").get(&path).json()["mergeable"] == mergeable
        };
        (is(1, false) && is(2, true)).then_some(())
    });
}
