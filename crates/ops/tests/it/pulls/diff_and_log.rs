//! `get_pull_request_diff` and `get_job_log`: pages and excerpts of what GitHub has.

use baton_testkit::world::{JobEnd, World};
use serde_json::{Value, json};

use super::discussion::Scene;
use super::world::ToolCaller;

const DIFF: &str = "get_pull_request_diff";
const LOG: &str = "get_job_log";

#[test]
fn the_diff_comes_in_pages() {
    let world = World::start();
    let mut scene = Scene::new(&world);
    scene.push_file("docs/long.md", &"long line\n".repeat(3_000), "Write on");
    let paths = |answer: &Value| -> Vec<String> {
        let files = answer["files"].as_array().unwrap().iter();
        files
            .map(|file| file["path"].as_str().unwrap().to_owned())
            .collect()
    };
    let first = scene
        .caller
        .ask(DIFF, &json!({ "pr": "octo/demo#1", "limit": 2 }));
    assert_eq!(first["total_files"], 3);
    assert_eq!(paths(&first), ["docs/long.md", "src/cart.py"]);
    assert_eq!(first["files"][0]["patch_is_cut"], true);
    assert_eq!(first["files"][0]["additions"], 3_000);
    let patch = first["files"][1]["patch"].as_str().unwrap();
    assert!(patch.starts_with("@@ -2,7 +2,7 @@"), "{patch}");
    assert!(patch.contains("\n-line 5\n+five\n"), "{patch}");
    let next = json!({ "pr": "octo/demo#1", "limit": 2, "cursor": first["nextCursor"] });
    let second = scene.caller.ask(DIFF, &next);
    assert_eq!(paths(&second), ["src/new.py"]);
    assert!(second["nextCursor"].is_null());
    let some = json!({ "pr": "octo/demo#1", "paths": ["src/**", "!docs"] });
    assert_eq!(
        paths(&scene.caller.ask(DIFF, &some)),
        ["src/cart.py", "src/new.py"]
    );
}

#[test]
fn the_last_lines_of_a_log_are_shown() {
    let world = World::start();
    let scene = Scene::new(&world);
    let run = world.start_run("CI", &scene.head, &["test"]);
    let job = run.job("test");
    let input = json!({ "job": job.to_string(), "repository": "octo/demo", "lines": 3 });
    let none = scene.caller.ask(LOG, &input);
    assert_eq!(
        (&none["text"], &none["status"]),
        (&json!(""), &json!("queued"))
    );
    assert_eq!(none["message"], "The log is empty");
    run.end(
        "test",
        &JobEnd::failure().failed_command("pytest", "\u{1b}[31m1 failed\u{1b}[0m", 1),
    );
    let page = format!(
        "{}/octo/demo/actions/runs/{}/job/{job}?pr=1",
        world.web_url(),
        run.id
    );
    let last = scene.caller.ask(LOG, &json!({ "job": page, "lines": 2 }));
    assert_eq!(last["conclusion"], "failure");
    assert_eq!(
        last["text"],
        "1 failed\n##[error]Process completed with exit code 1."
    );
    let total = last["total_lines"].as_u64().unwrap();
    assert_eq!(last["first_line"], total - 1);
    let earlier = json!({ "job": page, "lines": 1, "until_line": total - 1 });
    assert_eq!(scene.caller.ask(LOG, &earlier)["text"], "1 failed");
    let other = json!({ "job": page, "repository": "octo/other" });
    let error = scene.caller.error(LOG, &other);
    assert!(error.contains("the job is one of octo/demo"), "{error}");
    let error = ToolCaller::new(&world).error(LOG, &json!({ "job": "12" }));
    assert!(error.contains("no repository was named"), "{error}");
}
