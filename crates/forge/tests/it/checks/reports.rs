use serde_json::{Value, json};

use crate::world::{Client, World};

struct Ground {
    world: World,
    sha: String,
}

fn ground() -> Ground {
    let world = World::start();
    let sha = world.checkout().head();
    Ground { world, sha }
}

impl Ground {
    fn bot(&self) -> Client {
        self.world.client("ci-bot")
    }

    fn report(&self, body: Value) -> Value {
        let mut body = body;
        body["head_sha"] = json!(self.sha);
        let path = "/repos/octo/demo/check-runs";
        self.bot().post(path, &body).expect(201).json()
    }

    fn suites(&self) -> Value {
        let path = format!("/repos/octo/demo/commits/{}/check-suites", self.sha);
        self.bot().get(&path).expect(200).json()
    }

    /// Names with status and conclusion.
    fn runs(&self, query: &str) -> Vec<String> {
        let path = format!("/repos/octo/demo/commits/{}/check-runs{query}", self.sha);
        let answer = self.bot().get(&path).expect(200).json();
        let runs = answer["check_runs"].as_array().unwrap();
        assert_eq!(answer["total_count"], runs.len());
        let show = |run: &Value| {
            let conclusion = run["conclusion"].as_str().unwrap_or("-");
            let (name, status) = (run["name"].as_str(), run["status"].as_str());
            format!("{} {} {conclusion}", name.unwrap(), status.unwrap())
        };
        runs.iter().map(show).collect()
    }
}

#[test]
fn a_check_goes_from_queued_to_its_conclusion() {
    let ground = ground();
    let run = ground.report(json!({ "name": "lint", "external_id": "42" }));
    assert_eq!(run["status"], "queued");
    assert_eq!(run["conclusion"], Value::Null);
    assert_eq!(run["app"]["slug"], "ci-bot");
    assert_eq!(run["external_id"], "42");
    let suite = &ground.suites()["check_suites"][0];
    assert_eq!(suite["status"], "queued");
    assert_eq!(suite["head_branch"], "main");
    assert_eq!(suite["head_commit"]["message"], "Begin");
    assert_eq!(suite["latest_check_runs_count"], 1);

    let path = format!("/repos/octo/demo/check-runs/{}", run["id"]);
    let begun = json!({ "status": "in_progress", "started_at": "2026-01-31T13:00:00+01:00" });
    let run = ground.bot().patch(&path, &begun).expect(200).json();
    assert_eq!(run["started_at"], "2026-01-31T12:00:00Z");
    assert_eq!(ground.suites()["check_suites"][0]["status"], "in_progress");

    let ended = json!({
        "conclusion": "failure",
        "completed_at": "2026-01-31T12:05:00Z",
        "output": {
            "title": "2 findings",
            "summary": "Two lines are too long.",
            "annotations": [
                { "path": "README.md", "start_line": 1, "end_line": 1, "annotation_level": "warning",
                  "message": "too long", "title": "Length", "start_column": 80, "end_column": 90 },
                { "path": "README.md", "start_line": 2, "end_line": 3, "annotation_level": "failure",
                  "message": "much too long", "raw_details": "…" },
            ],
        },
    });
    let run = ground.bot().patch(&path, &ended).expect(200).json();
    assert_eq!(run["status"], "completed");
    assert_eq!(run["completed_at"], "2026-01-31T12:05:00Z");
    assert_eq!(run["output"]["annotations_count"], 2);
    let suite = &ground.suites()["check_suites"][0];
    assert_eq!(suite["conclusion"], "failure");

    let annotations = ground.bot().get(&format!("{path}/annotations?per_page=1"));
    let annotations = annotations.expect(200);
    assert!(annotations.link("next").is_some());
    let sha = &ground.sha;
    assert_eq!(
        annotations.json(),
        json!([{
            "path": "README.md",
            "blob_href": format!("http://{}/octo/demo/blob/{sha}/README.md", ground.world.address),
            "start_line": 1,
            "start_column": 80,
            "end_line": 1,
            "end_column": 90,
            "annotation_level": "warning",
            "title": "Length",
            "message": "too long",
            "raw_details": null,
        }])
    );
}

