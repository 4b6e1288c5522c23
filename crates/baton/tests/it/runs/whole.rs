use std::fs;

use super::scene::Scene;

#[test]
fn a_request_becomes_a_merged_pull_request() {
    let scene = Scene::new();
    let told = scene.world.sandbox.path("told.json");
    scene.configure(&format!(
        "notify.command = [\"sh\", \"-c\", \"cat > {}\"]\n",
        told.display()
    ));
    let answer = scene.ask(&["run", "Greet everyone who comes in"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    assert_eq!(answer.stdout, "[forge]/octo/demo/pull/2\n", "{answer}");
    insta::assert_snapshot!(scene.on_the_forge(), @r#"
    issue #1: "closed"
    merged pull request #2: "closed"
    "#);

    let shown = scene.json(&["show", "-"]);
    assert_eq!(shown["status"], "closed");
    assert_eq!(shown["agent"], "scribe");
    let kinds: Vec<&str> = shown["handoffs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|handoff| handoff["kind"].as_str().unwrap())
        .collect();
    insta::assert_snapshot!(kinds.join("\n"), @"
    issue-ready
    workspace-ready
    implemented
    approved
    merged
    workflow-complete
    ");
    let notified: serde_json::Value = serde_json::from_slice(&fs::read(told).unwrap()).unwrap();
    assert_eq!(notified["run"], shown["run"]);
    assert_eq!(notified["status"], "closed");

    let run = shown["run"].as_str().unwrap();
    handoffs_are_valid(&scene, run);
    let logs = scene.ask(&["logs", run]);
    assert!(
        logs.stdout.contains("says      writing greeting.txt"),
        "{logs}"
    );
    assert_eq!(scene.ask(&["logs", "-f", run]).code, Some(0));
    assert!(scene.ask(&["runs"]).stdout.contains("closed"));
    // What has ended says so again.
    let again = scene.ask(&["resume", run]);
    assert_eq!(again.code, Some(0), "{again}");
    assert_eq!(again.stdout, "[forge]/octo/demo/pull/2\n");
}

fn handoffs_are_valid(scene: &Scene, run: &str) {
    let folder = scene.world.sandbox.path("handoffs");
    let written = scene.ask(&["show", run, "--handoffs", folder.to_str().unwrap()]);
    assert_eq!(written.code, Some(0), "{written}");
    let kept = scene
        .world
        .sandbox
        .path("state/baton/runs")
        .join(run)
        .join("handoffs");
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let file = entry.unwrap().path();
        let checked = scene.ask(&["handoff", "check", file.to_str().unwrap()]);
        assert_eq!(checked.code, Some(0), "{checked}");
        assert_eq!(
            fs::read(&file).unwrap(),
            fs::read(kept.join(file.file_name().unwrap())).unwrap()
        );
        count += 1;
    }
    assert_eq!(count, 6);
}

#[test]
fn an_issue_that_is_there_is_taken() {
    let scene = Scene::new();
    let body =
        serde_json::json!({ "title": "Greet everyone who comes in", "body": "With `hello`." });
    let client = scene.world.client("octo");
    client.post("/repos/octo/demo/issues", &body).expect(201);
    let url = format!("{}/octo/demo/issues/1", scene.world.web_url());
    let answer = scene.ask(&["run", &url, "--json"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    let run: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(run["request"], "Greet everyone who comes in");
    insta::assert_snapshot!(scene.on_the_forge(), @r#"
    issue #1: "closed"
    merged pull request #2: "closed"
    "#);
}
