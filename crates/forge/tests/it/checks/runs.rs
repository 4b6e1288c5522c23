//! Runs that another CI executes and reports.

use serde_json::{Value, json};

use super::archives::download;
use super::{job_log, jobs_outline};
use crate::world::{Client, World};

struct Fed<'a> {
    client: Client,
    world: &'a World,
    run: Value,
}

fn fed<'a>(world: &'a World, jobs: &[&str]) -> Fed<'a> {
    let sha = world.checkout().head();
    let client = world.client("ci-bot");
    let jobs: Vec<_> = jobs.iter().map(|name| json!({ "name": name })).collect();
    let body = json!({
        "workflow": "CI",
        "path": ".github/workflows/ci.yml",
        "head_sha": sha,
        "head_branch": "main",
        "actor": "octo",
        "jobs": jobs,
    });
    let path = "/_forge/repos/octo/demo/actions/runs";
    let run = client.post(path, &body).expect(201).json();
    Fed { client, world, run }
}

impl Fed<'_> {
    fn run(&self) -> Value {
        let path = format!("/repos/octo/demo/actions/runs/{}", self.run["id"]);
        self.client.get(&path).expect(200).json()
    }

    fn state(&self) -> (String, Value) {
        let run = self.run();
        (
            run["status"].as_str().unwrap().to_owned(),
            run["conclusion"].clone(),
        )
    }

    fn job_ids(&self) -> Vec<Value> {
        let path = format!("/repos/octo/demo/actions/runs/{}/jobs", self.run["id"]);
        let answer = self.client.get(&path).expect(200).json();
        let jobs = answer["jobs"].as_array().unwrap();
        jobs.iter().map(|job| job["id"].clone()).collect()
    }

    fn change(&self, job: &Value, body: &Value) -> Value {
        let path = format!("/_forge/repos/octo/demo/actions/jobs/{job}");
        self.client.patch(&path, body).expect(200).json()
    }

    fn log(&self, job: &Value, step: u32, text: &str) {
        let path = format!("/_forge/repos/octo/demo/actions/jobs/{job}/logs?step={step}");
        self.client
            .send("POST", &path, Some(text.as_bytes()))
            .expect(204);
    }

    fn act(&self, action: &str) -> crate::world::Response {
        let path = format!("/repos/octo/demo/actions/runs/{}/{action}", self.run["id"]);
        self.client.post(&path, &json!({}))
    }
}

