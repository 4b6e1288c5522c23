//! Lowers Go.

mod declaration;
mod statement;

use tree_sitter::Node;

use self::declaration::{function, import, type_declaration};
use self::statement::statement;
use super::{Lower, children, fields, text};
use crate::ir::{Arg, Const, ExprId, ExprKind, Op};

const BLOCKS: [&str; 2] = ["block", "statement_list"];

pub(super) fn lower(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "identifier" | "type_identifier" | "field_identifier" | "package_identifier" => {
            l.name(node)
        }
        "interpreted_string_literal" => {
            l.built_string(node, &["interpreted_string_literal_content"], &[])
        }
        "raw_string_literal" => {
            let content = l.text(node).trim_matches('`');
            l.string(content, node)
        }
        "rune_literal" => {
            let content = text::unescape(text::unquoted(l.text(node)));
            l.string(&content, node)
        }
        "int_literal" => l.integer(node),
        "float_literal" | "imaginary_literal" | "iota" => l.constant(Const::Number, node),
        "true" => l.constant(Const::Bool(true), node),
        "false" => l.constant(Const::Bool(false), node),
        "nil" => l.constant(Const::Null, node),
        "parenthesized_expression"
        | "expression_statement"
        | "variadic_argument"
        | "literal_element"
        | "go_statement"
        | "defer_statement" => l.inner(node),
        "selector_expression" => {
            let object = l.field(node, "operand");
            let field = l.field_text(node, "field").unwrap_or_default();
            l.add(ExprKind::Field(object, field), node)
        }
        "qualified_type" => {
            let object = l.field(node, "package");
            let field = l.field_text(node, "name").unwrap_or_default();
            l.add(ExprKind::Field(object, field), node)
        }
        "index_expression" => {
            let object = l.field(node, "operand");
            let index = l.field(node, "index");
            l.add(ExprKind::Index(object, index), node)
        }
        "slice_expression" => l.field(node, "operand"),
        "type_assertion_expression" | "type_conversion_expression" => {
            let value = l.field(node, "operand");
            let type_text = l.field_text(node, "type").unwrap_or_default();
            l.add(ExprKind::Cast(type_text, value), node)
        }
        "binary_expression" => l.binary(node),
        "unary_expression" => {
            let operand = l.field(node, "operand");
            match l.field_text(node, "operator") {
                Some("!") => l.not(node, operand),
                Some("-") => {
                    let zero = l.constant(Const::Int(0), node);
                    l.add(ExprKind::Binary(Op::Sub, zero, operand), node)
                }
                _ => operand,
            }
        }
        "composite_literal" => composite(l, node),
        "literal_value" => literal_value(l, node),
        "call_expression" => {
            let callee = l.field(node, "function");
            let args = node
                .child_by_field_name("arguments")
                .map(|list| l.block(list))
                .unwrap_or_default();
            l.call(node, callee, args.into_iter().map(Arg::plain).collect())
        }
        "func_literal" | "function_declaration" | "method_declaration" => function(l, node),
        "assignment_statement"
        | "short_var_declaration"
        | "var_spec"
        | "const_spec"
        | "inc_statement"
        | "dec_statement" => assignment(l, node),
        "import_declaration" => import(l, node),
        "type_declaration" => type_declaration(l, node),
        "package_clause" | "comment" => l.add(ExprKind::Opaque(Vec::new()), node),
        _ => statement(l, node),
    }
}

/// `T{Name: value}` is a call of `T` with named arguments, so that rules can
/// ask for them; slices and maps are what they are.
fn composite(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let (Some(type_node), Some(body)) = (
        node.child_by_field_name("type"),
        node.child_by_field_name("body"),
    ) else {
        return l.opaque(node);
    };
    if !matches!(
        type_node.kind(),
        "type_identifier" | "qualified_type" | "generic_type"
    ) {
        return literal_value(l, body);
    }
    let callee = l.node(type_node);
    let mut args = Vec::new();
    for element in children(body) {
        if element.kind() == "keyed_element" {
            let name = l.field_text(element, "key");
            let value = l.field(element, "value");
            args.push(Arg { name, value });
        } else {
            args.push(Arg::plain(l.node(element)));
        }
    }
    l.add(
        ExprKind::Call {
            callee,
            args,
            new: true,
        },
        node,
    )
}

fn literal_value(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let elements = children(node);
    let keyed = elements
        .first()
        .is_some_and(|first| first.kind() == "keyed_element");
    if keyed {
        let mut pairs = Vec::new();
        for element in elements {
            let key = l.field(element, "key");
            let value = l.field(element, "value");
            pairs.push((key, value));
        }
        return l.add(ExprKind::Map(pairs), node);
    }
    let items = l.block(node);
    l.add(ExprKind::List(items), node)
}

fn assignment(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "inc_statement" | "dec_statement" => {
            let target = l.inner(node);
            let one = l.constant(Const::Int(1), node);
            let op = if node.kind() == "inc_statement" {
                Op::Add
            } else {
                Op::Sub
            };
            l.add(
                ExprKind::Assign {
                    target,
                    value: Some(one),
                    op: Some(op),
                    type_text: None,
                },
                node,
            )
        }
        "var_spec" | "const_spec" => {
            let type_text = l.field_text(node, "type");
            let values = node
                .child_by_field_name("value")
                .map(children)
                .unwrap_or_default();
            let names = fields(node, "name");
            pairwise(l, node, &names, &values, type_text)
        }
        _ if node.kind() == "assignment_statement"
            && l.field_text(node, "operator").is_some_and(|op| op != "=") =>
        {
            l.augmented(node)
        }
        _ => {
            let left = node
                .child_by_field_name("left")
                .map(children)
                .unwrap_or_default();
            let right = node
                .child_by_field_name("right")
                .map(children)
                .unwrap_or_default();
            pairwise(l, node, &left, &right, None)
        }
    }
}

/// `a, b := x, y`, or all of one call. What comes second from a call is an error
/// or a yes and no, which carry nothing of interest.
fn pairwise<'s>(
    l: &mut Lower<'s>,
    node: Node<'_>,
    left: &[Node<'_>],
    right: &[Node<'_>],
    type_text: Option<&'s str>,
) -> ExprId {
    let mut all = Vec::new();
    let mut first = None;
    let shared = left.len() > 1 && right.len() == 1;
    for (index, target) in left.iter().enumerate() {
        let name = l.text(*target);
        // `value, known := table[key]` asks whether the table has the key.
        let is_lookup = shared && right[0].kind() == "index_expression" && name != "_";
        if shared
            && index > 0
            && !is_lookup
            && (matches!(name, "_" | "ok" | "found") || name.contains("rr"))
        {
            continue;
        }
        let value = match first {
            Some(first) if shared => Some(l.add(ExprKind::Again(first), node)),
            _ => right
                .get(if shared { 0 } else { index })
                .map(|value| l.node(*value)),
        };
        first = first.or(value);
        let target = l.node(*target);
        all.push(l.assign(node, target, value, type_text));
    }
    if let [one] = all.as_slice() {
        return *one;
    }
    l.add(ExprKind::Block(all), node)
}
