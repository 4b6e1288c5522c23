//! Functions that the change made hard to follow.

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::engine::is_test_path;
use crate::source::{Source, Text};
use crate::syntax::{descendants, field, is_function};

/// Twice what linters ask for: beyond it people lose count.
const MOST_BRANCHES: usize = 25;

/// A function that was long before and grew by less is not this change's doing.
const GROWTH: usize = 5;

pub(super) const CHECK: Check = Check {
    name: "complex-function",
    kinds: &[
        "function_definition",
        "function_declaration",
        "method_definition",
        "method_declaration",
        "function_item",
        "method",
    ],
    look,
};

fn look(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    // A short function cannot have so many branches.
    if node.end_position().row - node.start_position().row < MOST_BRANCHES
        || is_test_path(context.path)
    {
        return None;
    }
    let name = node.child_by_field_name("name")?;
    let branches = branches(node, MOST_BRANCHES * 40);
    if branches <= MOST_BRANCHES {
        return None;
    }
    let before = context.before?;
    let known = branches_before(before, field(node, "name", context.text)?, context);
    let made_so = known.is_none_or(|known| branches >= known + GROWTH);
    made_so.then(|| node.start_byte()..name.end_byte())
}

fn branches(function: Node<'_>, limit: usize) -> usize {
    let inside = descendants(function).filter(|node| {
        matches!(
            node.kind(),
            "if_statement"
                | "elif_clause"
                | "for_statement"
                | "for_in_statement"
                | "while_statement"
                | "do_statement"
                | "except_clause"
                | "catch_clause"
                | "ternary_expression"
                | "conditional_expression"
                | "if_expression"
                | "match_arm"
                | "while_expression"
                | "for_expression"
                | "enhanced_for_statement"
                | "expression_case"
                | "if"
                | "unless"
                | "elsif"
                | "while"
                | "when"
                | "rescue"
                | "if_modifier"
                | "unless_modifier"
                | "conditional"
                | "boolean_operator"
        ) && node.is_named()
    });
    inside.take(limit).count()
}

fn branches_before(before: &str, name: &str, context: &Context<'_>) -> Option<usize> {
    let text = Text::new(context.path, before.as_bytes()).ok()?;
    let source = Source::parse(text, context.language).ok()?;
    descendants(source.tree.root_node())
        .filter(|node| is_function(node.kind()) && field(*node, "name", before) == Some(name))
        .map(|node| branches(node, MOST_BRANCHES * 40))
        .max()
}
