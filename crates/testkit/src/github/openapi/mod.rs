//! Requests and answers of the REST API against GitHub's `OpenAPI` description.

mod schemas;
mod template;
mod unknown;
mod webhooks;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::exceptions::Exceptions;
use super::problem::{Findings, Problem};
use schemas::{Schemas, component};
use template::Template;

pub use webhooks::Webhooks;

/// GitHub's description of its REST API, cut to the operations that are listed
/// in `xtask/peers/github/operations.txt`.
#[derive(Debug)]
pub struct OpenApi {
    schemas: Schemas,
    templates: Vec<Template>,
    allowed: Exceptions,
}

/// An answer, as far as the description speaks of it.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    pub status: u16,
    /// The `Content-Type` header; empty where there is none.
    pub content_type: &'a str,
    pub body: &'a [u8],
}

struct Operation<'a> {
    /// `GET /repos/{owner}/{repo}`
    name: String,
    description: &'a Value,
}

impl OpenApi {
    /// Reads the slice that `cargo xtask peers` makes (`github/rest.json`).
    pub fn load(slice: &Path) -> Result<Self, String> {
        let description = read_json(slice)?;
        let paths = description["paths"].as_object().into_iter().flatten();
        let templates = paths.map(|(path, _)| Template::new(path)).collect();
        Ok(Self {
            schemas: Schemas::new(description)?,
            templates,
            allowed: Exceptions::allowed(),
        })
    }

    /// Whether GitHub has this operation; the path is a template as GitHub writes it.
    pub fn has(&self, method: &str, template: &str) -> bool {
        let method = method.to_ascii_lowercase();
        self.schemas.description()["paths"][template]
            .get(method)
            .is_some()
    }

    /// The example answers that the description itself gives: operation, status and body.
    pub fn examples(&self) -> Vec<(String, String, u16, Value)> {
        let paths = self.schemas.description()["paths"].as_object();
        let mut found = Vec::new();
        for (path, item) in paths.into_iter().flatten() {
            for (method, operation) in item.as_object().into_iter().flatten() {
                let responses = operation["responses"].as_object().into_iter().flatten();
                for (status, response) in responses {
                    let content = &self.schemas.resolve(response)["content"]["application/json"];
                    let examples = content["examples"].as_object().into_iter().flatten();
                    for (_, example) in examples {
                        let value = self.example_value(example).clone();
                        let status = status.parse().unwrap_or_default();
                        found.push((method.to_ascii_uppercase(), path.clone(), status, value));
                    }
                }
            }
        }
        found
    }

    /// An example may be another example.
    fn example_value<'a>(&'a self, example: &'a Value) -> &'a Value {
        let value = &self.schemas.resolve(example)["value"];
        match value.get("$ref") {
            Some(_) => self.example_value(value),
            None => value,
        }
    }

    /// Holds a request to the description. `path` has no query; `query` is as it was
    /// sent, without the question mark.
    pub fn check_request(
        &self,
        method: &str,
        path: &str,
        query: Option<&str>,
        body: &[u8],
    ) -> Vec<Problem> {
        let operation = match self.operation(method, path) {
            Ok(operation) => operation,
            Err(problem) => return vec![problem],
        };
        let mut problems = self.check_query(&operation, query.unwrap_or_default());
        problems.extend(self.check_request_body(&operation, body));
        self.allowed.filter(problems)
    }

    /// Holds an answer to the description of the operation that was asked for.
    pub fn check_response(&self, method: &str, path: &str, answer: Answer<'_>) -> Vec<Problem> {
        let operation = match self.operation(method, path) {
            Ok(operation) => operation,
            Err(problem) => return vec![problem],
        };
        let part = format!("response {}", answer.status);
        let mut findings = Findings::new(&operation.name, part);
        match self.response_schema(&operation, answer.status) {
            Err(message) => findings.add("", message),
            Ok(schema) => self.check_body(schema.as_ref(), answer, &mut findings),
        }
        self.allowed.filter(findings.into_problems())
    }

