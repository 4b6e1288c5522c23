//! Comparisons that do not compare what they seem to.

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::language::Language;
use crate::syntax::{field, parts, text_of};

const KINDS: &[&str] = &[
    "binary_expression",
    "comparison_operator",
    "boolean_operator",
    "binary",
];

/// The same on both sides.
pub(super) const CHECK: Check = Check {
    name: "same-operands",
    kinds: KINDS,
    look: same_operands,
};

/// Identity, type or not-a-number where equality was meant.
pub(super) const IDENTITY: Check = Check {
    name: "wrong-comparison",
    kinds: &[
        "binary_expression",
        "comparison_operator",
        "boolean_operator",
        "binary",
        "if_statement",
        "while_statement",
        "ternary_expression",
        "if",
        "elsif",
        "unless",
        "while",
        "until",
        "if_modifier",
        "unless_modifier",
        "conditional",
    ],
    look: wrong_comparison,
};

fn operands<'t>(node: Node<'_>, text: &'t str) -> Option<(&'t str, &'t str, &'t str)> {
    if node.kind() == "comparison_operator" {
        let sides = parts(node);
        let [left, right] = sides.as_slice() else {
            return None;
        };
        let operator = text[left.end_byte()..right.start_byte()].trim();
        return Some((text_of(*left, text), operator, text_of(*right, text)));
    }
    Some((
        field(node, "left", text)?,
        field(node, "operator", text)?,
        field(node, "right", text)?,
    ))
}

fn same_operands(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let (left, operator, right) = operands(node, context.text)?;
    let compares = matches!(
        operator,
        "==" | "===" | "<" | ">" | "<=" | ">=" | "&&" | "||" | "and" | "or"
    );
    // A call may give something else the second time, and tests compare with themselves.
    let steady =
        !left.contains('(') && !left.contains("++") && left.chars().any(char::is_alphabetic);
    let test = crate::engine::is_test_path(context.path);
    (compares && steady && left == right && !test).then(|| node.byte_range())
}

fn wrong_comparison(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    if let Some(condition) = node.child_by_field_name("condition") {
        return assigned_literal(condition);
    }
    let (left, operator, right) = operands(node, context.text)?;
    let wrong = match context.language {
        Language::Python => {
            matches!(operator, "is" | "is not") && [left, right].into_iter().any(is_plain_literal)
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let equality = matches!(operator, "==" | "===" | "!=" | "!==");
            let never = ["NaN", "[]", "{}", "Number.NaN"];
            let unknown_type = left.starts_with("typeof ")
                && right.starts_with(['"', '\''])
                && !TYPES.contains(&right.trim_matches(['"', '\'']));
            equality && (never.contains(&right) || never[..1].contains(&left) || unknown_type)
        }
        Language::Java => {
            let text = |side: &str| side.starts_with('"') && side.len() > 2;
            matches!(operator, "==" | "!=") && (text(left) || text(right))
        }
        Language::Go | Language::Rust | Language::Ruby => false,
    };
    wrong.then(|| node.byte_range())
}

/// `if x = 5`: the condition is the literal, whatever `x` was.
fn assigned_literal(condition: Node<'_>) -> Option<Place> {
    let mut inner = condition;
    while matches!(
        inner.kind(),
        "parenthesized_expression" | "parenthesized_statements"
    ) {
        inner = inner.named_child(0)?;
    }
    if !matches!(inner.kind(), "assignment" | "assignment_expression") {
        return None;
    }
    let right = inner.child_by_field_name("right")?;
    let literal = matches!(
        right.kind(),
        "integer"
            | "float"
            | "string"
            | "simple_symbol"
            | "true"
            | "false"
            | "nil"
            | "null"
            | "number"
            | "decimal_integer_literal"
            | "string_literal"
    );
    literal.then(|| inner.byte_range())
}

/// What `typeof` can give.
const TYPES: [&str; 8] = [
    "undefined",
    "object",
    "boolean",
    "number",
    "bigint",
    "string",
    "symbol",
    "function",
];

fn is_plain_literal(side: &str) -> bool {
    side.starts_with(['"', '\'']) || side.parse::<f64>().is_ok()
}