#[test]
fn the_latest_check_of_a_name_counts() {
    let ground = ground();
    ground.report(json!({ "name": "test", "conclusion": "failure" }));
    ground.report(json!({ "name": "lint", "conclusion": "success" }));
    assert_eq!(ground.suites()["check_suites"][0]["conclusion"], "failure");
    ground.report(json!({ "name": "test", "conclusion": "success" }));
    assert_eq!(ground.suites()["check_suites"][0]["conclusion"], "success");
    let latest = ["lint completed success", "test completed success"];
    assert_eq!(ground.runs(""), latest);
    assert_eq!(
        ground.runs("?filter=all"),
        [
            "test completed failure",
            "lint completed success",
            "test completed success"
        ]
    );
    assert_eq!(ground.runs("?check_name=lint"), ["lint completed success"]);
    assert_eq!(ground.runs("?status=queued"), [""; 0]);
    assert_eq!(ground.runs("?app_id=15368"), [""; 0]);
}

#[test]
fn an_app_has_one_suite_per_commit() {
    let ground = ground();
    let first = ground.report(json!({ "name": "test" }));
    let second = ground.report(json!({ "name": "lint" }));
    assert_eq!(first["check_suite"]["id"], second["check_suite"]["id"]);
    let suites = ground.suites();
    assert_eq!(suites["total_count"], 1);
    assert_eq!(suites["check_suites"][0]["latest_check_runs_count"], 2);
}

#[test]
fn what_cannot_be_reported_is_refused() {
    let ground = ground();
    let path = "/repos/octo/demo/check-runs";
    let refusal = |client: &Client, body: Value, status: u16| {
        let answer = client.post(path, &body).expect(status).json();
        assert!(answer["documentation_url"].is_string());
        answer["message"].as_str().unwrap().to_owned()
    };
    let bot = ground.bot();
    let sha = &ground.sha;
    insta::assert_snapshot!(refusal(&ground.world.client("octo"), json!({ "name": "x", "head_sha": sha }), 403), @"You must authenticate via a GitHub App.");
    insta::assert_snapshot!(refusal(&bot, json!({}), 422), @r#"
    Invalid request.

    "head_sha", "name" weren't supplied.
    "#);
    insta::assert_snapshot!(refusal(&bot, json!({ "name": "x", "head_sha": "0".repeat(40) }), 422), @"No commit found for SHA: 0000000000000000000000000000000000000000");
    insta::assert_snapshot!(refusal(&bot, json!({ "name": "x", "head_sha": "--all" }), 422), @"No commit found for SHA: --all");
    insta::assert_snapshot!(refusal(&bot, json!({ "name": "x", "head_sha": sha, "status": "completed" }), 422), @r#"
    Invalid request.

    "conclusion" wasn't supplied.
    "#);
    insta::assert_snapshot!(refusal(&bot, json!({ "name": "x", "head_sha": sha, "conclusion": "startup_failure" }), 422), @r#"
    Invalid request.

    For 'properties/conclusion', "startup_failure" is not a member of ["failure", "timed_out", "cancelled", "action_required", "stale", "success", "neutral", "skipped"].
    "#);
    let remark = json!({ "path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m" });
    let output = json!({ "title": "t", "summary": "s", "annotations": vec![remark; 51] });
    insta::assert_snapshot!(refusal(&bot, json!({ "name": "x", "head_sha": sha, "output": output }), 422), @r"
    Invalid request.

    No more than 50 items are allowed; 51 were supplied.
    ");
    // Nothing of all this is left behind.
    assert_eq!(ground.runs(""), [""; 0]);
    assert_eq!(ground.suites()["total_count"], 0);
}

#[test]
fn only_the_app_itself_changes_its_checks() {
    let mut ground = ground();
    ground.world.add_bot("other-bot");
    let run = ground.report(json!({ "name": "test" }));
    let path = format!("/repos/octo/demo/check-runs/{}", run["id"]);
    let other = ground.world.client("other-bot");
    let answer = other.patch(&path, &json!({ "conclusion": "success" }));
    insta::assert_snapshot!(answer.expect(403).json()["message"].as_str().unwrap(), @"Invalid app_id `15369` - check run can only be modified by the GitHub App that created it.");
    ground.world.anonymous().get(&path).expect(200);
    ground
        .world
        .anonymous()
        .patch(&path, &json!({}))
        .expect(401);
    ground
        .bot()
        .get("/repos/octo/demo/check-runs/999")
        .expect(404);
}

#[test]
fn commits_are_named_by_branch_too() {
    let ground = ground();
    ground.report(json!({ "name": "test" }));
    let of = |reference: &str| {
        let path = format!("/repos/octo/demo/commits/{reference}/check-runs");
        ground.bot().get(&path)
    };
    for reference in ["main", "heads%2Fmain", &ground.sha[..10]] {
        assert_eq!(of(reference).expect(200).json()["total_count"], 1);
    }
    insta::assert_snapshot!(of("nowhere").expect(422).json()["message"].as_str().unwrap(), @"No commit found for SHA: nowhere");
}
