//! Every type of the contract against a folder of good and bad documents.
//!
//! `cases/<name>/good/*.json` must fit the schema, be read, and survive a
//! round trip. `cases/<name>/bad/*.json` must be refused by both; for inputs,
//! the `.txt` file beside it holds all messages, one per line.

mod integrators;
mod spoilt;

use std::fs;
use std::path::{Path, PathBuf};

use baton_protocol::detection::Project;
use baton_protocol::phase::{
    pr, pr_details, testing, testing_details, validation, validation_details,
};
use baton_protocol::report::TestReport;
use baton_protocol::review::ReviewReport;
use baton_protocol::schema::{self, CATALOGUE};
use baton_protocol::tools::{
    ErrorResponse, analyze_pr_impact, answer_workflow, cancel_workflow, check_merge_readiness,
    detect_merge_conflicts, detect_project, find_unresolved_comments, get_failing_tests,
    get_review_suggestions, get_workflow, list_workflows, manage_stacked_prs, read_test_report,
    resolve_review_thread, restack, review_change, start_workflow, workflow,
};
use baton_protocol::{Problems, json};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads a document as the named type and writes it again.
fn read_and_write(name: &str, document: &Value) -> Result<Value, String> {
    match name {
        "testing.input" => input(testing::TestingInput::read(document)),
        "testing.output" => output::<testing::TestingOutput>(document),
        "testing.details" => output::<testing_details::TestingDetails>(document),
        "report.output" => output::<TestReport>(document),
        "detect.output" => output::<Project>(document),
        "read_test_report.input" => input(read_test_report::ReadTestReportInput::read(document)),
        "detect_project.input" => input(detect_project::DetectProjectInput::read(document)),
        "review_change.input" => input(review_change::ReviewChangeInput::read(document)),
        "review.output" => output::<ReviewReport>(document),
        "pr.details" => output::<pr_details::PrDetails>(document),
        "validation.details" => output::<validation_details::ValidationDetails>(document),
        "validation.input" => input(validation::ValidationInput::read(document)),
        "validation.output" => output::<validation::ValidationOutput>(document),
        "pr.input" => input(pr::PrInput::read(document)),
        "pr.output" => output::<pr::PrOutput>(document),
        "get_failing_tests.input" => input(get_failing_tests::GetFailingTestsInput::read(document)),
        "get_failing_tests.output" => output::<get_failing_tests::GetFailingTestsOutput>(document),
        "find_unresolved_comments.input" => input(
            find_unresolved_comments::FindUnresolvedCommentsInput::read(document),
        ),
        "find_unresolved_comments.output" => {
            output::<find_unresolved_comments::FindUnresolvedCommentsOutput>(document)
        }
        "manage_stacked_prs.input" => {
            input(manage_stacked_prs::ManageStackedPrsInput::read(document))
        }
        "manage_stacked_prs.output" => {
            output::<manage_stacked_prs::ManageStackedPrsOutput>(document)
        }
        "restack.input" => input(restack::RestackInput::read(document)),
        "restack.output" => output::<restack::RestackOutput>(document),
        "detect_merge_conflicts.input" => input(
            detect_merge_conflicts::DetectMergeConflictsInput::read(document),
        ),
        "detect_merge_conflicts.output" => {
            output::<detect_merge_conflicts::DetectMergeConflictsOutput>(document)
        }
        "check_merge_readiness.input" => input(
            check_merge_readiness::CheckMergeReadinessInput::read(document),
        ),
        "check_merge_readiness.output" => {
            output::<check_merge_readiness::CheckMergeReadinessOutput>(document)
        }
        "analyze_pr_impact.input" => input(analyze_pr_impact::AnalyzePrImpactInput::read(document)),
        "analyze_pr_impact.output" => output::<analyze_pr_impact::AnalyzePrImpactOutput>(document),
        "get_review_suggestions.input" => input(
            get_review_suggestions::GetReviewSuggestionsInput::read(document),
        ),
        "get_review_suggestions.output" => {
            output::<get_review_suggestions::GetReviewSuggestionsOutput>(document)
        }
        "resolve_review_thread.input" => input(
            resolve_review_thread::ResolveReviewThreadInput::read(document),
        ),
        "resolve_review_thread.output" => {
            output::<resolve_review_thread::ResolveReviewThreadOutput>(document)
        }
        "start_workflow.input" => input(start_workflow::StartWorkflowInput::read(document)),
        "get_workflow.input" => input(get_workflow::GetWorkflowInput::read(document)),
        "answer_workflow.input" => input(answer_workflow::AnswerWorkflowInput::read(document)),
        "cancel_workflow.input" => input(cancel_workflow::CancelWorkflowInput::read(document)),
        "start_workflow.output"
        | "get_workflow.output"
        | "answer_workflow.output"
        | "cancel_workflow.output" => output::<workflow::Workflow>(document),
        "list_workflows.input" => input(list_workflows::ListWorkflowsInput::read(document)),
        "list_workflows.output" => output::<list_workflows::ListWorkflowsOutput>(document),
        "error" => output::<ErrorResponse>(document),
        other => panic!("no reader for {other}; add it to this table"),
    }
}

