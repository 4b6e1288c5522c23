//! A query for each turn of a loop.

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::engine::is_test_path;
use crate::language::Language;
use crate::syntax::{field, is_function, is_loop, text_of};

pub(super) const CHECK: Check = Check {
    name: "query-in-loop",
    kinds: &["call", "call_expression", "method_invocation"],
    look,
};

fn look(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let text = context.text;
    let function = field(node, "function", text)
        .map(str::to_owned)
        .or_else(|| {
            let method = field(node, "name", text).or_else(|| field(node, "method", text))?;
            let object = field(node, "object", text).or_else(|| field(node, "receiver", text))?;
            Some(format!("{object}.{method}"))
        })?;
    let (object, method) = function.rsplit_once('.')?;
    let arguments = field(node, "arguments", text).unwrap_or("");
    let queries = match context.language {
        Language::Python => {
            (object.ends_with(".objects")
                && matches!(method, "get" | "filter" | "first" | "count" | "exclude"))
                || (matches!(method, "execute") && reads(arguments))
                || (matches!(method, "query" | "scalar" | "get")
                    && is_session(object)
                    && !arguments.starts_with("(\""))
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            matches!(
                method,
                "findOne"
                    | "findById"
                    | "findByPk"
                    | "findUnique"
                    | "findFirst"
                    | "findMany"
                    | "findOneBy"
            ) || (method == "query" && is_database(object) && reads(arguments))
        }
        Language::Go => {
            matches!(
                method,
                "Query" | "QueryRow" | "QueryContext" | "QueryRowContext"
            ) && reads(arguments)
        }
        Language::Ruby => {
            object.starts_with(|letter: char| letter.is_uppercase())
                && !object.contains("::")
                && matches!(method, "find_by" | "find_by!" | "find" | "where")
                && !takes_block(node, arguments)
                && !matches!(
                    object,
                    "Dir" | "File" | "Find" | "ENV" | "Set" | "Hash" | "Array"
                )
        }
        Language::Java => object.ends_with("epository") && method.starts_with("find"),
        Language::Rust => object.contains("sqlx::query") && method.starts_with("fetch"),
    };
    (queries && !is_test_path(context.path) && !is_setup(context.path) && repeats(node, context))
        .then(|| node.byte_range())
}

/// With a block it is a list that is searched.
fn takes_block(call: Node<'_>, arguments: &str) -> bool {
    call.child_by_field_name("block").is_some() || arguments.starts_with("(&")
}

/// Inside a loop or the block of an iteration, without a function of its own between.
fn repeats(node: Node<'_>, context: &Context<'_>) -> bool {
    let mut inside = node.byte_range();
    for around in context.index.ancestors(node) {
        let kind = around.kind();
        if is_loop(kind) {
            // What is looped over is asked for once.
            let header = ["right", "value"].iter().any(|name| {
                around
                    .child_by_field_name(name)
                    .is_some_and(|part| part.byte_range() == inside)
            });
            return !header;
        }
        if matches!(kind, "block" | "do_block") && context.language == Language::Ruby {
            let iterates = context
                .index
                .parent(around)
                .and_then(|call| field(call, "method", context.text));
            return matches!(
                iterates,
                Some(
                    "each"
                        | "map"
                        | "each_with_index"
                        | "flat_map"
                        | "select"
                        | "times"
                        | "each_with_object"
                )
            );
        }
        if is_function(kind) {
            let given_to = context
                .index
                .parent(around)
                .and_then(|arguments| context.index.parent(arguments))
                .and_then(|call| field(call, "function", context.text));
            return given_to.is_some_and(|function| {
                matches!(function.rsplit('.').next(), Some("map" | "forEach"))
            }) && text_of(around, context.text).starts_with("async");
        }
        inside = around.byte_range();
    }
    false
}

fn reads(arguments: &str) -> bool {
    arguments.to_ascii_lowercase().contains("select ")
}

fn is_session(object: &str) -> bool {
    object.ends_with("session") || object.ends_with("Session")
}

fn is_database(object: &str) -> bool {
    ["db", "pool", "client", "conn", "connection", "knex", "pg"]
        .iter()
        .any(|name| object.ends_with(name))
}

/// Migrations and seeds run once.
fn is_setup(path: &str) -> bool {
    ["migrations/", "migrate/", "seeds", "scripts/", "fixtures/"]
        .iter()
        .any(|part| path.contains(part))
}
