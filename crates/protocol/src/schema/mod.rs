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
    resolve_review_thread, restack, start_workflow, workflow,
};

/// A type of the contract that `baton schema` prints.
pub struct Entry {
    pub name: &'static str,
    generate: fn() -> Schema,
}

impl Entry {
    /// The JSON Schema, draft 07.
    pub fn json_schema(&self) -> Value {
        (self.generate)().to_value()
    }

    /// The same as TypeScript interfaces.
    pub fn typescript(&self) -> String {
        typescript::render(&named_parts::of(self.json_schema()))
    }

    /// The same as Pydantic models.
    pub fn pydantic(&self) -> String {
        pydantic::render(&named_parts::of(self.json_schema()))
    }
}

/// The contract, in the order in which it is listed.
pub static CATALOGUE: [Entry; 43] = [
    input::<testing::TestingInput>("testing.input"),
    output::<testing::TestingOutput>("testing.output"),
    output::<testing_details::TestingDetails>("testing.details"),
    output::<pr_details::PrDetails>("pr.details"),
    input::<validation::ValidationInput>("validation.input"),
    output::<validation::ValidationOutput>("validation.output"),
    output::<validation_details::ValidationDetails>("validation.details"),
    input::<pr::PrInput>("pr.input"),
    output::<pr::PrOutput>("pr.output"),
    input::<get_failing_tests::GetFailingTestsInput>("get_failing_tests.input"),
    output::<get_failing_tests::GetFailingTestsOutput>("get_failing_tests.output"),
    input::<find_unresolved_comments::FindUnresolvedCommentsInput>(
        "find_unresolved_comments.input",
    ),
    output::<find_unresolved_comments::FindUnresolvedCommentsOutput>(
        "find_unresolved_comments.output",
    ),
    input::<manage_stacked_prs::ManageStackedPrsInput>("manage_stacked_prs.input"),
    output::<manage_stacked_prs::ManageStackedPrsOutput>("manage_stacked_prs.output"),
    input::<restack::RestackInput>("restack.input"),
    output::<restack::RestackOutput>("restack.output"),
    input::<detect_merge_conflicts::DetectMergeConflictsInput>("detect_merge_conflicts.input"),
    output::<detect_merge_conflicts::DetectMergeConflictsOutput>("detect_merge_conflicts.output"),
    input::<check_merge_readiness::CheckMergeReadinessInput>("check_merge_readiness.input"),
    output::<check_merge_readiness::CheckMergeReadinessOutput>("check_merge_readiness.output"),
    input::<analyze_pr_impact::AnalyzePrImpactInput>("analyze_pr_impact.input"),
    output::<analyze_pr_impact::AnalyzePrImpactOutput>("analyze_pr_impact.output"),
    input::<get_review_suggestions::GetReviewSuggestionsInput>("get_review_suggestions.input"),
    output::<get_review_suggestions::GetReviewSuggestionsOutput>("get_review_suggestions.output"),
    input::<resolve_review_thread::ResolveReviewThreadInput>("resolve_review_thread.input"),
    output::<resolve_review_thread::ResolveReviewThreadOutput>("resolve_review_thread.output"),
    input::<start_workflow::StartWorkflowInput>("start_workflow.input"),
    output::<workflow::Workflow>("start_workflow.output"),
    input::<get_workflow::GetWorkflowInput>("get_workflow.input"),
    output::<workflow::Workflow>("get_workflow.output"),
    input::<answer_workflow::AnswerWorkflowInput>("answer_workflow.input"),
    output::<workflow::Workflow>("answer_workflow.output"),
    input::<cancel_workflow::CancelWorkflowInput>("cancel_workflow.input"),
    output::<workflow::Workflow>("cancel_workflow.output"),
    input::<list_workflows::ListWorkflowsInput>("list_workflows.input"),
    output::<list_workflows::ListWorkflowsOutput>("list_workflows.output"),
    output::<ErrorResponse>("error"),
    output::<TestReport>("report.output"),
    output::<Project>("detect.output"),
    input::<read_test_report::ReadTestReportInput>("read_test_report.input"),
    input::<detect_project::DetectProjectInput>("detect_project.input"),
    output::<ReviewReport>("review.output"),
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

const fn input<T: JsonSchema>(name: &'static str) -> Entry {
    Entry {
        name,
        generate: || generate::<T>(Contract::Deserialize),
    }
}

const fn output<T: JsonSchema>(name: &'static str) -> Entry {
    Entry {
        name,
        generate: || generate::<T>(Contract::Serialize),
    }
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
/// number formats say nothing to anybody else.
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
