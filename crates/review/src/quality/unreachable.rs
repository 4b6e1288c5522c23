//! Statements that are never reached.

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::syntax::{descendants, parts, text_of};

pub(super) const CHECK: Check = Check {
    name: "unreachable-code",
    kinds: &[
        "statement_block",
        "block",
        "statement_list",
        "body_statement",
    ],
    look,
};

fn look(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let statements = parts(node);
    let at = statements
        .iter()
        .position(|statement| leaves(*statement, context))?;
    let after = statements.get(at + 1..)?;
    let first = after
        .iter()
        .find(|statement| !is_declaration(**statement))?;
    // A lone `break` after `return` satisfies a linter, and `yield` makes a generator.
    let harmless = first.kind() == "break_statement"
        || after
            .iter()
            .any(|statement| contains_yield(*statement, context))
        || matches!(
            first.kind(),
            "rescue" | "ensure" | "else" | "labeled_statement" | "attribute_item"
        )
        || text_of(*first, context.text).trim().is_empty();
    (!harmless).then(|| first.byte_range())
}

fn leaves(statement: Node<'_>, context: &Context<'_>) -> bool {
    match statement.kind() {
        "return_statement" | "throw_statement" | "raise_statement" | "break_statement"
        | "continue_statement" | "return" | "next" | "break" => true,
        // With an attribute it may only be there on some systems.
        "expression_statement" => statement.named_child(0).is_some_and(|inner| {
            matches!(
                inner.kind(),
                "return_expression" | "break_expression" | "continue_expression"
            ) && context
                .index
                .named_before(statement)
                .next()
                .is_none_or(|before| before.kind() != "attribute_item")
        }),
        _ => false,
    }
}

/// Functions may be below the `return` that uses them; types exist anyway.
fn is_declaration(statement: Node<'_>) -> bool {
    matches!(
        statement.kind(),
        "function_declaration"
            | "generator_function_declaration"
            | "class_declaration"
            | "interface_declaration"
            | "type_alias_declaration"
            | "function_item"
            | "struct_item"
            | "empty_statement"
            | "use_declaration"
            | "comment"
            | "enum_item"
            | "impl_item"
            | "const_item"
            | "lexical_declaration"
            | "variable_declaration"
    )
}

fn contains_yield(statement: Node<'_>, context: &Context<'_>) -> bool {
    descendants(statement, context.budget)
        .take(200)
        .any(|node| matches!(node.kind(), "yield" | "yield_expression"))
}
