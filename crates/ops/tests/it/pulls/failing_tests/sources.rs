use super::*;

#[test]
fn a_report_artifact_is_believed_first() {
    let world = World::start();
    let scene = Scene::new(&world);
    let run = scene.run(&["test", "lint"]);
    let report = captured("pytest/junit-xml/report.xml");
    run.artifact("junit-test", "report.xml", &report);
    run.end("test", &failed_with("pytest", "nothing to see"));
    run.end("lint", &JobEnd::success());
    insta::assert_snapshot!(outline(&scene.ask()), @"");
}

#[test]
fn annotations_name_tests_where_they_can() {
    let world = World::start();
    let scene = Scene::new(&world);
    let annotation = json!({
        "path": "tests/test_a.py", "start_line": 7, "end_line": 7, "annotation_level": "failure",
        "title": "tests/test_a.py::test_b", "message": "AssertionError: assert 1 == 2",
    });
    let end = failed_with("pytest -q", "…").annotation(&annotation);
    scene.run(&["test"]).end("test", &end);
    insta::assert_snapshot!(scene.shown(), @"");
}

#[test]
fn a_check_of_another_app_has_its_annotations_only() {
    let world = World::start();
    let scene = Scene::new(&world);
    let annotation = json!({
        "path": "cart.py", "start_line": 1, "end_line": 1, "annotation_level": "failure",
        "message": "missing docstring",
    });
    let output = json!({ "title": "1 finding", "summary": "", "annotations": [annotation] });
    world.check_run(
        &scene.head,
        json!({ "name": "scan", "conclusion": "failure", "output": output }),
    );
    world.check_run(
        &scene.head,
        json!({
            "name": "deploy", "conclusion": "failure",
            "output": { "title": "No room", "summary": "The cluster is full." },
        }),
    );
    insta::assert_snapshot!(outline(&scene.ask()), @"");
}

#[test]
fn logs_of_many_frameworks_are_read() {
    let world = World::start();
    let scene = Scene::new(&world);
    let cases = [
        ("cargo", "cargo test", "cargo-test/backtrace/output.txt"),
        (
            "go",
            "go test ./...",
            "gotestsum/standard-verbose/output.txt",
        ),
        ("jest", "npx jest", "jest/default-version-30/output.txt"),
        (
            "rspec",
            "bundle exec rspec",
            "rspec/documentation-color/output.txt",
        ),
        ("tsc", "npx tsc", "tsc/plain/output.txt"),
        (
            "vitest",
            "npx vitest run",
            "vitest/dot-version-4/output.txt",
        ),
    ];
    let names: Vec<_> = cases.iter().map(|(name, ..)| *name).collect();
    let run = scene.run(&names);
    for (name, command, case) in cases {
        run.end(name, &failed_with(command, captured(case)));
    }
    let mut pages = vec![scene.ask()];
    while let Some(cursor) = pages.last().unwrap()["nextCursor"].as_str() {
        pages.push(scene.ask_with(&json!({ "cursor": cursor })));
    }
    let shown: Vec<_> = pages.iter().map(outline).collect();
    insta::assert_snapshot!(shown.join("\n---\n"), @"");
}

#[test]
fn a_whole_log_of_the_runner_is_read() {
    let world = World::start();
    let scene = Scene::new(&world);
    let log = captured("ci/github-actions/ci.log");
    let end = JobEnd::failure().step("Run tests", "failure", log);
    scene.run(&["test"]).end("test", &end);
    insta::assert_snapshot!(outline(&scene.ask()), @"");
}

#[test]
fn the_last_lines_are_better_than_nothing() {
    let world = World::start();
    let scene = Scene::new(&world);
    let output = "linking…\n\u{1b}[31mthe door does not close\u{1b}[0m\ntoken ***\n";
    scene
        .run(&["test"])
        .end("test", &failed_with("make test", output));
    insta::assert_snapshot!(scene.shown(), @"");
}

#[test]
fn statuses_have_no_log() {
    let world = World::start();
    let scene = Scene::new(&world);
    world.status(&scene.head, "ci/legacy", "failure", "2 of 9 failed");
    world.status(&scene.head, "ci/other", "success", "fine");
    insta::assert_snapshot!(scene.shown(), @"");
}
