//! Projects without a manifest, subfolders, virtual environments, and requests at the edge of what
//! is valid.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use baton_testkit::Sandbox;
use serde_json::{Value, json};

use super::equipment::{is_there, tools};
use crate::command::{Answer, baton};

const PASSING: &str = "import unittest\n\n\nclass CalcTest(unittest.TestCase):\n    \
    def test_adds(self):\n        self.assertEqual(1 + 1, 2)\n";

fn phase(sandbox: &Sandbox, request: &Value) -> Value {
    let answer = baton(sandbox)
        .reading(request.to_string())
        .run(&["phase", "testing"]);
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

fn testing(sandbox: &Sandbox, arguments: &[&str]) -> (Answer, Value) {
    let answer = baton(sandbox).run(&[&["test", "--json"], arguments].concat());
    let output = serde_json::from_str(&answer.stdout).unwrap_or_default();
    (answer, output)
}

fn with_python() -> Sandbox {
    let mut sandbox = Sandbox::new();
    tools(&mut sandbox, &["python3"]).unwrap();
    std::os::unix::fs::symlink("python3", sandbox.bin().join("python")).unwrap();
    sandbox
}

/// A program that a test puts in place of a real one.
fn executable(sandbox: &Sandbox, path: &str, script: &str) {
    sandbox.write(path, script);
    fs::set_permissions(sandbox.path(path), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_folder_of_python_files_is_tested() {
    let sandbox = with_python();
    sandbox.write("calc/calc.py", "def add(a, b):\n    return a + b\n");
    sandbox.write("calc/test_calc.py", PASSING);
    let (answer, output) = testing(&sandbox, &["../calc"]);
    assert_eq!(
        (answer.code, &output["tests_run"]),
        (Some(0), &json!(1)),
        "{answer}"
    );
    // The protocol names the files that indicate a language.
    let output = phase(
        &sandbox,
        &json!({"working_directory": sandbox.path("calc")}),
    );
    assert_eq!(output["errors"][0]["type"], "language_detection_failed");
}

#[test]
fn a_subfolder_is_tested_with_its_project() {
    let sandbox = with_python();
    let repo = sandbox.repo("calc");
    repo.write("setup.py", "");
    repo.write("test_calc.py", PASSING);
    repo.write("docs/guide/index.md", "# Guide\n");
    let (answer, output) = testing(
        &sandbox,
        &[repo.path().join("docs/guide").to_str().unwrap()],
    );
    assert_eq!(
        (answer.code, &output["tests_run"]),
        (Some(0), &json!(1)),
        "{answer}"
    );
    assert!(
        answer
            .stderr
            .contains("this folder belongs to the project in"),
        "{answer}"
    );
}

#[test]
fn nothing_above_a_checkout_is_looked_at() {
    let sandbox = Sandbox::new();
    sandbox.write("setup.py", "");
    sandbox.write("test_calc.py", PASSING);
    let repo = sandbox.repo("empty");
    let (answer, output) = testing(&sandbox, &[repo.path().to_str().unwrap()]);
    assert_eq!(
        output["errors"][0]["type"], "language_detection_failed",
        "{answer}"
    );
}

#[test]
fn the_tasks_of_make_are_enough() {
    let mut sandbox = Sandbox::new();
    tools(&mut sandbox, &["make"]).unwrap();
    sandbox.write("tool/Makefile", "test:\n\t@echo checking; exit 3\n");
    let (answer, output) = testing(&sandbox, &["../tool"]);
    assert_eq!(
        (answer.code, &output["test_command"]),
        (Some(1), &json!("make test")),
        "{answer}"
    );
    let shown = baton(&sandbox).run(&["detect", "../tool"]);
    insta::assert_snapshot!(shown, @"
    exit 0
    -- stdout
    Language: not found; the project's own tasks are used

    Commands of the project's own tasks
      test       make test  # Makefile has the target test
    ");
}

#[test]
fn the_virtual_environment_of_the_project_is_used() {
    let sandbox = with_python();
    sandbox.write("calc/setup.py", "");
    sandbox.write("calc/.venv/pyvenv.cfg", "home = /usr/bin\n");
    executable(
        &sandbox,
        "calc/.venv/bin/python",
        "#!/bin/sh\nexec python3 \"$@\"\n",
    );
    executable(
        &sandbox,
        "calc/.venv/bin/pytest",
        "#!/bin/sh\necho \"1 passed in 0.01s\"\n",
    );
    let request = json!({"working_directory": sandbox.path("calc")});
    let output = phase(&sandbox, &request);
    assert_eq!(
        (&output["status"], &output["tests_run"]),
        (&json!("pass"), &json!(1)),
        "{output:#}"
    );
    let shown = baton(&sandbox).run(&["detect", "../calc"]);
    assert!(
        shown
            .stdout
            .contains("commands run in the virtual environment .venv"),
        "{shown}"
    );
}

#[test]
fn a_blank_command_is_no_success() {
    let sandbox = with_python();
    sandbox.write("calc/setup.py", "");
    sandbox.write("calc/test_calc.py", PASSING);
    for blank in ["", "  \n"] {
        let request = json!({
            "working_directory": sandbox.path("calc"), "test_command": blank, "build_command": blank,
        });
        let output = phase(&sandbox, &request);
        assert_eq!(
            (&output["tests_run"], &output["build_status"]),
            (&json!(1), &json!("skipped")),
            "{output:#}"
        );
    }
}

#[test]
fn the_longest_time_limits_are_valid() {
    let sandbox = Sandbox::new();
    let limits = [i64::MAX as u64, u64::MAX];
    for limit in limits {
        let output = phase(
            &sandbox,
            &json!({
                "working_directory": sandbox.root(), "test_command": "true", "timeout_seconds": limit,
            }),
        );
        assert_eq!(output["status"], "pass", "{output:#}");
    }
    let longest = u64::MAX.to_string();
    let (answer, _) = testing(&sandbox, &["--command", "true", "--timeout", &longest]);
    assert_eq!(answer.code, Some(0), "{answer}");
}

#[test]
fn the_command_decides_between_languages() {
    let sandbox = Sandbox::new();
    sandbox.write("both/go.mod", "module example.com/both\n");
    sandbox.write("both/Cargo.toml", "[package]\nname = \"both\"\n");
    let request =
        json!({"working_directory": sandbox.path("both"), "test_command": "cargo --version"});
    assert_eq!(phase(&sandbox, &request)["language"], "rust");
}

#[test]
fn a_signal_is_named() {
    let sandbox = Sandbox::new();
    let output = phase(
        &sandbox,
        &json!({
            "working_directory": sandbox.root(), "test_command": "kill -SEGV $$", "max_retries": 0,
        }),
    );
    let error = &output["errors"][0];
    assert_eq!(error["context"]["signal"], "SIGSEGV", "{output:#}");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("was ended by SIGSEGV"),
        "{output:#}"
    );
}

#[test]
fn a_package_that_does_not_compile_is_no_failing_test() {
    let mut sandbox = Sandbox::new();
    if !is_there((super::go::GO.equip)(&mut sandbox)) {
        return;
    }
    sandbox.write("calc/go.mod", "module example.com/calc\n\ngo 1.19\n");
    let test = "import \"testing\"\n\nfunc TestAdds(t *testing.T) {}\n";
    sandbox.write("calc/good/good_test.go", format!("package good\n\n{test}"));
    sandbox.write(
        "calc/bad/bad_test.go",
        format!("package bad\n\n{test}\nvar x int = \"\"\n"),
    );
    let request = json!({"working_directory": sandbox.path("calc")});
    let output = phase(&sandbox, &request);
    assert_eq!(
        (
            &output["errors"][0]["type"],
            &output["build_status"],
            &output["retry_count"]
        ),
        (&json!("build_failure"), &json!("fail"), &json!(0)),
        "{output:#}"
    );
}

#[test]
fn a_report_of_nothing_is_no_pass() {
    let sandbox = Sandbox::new();
    for text in ["", "hello\n", "\0\0\0"] {
        let answer = baton(&sandbox).reading(text).run(&["report"]);
        assert_eq!(answer.code, Some(3), "{answer}");
    }
    let answer = baton(&sandbox)
        .reading("..          [100%]\n2 passed in 0.01s\n")
        .run(&["report"]);
    assert_eq!(answer.code, Some(0), "{answer}");
}

const TWO: &str = "import unittest\n\n\nclass CalcTest(unittest.TestCase):\n    \
    def test_adds(self):\n        self.assertEqual(1 + 1, 2)\n\n    \
    def test_divides(self):\n        self.assertEqual(4 / 2, 3)\n";

#[test]
fn a_person_runs_some_tests_by_name_and_adds_arguments() {
    let sandbox = with_python();
    sandbox.write("calc/test_calc.py", TWO);
    let (answer, output) = testing(&sandbox, &["../calc", "-k", "adds"]);
    assert_eq!(
        (answer.code, &output["tests_run"]),
        (Some(0), &json!(1)),
        "{answer}"
    );
    let (answer, output) = testing(&sandbox, &["../calc", "--", "-v"]);
    assert_eq!(answer.code, Some(1), "{answer}");
    let command = output["test_command"].as_str().unwrap();
    assert!(command.ends_with(" -v"), "{command}");
    // A name that nothing has is no success.
    let (answer, _) = testing(&sandbox, &["../calc", "-k", "multiplies"]);
    assert_eq!(answer.code, Some(1), "{answer}");
}

#[test]
fn a_filter_that_the_runner_cannot_be_told_is_refused() {
    let sandbox = with_python();
    sandbox.write("calc/Makefile", "test:\n\techo 1 passed\n");
    insta::assert_snapshot!(baton(&sandbox).run(&["test", "../calc", "-k", "adds"]), @"
    exit 1
    -- stdout
    error: `make test` cannot be told which tests to run by this name
    hint: Pass what the runner itself understands after `--`, as in `baton test -- ARGS`.
    fail: 0 run, 0 passed, 0 failed in 0.0 s (no test command)
    ");
}
