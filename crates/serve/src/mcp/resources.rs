//! The resources for clients: the types of the contract as JSON Schemas, a pull
//! request's ledger of merge blockers, and a run of the workflow.

use baton_ops::{OpError, PollPolicy};
use baton_protocol::PrReference;
use baton_protocol::schema::{self, Entry};
use baton_protocol::tools::{ErrorCategory, ErrorResponse};
use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::answer::{self, MAX_ANSWER_BYTES};
use super::answer_form::AnswerForm;
use super::budget;
use super::outline;
use super::running::Step;
use super::schemas;
use super::server::Server;
use super::tool_def::Failure;

const SCHEMA: &str = "baton://schema/";
const SCHEMA_TYPE: &str = "application/schema+json";

const PULL: &str = "baton://pull/";
const LEDGER: &str = "/ledger";

/// The tool that returns the ledger.
const LEDGER_TOOL: &str = "check_merge_readiness";

const RUN: &str = "baton://run/";

/// The tool that returns a run.
const RUN_TOOL: &str = "get_workflow";

/// Runs have short names.
const MAX_RUN_ID_LEN: usize = 100;

/// A resource, by its address.
enum Target {
    Schema(&'static Entry),
    /// The result of a tool for this input.
    Answer {
        tool: &'static str,
        input: Value,
    },
}

pub(super) fn all() -> Vec<Resource> {
    let resource = |name: &'static str| {
        Resource::new(format!("{SCHEMA}{name}"), name)
            .with_title(format!("JSON Schema of {name}"))
            .with_mime_type(SCHEMA_TYPE)
    };
    schemas::names().map(resource).collect()
}

impl Server {
    pub(super) fn resource_templates(&self) -> Vec<ResourceTemplate> {
        let schema = ResourceTemplate::new(format!("{SCHEMA}{{name}}"), "schema")
            .with_title("JSON Schemas of the contract")
            .with_description("The type of that name, such as `get_failing_tests.output`.")
            .with_mime_type(SCHEMA_TYPE);
        let ledger = ResourceTemplate::new(
            format!("{PULL}{{owner}}/{{repo}}/{{number}}{LEDGER}"),
            "ledger",
        )
        .with_title("What stands between a pull request and its merge")
        .with_description(
            "Every rule on the base branch, whether it is satisfied, what proves it and who \
                 can clear it: the answer of `check_merge_readiness`, as it is now.",
        )
        .with_mime_type("application/json");
        let run = ResourceTemplate::new(format!("{RUN}{{run}}"), "run")
            .with_title("Where a run of the workflow stands")
            .with_description(
                "Status, the step under way, its question, issue and pull request, every \
                 handoff: the answer of `get_workflow`, as it is now. `list_workflows` names \
                 the runs.",
            )
            .with_mime_type("application/json");
        let has = |tool: &str| self.def(tool).is_some();
        std::iter::once(schema)
            .chain(has(LEDGER_TOOL).then_some(ledger))
            .chain(has(RUN_TOOL).then_some(run))
            .collect()
    }

    pub(super) async fn resource(
        &self,
        uri: &str,
        cancel: &CancellationToken,
    ) -> Result<ReadResourceResult, ErrorData> {
        let (text, media_type) = match target(uri).ok_or_else(|| unknown(uri))? {
            Target::Schema(entry) => (entry.written().trim_end().to_owned(), SCHEMA_TYPE),
            Target::Answer { tool, input } => {
                let answer = self.answer(uri, tool, input, cancel).await?;
                (format!("{answer:#}"), "application/json")
            }
        };
        let contents = ResourceContents::text(text, uri).with_mime_type(media_type);
        Ok(ReadResourceResult::new(vec![contents]))
    }

    async fn answer(
        &self,
        uri: &str,
        tool: &str,
        input: Value,
        cancel: &CancellationToken,
    ) -> Result<Value, ErrorData> {
        let tool = self.def(tool).ok_or_else(|| unknown(uri))?;
        let mut running = self.start(tool, input, PollPolicy::TOOL_CALL);
        let outcome = loop {
            let step = tokio::select! {
                () = cancel.cancelled() => {
                    running.stop().await;
                    return Err(answer::cancelled());
                }
                step = running.step() => step,
            };
            if let Step::Ended(outcome) = step {
                break outcome;
            }
        };
        match outcome {
            Ok(output) => budget::fit(output, MAX_ANSWER_BYTES)
                .map(|fitted| fitted.value)
                .ok_or_else(|| ErrorData::internal_error("the resource is too large", None)),
            Err(Failure::Operation(OpError::Failed { response, .. })) => Err(unreadable(&response)),
            Err(failure) => answer::result(Err(failure), AnswerForm::Text).map(|_| Value::Null),
        }
    }
}

fn target(uri: &str) -> Option<Target> {
    if let Some(name) = uri.strip_prefix(SCHEMA) {
        return schema::find(name).map(Target::Schema);
    }
    if let Some(run) = uri.strip_prefix(RUN) {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let is_run = (1..=MAX_RUN_ID_LEN).contains(&run.len()) && run.chars().all(is_name);
        return is_run.then(|| Target::Answer {
            tool: RUN_TOOL,
            input: json!({ "run": run }),
        });
    }
    let path = uri.strip_prefix(PULL)?.strip_suffix(LEDGER)?;
    let (repository, number) = path.rsplit_once('/')?;
    let reference = PrReference::parse(&format!("{repository}#{number}"), None).ok()?;
    Some(Target::Answer {
        tool: LEDGER_TOOL,
        input: json!({ "pr": reference.to_string() }),
    })
}

fn unknown(uri: &str) -> ErrorData {
    let shown = outline::line(uri);
    ErrorData::resource_not_found(
        format!("there is no resource {shown}"),
        Some(json!({ "uri": uri })),
    )
}

/// The tool's error as an error of the protocol, which has no results that are
/// errors here.
fn unreadable(response: &ErrorResponse) -> ErrorData {
    let message = outline::line(&response.error);
    let data = serde_json::to_value(response).ok();
    match response.category {
        ErrorCategory::User => ErrorData::resource_not_found(message, data),
        ErrorCategory::Api | ErrorCategory::Logical => ErrorData::internal_error(message, data),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_schema_a_pull_request_or_a_run() {
        assert!(matches!(
            target("baton://schema/error"),
            Some(Target::Schema(_))
        ));
        let answer = |uri| match target(uri) {
            Some(Target::Answer { tool, input }) => format!("{tool} {input}"),
            _ => "nothing".to_owned(),
        };
        assert_eq!(
            answer("baton://pull/octo/demo/12/ledger"),
            r#"check_merge_readiness {"pr":"octo/demo#12"}"#
        );
        assert_eq!(
            answer("baton://run/issue-12-3f"),
            r#"get_workflow {"run":"issue-12-3f"}"#
        );
        for uri in [
            "baton://schema/nope",
            "baton://pull/octo/demo/12",
            "baton://pull/octo/demo/0/ledger",
            "baton://pull/evil.example/octo/demo/1/ledger",
            "baton://pull//ledger",
            "baton://pull/ledger",
            "baton://run/",
            "baton://run/../x",
            "baton://run/a b",
            "file:///etc/passwd",
            "",
        ] {
            assert!(target(uri).is_none(), "{uri}");
        }
    }
}
