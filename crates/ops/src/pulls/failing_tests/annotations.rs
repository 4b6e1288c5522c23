//! What checks remark on lines, as failures.

use baton_protocol::Confidence;
use baton_protocol::report::ReportedFailure;
use baton_remote::github::enums::AnnotationLevel;
use baton_remote::github::questions::check_details::CheckAnnotation;

/// GitHub keeps no more of them for a step of a job. With as many, some may
/// be missing.
const MAX_PER_STEP: usize = 10;

/// What the runner itself remarks on the job; it names nothing that failed.
const OF_THE_RUNNER: &[&str] = &[
    "Process completed with exit code",
    "The operation was canceled",
    "The job running on runner",
    "The job was canceled",
    "The runner has received a shutdown signal",
    "The hosted runner",
    "The self-hosted runner",
    "Bash exited with code",
    "PowerShell exited with code",
    "Docker run failed with exit code",
    "The strategy configuration was canceled",
    "This request was automatically failed",
    "No files were found with the provided path",
];

/// The remarks that say what failed.
#[derive(Debug)]
pub(super) struct Remarks {
    pub(super) failures: Vec<ReportedFailure>,
    /// All of them name what failed, and probably none is missing.
    pub(super) are_complete: bool,
}

pub(super) fn remarks(annotations: &[CheckAnnotation]) -> Remarks {
    let telling: Vec<&CheckAnnotation> = annotations
        .iter()
        .filter(|remark| remark.annotation_level == Some(AnnotationLevel::Failure))
        .filter(|remark| !is_of_the_runner(remark))
        .collect();
    let are_named = telling.iter().all(|remark| title(remark).is_some());
    Remarks {
        are_complete: !telling.is_empty() && are_named && telling.len() < MAX_PER_STEP,
        failures: telling.into_iter().map(failure).collect(),
    }
}

/// What the runner says of the job, such as that it was lost.
pub(super) fn words_of_the_runner(annotations: &[CheckAnnotation]) -> Vec<String> {
    let words = annotations.iter().filter(|remark| is_of_the_runner(remark));
    words.map(|remark| remark.message.clone()).collect()
}

fn is_of_the_runner(remark: &CheckAnnotation) -> bool {
    // A remark without a place is put there.
    let is_bare = remark.path == ".github" && title(remark).is_none();
    let message = remark.message.trim_start();
    is_bare || OF_THE_RUNNER.iter().any(|known| message.starts_with(known))
}

fn failure(remark: &CheckAnnotation) -> ReportedFailure {
    let first_line = || {
        remark
            .message
            .lines()
            .map(str::trim)
            .find(|l| !l.is_empty())
    };
    let name = title(remark).or_else(first_line).unwrap_or(&remark.path);
    let details = remark.raw_details.as_deref().unwrap_or_default().trim();
    let error = if details.is_empty() || remark.message.contains(details) {
        remark.message.clone()
    } else {
        format!("{}\n{details}", remark.message)
    };
    ReportedFailure {
        name: name.to_owned(),
        file: Some(remark.path.clone()).filter(|path| !path.is_empty()),
        line: remark.line().filter(|line| *line > 0),
        error,
        confidence: Confidence::Medium,
    }
}

fn title(remark: &CheckAnnotation) -> Option<&str> {
    let title = remark.title.as_deref()?.trim();
    // What tools write when they have nothing to say there.
    let is_generic = ["", "error", "failure", "test failure"]
        .iter()
        .any(|generic| title.eq_ignore_ascii_case(generic));
    (!is_generic).then_some(title)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn annotations(all: &[Value]) -> Vec<CheckAnnotation> {
        let read = |value: &Value| serde_json::from_value(value.clone()).unwrap();
        all.iter().map(read).collect()
    }

    fn remark(title: Option<&str>, message: &str) -> Value {
        json!({
            "annotationLevel": "FAILURE", "path": "tests/test_a.py",
            "location": { "start": { "line": 7 } }, "title": title, "message": message,
        })
    }

    #[test]
    fn what_the_runner_says_is_no_failure_of_a_test() {
        let all = annotations(&[
            json!({
                "annotationLevel": "FAILURE", "path": ".github",
                "location": { "start": { "line": 1 } }, "message": "Process completed with exit code 1.",
            }),
            json!({
                "annotationLevel": "WARNING", "path": "a.py",
                "location": { "start": { "line": 1 } }, "message": "deprecated",
            }),
        ]);
        let remarks = remarks(&all);
        assert!(remarks.failures.is_empty() && !remarks.are_complete);
        assert_eq!(
            words_of_the_runner(&all),
            ["Process completed with exit code 1."]
        );
    }

    #[test]
    fn a_title_is_the_name_of_a_test() {
        let all = annotations(&[remark(Some("test_login"), "assert 1 == 2")]);
        let remarks = remarks(&all);
        assert!(remarks.are_complete);
        let failure = &remarks.failures[0];
        assert_eq!(
            (failure.name.as_str(), failure.line),
            ("test_login", Some(7))
        );
    }

    #[test]
    fn without_titles_they_are_a_last_resort() {
        let all = annotations(&[remark(Some("Error"), "\nassert 1 == 2\n  more")]);
        let remarks = remarks(&all);
        assert!(!remarks.are_complete);
        assert_eq!(remarks.failures[0].name, "assert 1 == 2");
    }

    #[test]
    fn as_many_as_github_keeps_may_not_be_all() {
        let all: Vec<_> = (0..10).map(|_| remark(Some("a test"), "no")).collect();
        assert!(!remarks(&annotations(&all)).are_complete);
    }
}
