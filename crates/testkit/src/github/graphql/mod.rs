//! Documents, answers and schemas against GitHub's GraphQL schema.

mod answer;
mod document;
mod fragments;
mod schema;
mod subset;
mod values;

use std::fs;
use std::path::Path;

use async_graphql_parser::parse_query;
use async_graphql_parser::types::{ExecutableDocument, OperationDefinition};
use async_graphql_value::Name;
use serde_json::Value;

use super::exceptions::Exceptions;
use super::problem::{Findings, Problem, join};
use schema::Schema;

/// GitHub's GraphQL schema.
#[derive(Debug)]
pub struct GraphQl {
    schema: Schema,
    allowed: Exceptions,
}

/// A request that was understood.
struct Request<'a> {
    name: String,
    document: ExecutableDocument,
    variables: &'a Value,
}

impl GraphQl {
    /// Reads the schema that `cargo xtask peers` brings (`github/schema.graphql`). That
    /// takes a second, so tests share one.
    pub fn load(sdl: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(sdl)
            .map_err(|error| format!("cannot read {}: {error}", sdl.display()))?;
        Self::parse(&text)
    }

    pub fn parse(sdl: &str) -> Result<Self, String> {
        Ok(Self {
            schema: Schema::parse(sdl)?,
            allowed: Exceptions::allowed(),
        })
    }

    /// Holds a document to the schema, whatever its variables will be.
    pub fn check_document(&self, document: &str) -> Vec<Problem> {
        self.check_request(&serde_json::json!({ "query": document }))
    }

    /// Holds a request (`query`, `variables`, `operationName`) to the schema.
    pub fn check_request(&self, request: &Value) -> Vec<Problem> {
        let request = match Request::read(request) {
            Ok(request) => request,
            Err(problems) => return problems,
        };
        let mut findings = Findings::new(&request.name, "document");
        for (_, operation) in request.document.operations.iter() {
            let check = document::Check::new(
                &self.schema,
                &request.document,
                request.variables,
                &mut findings,
            );
            check.operation(&operation.node);
        }
        for name in fragments::unused(&request.document) {
            findings.add("", format!("fragment `{name}` is not used"));
        }
        self.allowed.filter(findings.into_problems())
    }

    /// Holds an answer to what its request asked for.
    pub fn check_response(&self, request: &Value, response: &Value) -> Vec<Problem> {
        let request = match Request::read(request) {
            Ok(request) => request,
            Err(problems) => return problems,
        };
        let mut findings = Findings::new(&request.name, "response");
        check_errors(response, &mut findings);
        match (request.operation(), response.get("data")) {
            // Without data there are errors, and that was checked.
            (_, None | Some(Value::Null)) => {}
            (None, _) => findings.add("", "the request names no operation of its document"),
            (Some(operation), Some(data)) => answer::Check {
                schema: &self.schema,
                document: &request.document,
                findings: &mut findings,
            }
            .data(operation, data),
        }
        self.allowed.filter(findings.into_problems())
    }

    /// Holds another schema to GitHub's: all that it has, GitHub has in the same way.
    pub fn check_subset(&self, sdl: &str) -> Vec<Problem> {
        match Schema::parse(sdl) {
            Ok(part) => self.allowed.filter(subset::check(&self.schema, &part)),
            Err(error) => {
                let mut findings = Findings::new("schema", "definition");
                findings.add("", error);
                findings.into_problems()
            }
        }
    }
}

impl<'a> Request<'a> {
    fn read(request: &'a Value) -> Result<Self, Vec<Problem>> {
        let text = request["query"].as_str().unwrap_or_default();
        let refuse = |message: String| {
            let mut findings = Findings::new("graphql", "document");
            findings.add("", message);
            findings.into_problems()
        };
        let document = parse_query(text).map_err(|error| refuse(error.to_string()))?;
        let asked = request["operationName"].as_str();
        let mut names = document.operations.iter().filter_map(|(name, _)| name);
        let name = asked.or_else(|| names.next().map(Name::as_str));
        Ok(Self {
            name: name.map_or_else(|| "graphql".to_owned(), |name| format!("graphql {name}")),
            variables: &request["variables"],
            document,
        })
    }

    /// The operation that is carried out.
    fn operation(&self) -> Option<&OperationDefinition> {
        let wanted = self.name.strip_prefix("graphql ");
        let mut operations = self.document.operations.iter();
        operations
            .find(|(name, _)| name.map(Name::as_str) == wanted)
            .map(|(_, operation)| &operation.node)
    }
}

/// GitHub names the kind of an error (`NOT_FOUND`) beside the message, not below `extensions`.
const KEYS_OF_AN_ERROR: [&str; 5] = ["type", "path", "locations", "message", "extensions"];

fn check_errors(response: &Value, findings: &mut Findings<'_>) {
    let Some(errors) = response.get("errors") else {
        if !response["data"].is_object() {
            findings.add("", "there is neither data nor an error");
        }
        return;
    };
    match errors.as_array() {
        None => findings.add("/errors", "this is no list"),
        Some(errors) if errors.is_empty() => findings.add("/errors", "the list is empty"),
        Some(errors) => {
            for (index, error) in errors.iter().enumerate() {
                let pointer = format!("/errors/{index}");
                if !error["message"].is_string() {
                    findings.add(join(&pointer, "message"), "it is missing");
                }
                for (key, _) in error.as_object().into_iter().flatten() {
                    if !KEYS_OF_AN_ERROR.contains(&key.as_str()) {
                        findings.add(join(&pointer, key), "GitHub knows no such field");
                    }
                }
            }
        }
    }
}
