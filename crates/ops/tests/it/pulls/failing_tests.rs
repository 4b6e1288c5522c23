//! `get_failing_tests`: every state of CI, every place where failures are found.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use baton_ops::pulls::{Patience, Progress, ToolError};
use baton_protocol::Repository;
use baton_testkit::Repo;
use baton_testkit::world::forge::{Fault, FaultKind};
use baton_testkit::world::{CiRun, JobEnd, World};
use serde_json::{Value, json};

use super::world::{Office, Spent};

const TOOL: &str = "get_failing_tests";

/// A pull request, and `octo` who asks about it.
struct Scene<'w> {
    world: &'w World,
    office: Office<'w>,
    repo: Repo<'w>,
    head: String,
}

impl<'w> Scene<'w> {
    fn new(world: &'w World) -> Self {
        Self::with(world, |_| {})
    }

    /// With more files in the head commit.
    fn with(world: &'w World, prepare: impl FnOnce(&Repo<'_>)) -> Self {
        let repo = world.checkout();
        repo.branch("fix/cart");
        prepare(&repo);
        let head = repo.commit_file("cart.py", "total = 0\n", "Fix the cart");
        world.push(&repo, "fix/cart");
        assert_eq!(world.open_pull("Fix the cart", "fix/cart", "main"), 1);
        Self {
            world,
            office: Office::new(world),
            repo,
            head,
        }
    }

    fn ask(&self) -> Value {
        self.ask_with(&json!({}))
    }

    fn ask_with(&self, more: &Value) -> Value {
        self.office.ask(TOOL, &with_pr(more))
    }

    /// The whole answer, for a snapshot.
    fn shown(&self) -> String {
        self.office.shown(&self.ask())
    }

    fn run(&self, jobs: &[&str]) -> CiRun {
        self.world.start_run("CI", &self.head, jobs)
    }

    /// What CI said about `main`.
    fn run_on_main(&self, jobs: &[&str]) -> CiRun {
        let main = self.repo.git(&["rev-parse", "main"]);
        self.world.start_run("CI", &main, jobs)
    }
}

fn with_pr(more: &Value) -> Value {
    let mut input = json!({ "pr": "octo/demo#1" });
    for (name, value) in more.as_object().unwrap() {
        input[name] = value.clone();
    }
    input
}

/// Output that a framework really printed.
fn captured(case: &str) -> Vec<u8> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/it/cases");
    fs::read(cases.join(case)).unwrap()
}

fn failed_with(command: &str, output: impl AsRef<[u8]>) -> JobEnd {
    JobEnd::failure()
        .set_up()
        .failed_command(command, output, 1)
}

/// A run of pytest in which these tests failed.
fn pytest(tests: &[&str]) -> String {
    let mut text = format!("{:=^80}\n", " short test summary info ");
    for test in tests {
        text += &format!("FAILED {test} - AssertionError: assert 1 == 2\n");
    }
    let summary = format!(" {} failed, 9 passed in 0.12s ", tests.len());
    text + &format!("{summary:=^80}\n")
}

/// One line per failure: what a test is mostly about.
fn outline(answer: &Value) -> String {
    let text = |value: &Value| match value {
        Value::String(text) => text.lines().next().unwrap_or_default().to_owned(),
        other => other.to_string(),
    };
    let mut lines = vec![format!(
        "{}: {}",
        text(&answer["status"]),
        text(&answer["instructions"]["summary"])
    )];
    for failure in answer["failures"].as_array().unwrap() {
        lines.push(format!(
            "{} | {} | {} | {} {} | {}",
            text(&failure["check_name"]),
            text(&failure["test_name"]),
            text(&failure["error_message"]),
            text(&failure["source"]),
            text(&failure["confidence"]),
            text(&failure["command"]),
        ));
    }
    lines.join("\n")
}

