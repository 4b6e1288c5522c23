//! Refusals of GraphQL: of a whole query, and of parts of an answer.

use serde_json::{Value, json};

use super::{MESSAGE, Withheld};
use crate::request::Request;

/// The query of a request, and nothing for another one.
pub(super) fn text(request: &Request) -> String {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    body["query"].as_str().unwrap_or_default().to_owned()
}

/// The answer to a query that is refused as a whole.
pub(super) fn refused(request: &Request, what: &[Withheld]) -> Option<Value> {
    if !request.path().ends_with("/graphql") {
        return None;
    }
    let query = text(request);
    let errors: Vec<Value> = what.iter().flat_map(|one| errors_in(&query, one)).collect();
    // A query that fits no schema is not carried out, so that there are no data.
    (!errors.is_empty()).then(|| json!({ "errors": errors }))
}

fn errors_in(query: &str, what: &Withheld) -> Vec<Value> {
    let error = |field: &str, make: &dyn Fn(Value) -> Value| {
        let places = places_of(query, field).into_iter();
        places.map(|place| make(json!([place]))).collect()
    };
    match *what {
        Withheld::FieldScope { field, scope } => error(field, &|places| {
            let message = format!(
                "Your token has not been granted the required scopes to execute this query. The '{field}' field requires \
                 one of the following scopes: ['{scope}'], but your token has only been granted the: ['repo'] scopes. \
                 Please modify your token's scopes at: https://github.com/settings/tokens."
            );
            json!({ "type": "INSUFFICIENT_SCOPES", "locations": places, "message": message })
        }),
        Withheld::UnknownField(field, on) => error(field, &|places| {
            json!({
                "locations": places,
                "message": format!("Field '{field}' doesn't exist on type '{on}'"),
                "extensions": { "code": "undefinedField", "typeName": on, "fieldName": field },
            })
        }),
        _ => Vec::new(),
    }
}

/// Where a query asks for a field. Queries have one field in a line.
fn places_of(query: &str, field: &str) -> Vec<Value> {
    let is_asked = |line: &str| {
        let rest = line.trim_start().strip_prefix(field);
        rest.is_some_and(|rest| {
            !rest.starts_with(|next: char| next.is_alphanumeric() || next == ':')
        })
    };
    let lines = query.lines().enumerate();
    let asked = lines.filter(|(_, line)| is_asked(line));
    let places = asked.map(|(index, line)| {
        let column = line.len() - line.trim_start().len() + 1;
        json!({ "line": index + 1, "column": column })
    });
    places.collect()
}

pub(super) fn withhold(answer: &mut Value, what: &[Withheld]) {
    let mut errors = answer["errors"].as_array().cloned().unwrap_or_default();
    for what in what {
        let (field, with, error) = match what {
            Withheld::Field(field) => (field, Value::Null, Some(json!({ "message": MESSAGE }))),
            Withheld::Saml(field) => (field, Value::Null, Some(saml())),
            Withheld::Silently(field) => (field, Value::Null, None),
            Withheld::Stale(field, word) => (field, json!(word), None),
            _ => continue,
        };
        let mut found = Vec::new();
        let names: Vec<&str> = field.split('.').collect();
        replace(
            &mut answer["data"],
            &names,
            &with,
            &mut Vec::new(),
            &mut found,
        );
        let Some(error) = error else {
            continue;
        };
        errors.extend(found.into_iter().map(|path| {
            let mut error = error.clone();
            error["type"] = json!("FORBIDDEN");
            error["path"] = path;
            error
        }));
    }
    if !errors.is_empty() {
        answer["errors"] = Value::Array(errors);
    }
}

fn saml() -> Value {
    json!({
        "message": "Resource protected by organization SAML enforcement. You must grant your Personal Access token \
            access to this organization.",
        "extensions": { "saml_failure": true },
    })
}

/// Puts the value wherever the names lead to, and notes the places.
fn replace(
    at: &mut Value,
    names: &[&str],
    with: &Value,
    path: &mut Vec<Value>,
    found: &mut Vec<Value>,
) {
    let Some((name, rest)) = names.split_first() else {
        *at = with.clone();
        found.push(Value::Array(path.clone()));
        return;
    };
    match at {
        Value::Object(fields) => {
            if let Some(field) = fields.get_mut(*name) {
                path.push(json!(name));
                replace(field, rest, with, path, found);
                path.pop();
            }
        }
        Value::Array(entries) if *name == "*" => {
            for (index, entry) in entries.iter_mut().enumerate() {
                path.push(json!(index));
                replace(entry, rest, with, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUERY: &str = "query Q {\n  viewer {\n    login\n    logins\n    login: name\n  }\n}\n";

    #[test]
    fn a_query_is_refused_where_it_asks_for_the_field() {
        let what = Withheld::UnknownField("login", "User");
        let errors = errors_in(QUERY, &what);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!(errors[0]["locations"], json!([{ "line": 3, "column": 5 }]));
        assert!(errors_in("query Q {\n  viewer {\n    name\n  }\n}", &what).is_empty());
        let scope = Withheld::FieldScope {
            field: "logins",
            scope: "read:org",
        };
        assert_eq!(errors_in(QUERY, &scope)[0]["type"], "INSUFFICIENT_SCOPES");
    }

    #[test]
    fn parts_of_an_answer_are_taken_away_with_a_word_and_without() {
        let answer = || json!({ "data": { "a": [{ "b": 1 }, { "b": 2 }], "c": "X" } });
        let mut told = answer();
        withhold(&mut told, &[Withheld::Field("a.*.b")]);
        assert_eq!(told["data"]["a"], json!([{ "b": null }, { "b": null }]));
        assert_eq!(told["errors"][1]["path"], json!(["a", 1, "b"]));
        let mut silent = answer();
        withhold(
            &mut silent,
            &[Withheld::Silently("a"), Withheld::Stale("c", "UNKNOWN")],
        );
        assert_eq!(silent, json!({ "data": { "a": null, "c": "UNKNOWN" } }));
    }
}
