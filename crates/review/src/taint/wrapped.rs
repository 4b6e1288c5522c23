//! Requests that are read through functions of other code.

use super::args::Args;
use super::callee::Callee;
use super::origin::Taint;
use super::value::Value;
use super::walk::Walker;
use crate::ir::ExprId;

/// The type of requests, in the tables of the frameworks.
const REQUEST: &str = "django.Request";

impl<'s> Walker<'_, 's, '_, '_> {
    /// `get_parameter(request, "name")`, and the same of an object that wraps
    /// the request: functions that are not in this file, but whose names show
    /// that they read input.
    pub(super) fn asked_of_request(
        &self,
        callee: &Callee<'s>,
        args: &Args<'s>,
        id: ExprId,
    ) -> Option<Value> {
        let of_request = callee
            .receiver
            .as_ref()
            .is_some_and(|(_, value)| is_request(value) && value.typed);
        let given_request = args.positions().any(|(value, _)| is_request(value));
        if (of_request || given_request) && reads_input(callee.name) {
            return Some(Value::tainted(Taint::source(self.unit.span(id), false)));
        }
        let name = callee.name.to_lowercase();
        (given_request && (name.contains("request") || name.contains("wrap"))).then(|| Value {
            typed: true,
            ..Value::path(REQUEST)
        })
    }
}

fn is_request(value: &Value) -> bool {
    matches!(
        value.path.as_deref(),
        Some(REQUEST | "flask.request" | "quart.request" | "bottle.request")
    )
}

/// Whether the function's name shows that it returns a part of a request.
fn reads_input(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["get", "read", "fetch", "extract"]
        .iter()
        .any(|verb| lower.starts_with(verb))
        && [
            "param", "query", "cookie", "header", "form", "body", "argument", "field", "input",
        ]
        .iter()
        .any(|part| lower.contains(part))
}
