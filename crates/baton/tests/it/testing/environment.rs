//! What happens around the tests, and what they do to the reader of their
//! output.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use baton_testkit::Sandbox;
use serde_json::json;

use super::framework::Framework;
use super::phase::{Project, valid};
use super::{go, python, ruby, rust};
use crate::command::baton;
use crate::processes::{interrupt, is_gone, wait_for_pid};

/// Ctrl-C in the second attempt: what the first one showed is still known.
#[test]
fn an_interrupt_ends_everything_and_leaves_an_answer() {
    let hangs_later = "\
if os.path.exists('@MARKER@'):
    subprocess.Popen(['sh', 'linger.sh'])
    time.sleep(300)
open('@MARKER@', 'w').close()
assert total([1, 2]) == 4";
    let Some(project) = Project::new(&python::pytest::PYTEST, hangs_later, "") else {
        return;
    };
    let mut request = project.request(&python::pytest::PYTEST);
    request["max_retries"] = json!(3);
    let mut child = baton(&project.sandbox)
        .command(&["phase", "testing"])
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(request.to_string().as_bytes()).unwrap();
    drop(stdin);
    let pid = wait_for_pid(&project.pid_file());
    interrupt(child.id());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{:?}", output.status);
    assert!(is_gone(&pid), "the process is still there");
    let answer = valid(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(answer["status"], "fail");
    assert_eq!(answer["retry_count"], 1);
    assert_eq!(answer["tests_run"], 4);
    assert_eq!(answer["tests_passed"], 3);
    assert_eq!(
        answer["failing_tests"][0]["name"],
        python::pytest::PYTEST.failures[0].name
    );
    assert_eq!(
        answer["errors"],
        json!([{
            "type": "user_abort",
            "message": "Interrupted before the tests were done",
            "context": {"failed_count": 1, "total_attempts": 2},
        }])
    );
}

/// In no more memory than a small suite needs.
#[test]
fn two_hundred_megabytes_of_output_are_read_to_the_end() {
    let floods = "\
for _ in range(200):
    print(('x' * 98 + ' \\n') * 10_000, end='')
self.assertEqual(total([1, 2]), 4)";
    let framework = &python::unittest::UNITTEST;
    let Some(project) = Project::new(framework, floods, "") else {
        return;
    };
    let request = project
        .sandbox
        .write("request.json", project.request(framework).to_string());
    // In kibibytes.
    let limited = "ulimit -v 800000; exec \"$@\"";
    let output = Command::new("sh")
        .args(["-c", limited, "sh", env!("CARGO_BIN_EXE_baton")])
        .args(["phase", "testing", "--input"])
        .arg(request)
        .env_clear()
        .envs(project.sandbox.environment())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let answer = valid(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(answer["tests_run"], 4);
    assert_eq!(answer["tests_failed"], 1);
    assert_eq!(
        answer["failing_tests"][0]["name"],
        framework.failures[0].name
    );
}

/// Whatever a test prints, the runner's own summary counts.
#[test]
fn the_words_of_other_frameworks_are_not_believed() {
    let print_python = "print(open('printed.txt').read(), flush=True)";
    let print_rust = "print!(\"{}\", std::fs::read_to_string(\"printed.txt\").unwrap());";
    let talkative = Framework {
        asked: Some("cargo test --no-fail-fast -- --nocapture"),
        ..rust::CARGO
    };
    for (name, framework, print) in [
        ("pytest", python::pytest::PYTEST, print_python),
        ("unittest", python::unittest::UNITTEST, print_python),
        ("cargo", talkative, print_rust),
    ] {
        let others = SUMMARIES.iter().filter(|(other, _)| *other != name);
        let printed: String = others.map(|(_, summary)| *summary).collect();
        for (body, counts) in [("", [4, 4, 0]), (framework.bodies.wrong, [4, 3, 1])] {
            let rounds = format!("{print}\n{body}");
            let Some(project) = Project::new(&framework, &rounds, "") else {
                continue;
            };
            project.write("printed.txt", &printed);
            let answer = project.phase(&project.request(&framework));
            assert_eq!(answer.counts(), counts, "{}", answer.shown());
            assert_eq!(answer.code, Some(i32::from(counts[2] > 0)));
            for test in answer.output["failing_tests"].as_array().unwrap() {
                assert_eq!(test["name"], framework.failures[0].name);
            }
        }
    }
}

const SUMMARIES: &[(&str, &str)] = &[
    (
        "pytest",
        "\
============================= test session starts ==============================
collected 9 items
=========================== short test summary info ============================
FAILED tests/test_wrong.py::test_one - assert 0
========================= 3 failed, 6 passed in 0.12s ==========================
",
    ),
    (
        "jest",
        "\
Test Suites: 1 failed, 1 total
Tests:       2 failed, 5 passed, 7 total
",
    ),
    (
        "cargo",
        "\
running 12 tests
test wrong ... FAILED

test result: FAILED. 3 passed; 9 failed; 0 ignored; 0 measured; 0 filtered out
",
    ),
    (
        "unittest",
        "\
Ran 12 tests in 0.100s

FAILED (failures=5)
",
    ),
    (
        "go",
        "\
--- FAIL: TestWrong (0.00s)
FAIL
FAIL\texample.com/wrong\t0.004s
",
    ),
    (
        "mocha",
        "
  4 passing (10ms)
  2 failing
",
    ),
];

/// In spite of a name that cannot be given back as it is.
#[test]
fn a_name_that_is_no_text_is_no_obstacle() {
    let framework = &ruby::minitest::MINITEST;
    let Some(project) = Project::new(framework, framework.bodies.flaky, "") else {
        return;
    };
    let path = project.folder().join("test/test_rates.rb");
    let test = fs::read_to_string(&path).unwrap();
    let (before, after) = test.split_once("test_rounds").unwrap();
    let legacy = [
        b"# encoding: iso-8859-1\n".as_slice(),
        before.as_bytes(),
        b"test_rounds_caf\xe9",
        after.as_bytes(),
    ];
    fs::write(&path, legacy.concat()).unwrap();
    let mut request = project.request(framework);
    request["max_retries"] = json!(1);
    let answer = project.phase(&request);
    assert_eq!(answer.code, Some(0), "{}", answer.shown());
    assert_eq!(answer.counts(), [4, 4, 0], "{}", answer.shown());
    assert_eq!(
        answer.details["flaky"][0]["name"],
        "TestRates#test_rounds_caf\u{fffd}"
    );
}

/// cargo leaves out the files after the one that failed.
#[test]
fn a_runner_that_stopped_early_runs_everything_again() {
    let framework = Framework {
        asked: None,
        ..rust::CARGO
    };
    let Some(project) = Project::new(&framework, framework.bodies.flaky, "") else {
        return;
    };
    let mut request = project.request(&framework);
    request["max_retries"] = json!(1);
    let answer = project.phase(&request);
    assert_eq!(answer.code, Some(0), "{}", answer.shown());
    assert_eq!(answer.output["test_command"], "cargo test");
    assert_eq!(answer.counts(), [4, 4, 0], "{}", answer.shown());
    assert_eq!(project.runs(), [1, 1, 2, 2], "{}", answer.shown());
}

/// What comes after the test that ended the process never ran.
#[test]
fn a_runner_that_died_runs_everything_again() {
    let dies_once = "\
if _, err := os.Stat(\"@MARKER@\"); err != nil {
\tos.WriteFile(\"@MARKER@\", nil, 0o644)
\tpanic(\"once\")
}";
    let Some(project) = Project::new(&go::GO, dies_once, "") else {
        return;
    };
    let mut request = project.request(&go::GO);
    request["max_retries"] = json!(1);
    let answer = project.phase(&request);
    assert_eq!(answer.code, Some(0), "{}", answer.shown());
    assert_eq!(answer.counts(), [4, 4, 0], "{}", answer.shown());
    assert_eq!(answer.details["attempts"][1]["scope"], "whole_suite");
    assert_eq!(project.runs(), [1, 1, 2, 1], "{}", answer.shown());
}

#[test]
fn people_are_told_the_same() {
    let framework = &python::pytest::PYTEST;
    let Some(project) = Project::new(framework, framework.bodies.flaky, "") else {
        return;
    };
    let mut answer = baton(&project.sandbox).within(&project.folder()).run(&[
        "test",
        "--quiet",
        "--max-retries",
        "1",
    ]);
    let (told, time_and_command) = answer.stdout.rsplit_once(" in ").unwrap();
    let (_, command) = time_and_command.split_once(" s ").unwrap();
    answer.stdout = format!("{told} in [time] {command}");
    insta::assert_snapshot!(answer, @"
    exit 0
    -- stdout
    FLAKY tests/test_rates.py::test_rounds[two or less]  failed in attempt 1, passed in attempt 2
    pass: 4 run, 4 passed, 0 failed in [time] (pytest)
    ");
}

/// What stands in for a missing runner must have found tests to say anything.
#[test]
fn a_stand_in_without_tests_is_no_pass() {
    let project = Project {
        sandbox: Sandbox::new(),
    };
    project.write(
        "pyproject.toml",
        "[project]\nname = \"ledger\"\n\n[tool.pytest.ini_options]\n",
    );
    project.write(
        "tests/test_total.py",
        "def test_total():\n    assert True\n",
    );
    let python = |ran: &str| {
        let body = format!(
            "case \"$*\" in '-m pytest') echo 'python: No module named pytest' >&2; exit 1;; esac; echo '{ran}' >&2"
        );
        project.sandbox.fake("python", &body);
    };
    let request = json!({ "working_directory": project.folder(), "max_retries": 0 });
    let summary = |count: u32| format!("\n----\nRan {count} tests in 0.001s\n\nOK");

    python(&summary(0));
    let answer = project.phase(&request);
    assert_eq!(answer.code, Some(1), "{}", answer.shown());
    assert_eq!(answer.output["errors"][0]["type"], "command_not_found");
    assert_eq!(answer.output["test_command"], "pytest");

    python(&summary(2));
    let answer = project.phase(&request);
    assert_eq!(answer.code, Some(0), "{}", answer.shown());
    assert_eq!(answer.counts(), [2, 2, 0]);
    let reason = answer.details["test_command_reason"].as_str().unwrap();
    insta::assert_snapshot!(reason, @"pyproject.toml configures pytest, but `pytest` was not found; `python -m unittest discover` was run instead");
}
