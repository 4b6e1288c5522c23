//! What happens to the project, the same for every framework.

use std::fs;

use serde_json::{Value, json};

use super::framework::{Framework, Retries, Then};
use super::phase::{Answer, Project};
use crate::processes::{is_gone, pid_in};

pub(super) fn passes(framework: &Framework) {
    let Some(project) = Project::new(framework, "", "") else {
        return;
    };
    let answer = project.phase(&project.request(framework));
    assert_passed(framework, &answer);
    assert_eq!(answer.output["retry_count"], 0);
    assert_eq!(project.runs(), [1; 4], "{}", answer.shown());
    assert_eq!(answer.details["flaky"], json!([]));
}

/// Twice, so that the selection of two tests is seen, too.
pub(super) fn fails(framework: &Framework) {
    let bodies = &framework.bodies;
    let Some(project) = Project::new(framework, bodies.wrong, bodies.error) else {
        return;
    };
    let mut request = project.request(framework);
    request["max_retries"] = json!(1);
    let answer = project.phase(&request);
    assert_eq!(answer.code, Some(1), "{}", answer.shown());
    assert_eq!(answer.output["status"], "fail");
    assert_eq!(answer.counts(), [4, 2, 2], "{}", answer.shown());
    assert_eq!(answer.output["test_command"], framework.command);
    assert_failures(framework, &answer);
    assert_eq!(
        answer.output["errors"],
        json!([{
            "type": "test_failure",
            "message": "2 tests failed after 1 retry attempt",
            "context": {"failed_count": 2, "retry_count": 1, "flaky": false, "total_attempts": 2},
        }])
    );
    let runs = match framework.retries {
        Retries::OnlyWhatFailed => [1, 1, 2, 2],
        Retries::Everything => [2; 4],
    };
    assert_eq!(project.runs(), runs, "{}", answer.shown());
}

fn assert_failures(framework: &Framework, answer: &Answer) {
    let reported = answer.output["failing_tests"].as_array().unwrap();
    assert_eq!(reported.len(), 2, "{}", answer.shown());
    for expected in &framework.failures {
        let test = reported
            .iter()
            .find(|test| test["name"] == expected.name)
            .unwrap_or_else(|| panic!("no {}: {}", expected.name, answer.shown()));
        assert_eq!(test["file"], expected.file, "{}", answer.shown());
        let error = test["error"].as_str().unwrap();
        assert!(error.contains(expected.error), "{}", answer.shown());
    }
}

pub(super) fn is_flaky(framework: &Framework) {
    let Some(project) = Project::new(framework, framework.bodies.flaky, "") else {
        return;
    };
    let mut request = project.request(framework);
    request["max_retries"] = json!(3);
    let answer = project.phase(&request);
    assert_passed(framework, &answer);
    assert_eq!(answer.output["retry_count"], 1);
    let (runs, scope) = match framework.retries {
        Retries::OnlyWhatFailed => ([1, 1, 2, 1], "failed_tests"),
        Retries::Everything => ([2; 4], "whole_suite"),
    };
    assert_eq!(project.runs(), runs, "{}", answer.shown());
    assert_eq!(answer.details["attempts"][1]["scope"], scope);
    assert_eq!(
        answer.details["flaky"],
        json!([{
            "name": framework.failures[0].name,
            "failed_attempts": [1],
            "passed_attempts": [2],
        }]),
        "{}",
        answer.shown()
    );
}

/// With retries allowed: a build is not tried again, tests are.
pub(super) fn is_broken(framework: &Framework) {
    let Some(project) = Project::new(framework, "", "") else {
        return;
    };
    let broken = &framework.broken;
    project.write(broken.file, broken.content);
    let mut request = project.request(framework);
    request["max_retries"] = json!(1);
    let answer = project.phase(&request);
    assert_eq!(answer.code, Some(1), "{}", answer.shown());
    let error = &answer.output["errors"][0];
    assert_eq!(error["type"], broken.error, "{}", answer.shown());
    assert!(explains(&answer, broken.told), "{}", answer.shown());
    if broken.error == "build_failure" {
        assert_eq!(answer.output["build_status"], "fail");
        assert_eq!(answer.output["retry_count"], 0);
        assert_eq!(answer.counts(), [0, 0, 0], "{}", answer.shown());
        assert_eq!(project.runs(), [0; 4]);
    } else {
        assert_eq!(answer.output["retry_count"], 1);
    }
}

