//! Types for integrators: a JSON Schema (draft 07) of every input and output,
//! generated from the Rust types, and from it TypeScript and Pydantic.

mod named_parts;
mod pydantic;
mod typescript;

use schemars::generate::{Contract, SchemaSettings};
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::detection::Project;
use crate::phase::{pr, pr_details, testing, testing_details, validation, validation_details};
use crate::report::TestReport;
use crate::review::ReviewReport;
use crate::tools::{
    ErrorResponse, analyze_pr_impact, answer_workflow, cancel_workflow, check_merge_readiness,
    detect_merge_conflicts, detect_project, find_unresolved_comments, get_failing_tests,
    get_review_suggestions, get_workflow, list_workflows, manage_stacked_prs, read_test_report,
    resolve_review_thread, restack, review_change, start_workflow, workflow,
};

/// A type of the contract that `baton schema` prints.
pub struct Entry {
    pub name: &'static str,
    generate: fn() -> Schema,
    /// What was generated when `schemas/` was written; a test compares.
    written: &'static str,
}

impl Entry {
    /// The JSON Schema, draft 07.
    pub fn json_schema(&self) -> Value {
        (self.generate)().to_value()
    }

    /// The same as text, which costs nothing: a server that has just been started
    /// reads all schemas before it can answer.
    pub fn written(&self) -> &'static str {
        self.written
    }

    /// The same as TypeScript interfaces.
    pub fn typescript(&self) -> String {
        typescript::render(&named_parts::named(self.json_schema()))
    }

    /// The same as Pydantic models.
    pub fn pydantic(&self) -> String {
        pydantic::render(&named_parts::named(self.json_schema()))
    }
}

macro_rules! entry {
    ($contract:ident, $type:ty, $name:literal) => {
        Entry {
            name: $name,
            generate: || generate::<$type>(Contract::$contract),
            written: include_str!(concat!("../../../../schemas/", $name, ".json")),
        }
    };
}

