//! Cuts GitHub's API description down to listed operations and whatever they
//! refer to. The schemas stay as they are: nothing is resolved or rewritten.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::failure::Failure;

/// Where lines of the list are wrong, for the message.
const LIST: &str = "xtask/peers/github/operations.txt";

/// Every answer that says no may have one of these bodies, also where an operation's own
/// description does not mention them.
const ERRORS: [&str; 3] = [
    "#/components/schemas/basic-error",
    "#/components/schemas/validation-error",
    "#/components/schemas/validation-error-simple",
];

/// What the list says to keep.
#[derive(Debug)]
pub(super) struct Kept {
    /// Path to methods, in lower case as the description has them.
    operations: BTreeMap<String, Vec<String>>,
    /// Names as in the `X-GitHub-Event` header.
    events: BTreeSet<String>,
}

impl Kept {
    pub(super) fn parse(list: &str) -> Result<Self, Failure> {
        let mut kept = Self {
            operations: BTreeMap::new(),
            events: BTreeSet::new(),
        };
        for (index, line) in list.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match line.split_once(' ') {
                Some(("webhook", event)) => {
                    kept.events.insert(event.to_owned());
                }
                Some((methods, path)) if path.starts_with('/') => {
                    let methods = methods.split(',').map(str::to_ascii_lowercase);
                    let known = kept.operations.entry(path.to_owned()).or_default();
                    known.extend(methods);
                }
                _ => {
                    return Err(Failure::new(format!(
                        "{LIST}:{}: `{line}` is neither `METHODS PATH` nor `webhook EVENT`",
                        index + 1
                    )));
                }
            }
        }
        Ok(kept)
    }

    pub(super) fn has_event(&self, name: &str) -> bool {
        self.events.contains(name)
    }
}

/// The listed operations.
pub(super) fn rest(description: &Value, kept: &Kept) -> Result<Value, Failure> {
    let mut paths = Map::new();
    for (path, methods) in &kept.operations {
        let mut item = Map::new();
        for method in methods {
            let operation = description["paths"][path].get(method).ok_or_else(|| {
                Failure::new(format!(
                    "GitHub has no operation `{} {path}`",
                    method.to_ascii_uppercase()
                ))
                .next(format!("correct or remove the line in {LIST}"))
            })?;
            item.insert(method.clone(), essence(operation));
        }
        paths.insert(path.clone(), Value::Object(item));
    }
    let errors = json!(ERRORS.map(|pointer| json!({ "$ref": pointer })));
    let components = reachable(description, [&Value::Object(paths.clone()), &errors])?;
    Ok(json!({
        "openapi": description["openapi"],
        "paths": paths,
        "components": components,
    }))
}

/// The bodies of the listed events: for each `event/action` (or `event` where it has no
/// actions) a schema.
pub(super) fn webhooks(description: &Value, kept: &Kept) -> Result<Value, Failure> {
    let all = description["x-webhooks"].as_object();
    let mut bodies = Map::new();
    let mut found = BTreeSet::new();
    for hook in all.into_iter().flat_map(Map::values) {
        let id = hook["post"]["operationId"].as_str().unwrap_or_default();
        let id = id.replace('-', "_");
        let event = id.split('/').next().unwrap_or_default();
        if kept.has_event(event) {
            found.insert(event.to_owned());
            let body = &hook["post"]["requestBody"]["content"]["application/json"]["schema"];
            bodies.insert(id, body.clone());
        }
    }
    if let Some(missing) = kept.events.difference(&found).next() {
        return Err(
            Failure::new(format!("GitHub has no webhook event `{missing}`"))
                .next(format!("correct or remove the line in {LIST}")),
        );
    }
    let components = reachable(description, [&Value::Object(bodies.clone())])?;
    Ok(json!({ "webhooks": bodies, "components": components }))
}

/// What a machine reads of an operation.
fn essence(operation: &Value) -> Value {
    let parts = ["operationId", "parameters", "requestBody", "responses"];
    let kept = parts
        .iter()
        .filter_map(|part| Some(((*part).to_owned(), operation.get(part)?.clone())));
    Value::Object(kept.collect())
}

