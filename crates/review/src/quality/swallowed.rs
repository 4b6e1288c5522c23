//! Errors that are caught and ignored.

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::language::Language;
use crate::syntax::{field, parts, text_of};

pub(super) const CHECK: Check = Check {
    name: "swallowed-error",
    kinds: &[
        "except_clause",
        "catch_clause",
        "rescue",
        "if_statement",
        "if_expression",
        "call_expression",
    ],
    look,
};

/// With a binding named as unused, or without one.
pub(super) const ON_PURPOSE: Check = Check {
    name: "swallowed-error-on-purpose",
    kinds: &["catch_clause", "call_expression"],
    look: on_purpose,
};

fn on_purpose(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let clause = if node.kind() == "call_expression" {
        handler_of_promise(node, context)?
    } else {
        node
    };
    let body = clause.child_by_field_name("body")?;
    (body.named_child_count() == 0 && is_disowned(clause, context)).then(|| node.byte_range())
}

/// The function in `promise.catch((error) => { … })`.
fn handler_of_promise<'t>(call: Node<'t>, context: &Context<'_>) -> Option<Node<'t>> {
    let text = context.text;
    let function = call
        .child_by_field_name("function")
        .filter(|function| function.kind() == "member_expression")?;
    let given = parts(call.child_by_field_name("arguments")?);
    let handler = *given.first().filter(|_| given.len() == 1)?;
    let is_handler = matches!(handler.kind(), "arrow_function" | "function_expression")
        && handler
            .child_by_field_name("body")
            .is_some_and(|body| body.kind() == "statement_block");
    (field(function, "property", text) == Some("catch") && is_handler).then_some(handler)
}

/// `catch {}` and `catch (_) {}` of JavaScript, `catch (Exception ignored)` of Java.
fn is_disowned(clause: Node<'_>, context: &Context<'_>) -> bool {
    let text = context.text;
    if context.language == Language::Java {
        let head = text_of(clause, text);
        let head = head.split('{').next().unwrap_or(head);
        return ["ignored", "ignore", "expected"]
            .iter()
            .any(|name| head.contains(name));
    }
    field(clause, "parameter", text)
        .or_else(|| field(clause, "parameters", text))
        .map(|name| name.trim_matches(['(', ')', ' ']))
        .is_none_or(|name| name.is_empty() || name.starts_with('_'))
}

/// A comment in the place of code is an explanation, and explains.
fn look(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let text = context.text;
    let swallowed = match node.kind() {
        "except_clause" => {
            let all = parts(node);
            let body = all.last().filter(|body| body.kind() == "block")?;
            catches_everything(node, text) && is_empty_block(*body) && !explains(node, text, '#')
        }
        "catch_clause" => {
            node.child_by_field_name("body")?.named_child_count() == 0
                && !is_disowned(node, context)
        }
        "call_expression" => {
            let handler = handler_of_promise(node, context)?;
            handler.child_by_field_name("body")?.named_child_count() == 0
                && !is_disowned(handler, context)
        }
        "rescue" => {
            let body = node.child_by_field_name("body");
            let wide = field(node, "exceptions", text)
                .is_none_or(|caught| matches!(caught, "StandardError" | "Exception"));
            wide && body
                .is_none_or(|body| parts(body).is_empty() || text_of(body, text).trim() == "nil")
                && !explains_after(node, text)
        }
        "if_statement" => {
            let body = node.child_by_field_name("consequence")?;
            field(node, "condition", text) == Some("err != nil")
                && body.named_child_count() == 0
                && node.child_by_field_name("alternative").is_none()
        }
        "if_expression" => {
            let condition = node.child_by_field_name("condition")?;
            let body = node.child_by_field_name("consequence")?;
            condition.kind() == "let_condition"
                && field(condition, "pattern", text)?.starts_with("Err(")
                && body.named_child_count() == 0
                && node.child_by_field_name("alternative").is_none()
        }
        _ => false,
    };
    swallowed.then(|| node.byte_range())
}

/// Forgetting one known error can be meant; forgetting all of them is not.
fn catches_everything(clause: Node<'_>, text: &str) -> bool {
    field(clause, "value", text)
        .is_none_or(|caught| matches!(caught, "Exception" | "BaseException"))
        && parts(clause).first().is_none_or(|first| {
            first.kind() == "block"
                || matches!(text_of(*first, text), "Exception" | "BaseException")
                || text_of(*first, text).starts_with("Exception as ")
                || text_of(*first, text).starts_with("BaseException as ")
        })
}

fn is_empty_block(block: Node<'_>) -> bool {
    let statements = parts(block);
    statements.iter().all(|statement| {
        statement.kind() == "pass_statement"
            || (statement.kind() == "expression_statement"
                && statement
                    .named_child(0)
                    .is_some_and(|child| child.kind() == "ellipsis"))
    })
}

fn explains(node: Node<'_>, text: &str, mark: char) -> bool {
    let end = text[node.end_byte()..]
        .find('\n')
        .map_or(text.len(), |at| node.end_byte() + at);
    text[node.start_byte()..end].contains(mark)
}

/// In Ruby the comment is between the clause and what follows it.
fn explains_after(node: Node<'_>, text: &str) -> bool {
    let rest = &text[node.start_byte()..];
    let end = rest.find("end").unwrap_or(rest.len());
    rest[..end].contains('#')
}