/// `test: verdict: evidence` for each failure.
fn verdicts(answer: &Value) -> String {
    let failures = answer["failures"].as_array().unwrap();
    let lines = failures.iter().map(|failure| {
        let text = |key: &str| failure[key].as_str().unwrap_or("-").to_owned();
        format!(
            "{}: {}: {}",
            text("test_name"),
            text("verdict"),
            text("evidence")
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

mod states {
    use super::*;

    #[test]
    fn no_ci_is_an_answer() {
        let world = World::start();
        let scene = Scene::new(&world);
        insta::assert_snapshot!(scene.shown(), @"");
    }

    #[test]
    fn nothing_has_started() {
        let world = World::start();
        let scene = Scene::new(&world);
        scene.run(&["test", "lint"]);
        insta::assert_snapshot!(scene.shown(), @"");
    }

    #[test]
    fn failures_are_told_while_others_run() {
        let world = World::start();
        let scene = Scene::new(&world);
        let run = scene.run(&["test", "lint"]);
        run.begin("lint");
        run.end(
            "test",
            &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
        );
        let answer = scene.ask();
        insta::assert_snapshot!(outline(&answer), @"");
        insta::assert_snapshot!(answer["poll_info"]["message"].as_str().unwrap(), @"");
        insta::assert_snapshot!(answer["message"].as_str().unwrap(), @"");
    }

    #[test]
    fn everything_passed() {
        let world = World::start();
        let scene = Scene::new(&world);
        scene.run(&["test", "lint"]).pass();
        world.status(&scene.head, "legacy", "success", "fine");
        insta::assert_snapshot!(scene.shown(), @"");
    }

    #[test]
    fn a_missing_pull_request_is_named() {
        let world = World::start();
        let office = Office::new(&world);
        let error = office.error(TOOL, &json!({ "pr": "octo/demo#7" }));
        insta::assert_snapshot!(error, @"");
    }

    #[test]
    fn a_commit_is_asked_about_by_itself() {
        let world = World::start();
        let scene = Scene::new(&world);
        let run = scene.run_on_main(&["test"]);
        run.end(
            "test",
            &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
        );
        let main = scene.repo.git(&["rev-parse", "main"]);
        let pr = format!("octo/demo@{main}");
        let answer = scene.office.ask(TOOL, &json!({ "pr": pr }));
        assert_eq!(answer["pr"], pr);
        insta::assert_snapshot!(outline(&answer), @"");
        let missing = format!("octo/demo@{}", "0".repeat(40));
        insta::assert_snapshot!(scene.office.error(TOOL, &json!({ "pr": missing })), @"");
    }

    #[test]
    fn the_branch_that_is_checked_out_has_a_pull_request() {
        let world = World::start();
        let mut scene = Scene::new(&world);
        let desk = &mut scene.office.desk;
        desk.here = Some(Repository::new("octo", "demo").unwrap());
        desk.workplace.folder = Some(scene.repo.path().to_owned());
        let found = world.block_on(desk.pull_of_this_branch()).unwrap();
        assert_eq!(found.to_string(), "octo/demo#1");
        scene.repo.branch("other");
        let error = world.block_on(desk.pull_of_this_branch()).unwrap_err();
        let ToolError::Failed { response, .. } = error else {
            panic!("{error:?}");
        };
        insta::assert_snapshot!(response.error, @"");
    }
}

mod sources {
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
}

mod sizes {
    use super::*;

    #[test]
    fn a_matrix_that_fails_alike_is_one_entry() {
        let world = World::start();
        let scene = Scene::new(&world);
        let names: Vec<_> = (0..12).map(|n| format!("test (3.{n})")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let run = scene.run(&names);
        let end = failed_with(
            "pytest",
            pytest(&["tests/test_a.py::test_b", "tests/test_a.py::test_c"]),
        );
        for name in &names {
            run.end(name, &end);
        }
        let answer = scene.ask();
        insta::assert_snapshot!(outline(&answer), @"");
        assert_eq!(
            answer["failures"][0]["checks"].as_array().unwrap().len(),
            12
        );
    }

    #[test]
    fn two_hundred_checks_are_two_pages_of_questions() {
        let world = World::start();
        let scene = Scene::new(&world);
        let names: Vec<_> = (0..200).map(|n| format!("part {n:03}")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let run = scene.run(&names);
        for name in &names[..199] {
            run.end(name, &JobEnd::success());
        }
        run.end(
            "part 199",
            &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
        );
        insta::assert_snapshot!(outline(&scene.ask()), @"");
        insta::assert_debug_snapshot!(scene.office.spent(), @"");
    }

    #[test]
    fn many_failing_checks_are_not_all_looked_into() {
        let world = World::start();
        let scene = Scene::new(&world);
        let names: Vec<_> = (0..60).map(|n| format!("part {n:02}")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let run = scene.run(&names);
        for name in &names {
            run.end(name, &failed_with("make", format!("{name} is broken")));
        }
        let answer = scene.ask();
        insta::assert_snapshot!(answer["message"].as_str().unwrap(), @"");
        insta::assert_snapshot!(answer["instructions"]["summary"].as_str().unwrap(), @"");
        insta::assert_debug_snapshot!(scene.office.spent(), @"");
    }

    #[test]
    fn a_log_of_fifty_megabytes_is_read_to_its_end() {
        let world = World::start();
        let scene = Scene::new(&world);
        let line = "the quick brown fox jumps over the lazy dog, again and again and again\n";
        let mut output = line.repeat((50 << 20) / line.len());
        output += &pytest(&["tests/test_a.py::test_b"]);
        scene
            .run(&["test"])
            .end("test", &failed_with("pytest", output));
        insta::assert_snapshot!(outline(&scene.ask()), @"");
    }

    #[test]
    fn pages_follow_each_other_and_belong_to_their_question() {
        let world = World::start();
        let scene = Scene::new(&world);
        let tests: Vec<_> = (0..25)
            .map(|n| format!("tests/test_a.py::test_{n:02}"))
            .collect();
        let tests: Vec<_> = tests.iter().map(String::as_str).collect();
        scene
            .run(&["test"])
            .end("test", &failed_with("pytest", pytest(&tests)));
        let mut seen = Vec::new();
        let mut cursor = Value::Null;
        loop {
            let input = match &cursor {
                Value::Null => json!({}),
                cursor => json!({ "cursor": cursor }),
            };
            let answer = scene.ask_with(&input);
            let names = answer["failures"].as_array().unwrap().iter();
            let names: Vec<_> = names
                .map(|failure| failure["test_name"].as_str().unwrap().to_owned())
                .collect();
            assert_eq!(
                answer["instructions"]["commands"].as_array().unwrap().len(),
                names.len()
            );
            seen.push(names.len());
            if answer["nextCursor"].is_null() {
                break;
            }
            cursor = answer["nextCursor"].clone();
        }
        assert_eq!(seen, [10, 10, 5]);
        let other = scene
            .office
            .call(TOOL, &with_pr(&json!({ "cursor": cursor, "wait": true })));
        assert!(matches!(other, Err(ToolError::BadCursor(_))), "{other:?}");
    }
}

mod costs {
    use super::*;

    fn spent(failing: usize) -> Spent {
        let world = World::start();
        let scene = Scene::new(&world);
        let names: Vec<_> = (0..failing).map(|n| format!("part {n}")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let run = scene.run(&names);
        for name in &names {
            run.end(
                name,
                &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
            );
        }
        scene.ask();
        scene.office.spent()
    }

    #[test]
    fn one_failing_job_takes_five_requests() {
        insta::assert_debug_snapshot!(spent(1), @"");
    }

    #[test]
    fn five_failing_jobs_take_their_logs_more() {
        insta::assert_debug_snapshot!(spent(5), @"");
    }
}

mod waiting {
    use super::*;

    /// An answer that is waited for while `meanwhile` happens on another thread.
    fn waited<'w>(
        scene: &Scene<'w>,
        more: &Value,
        meanwhile: impl FnOnce(&Told) + Send,
    ) -> Result<Value, ToolError> {
        let told = Told::default();
        let mut office = Office::new(scene.world);
        let heard = told.clone();
        office.desk.progress =
            Progress::new(move |what| heard.0.lock().unwrap().push(what.to_owned()));
        office.desk.cancel = scene.office.desk.cancel.clone();
        thread::scope(|scope| {
            scope.spawn(|| meanwhile(&told));
            office.call(TOOL, &with_pr(more))
        })
    }

    /// What was said of the progress.
    #[derive(Clone, Default)]
    struct Told(Arc<Mutex<Vec<String>>>);

    impl Told {
        /// Until that much was said.
        fn wait_for(&self, count: usize) {
            while self.0.lock().unwrap().len() < count {
                thread::sleep(Duration::from_millis(5));
            }
        }
    }

    #[test]
    fn the_first_failure_ends_the_wait() {
        let world = World::start();
        let scene = Scene::new(&world);
        let run = scene.run(&["test", "slow"]);
        run.begin("slow");
        let answer = waited(&scene, &json!({ "wait": true }), |told| {
            told.wait_for(2);
            run.end(
                "test",
                &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
            );
        });
        insta::assert_snapshot!(outline(&answer.unwrap()), @"");
    }

    #[test]
    fn whoever_wants_all_waits_for_the_end() {
        let world = World::start();
        let scene = Scene::new(&world);
        let run = scene.run(&["test", "slow"]);
        let answer = waited(
            &scene,
            &json!({ "wait": true, "bail_on_first": false }),
            |told| {
                told.wait_for(1);
                run.end(
                    "test",
                    &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
                );
                told.wait_for(4);
                run.end("slow", &JobEnd::success());
            },
        );
        let answer = answer.unwrap();
        assert!(answer["poll_info"].is_null());
        insta::assert_snapshot!(outline(&answer), @"");
    }

    #[test]
    fn the_wait_ends_when_everything_passed() {
        let world = World::start();
        let scene = Scene::new(&world);
        let run = scene.run(&["test"]);
        let answer = waited(&scene, &json!({ "wait": true }), |told| {
            told.wait_for(2);
            run.pass();
        });
        assert_eq!(answer.unwrap()["status"], "passed");
    }

    #[test]
    fn nobody_waits_for_longer_than_they_want() {
        let world = World::start();
        let mut scene = Scene::new(&world);
        scene.run(&["test"]);
        scene.office.desk.patience = Patience {
            longest: Duration::from_millis(50),
            interval: Duration::from_millis(20),
        };
        let answer = scene.ask_with(&json!({ "wait": true }));
        assert_eq!(answer["status"], "pending");
        insta::assert_snapshot!(answer["poll_info"]["message"].as_str().unwrap(), @"");
    }

    #[test]
    fn a_wait_can_be_called_off() {
        let world = World::start();
        let scene = Scene::new(&world);
        scene.run(&["test"]);
        let cancel = scene.office.desk.cancel.clone();
        let answer = waited(&scene, &json!({ "wait": true }), |told| {
            told.wait_for(2);
            cancel.cancel();
        });
        assert!(matches!(answer, Err(ToolError::Cancelled)), "{answer:?}");
    }

    #[test]
    fn a_rate_limit_ends_the_wait_with_what_is_known() {
        let world = World::start();
        let scene = Scene::new(&world);
        let run = scene.run(&["test", "slow"]);
        run.begin("slow");
        let fault = Fault::new(FaultKind::PrimaryRateLimit { reset_after: 600 });
        let fault = fault.operation("PullRequestChecks").after(2);
        world.app().faults().add(fault);
        let answer = scene.ask_with(&json!({ "wait": true }));
        assert_eq!(answer["status"], "running");
        let retry_after = answer["poll_info"]["retry_after_seconds"].as_u64().unwrap();
        assert!((590..=601).contains(&retry_after), "{retry_after}");
    }
}

mod troubles {
    use super::*;

    #[test]
    fn a_rate_limit_at_once_is_an_error() {
        let world = World::start();
        let scene = Scene::new(&world);
        let fault = Fault::new(FaultKind::PrimaryRateLimit { reset_after: 600 });
        world.app().faults().add(fault);
        let Err(ToolError::Failed { response, .. }) = scene.office.call(TOOL, &with_pr(&json!({})))
        else {
            panic!("it is limited");
        };
        assert_eq!(response.error, "Rate limited");
        assert!(response.retry_after.is_some_and(|seconds| seconds > 590));
    }

    #[test]
    fn a_rate_limit_in_the_middle_leaves_what_is_known() {
        let world = World::start();
        let scene = Scene::new(&world);
        let run = scene.run(&["test"]);
        run.end(
            "test",
            &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
        );
        let fault = Fault::new(FaultKind::PrimaryRateLimit { reset_after: 600 });
        world
            .app()
            .faults()
            .add(fault.on("GET", "/repos/octo/demo/actions/**"));
        let answer = scene.ask();
        insta::assert_snapshot!(outline(&answer), @"");
        assert!(answer["poll_info"]["retry_after_seconds"].as_u64().unwrap() > 590);
    }

    #[test]
    fn a_log_that_is_refused_is_said_to_be() {
        let world = World::start();
        let scene = Scene::new(&world);
        let run = scene.run(&["test"]);
        run.end(
            "test",
            &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
        );
        let fault = Fault::new(FaultKind::ServerError {
            status: 500,
            retry_after: None,
        });
        world
            .app()
            .faults()
            .add(fault.on("GET", "/repos/octo/demo/actions/jobs/**"));
        let answer = scene.ask();
        insta::assert_snapshot!(outline(&answer), @"");
        insta::assert_snapshot!(answer["message"].as_str().unwrap(), @"");
    }
}

mod judged {
    use super::*;

    #[test]
    fn failures_are_compared_with_the_base_branch() {
        let world = World::start();
        let scene = Scene::new(&world);
        let main = scene.run_on_main(&["test", "lint"]);
        main.end(
            "test",
            &failed_with("pytest", pytest(&["tests/test_a.py::test_old"])),
        );
        main.end("lint", &JobEnd::success());
        let run = scene.run(&["test", "lint", "new"]);
        let both = pytest(&["tests/test_a.py::test_new", "tests/test_a.py::test_old"]);
        run.end("test", &failed_with("pytest", both));
        run.end(
            "lint",
            &failed_with("npx eslint .", captured("eslint/compact/output.txt")),
        );
        run.end("new", &failed_with("make", "no such target"));
        let answer = scene.ask();
        insta::assert_snapshot!(verdicts(&answer), @"");
        insta::assert_snapshot!(serde_json::to_string_pretty(&answer["instructions"]).unwrap(), @"");
    }

    #[test]
    fn what_passed_before_on_the_same_commit_is_flaky() {
        let world = World::start();
        let scene = Scene::new(&world);
        let mut run = scene.run(&["test"]);
        run.pass();
        run.rerun();
        run.end(
            "test",
            &failed_with("pytest", pytest(&["tests/test_a.py::test_b"])),
        );
        let answer = scene.ask();
        insta::assert_snapshot!(verdicts(&answer), @"");
        insta::assert_snapshot!(answer["instructions"]["priority"][0]["suggested_fix"].as_str().unwrap(), @"");
    }

    #[test]
    fn machines_and_workflows_are_told_from_tests() {
        let world = World::start();
        let scene = Scene::new(&world);
        let run = scene.run(&["lost", "set-up", "action", "stopped"]);
        let lost = json!({
            "path": ".github", "start_line": 1, "end_line": 1, "annotation_level": "failure",
            "message": "The hosted runner lost communication with the server.",
        });
        run.end("lost", &JobEnd::failure().set_up().annotation(&lost));
        let broken = JobEnd::failure().set_up();
        run.end(
            "set-up",
            &broken.step(
                "Run actions/setup-node@v4",
                "failure",
                "503 from the mirror",
            ),
        );
        let missing = "##[error]Unable to resolve action `octo/gone@v1`, not found";
        run.end(
            "action",
            &JobEnd::failure().step("Set up job", "failure", missing),
        );
        run.end("stopped", &JobEnd::with("cancelled"));
        world
            .start_run("Broken", &scene.head, &[])
            .end_without_jobs("startup_failure");
        insta::assert_snapshot!(verdicts(&scene.ask()), @"");
    }

    #[test]
    fn a_required_check_that_nobody_reported_is_missing() {
        let world = World::start();
        let scene = Scene::new(&world);
        world.require_checks("main", &["test", "audit"]);
        scene.run(&["test"]).pass();
        let answer = scene.ask();
        assert_eq!(answer["status"], "running");
        assert_eq!(answer["failures"][0]["required"], true);
        insta::assert_snapshot!(verdicts(&answer), @"");
    }

    #[test]
    fn required_checks_come_first() {
        let world = World::start();
        let scene = Scene::new(&world);
        world.require_checks("main", &["unit"]);
        let run = scene.run(&["all", "unit"]);
        run.end(
            "all",
            &failed_with("pytest", pytest(&["tests/test_a.py::test_a"])),
        );
        run.end(
            "unit",
            &failed_with("pytest", pytest(&["tests/test_b.py::test_b"])),
        );
        let answer = scene.ask();
        insta::assert_snapshot!(outline(&answer), @"");
        insta::assert_snapshot!(answer["instructions"]["priority"][0]["reason"].as_str().unwrap(), @"");
    }
}

mod reproduced {
    use super::*;

    /// A project whose test runner is a script in the sandbox: what `pytest`
    /// says is what the file of the test holds.
    fn scene(world: &World) -> Scene<'_> {
        world.sandbox.fake(
            "pytest",
            "test -f cart.py || exit 9; cat answer.txt; exit 1",
        );
        let scene = Scene::with(world, |repo| {
            repo.write("answer.txt", pytest(&["tests/test_a.py::test_b"]));
        });
        let run = scene.run(&["test"]);
        let both = pytest(&["tests/test_a.py::test_b", "tests/test_a.py::test_c"]);
        run.end("test", &failed_with("pytest", both));
        scene
    }

    fn stamps(answer: &Value) -> String {
        let failures = answer["failures"].as_array().unwrap().iter();
        let lines = failures.map(|failure| {
            let stamp = &failure["reproduced"];
            let note = stamp["note"].as_str().unwrap_or("-");
            format!("{} {} {note}", stamp["ran"], stamp["failed_as_reported"])
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn commands_are_run_away_from_the_checkout() {
        let world = World::start();
        let mut scene = scene(&world);
        scene.office.desk.workplace.folder = Some(scene.repo.path().to_owned());
        scene.repo.checkout("main");
        scene.repo.write("README.md", "work under way\n");
        let before = scene.repo.git(&["status", "--porcelain=v2", "--branch"]);
        let answer = scene.ask_with(&json!({ "reproduce": true }));
        insta::assert_snapshot!(stamps(&answer), @"");
        assert_eq!(
            scene.repo.git(&["status", "--porcelain=v2", "--branch"]),
            before
        );
        assert_eq!(scene.repo.git(&["worktree", "list"]).lines().count(), 1);
        let left: Vec<_> = fs::read_dir(world.sandbox.path("tmp")).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }

    #[test]
    fn without_a_checkout_the_commit_is_fetched() {
        let world = World::start();
        let scene = scene(&world);
        let answer = scene.ask_with(&json!({ "reproduce": true }));
        insta::assert_snapshot!(stamps(&answer), @"");
    }

    #[test]
    fn a_program_that_is_missing_did_not_run() {
        let world = World::start();
        let scene = scene(&world);
        fs::remove_file(world.sandbox.bin().join("pytest")).unwrap();
        let answer = scene.ask_with(&json!({ "reproduce": true }));
        insta::assert_snapshot!(stamps(&answer), @"");
    }
}