#[test]
fn a_run_follows_its_jobs() {
    let world = World::start();
    let fed = fed(&world, &["build", "test"]);
    assert_eq!(fed.run["run_number"], 1);
    assert_eq!(fed.run["display_title"], "Begin");
    assert_eq!(fed.run["actor"]["login"], "octo");
    assert_eq!(fed.state(), ("queued".to_owned(), Value::Null));
    let [build, test] = &fed.job_ids()[..] else {
        panic!("two jobs");
    };
    fed.change(
        build,
        &json!({
            "status": "in_progress",
            "runner_name": "ci-1",
            "steps": [{ "number": 1, "name": "Set up job", "status": "in_progress" }],
        }),
    );
    assert_eq!(fed.state(), ("in_progress".to_owned(), Value::Null));
    fed.change(build, &json!({ "conclusion": "success" }));
    assert_eq!(fed.state(), ("in_progress".to_owned(), Value::Null));
    let body = json!({
        "conclusion": "failure",
        "steps": [
            { "number": 1, "name": "Set up job", "conclusion": "success" },
            { "number": 2, "name": "Run make test", "conclusion": "failure" },
            { "number": 3, "name": "Publish", "status": "queued" },
        ],
        "annotations": [{ "path": "README.md", "start_line": 1, "end_line": 1,
                          "annotation_level": "failure", "message": "broken" }],
    });
    fed.change(test, &body);
    assert_eq!(fed.state(), ("completed".to_owned(), json!("failure")));
    insta::assert_snapshot!(jobs_outline(&fed.client, &fed.run), @r"
    build: completed/success
      Set up job: completed/success
    test: completed/failure
      Set up job: completed/success
      Run make test: completed/failure
      Publish: completed/skipped
    ");
    // A job is a check run, and says the same there.
    let check = fed
        .client
        .get(&format!("/repos/octo/demo/check-runs/{test}"));
    let check = check.expect(200).json();
    assert_eq!(check["conclusion"], "failure");
    assert_eq!(check["app"]["slug"], "github-actions");
    assert_eq!(check["check_suite"]["id"], fed.run["check_suite_id"]);
    let page = format!(
        "http://{}/octo/demo/actions/runs/{}/job/{test}",
        fed.world.address, fed.run["id"]
    );
    assert_eq!(check["details_url"], json!(page));
    let annotations = format!("/repos/octo/demo/check-runs/{test}/annotations");
    let annotations = fed.client.get(&annotations).expect(200).json();
    assert_eq!(annotations[0]["message"], "broken");
}

#[test]
fn logs_have_githubs_layout() {
    let world = World::start();
    let fed = fed(&world, &["build/all", "test"]);
    let ids = fed.job_ids();
    for id in &ids {
        let steps = json!([
            { "number": 1, "name": "Set up job", "conclusion": "success" },
            { "number": 2, "name": "Run make: all", "conclusion": "success" },
            { "number": 3, "name": "Silent", "conclusion": "success" },
        ]);
        fed.change(id, &json!({ "conclusion": "success", "steps": steps }));
        fed.log(id, 1, "2026-01-31T12:00:00.0000000Z first\n");
        fed.log(id, 2, "2026-01-31T12:00:01.0000000Z second\n");
        fed.log(id, 2, "2026-01-31T12:00:02.0000000Z third\n");
    }
    assert_eq!(job_log(&fed.client, &ids[0]), "first\nsecond\nthird\n");
    let logs = format!("/repos/octo/demo/actions/runs/{}/logs", fed.run["id"]);
    let files = download(&fed.client, &logs);
    let names: Vec<_> = files.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "1_buildall.txt",
            "2_test.txt",
            "buildall/1_Set up job.txt",
            "buildall/2_Run make all.txt",
            "test/1_Set up job.txt",
            "test/2_Run make all.txt",
        ]
    );
    assert_eq!(
        files["test/2_Run make all.txt"],
        "\u{feff}2026-01-31T12:00:01.0000000Z second\n2026-01-31T12:00:02.0000000Z third\n"
    );
    assert_eq!(
        files["2_test.txt"],
        "\u{feff}2026-01-31T12:00:00.0000000Z first\n2026-01-31T12:00:01.0000000Z second\n2026-01-31T12:00:02.0000000Z third\n"
    );
}

#[test]
fn failed_jobs_run_again_and_the_others_keep_their_results() {
    let world = World::start();
    let fed = fed(&world, &["build", "test"]);
    let first = fed.job_ids();
    let refused = fed.act("rerun").expect(403).json();
    insta::assert_snapshot!(refused["message"].as_str().unwrap(), @"This workflow is already running");
    fed.change(&first[0], &json!({ "conclusion": "success" }));
    fed.change(&first[1], &json!({ "conclusion": "failure" }));

    assert_eq!(fed.act("rerun-failed-jobs").expect(201).json(), json!({}));
    let run = fed.run();
    assert_eq!(run["run_attempt"], 2);
    assert_eq!(run["status"], "in_progress", "one job is already done");
    assert_eq!(run["triggering_actor"]["login"], "ci-bot");
    assert_eq!(run["actor"]["login"], "octo");
    let second = fed.job_ids();
    assert_eq!(second[0], first[0]);
    assert_ne!(second[1], first[1]);
    // The first attempt is as it was.
    let attempt = format!("/repos/octo/demo/actions/runs/{}/attempts/1", run["id"]);
    let before = fed.client.get(&attempt).expect(200).json();
    assert_eq!(before["conclusion"], "failure");
    assert_eq!(before["run_attempt"], 1);
    let jobs = fed
        .client
        .get(&format!("{attempt}/jobs"))
        .expect(200)
        .json();
    assert_eq!(jobs["jobs"][1]["id"], first[1]);
    let old = format!("/_forge/repos/octo/demo/actions/jobs/{}", first[1]);
    let late = json!({ "conclusion": "success" });
    fed.client.patch(&old, &late).expect(409);

    fed.change(&second[1], &late);
    let run = fed.run();
    assert_eq!(run["conclusion"], "success");
    assert_eq!(
        run["previous_attempt_url"]
            .as_str()
            .unwrap()
            .rsplit('/')
            .next(),
        Some("1")
    );
    let refused = fed.act("rerun-failed-jobs").expect(403).json();
    insta::assert_snapshot!(refused["message"].as_str().unwrap(), @"This workflow run cannot be retried");

    let all = format!(
        "/repos/octo/demo/actions/runs/{}/jobs?filter=all",
        run["id"]
    );
    assert_eq!(fed.client.get(&all).expect(200).json()["total_count"], 3);
    // Anyone who looks at the commit sees the latest of each.
    let checks = "/repos/octo/demo/commits/main/check-runs";
    let checks = fed.client.get(checks).expect(200).json();
    assert_eq!(checks["total_count"], 2);
}