/// A test hangs and has started a process in a session of its own.
pub(super) fn takes_too_long(framework: &Framework) {
    // On a busy machine, a runner may need longer to get to the test.
    for factor in [1, 4, 16] {
        let Some(project) = Project::new(framework, framework.bodies.hangs, "") else {
            return;
        };
        let limit = framework.seconds_to_start * factor;
        let mut request = project.request(framework);
        request["timeout_seconds"] = json!(limit);
        let answer = project.phase(&request);
        assert_eq!(answer.code, Some(1), "{}", answer.shown());
        let error = &answer.output["errors"][0];
        assert_eq!(error["type"], "timeout", "{}", answer.shown());
        assert_eq!(error["context"]["timeout_seconds"], limit);
        if let Some(pid) = pid_in(&project.pid_file()) {
            assert!(is_gone(&pid), "the process is still there");
            assert_eq!(left_over(&project), Vec::<String>::new());
            return;
        }
    }
    panic!("the runner never got to the test");
}

/// Processes that work in the project's folder.
fn left_over(project: &Project) -> Vec<String> {
    let folder = project.folder();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|process| {
            let place = fs::read_link(process.path().join("cwd"));
            place.is_ok_and(|place| place.starts_with(&folder))
        })
        .map(|process| fs::read_to_string(process.path().join("cmdline")).unwrap_or_default())
        .collect()
}

pub(super) fn is_missing(framework: &Framework) {
    let Some(mut project) = Project::new(framework, "", "") else {
        return;
    };
    (framework.missing.arrange)(&mut project.sandbox);
    let mut request = project.request(framework);
    match framework.missing.then {
        Then::FallsBackTo(command) => {
            // Only commands that baton found out itself have a fallback.
            request.as_object_mut().unwrap().remove("test_command");
            let answer = project.phase(&request);
            assert_eq!(answer.code, Some(0), "{}", answer.shown());
            assert_eq!(answer.output["test_command"], command);
            assert_eq!(answer.counts(), [4, 4, 0], "{}", answer.shown());
            assert_eq!(answer.output["retry_count"], 0);
        }
        Then::Reports(command) => {
            request["max_retries"] = json!(2);
            let answer = project.phase(&request);
            assert_eq!(answer.code, Some(1), "{}", answer.shown());
            assert_eq!(answer.output["retry_count"], 0);
            assert_eq!(answer.counts(), [0, 0, 0], "{}", answer.shown());
            let error = &answer.output["errors"][0];
            assert_eq!(error["type"], "command_not_found", "{}", answer.shown());
            assert_eq!(error["context"]["command"], command);
            assert_eq!(error["context"]["exit_code"], 127);
            assert_ne!(error["context"]["suggestion"], Value::Null);
        }
    }
}

pub(super) fn crashes(framework: &Framework) {
    let Some(project) = Project::new(framework, framework.bodies.crash, "") else {
        return;
    };
    let answer = project.phase(&project.request(framework));
    assert_eq!(answer.code, Some(1), "{}", answer.shown());
    assert_eq!(answer.output["status"], "fail");
    let error = &answer.output["errors"][0];
    assert_eq!(error["type"], "test_failure", "{}", answer.shown());
    assert!(
        explains(&answer, framework.crash.told),
        "{}",
        answer.shown()
    );
}

/// Whether anything that was found out says so.
fn explains(answer: &Answer, words: &str) -> bool {
    let told = |value: &Value| value.as_str().is_some_and(|text| text.contains(words));
    let failing = answer.output["failing_tests"].as_array().unwrap();
    let attempts = answer.details["attempts"].as_array().unwrap();
    told(&answer.output["errors"][0]["context"]["stderr"])
        || failing.iter().any(|test| told(&test["error"]))
        || attempts.iter().any(|attempt| told(&attempt["output_tail"]))
}

fn assert_passed(framework: &Framework, answer: &Answer) {
    assert_eq!(answer.code, Some(0), "{}", answer.shown());
    assert_eq!(answer.output["status"], "pass");
    assert_eq!(answer.counts(), [4, 4, 0], "{}", answer.shown());
    assert_eq!(answer.output["language"], framework.language);
    assert_eq!(answer.output["test_command"], framework.command);
    assert_eq!(answer.output["build_command"], json!(framework.build));
    let built = match framework.build {
        Some(_) => "pass",
        None => "skipped",
    };
    assert_eq!(answer.output["build_status"], built);
    assert_eq!(answer.output["failing_tests"], json!([]));
}
