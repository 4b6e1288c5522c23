//! Calls of asynchronous functions whose result nobody awaits.

use std::collections::HashSet;

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::language::Language;
use crate::syntax::{descendants, field, function_around, text_of};

pub(super) const CHECK: Check = Check {
    name: "missing-await",
    kinds: &["expression_statement"],
    look,
};

fn look(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let call = node.named_child(0)?;
    if !matches!(call.kind(), "call" | "call_expression") {
        return None;
    }
    let function = call.child_by_field_name("function")?;
    let name = called(function, context.text)?;
    let names = context.asynchronous.get_or_init(|| asynchronous(context));
    if !names.contains(name) {
        return None;
    }
    // In JavaScript the call runs anyway; only where it could be awaited was that forgotten.
    let around = function_around(node);
    let could_await = around.is_some_and(|around| is_async(around, context.text));
    (context.language == Language::Python || could_await).then(|| node.byte_range())
}

/// `load` in `load()`, `self.load()` and `this.load()`.
fn called<'t>(function: Node<'_>, text: &'t str) -> Option<&'t str> {
    match function.kind() {
        "identifier" => Some(text_of(function, text)),
        "attribute" | "member_expression" => {
            let object = field(function, "object", text)?;
            matches!(object, "self" | "this").then(|| {
                field(function, "attribute", text).or_else(|| field(function, "property", text))
            })?
        }
        _ => None,
    }
}

/// Names that are asynchronous wherever the file defines them.
fn asynchronous(context: &Context<'_>) -> HashSet<String> {
    let (mut yes, mut no) = (HashSet::new(), HashSet::new());
    if !context.text.contains("async ") {
        return yes;
    }
    for node in descendants(context.source.tree.root_node()) {
        let name = match node.kind() {
            "function_definition" | "function_declaration" | "method_definition" => {
                field(node, "name", context.text)
            }
            "arrow_function" | "function_expression" => node
                .parent()
                .filter(|parent| parent.kind() == "variable_declarator")
                .and_then(|parent| field(parent, "name", context.text)),
            _ => None,
        };
        if let Some(name) = name {
            let names = if is_async(node, context.text) {
                &mut yes
            } else {
                &mut no
            };
            names.insert(name.to_owned());
        }
    }
    yes.retain(|name| !no.contains(name));
    yes
}

fn is_async(function: Node<'_>, text: &str) -> bool {
    let mut cursor = function.walk();
    function
        .children(&mut cursor)
        .take_while(|child| !matches!(child.kind(), "statement_block" | "block" | "=>"))
        .any(|child| text_of(child, text) == "async")
}
