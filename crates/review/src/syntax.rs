//! Small queries on syntax trees.

use tree_sitter::Node;

use crate::budget::Budget;
use crate::tree_index::TreeIndex;

pub(crate) fn text_of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    &text[node.byte_range()]
}

/// The text of a field of a node.
pub(crate) fn field<'t>(node: Node<'_>, name: &str, text: &'t str) -> Option<&'t str> {
    node.child_by_field_name(name)
        .map(|child| text_of(child, text))
}

pub(crate) fn line_of(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX)
}

/// Children that are neither punctuation nor comments.
pub(crate) fn parts(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !child.is_extra())
        .collect()
}

/// The node and all below it, in the order of the text, as long as the budget lasts.
pub(crate) fn descendants<'t>(node: Node<'t>, budget: &Budget) -> impl Iterator<Item = Node<'t>> {
    let mut cursor = node.walk();
    let mut depth = 0_usize;
    let mut next = Some(node);
    std::iter::from_fn(move || {
        let current = next.filter(|_| budget.spend(1))?;
        next = if cursor.goto_first_child() {
            depth += 1;
            Some(cursor.node())
        } else {
            loop {
                if depth == 0 {
                    break None;
                }
                if cursor.goto_next_sibling() {
                    break Some(cursor.node());
                }
                cursor.goto_parent();
                depth -= 1;
            }
        };
        Some(current)
    })
}

/// Functions, methods and closures.
pub(crate) fn is_function(kind: &str) -> bool {
    matches!(
        kind,
        "function_definition"
            | "lambda"
            | "function_declaration"
            | "function_expression"
            | "generator_function_declaration"
            | "generator_function"
            | "arrow_function"
            | "method_definition"
            | "func_literal"
            | "method_declaration"
            | "constructor_declaration"
            | "lambda_expression"
            | "function_item"
            | "closure_expression"
            | "method"
            | "singleton_method"
    )
}

pub(crate) fn is_loop(kind: &str) -> bool {
    matches!(
        kind,
        "for_statement"
            | "for_in_statement"
            | "while_statement"
            | "do_statement"
            | "enhanced_for_statement"
            | "for_expression"
            | "while_expression"
            | "loop_expression"
            | "for"
            | "while"
            | "until"
    )
}

/// Whether a Rust node is in a function or module that only tests have.
pub(crate) fn is_inline_test(node: Node<'_>, text: &str, index: &TreeIndex<'_>) -> bool {
    index
        .ancestors(node)
        .filter(|around| matches!(around.kind(), "mod_item" | "function_item"))
        .any(|item| {
            let attributes = index
                .named_before(item)
                .take_while(|before| before.kind() == "attribute_item" || before.is_extra());
            attributes
                .map(|attribute| {
                    text_of(attribute, text)
                        .trim_start_matches("#[")
                        .trim_end_matches(']')
                })
                .any(|attribute| {
                    attribute == "test"
                        || attribute.ends_with("::test")
                        || attribute.starts_with("cfg(test")
                })
        })
}
