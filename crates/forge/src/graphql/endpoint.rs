//! The way of a request: read, measured, checked, executed, put into GitHub's form.

use async_graphql_parser::parse_query;
use async_graphql_parser::types::{
    DocumentOperations, ExecutableDocument, OperationDefinition, OperationType,
};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use serde_json::{Map, Value, json};

use super::context::Context;
use super::execute::Execution;
use super::mutations::Mutation;
use super::object::AnyObject;
use super::query::Query;
use super::{errors, limits, validate};
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, Result};
use crate::middleware::Cost;

/// `gh` asks an Enterprise host under `/api/graphql`, and `api.HOST` under `/graphql`.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/graphql", post(answer))
        .route("/api/graphql", post(answer))
}

async fn answer(State(app): State<App>, caller: Caller, body: Bytes) -> Result<Response> {
    if caller.user.is_none() {
        return Err(ApiError::Unauthorized(
            "This endpoint requires you to be authenticated.",
        ));
    }
    let mut body: Value = serde_json::from_slice(&body).map_err(|_| ApiError::NotJson)?;
    let Some(Value::String(query)) = body.get_mut("query").map(Value::take) else {
        let message = "A query attribute must be specified and must be a string.";
        return Ok(refusal(&[json!({ "message": message })]));
    };
    let variables = match body.get_mut("variables").map(Value::take) {
        Some(Value::Object(variables)) => variables,
        // What is no object is taken as none: `gh` sends null.
        _ => Map::new(),
    };
    let name = body.get("operationName").and_then(Value::as_str);
    let executed = execute(app, caller, &query, name, variables).await;
    Ok(executed.unwrap_or_else(|errors| refusal(&errors)))
}

async fn execute(
    app: App,
    caller: Caller,
    query: &str,
    name: Option<&str>,
    given: Map<String, Value>,
) -> Result<Response, Vec<Value>> {
    let document = parse_query(query).map_err(|error| vec![errors::unreadable(&error)])?;
    let operation = chosen(&document, name)?;
    let fragments = &document.fragments;
    let demand =
        limits::measure(operation, fragments, &given).map_err(|error| vec![error.body()])?;
    let root: &dyn AnyObject = match operation.ty {
        OperationType::Query => &Query,
        OperationType::Mutation => &Mutation,
        OperationType::Subscription => {
            return Err(vec![
                json!({ "message": "Schema is not configured for subscriptions" }),
            ]);
        }
    };
    let variables = validate::variables(operation, given)?;
    let problems = validate::problems(root.kind(), operation, fragments, &variables);
    if !problems.is_empty() {
        return Err(problems);
    }
    let context = Context {
        app,
        caller,
        demand,
    };
    let execution = Execution {
        cx: &context,
        fragments,
        variables: &variables,
    };
    let serial = operation.ty == OperationType::Mutation;
    let done = execution
        .run(root, &operation.selection_set.node, serial)
        .await;
    let mut body = json!({ "data": done.value });
    if !done.errors.is_empty() {
        body["errors"] = Value::Array(done.errors);
    }
    let mut response = reply(&body);
    response.extensions_mut().insert(Cost(demand.cost()));
    Ok(response)
}

fn chosen<'a>(
    document: &'a ExecutableDocument,
    name: Option<&str>,
) -> Result<&'a OperationDefinition, Vec<Value>> {
    let found = match (&document.operations, name) {
        (DocumentOperations::Single(operation), _) => Some(operation),
        (DocumentOperations::Multiple(operations), Some(name)) => operations.get(name),
        (DocumentOperations::Multiple(operations), None) if operations.len() == 1 => {
            operations.values().next()
        }
        (DocumentOperations::Multiple(_), None) => None,
    };
    let message = "An operation name is required";
    found
        .map(|found| &found.node)
        .ok_or_else(|| vec![json!({ "message": message })])
}

fn refusal(errors: &[Value]) -> Response {
    reply(&json!({ "errors": errors }))
}

fn reply(body: &Value) -> Response {
    let headers = [(CONTENT_TYPE, "application/json; charset=utf-8")];
    (headers, body.to_string()).into_response()
}