/// The contract, in the order in which it is listed.
pub static CATALOGUE: [Entry; 44] = [
    entry!(Deserialize, testing::TestingInput, "testing.input"),
    entry!(Serialize, testing::TestingOutput, "testing.output"),
    entry!(
        Serialize,
        testing_details::TestingDetails,
        "testing.details"
    ),
    entry!(Serialize, pr_details::PrDetails, "pr.details"),
    entry!(Deserialize, validation::ValidationInput, "validation.input"),
    entry!(Serialize, validation::ValidationOutput, "validation.output"),
    entry!(
        Serialize,
        validation_details::ValidationDetails,
        "validation.details"
    ),
    entry!(Deserialize, pr::PrInput, "pr.input"),
    entry!(Serialize, pr::PrOutput, "pr.output"),
    entry!(
        Deserialize,
        get_failing_tests::GetFailingTestsInput,
        "get_failing_tests.input"
    ),
    entry!(
        Serialize,
        get_failing_tests::GetFailingTestsOutput,
        "get_failing_tests.output"
    ),
    entry!(
        Deserialize,
        find_unresolved_comments::FindUnresolvedCommentsInput,
        "find_unresolved_comments.input"
    ),
    entry!(
        Serialize,
        find_unresolved_comments::FindUnresolvedCommentsOutput,
        "find_unresolved_comments.output"
    ),
    entry!(
        Deserialize,
        manage_stacked_prs::ManageStackedPrsInput,
        "manage_stacked_prs.input"
    ),
    entry!(
        Serialize,
        manage_stacked_prs::ManageStackedPrsOutput,
        "manage_stacked_prs.output"
    ),
    entry!(Deserialize, restack::RestackInput, "restack.input"),
    entry!(Serialize, restack::RestackOutput, "restack.output"),
    entry!(
        Deserialize,
        detect_merge_conflicts::DetectMergeConflictsInput,
        "detect_merge_conflicts.input"
    ),
    entry!(
        Serialize,
        detect_merge_conflicts::DetectMergeConflictsOutput,
        "detect_merge_conflicts.output"
    ),
    entry!(
        Deserialize,
        check_merge_readiness::CheckMergeReadinessInput,
        "check_merge_readiness.input"
    ),
    entry!(
        Serialize,
        check_merge_readiness::CheckMergeReadinessOutput,
        "check_merge_readiness.output"
    ),
    entry!(
        Deserialize,
        analyze_pr_impact::AnalyzePrImpactInput,
        "analyze_pr_impact.input"
    ),
    entry!(
        Serialize,
        analyze_pr_impact::AnalyzePrImpactOutput,
        "analyze_pr_impact.output"
    ),
    entry!(
        Deserialize,
        get_review_suggestions::GetReviewSuggestionsInput,
        "get_review_suggestions.input"
    ),
    entry!(
        Serialize,
        get_review_suggestions::GetReviewSuggestionsOutput,
        "get_review_suggestions.output"
    ),
    entry!(
        Deserialize,
        resolve_review_thread::ResolveReviewThreadInput,
        "resolve_review_thread.input"
    ),
    entry!(
        Serialize,
        resolve_review_thread::ResolveReviewThreadOutput,
        "resolve_review_thread.output"
    ),
    entry!(
        Deserialize,
        start_workflow::StartWorkflowInput,
        "start_workflow.input"
    ),
    entry!(Serialize, workflow::Workflow, "start_workflow.output"),
    entry!(
        Deserialize,
        get_workflow::GetWorkflowInput,
        "get_workflow.input"
    ),
    entry!(Serialize, workflow::Workflow, "get_workflow.output"),
    entry!(
        Deserialize,
        answer_workflow::AnswerWorkflowInput,
        "answer_workflow.input"
    ),
    entry!(Serialize, workflow::Workflow, "answer_workflow.output"),
    entry!(
        Deserialize,
        cancel_workflow::CancelWorkflowInput,
        "cancel_workflow.input"
    ),
    entry!(Serialize, workflow::Workflow, "cancel_workflow.output"),
    entry!(
        Deserialize,
        list_workflows::ListWorkflowsInput,
        "list_workflows.input"
    ),
    entry!(
        Serialize,
        list_workflows::ListWorkflowsOutput,
        "list_workflows.output"
    ),
    entry!(Serialize, ErrorResponse, "error"),
    entry!(Serialize, TestReport, "report.output"),
    entry!(Serialize, Project, "detect.output"),
    entry!(
        Deserialize,
        read_test_report::ReadTestReportInput,
        "read_test_report.input"
    ),
    entry!(
        Deserialize,
        detect_project::DetectProjectInput,
        "detect_project.input"
    ),
    entry!(
        Deserialize,
        review_change::ReviewChangeInput,
        "review_change.input"
    ),
    entry!(Serialize, ReviewReport, "review.output"),
];

/// The entry of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}

/// The listed name that a misspelt one most likely meant.
pub fn suggest(name: &str) -> Option<&'static str> {
    let names: Vec<_> = CATALOGUE.iter().map(|entry| entry.name).collect();
    crate::object_reader::nearest(name, &names)
}

fn generate<T: JsonSchema>(contract: Contract) -> Schema {
    let mut settings = SchemaSettings::draft07();
    settings.contract = contract;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    Plain.transform(&mut schema);
    schema
}

/// Takes the key out of `required`.
pub(crate) fn not_required(schema: &mut Schema, key: &str) {
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name != key);
    }
}

/// Brings generated schemas to the form of the contract: a key that may be
/// left out is never null (unless its field is marked `x-nullable`), and Rust's
/// number formats say nothing to other programs.
struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        let required: Vec<Value> = match schema.get("required") {
            Some(Value::Array(names)) => names.clone(),
            _ => Vec::new(),
        };
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            for (name, property) in properties {
                let Value::Object(property) = property else {
                    continue;
                };
                let marked = property.remove("x-nullable").is_some();
                if !marked && !required.iter().any(|r| r == name.as_str()) {
                    without_null(property);
                }
            }
        }
        if let Some(Value::String(format)) = schema.get("format")
            && (format.starts_with("uint") || format.starts_with("int") || format == "double")
        {
            schema.remove("format");
        }
        transform_subschemas(self, schema);
    }
}

type Object = serde_json::Map<String, Value>;

fn without_null(property: &mut Object) {
    if property.get("default").is_some_and(Value::is_null) {
        property.remove("default");
    }
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            property.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = property.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(choices)) = property.get_mut("anyOf") else {
        return;
    };
    choices.retain(|choice| choice.get("type").is_none_or(|t| t != "null"));
    if let [Value::Object(only)] = &choices[..] {
        let only = only.clone();
        property.remove("anyOf");
        property.extend(only);
    }
}