/// The components that the given values refer to, and those that these refer to in turn.
fn reachable<'a>(
    description: &Value,
    from: impl IntoIterator<Item = &'a Value>,
) -> Result<Value, Failure> {
    let mut wanted = BTreeSet::new();
    for value in from {
        collect_references(value, &mut wanted);
    }
    let mut todo: Vec<_> = wanted.iter().cloned().collect();
    let mut components: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    while let Some(reference) = todo.pop() {
        let pointer = reference.trim_start_matches('#');
        let (kind, name) = pointer
            .strip_prefix("/components/")
            .and_then(|rest| rest.split_once('/'))
            .ok_or_else(|| Failure::new(format!("`{reference}` does not refer to a component")))?;
        let component = description.pointer(pointer).ok_or_else(|| {
            Failure::new(format!(
                "`{reference}` is referred to, but the description lacks it"
            ))
        })?;
        let mut further = BTreeSet::new();
        collect_references(component, &mut further);
        for reference in further {
            if wanted.insert(reference.clone()) {
                todo.push(reference);
            }
        }
        let kind = components.entry(kind.to_owned()).or_default();
        kind.insert(name.to_owned(), component.clone());
    }
    Ok(json!(components))
}

fn collect_references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            if let Some(Value::String(reference)) = map.get("$ref") {
                found.insert(reference.clone());
            }
            for value in map.values() {
                collect_references(value, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect_references(item, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description() -> Value {
        json!({
            "openapi": "3.0.3",
            "paths": {
                "/a/{b}": {
                    "get": {
                        "operationId": "a/get",
                        "description": "long",
                        "parameters": [{ "$ref": "#/components/parameters/b" }],
                        "responses": { "200": { "$ref": "#/components/responses/a" } },
                    },
                    "delete": { "operationId": "a/delete", "responses": {} },
                },
                "/unused": { "get": { "responses": { "200": { "$ref": "#/components/responses/unused" } } } },
            },
            "x-webhooks": {
                "check-run-created": { "post": {
                    "operationId": "check-run/created",
                    "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/tree" } } } },
                } },
                "star-created": { "post": { "operationId": "star/created" } },
            },
            "components": {
                "parameters": { "b": { "name": "b", "in": "path" } },
                "responses": {
                    "a": { "schema": { "$ref": "#/components/schemas/tree" } },
                    "unused": {},
                },
                "schemas": {
                    "tree": { "items": { "$ref": "#/components/schemas/tree" } },
                    "basic-error": {},
                    "validation-error": {},
                    "validation-error-simple": {},
                    "unused": {},
                },
            },
        })
    }

    #[test]
    fn a_slice_has_what_is_listed_and_what_that_refers_to() {
        let kept = Kept::parse("# words\n\nGET /a/{b}\n").unwrap();
        let slice = rest(&description(), &kept).unwrap();
        assert_eq!(
            slice,
            json!({
                "openapi": "3.0.3",
                "paths": { "/a/{b}": { "get": {
                    "operationId": "a/get",
                    "parameters": [{ "$ref": "#/components/parameters/b" }],
                    "responses": { "200": { "$ref": "#/components/responses/a" } },
                } } },
                "components": {
                    "parameters": { "b": { "name": "b", "in": "path" } },
                    "responses": { "a": { "schema": { "$ref": "#/components/schemas/tree" } } },
                    "schemas": {
                        "basic-error": {},
                        "tree": { "items": { "$ref": "#/components/schemas/tree" } },
                        "validation-error": {},
                        "validation-error-simple": {},
                    },
                },
            })
        );
    }

    #[test]
    fn webhooks_are_named_by_event_and_action() {
        let kept = Kept::parse("webhook check_run").unwrap();
        let slice = webhooks(&description(), &kept).unwrap();
        assert_eq!(
            slice["webhooks"],
            json!({ "check_run/created": { "$ref": "#/components/schemas/tree" } })
        );
        assert_eq!(slice["components"]["schemas"].as_object().unwrap().len(), 1);
    }

    #[test]
    fn the_list_is_held_to_the_description() {
        let refusal = |list: &str| {
            let cut = |kept: &Kept| {
                rest(&description(), kept)?;
                webhooks(&description(), kept)
            };
            Kept::parse(list).and_then(|kept| cut(&kept)).unwrap_err()
        };
        insta::assert_snapshot!(refusal("GET,PUT /a/{b}"), @"
        GitHub has no operation `PUT /a/{b}`
        next: correct or remove the line in xtask/peers/github/operations.txt
        ");
        insta::assert_snapshot!(refusal("webhook push"), @"
        GitHub has no webhook event `push`
        next: correct or remove the line in xtask/peers/github/operations.txt
        ");
        insta::assert_snapshot!(refusal("# fine\nGET a"), @"xtask/peers/github/operations.txt:2: `GET a` is neither `METHODS PATH` nor `webhook EVENT`");
    }
}
