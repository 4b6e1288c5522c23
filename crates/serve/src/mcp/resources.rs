//! What clients can read: the types of the contract, as JSON Schemas.

use baton_protocol::schema;
use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::outline;
use super::schemas;

const SCHEMA: &str = "baton://schema/";
const MIME_TYPE: &str = "application/schema+json";

pub(super) fn all() -> Vec<Resource> {
    let resource = |name: &'static str| {
        Resource::new(format!("{SCHEMA}{name}"), name)
            .with_title(format!("JSON Schema of {name}"))
            .with_mime_type(MIME_TYPE)
    };
    schemas::names().map(resource).collect()
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new(format!("{SCHEMA}{{name}}"), "schema")
        .with_title("JSON Schemas of the contract")
        .with_description("The type of that name, such as `get_failing_tests.output`.")
        .with_mime_type(MIME_TYPE);
    vec![template]
}

pub(super) fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let entry = uri.strip_prefix(SCHEMA).and_then(schema::find);
    let Some(entry) = entry else {
        let shown = outline::line(uri);
        return Err(ErrorData::resource_not_found(
            format!("there is no resource {shown}"),
            Some(json!({ "uri": uri })),
        ));
    };
    let text = format!("{:#}", entry.json_schema());
    let contents = ResourceContents::text(text, uri).with_mime_type(MIME_TYPE);
    Ok(ReadResourceResult::new(vec![contents]))
}
