//! What clients can read: the types of the contract as JSON Schemas, and a pull
//! request's ledger of what stands between it and its merge.

use baton_ops::pulls::Patience;
use baton_protocol::PrReference;
use baton_protocol::schema::{self, Entry};
use baton_protocol::tools::{ErrorCategory, ErrorResponse};
use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::answer::{self, LARGEST_ANSWER};
use super::budget;
use super::offer::Failure;
use super::outline;
use super::running::Step;
use super::schemas;
use super::server::Server;

const SCHEMA: &str = "baton://schema/";
const SCHEMA_TYPE: &str = "application/schema+json";

const PULL: &str = "baton://pull/";
const LEDGER: &str = "/ledger";

/// The tool whose answer the ledger is.
const LEDGER_TOOL: &str = "check_merge_readiness";

/// A resource by what stands behind its address.
enum Wanted {
    Schema(&'static Entry),
    Ledger(PrReference),
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
        let has_ledger = self.offer(LEDGER_TOOL).is_some();
        std::iter::once(schema)
            .chain(has_ledger.then_some(ledger))
            .collect()
    }

    pub(super) async fn resource(
        &self,
        uri: &str,
        cancel: &CancellationToken,
    ) -> Result<ReadResourceResult, ErrorData> {
        let (text, media_type) = match wanted(uri).ok_or_else(|| unknown(uri))? {
            Wanted::Schema(entry) => (entry.written().trim_end().to_owned(), SCHEMA_TYPE),
            Wanted::Ledger(reference) => {
                let ledger = self.ledger(uri, &reference, cancel).await?;
                (format!("{ledger:#}"), "application/json")
            }
        };
        let contents = ResourceContents::text(text, uri).with_mime_type(media_type);
        Ok(ReadResourceResult::new(vec![contents]))
    }

    async fn ledger(
        &self,
        uri: &str,
        reference: &PrReference,
        cancel: &CancellationToken,
    ) -> Result<Value, ErrorData> {
        let offer = self.offer(LEDGER_TOOL).ok_or_else(|| unknown(uri))?;
        let input = json!({ "pr": reference.to_string() });
        let mut running = self.start(offer, input, Patience::TOOL_CALL);
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
            Ok(output) => budget::fit(output, LARGEST_ANSWER)
                .map(|fitted| fitted.value)
                .ok_or_else(|| ErrorData::internal_error("the ledger is too large", None)),
            Err(Failure::Failed(response)) => Err(unreadable(&response)),
            Err(failure) => answer::result(Err(failure)).map(|_| Value::Null),
        }
    }
}

fn wanted(uri: &str) -> Option<Wanted> {
    if let Some(name) = uri.strip_prefix(SCHEMA) {
        return schema::find(name).map(Wanted::Schema);
    }
    let path = uri.strip_prefix(PULL)?.strip_suffix(LEDGER)?;
    let (repository, number) = path.rsplit_once('/')?;
    let reference = PrReference::parse(&format!("{repository}#{number}"), None).ok()?;
    Some(Wanted::Ledger(reference))
}

fn unknown(uri: &str) -> ErrorData {
    let shown = outline::line(uri);
    ErrorData::resource_not_found(
        format!("there is no resource {shown}"),
        Some(json!({ "uri": uri })),
    )
}

/// The tool's trouble in the words of the protocol, which has no results that
/// are errors here.
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
    fn an_address_names_a_schema_or_a_pull_request() {
        assert!(matches!(
            wanted("baton://schema/error"),
            Some(Wanted::Schema(_))
        ));
        let Some(Wanted::Ledger(reference)) = wanted("baton://pull/octo/demo/12/ledger") else {
            panic!("it names a ledger");
        };
        assert_eq!(reference.to_string(), "octo/demo#12");
        for uri in [
            "baton://schema/nope",
            "baton://pull/octo/demo/12",
            "baton://pull/octo/demo/0/ledger",
            "baton://pull/evil.example/octo/demo/1/ledger",
            "baton://pull//ledger",
            "baton://pull/ledger",
            "file:///etc/passwd",
            "",
        ] {
            assert!(wanted(uri).is_none(), "{uri}");
        }
    }
}
