//! Calls of asynchronous functions whose result is not awaited.

use std::collections::HashSet;

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::language::Language;
use crate::syntax::{descendants, field, parts, text_of};

pub(super) const CHECK: Check = Check {
    name: "missing-await",
    kinds: &[
        "expression_statement",
        "if_statement",
        "while_statement",
        "ternary_expression",
    ],
    look,
};

/// Conditions are not nested deeper than this.
const MAX_OPERANDS: usize = 32;

fn look(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    if node.kind() != "expression_statement" {
        let condition = node.child_by_field_name("condition")?;
        return operands(condition)
            .into_iter()
            .find(|operand| is_asynchronous(*operand, context))
            .map(|operand| operand.byte_range());
    }
    if !is_asynchronous(node.named_child(0)?, context) {
        return None;
    }
    // In JavaScript the call runs anyway, so only a place that could await it
    // is reported. In the other languages it does nothing until it is awaited.
    let around = context.index.function_around(node);
    let could_await = around.is_some_and(|around| is_async(around, context));
    let runs_anyway = !matches!(context.language, Language::Python | Language::Rust);
    (!runs_anyway || could_await).then(|| node.byte_range())
}

/// What a condition asks: a promise is always true.
fn operands(condition: Node<'_>) -> Vec<Node<'_>> {
    let mut open = vec![condition];
    let mut found = Vec::new();
    while let Some(node) = open.pop().filter(|_| found.len() < MAX_OPERANDS) {
        match node.kind() {
            "parenthesized_expression"
            | "unary_expression"
            | "not_operator"
            | "boolean_operator" => open.extend(parts(node)),
            "binary_expression"
                if node
                    .child_by_field_name("operator")
                    .is_some_and(|operator| matches!(operator.kind(), "&&" | "||")) =>
            {
                open.extend(parts(node));
            }
            _ => found.push(node),
        }
    }
    found
}

fn is_asynchronous(call: Node<'_>, context: &Context<'_>) -> bool {
    let Some(function) = call
        .child_by_field_name("function")
        .filter(|_| matches!(call.kind(), "call" | "call_expression"))
    else {
        return false;
    };
    if context.language == Language::Python && is_coroutine(text_of(function, context.text)) {
        return true;
    }
    let names = context.asynchronous.get_or_init(|| asynchronous(context));
    called(function, context.text).is_some_and(|name| names.contains(name))
}

/// Coroutines of Python's library and its two replacements.
fn is_coroutine(function: &str) -> bool {
    matches!(
        function,
        "asyncio.sleep"
            | "asyncio.wait"
            | "asyncio.wait_for"
            | "asyncio.to_thread"
            | "asyncio.open_connection"
            | "asyncio.create_subprocess_exec"
            | "asyncio.create_subprocess_shell"
            | "anyio.sleep"
            | "trio.sleep"
    )
}

/// `load` in `load()`, `self.load()`, `Self::load()` and `this.load()`.
fn called<'t>(function: Node<'_>, text: &'t str) -> Option<&'t str> {
    match function.kind() {
        "identifier" => Some(text_of(function, text)),
        "attribute" | "member_expression" => {
            let object = field(function, "object", text)?;
            matches!(object, "self" | "this").then(|| {
                field(function, "attribute", text).or_else(|| field(function, "property", text))
            })?
        }
        "field_expression" => {
            (field(function, "value", text)? == "self").then(|| field(function, "field", text))?
        }
        "scoped_identifier" => {
            (field(function, "path", text)? == "Self").then(|| field(function, "name", text))?
        }
        _ => None,
    }
}

/// Names that are asynchronous wherever the file defines them.
fn asynchronous(context: &Context<'_>) -> HashSet<String> {
    let (mut yes, mut no) = (HashSet::new(), HashSet::new());
    if !context.text.contains("async ") && !context.text.contains("Promise<") {
        return yes;
    }
    for node in descendants(context.source.tree.root_node(), context.budget) {
        let name = match node.kind() {
            "function_definition"
            | "function_declaration"
            | "method_definition"
            | "function_item"
            | "function_signature_item" => field(node, "name", context.text),
            "arrow_function" | "function_expression" => context
                .index
                .parent(node)
                .filter(|parent| parent.kind() == "variable_declarator")
                .and_then(|parent| field(parent, "name", context.text)),
            _ => None,
        };
        if let Some(name) = name {
            let names = if is_async(node, context) || gives_promise(node, context) {
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

fn is_async(function: Node<'_>, context: &Context<'_>) -> bool {
    let text = context.text;
    let mut cursor = function.walk();
    function
        .children(&mut cursor)
        .take_while(|child| !matches!(child.kind(), "statement_block" | "block" | "=>"))
        .any(|child| match child.kind() {
            "function_modifiers" => text_of(child, text)
                .split_whitespace()
                .any(|word| word == "async"),
            _ => text_of(child, text) == "async",
        })
        // A runtime's macro makes such a function an ordinary one.
        && !is_started_by_macro(function, context)
}

fn is_started_by_macro(function: Node<'_>, context: &Context<'_>) -> bool {
    function.kind() == "function_item"
        && context
            .index
            .named_before(function)
            .take_while(|before| before.kind() == "attribute_item")
            .any(|attribute| {
                let attribute_text = text_of(attribute, context.text);
                attribute_text.contains("main") || attribute_text.contains("test")
            })
}

/// `function load(): Promise<Data>` of TypeScript.
fn gives_promise(function: Node<'_>, context: &Context<'_>) -> bool {
    field(function, "return_type", context.text)
        .is_some_and(|given| given.trim_start_matches([':', ' ']).starts_with("Promise<"))
}