    fn operation(&self, method: &str, path: &str) -> Result<Operation<'_>, Problem> {
        let method_key = method.to_ascii_lowercase();
        let named = by_name(path);
        let path = named.as_deref().unwrap_or(path);
        let paths = &self.schemas.description()["paths"];
        let fitting = self
            .templates
            .iter()
            .filter(|template| paths[&template.path].get(&method_key).is_some())
            .filter_map(|template| Some((template.fit(path)?, template)))
            .max_by(|(one, _), (other, _)| one.cmp(other));
        match fitting {
            Some((_, template)) => Ok(Operation {
                name: format!("{} {}", method.to_ascii_uppercase(), template.path),
                description: &paths[&template.path][method_key],
            }),
            None => Err(Problem {
                operation: format!("{method} {path}"),
                part: "request".to_owned(),
                pointer: String::new(),
                message: "no such operation is listed in xtask/peers/github/operations.txt; add it if GitHub has it".to_owned(),
            }),
        }
    }

    fn check_query(&self, operation: &Operation<'_>, query: &str) -> Vec<Problem> {
        let mut findings = Findings::new(&operation.name, "query");
        let parameters: Vec<_> = operation.description["parameters"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|parameter| self.schemas.resolve(parameter))
            .filter(|parameter| parameter["in"] == "query")
            .collect();
        let mut given = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decoded(name), decoded(value));
            match parameters
                .iter()
                .find(|parameter| parameter["name"] == *name)
            {
                None => findings.add("", format!("GitHub knows no parameter `{name}`")),
                Some(parameter) => {
                    let schema = &parameter["schema"];
                    let before = findings.len();
                    self.schemas.check(
                        schema,
                        &typed(self.schemas.resolve(schema), &value),
                        &mut findings,
                    );
                    if findings.len() > before {
                        findings.truncate(before);
                        findings.add("", format!("`{name}` cannot be `{value}`"));
                    }
                }
            }
            given.push(name);
        }
        for parameter in parameters {
            let name = parameter["name"].as_str().unwrap_or_default();
            if parameter["required"] == true && !given.iter().any(|given| given == name) {
                findings.add("", format!("`{name}` is required"));
            }
        }
        findings.into_problems()
    }

    fn check_request_body(&self, operation: &Operation<'_>, body: &[u8]) -> Vec<Problem> {
        let mut findings = Findings::new(&operation.name, "request");
        let described = self.schemas.resolve(&operation.description["requestBody"]);
        let schema = described["content"]["application/json"].get("schema");
        match (schema, body.is_empty()) {
            (Some(_), true) if described["required"] == true => {
                findings.add("", "a body is required");
            }
            (_, true) => {}
            // `gh api` and others send an empty object where nothing is expected.
            (None, false) if body == b"{}" => {}
            (None, false) => findings.add("", "GitHub expects no body here"),
            (Some(schema), false) => match serde_json::from_slice(body) {
                Err(error) => findings.add("", format!("the body is not JSON: {error}")),
                Ok(value) => {
                    self.schemas.check(schema, &value, &mut findings);
                    unknown::check(&self.schemas, schema, &value, &mut findings);
                }
            },
        }
        findings.into_problems()
    }

    /// What the body of an answer has to look like; `None` where it has none, or is not JSON.
    fn response_schema(
        &self,
        operation: &Operation<'_>,
        status: u16,
    ) -> Result<Option<Value>, String> {
        let responses = &operation.description["responses"];
        if let Some(described) = responses.get(status.to_string()) {
            let content = &self.schemas.resolve(described)["content"];
            let schema = content["application/json"].get("schema");
            if schema.is_some() || status < 400 {
                return Ok(schema.cloned());
            }
            // A refusal has a body, also where its description forgets it.
        }
        match status {
            304 => Ok(None),
            422 => Ok(Some(json!({
                "anyOf": [
                    component("validation-error"),
                    component("validation-error-simple"),
                    component("basic-error"),
                ],
            }))),
            // GitHub redirects after a rename and says so nowhere in the description.
            301 | 307 | 308 | 400..=599 => Ok(Some(component("basic-error"))),
            _ => {
                let known: Vec<_> = responses
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(status, _)| status.as_str())
                    .collect();
                Err(format!("GitHub answers with {}", known.join(", ")))
            }
        }
    }

    fn check_body(&self, schema: Option<&Value>, answer: Answer<'_>, findings: &mut Findings<'_>) {
        let is_json = answer.content_type.contains("json");
        match schema {
            None if answer.body.is_empty() || !is_json => {}
            None => findings.add("", "GitHub sends no body here"),
            // Diffs, archives and logs are the same operation with another media type; a
            // server in trouble sends a page.
            Some(_)
                if !is_json && !answer.body.is_empty() && !(300..500).contains(&answer.status) => {}
            Some(schema) => match serde_json::from_slice(answer.body) {
                Err(error) => findings.add("", format!("the body is not JSON: {error}")),
                Ok(value) => {
                    self.schemas.check(schema, &value, findings);
                    unknown::check(&self.schemas, schema, &value, findings);
                    check_refusal(answer.status, &value, findings);
                }
            },
        }
    }
}

/// GitHub leads to repositories by number, in links and after a rename, and describes only
/// those by name.
fn by_name(path: &str) -> Option<String> {
    let rest = path.strip_prefix("/repositories/")?;
    let rest = rest.split_once('/').map(|(_, rest)| rest);
    Some(match rest {
        Some(rest) => format!("/repos/by/number/{rest}"),
        None => "/repos/by/number".to_owned(),
    })
}

/// What every refusal says, although the description leaves it optional.
fn check_refusal(status: u16, body: &Value, findings: &mut Findings<'_>) {
    let expected: &[&str] = match status {
        400..=499 => &["message", "documentation_url"],
        500..=599 => &["message"],
        _ => &[],
    };
    for key in expected {
        if !body[key].is_string() {
            findings.add("", format!("GitHub gives `{key}` with every refusal"));
        }
    }
}

/// A value of a query as JSON, of the type that its schema asks for if it can be that.
fn typed(schema: &Value, value: &str) -> Value {
    let text = || Value::String(value.to_owned());
    match schema["type"].as_str() {
        Some("integer" | "number" | "boolean") => {
            serde_json::from_str(value).unwrap_or_else(|_| text())
        }
        Some("array") => value.split(',').map(Value::from).collect(),
        _ => text(),
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        let hex = || u8::from_str_radix(str::from_utf8(after.get(..2)?).ok()?, 16).ok();
        match (byte, hex()) {
            (b'%', Some(value)) => {
                bytes.push(value);
                rest = &after[2..];
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(*byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn read_json(path: &Path) -> Result<Value, String> {
    let text =
        fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    serde_json::from_slice(&text)
        .map_err(|error| format!("{} is not JSON: {error}", path.display()))
}