#[test]
fn a_cancelled_run_ends_its_jobs() {
    let world = World::start();
    let fed = fed(&world, &["build", "test"]);
    let ids = fed.job_ids();
    fed.change(&ids[0], &json!({ "conclusion": "failure" }));
    fed.change(
        &ids[1],
        &json!({ "status": "in_progress", "steps": [{ "number": 1, "name": "Run", "status": "in_progress" }] }),
    );
    let guest = fed.world.client("guest");
    let cancel = format!("/repos/octo/demo/actions/runs/{}/cancel", fed.run["id"]);
    guest.post(&cancel, &json!({})).expect(403);
    fed.act("cancel").expect(202);
    assert_eq!(fed.state(), ("completed".to_owned(), json!("cancelled")));
    insta::assert_snapshot!(jobs_outline(&fed.client, &fed.run), @r"
    build: completed/failure
    test: completed/cancelled
      Run: completed/cancelled
    ");
    let refused = fed.act("cancel").expect(409).json();
    insta::assert_snapshot!(refused["message"].as_str().unwrap(), @"Cannot cancel a workflow run that is completed.");
}

#[test]
fn runs_are_found_by_what_is_known_of_them() {
    let world = World::start();
    let sha = world.checkout().head();
    let client = world.client("ci-bot");
    for (workflow, branch, event) in [
        ("CI", "main", "push"),
        ("CI", "feature", "pull_request"),
        ("Nightly", "main", "schedule"),
    ] {
        let body = json!({
            "workflow": workflow,
            "path": format!(".github/workflows/{}.yml", workflow.to_lowercase()),
            "head_sha": sha,
            "head_branch": branch,
            "event": event,
        });
        client
            .post("/_forge/repos/octo/demo/actions/runs", &body)
            .expect(201);
    }
    let ended = json!({ "conclusion": "startup_failure" });
    client
        .patch("/_forge/repos/octo/demo/actions/runs/1", &ended)
        .expect(200);
    let found = |query: &str| {
        let path = format!("/repos/octo/demo/actions/{query}");
        let answer = client.get(&path).expect(200).json();
        let runs = answer["workflow_runs"].as_array().unwrap();
        assert_eq!(answer["total_count"], runs.len());
        let ids = runs.iter().map(|run| run["id"].as_i64().unwrap());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(found("runs"), [3, 2, 1]);
    assert_eq!(found("runs?branch=main"), [3, 1]);
    assert_eq!(found("runs?event=pull_request"), [2]);
    assert_eq!(found("runs?status=queued"), [3, 2]);
    assert_eq!(found("runs?status=startup_failure"), [1]);
    assert_eq!(found("runs?actor=octo"), [0; 0]);
    assert_eq!(
        found(&format!("runs?head_sha={sha}&actor=ci-bot")),
        [3, 2, 1]
    );
    assert_eq!(found("runs?created=%3E2999-01-01"), [0; 0]);
    assert_eq!(found("workflows/nightly.yml/runs"), [3]);
    assert_eq!(found("workflows/1/runs"), [2, 1]);
    let page = client.get("/repos/octo/demo/actions/runs?per_page=2&exclude_pull_requests=true");
    let page = page.expect(200);
    assert_eq!(page.json()["total_count"], 3);
    let next = client
        .follow(&page.link("next").unwrap())
        .expect(200)
        .json();
    assert_eq!(next["workflow_runs"][0]["id"], 1);

    let workflows = client.get("/repos/octo/demo/actions/workflows");
    let workflows = workflows.expect(200).json();
    let names: Vec<_> = workflows["workflows"].as_array().unwrap().clone();
    let names: Vec<_> = names.iter().map(|workflow| &workflow["name"]).collect();
    assert_eq!(names, ["CI", "Nightly"]);
    client
        .get("/repos/octo/demo/actions/workflows/missing.yml")
        .expect(404);
}
