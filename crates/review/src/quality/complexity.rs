//! Functions that the change made hard to follow.

use std::collections::HashMap;

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::engine::is_test_path;
use crate::source::{Source, Text};
use crate::syntax::{descendants, field, is_function};
use crate::tree_index::TreeIndex;

/// Twice what linters recommend.
const MAX_BRANCHES: usize = 25;

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
    // A short function cannot have that many branches.
    if node.end_position().row - node.start_position().row < MAX_BRANCHES
        || is_test_path(context.path)
    {
        return None;
    }
    let name = node.child_by_field_name("name")?;
    let running = context
        .branches
        .get_or_init(|| context.index.running_count(is_branch));
    let branches = context.index.count_below(node, running);
    if branches <= MAX_BRANCHES {
        return None;
    }
    let before = context.before?;
    let known = context
        .branches_before
        .get_or_init(|| branches_before(before, context).unwrap_or_default())
        .get(field(node, "name", context.text)?);
    let made_so = known.is_none_or(|known| branches >= known + GROWTH);
    made_so.then(|| node.start_byte()..name.end_byte())
}

fn is_branch(node: Node<'_>) -> bool {
    node.is_named()
        && matches!(
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
        )
}

/// The most branches of a function of each name, if the file could be read.
fn branches_before(before: &str, context: &Context<'_>) -> Option<HashMap<String, usize>> {
    let text = Text::new(context.path, before.as_bytes()).ok()?;
    let source = Source::parse(text, context.language, context.budget).ok()?;
    let index = TreeIndex::new(&source.tree, context.budget);
    let running = index.running_count(is_branch);
    let mut known: HashMap<String, usize> = HashMap::new();
    for node in descendants(source.tree.root_node(), context.budget) {
        if let Some(name) = field(node, "name", before).filter(|_| is_function(node.kind())) {
            let most = known.entry(name.to_owned()).or_default();
            *most = (*most).max(index.count_below(node, &running));
        }
    }
    Some(known)
}