fn input<T: Serialize>(read: Result<T, Problems>) -> Result<Value, String> {
    let read = read.map_err(|problems| problems.to_string())?;
    Ok(serde_json::to_value(read).unwrap())
}

fn output<T: Serialize + DeserializeOwned>(document: &Value) -> Result<Value, String> {
    let read: T = serde_json::from_value(document.clone()).map_err(|e| e.to_string())?;
    Ok(serde_json::to_value(read).unwrap())
}

fn is_input(name: &str) -> bool {
    name.split_once('.')
        .is_some_and(|(_, side)| side == "input")
}

struct Case {
    path: PathBuf,
    document: Value,
}

fn cases(name: &str, kind: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/contract/cases")
        .join(name)
        .join(kind);
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no cases in {}", folder.display());
    paths
        .into_iter()
        .map(|path| {
            let document = json::parse(&fs::read(&path).unwrap()).unwrap();
            Case { path, document }
        })
        .collect()
}

#[test]
fn good_documents_fit_and_survive_a_round_trip() {
    for entry in &CATALOGUE {
        let validator = jsonschema::draft7::new(&entry.json_schema()).unwrap();
        for case in cases(entry.name, "good") {
            let place = case.path.display();
            if let Err(error) = validator.validate(&case.document) {
                panic!("{place} does not fit the schema: {error}");
            }
            let once = read_and_write(entry.name, &case.document)
                .unwrap_or_else(|error| panic!("{place} is refused: {error}"));
            validator
                .validate(&once)
                .unwrap_or_else(|error| panic!("{place}: what we write does not fit: {error}"));
            let twice = read_and_write(entry.name, &once).unwrap();
            assert_eq!(once, twice, "{place} changes on the second trip");
            assert_contains(&once, &case.document, &place.to_string());
        }
    }
}

/// Nothing of the document got lost. Defaults may be added, aliases are
/// normalised, and the PR phase drops keys it does not know.
fn assert_contains(written: &Value, document: &Value, place: &str) {
    let dropped = ["language", "reviewers"];
    for (key, value) in document.as_object().unwrap() {
        if !dropped.contains(&key.as_str()) {
            assert_eq!(written.get(key), Some(value), "{place}: key {key}");
        }
    }
}

#[test]
fn bad_documents_are_refused_with_all_their_problems() {
    for entry in &CATALOGUE {
        let validator = jsonschema::draft7::new(&entry.json_schema()).unwrap();
        for case in cases(entry.name, "bad") {
            let place = case.path.display();
            let message = read_and_write(entry.name, &case.document)
                .expect_err(&format!("{place} is accepted"));
            // The rule "differs from the base branch" is beyond any schema.
            if !case.path.ends_with("branch-is-base.json") {
                assert!(!validator.is_valid(&case.document), "{place} fits");
            }
            if is_input(entry.name) {
                assert_told(&case.path.with_extension("txt"), &message);
            }
        }
    }
}

/// Compares with the file, or writes it when `BATON_BLESS` is set.
fn assert_told(file: &Path, message: &str) {
    if std::env::var_os("BATON_BLESS").is_some() {
        fs::write(file, format!("{message}\n")).unwrap();
    }
    let expected = fs::read_to_string(file)
        .unwrap_or_else(|_| panic!("{} is missing; BATON_BLESS=1 writes it", file.display()));
    assert_eq!(message, expected.trim_end(), "{}", file.display());
}

#[test]
fn names_are_unique_and_found() {
    for entry in &CATALOGUE {
        assert!(std::ptr::eq(schema::find(entry.name).unwrap(), entry));
    }
    assert!(schema::find("testing").is_none());
    assert_eq!(schema::suggest("testing.inputs"), Some("testing.input"));
    assert_eq!(schema::suggest("zzz"), None);
}
