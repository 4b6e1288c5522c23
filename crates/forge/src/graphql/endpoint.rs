//! The way of a request: read, measured, executed, put into GitHub's form.

use async_graphql::parser::parse_query;
use async_graphql::{Request, ServerError, Value, Variables};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use serde_json::{Value as Json, json};

use super::access::Access;
use super::{SCHEMA, errors, limits};
use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;

/// `gh` asks an Enterprise host under `/api/graphql`, and `api.HOST` under
/// `/graphql`.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/graphql", post(answer))
        .route("/api/graphql", post(answer))
}

async fn answer(State(app): State<App>, caller: Caller, body: Bytes) -> Result<Response, ApiError> {
    if caller.user.is_none() {
        return Err(ApiError::Unauthorized(
            "This endpoint requires you to be authenticated.",
        ));
    }
    let asked = match Asked::read(&body)? {
        Ok(asked) => asked,
        Err(missing) => return Ok(refusal(&[json!({ "message": missing })])),
    };
    Ok(execute(app, caller, asked).await)
}

/// What a request says.
struct Asked {
    query: String,
    operation: Option<String>,
    variables: Variables,
}

impl Asked {
    /// The inner error is one that GitHub gives with status 200.
    fn read(body: &[u8]) -> Result<Result<Self, &'static str>, ApiError> {
        let mut body: Json = serde_json::from_slice(body).map_err(|_| ApiError::NotJson)?;
        let Some(Json::String(query)) = body.get_mut("query").map(Json::take) else {
            return Ok(Err(
                "A query attribute must be specified and must be a string.",
            ));
        };
        let operation = body.get("operationName").and_then(Json::as_str);
        Ok(Ok(Self {
            query,
            operation: operation.map(str::to_owned),
            // What is no object is taken as none: `gh` sends null.
            variables: match body.get_mut("variables").map(Json::take) {
                Some(variables @ Json::Object(_)) => Variables::from_json(variables),
                _ => Variables::default(),
            },
        }))
    }
}

async fn execute(app: App, caller: Caller, asked: Asked) -> Response {
    let document = match parse_query(&asked.query) {
        Ok(document) => document,
        Err(error) => return refusal(&[errors::body(&ServerError::from(error))]),
    };
    let operation = asked.operation.as_deref();
    let demand = match limits::measure(&document, operation, &asked.variables) {
        Ok(demand) => demand,
        Err(error) => return refusal(&[error.body()]),
    };
    let mut request = Request::new(asked.query)
        .variables(asked.variables)
        .data(Access {
            app,
            caller,
            demand,
        });
    if let Some(operation) = asked.operation {
        request = request.operation_name(operation);
    }
    request.set_parsed_query(document);
    let result = SCHEMA.execute(request).await;
    let bodies: Vec<Json> = result.errors.iter().map(errors::body).collect();
    // Without a path, it is the document that is wrong: nothing was executed.
    let executed = result.errors.iter().all(|error| !error.path.is_empty());
    if executed {
        reply(&result.data, &bodies)
    } else {
        refusal(&bodies)
    }
}

/// Written piece by piece, as the data is the library's own kind of value.
fn reply(data: &Value, errors: &[Json]) -> Response {
    let mut text = b"{\"data\":".to_vec();
    if serde_json::to_writer(&mut text, data).is_err() {
        return ApiError::internal("an answer could not be written").into_response();
    }
    if !errors.is_empty() {
        text.extend_from_slice(b",\"errors\":");
        text.extend_from_slice(json!(errors).to_string().as_bytes());
    }
    text.push(b'}');
    ([(CONTENT_TYPE, "application/json; charset=utf-8")], text).into_response()
}

fn refusal(errors: &[Json]) -> Response {
    let text = json!({ "errors": errors }).to_string();
    ([(CONTENT_TYPE, "application/json; charset=utf-8")], text).into_response()
}
