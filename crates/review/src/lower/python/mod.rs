//! Lowers Python.

mod define;
mod statement;

use tree_sitter::Node;

use self::define::{definition, import, parameters};
use self::statement::statement;
use super::{Lower, children, children_of_kind};
use crate::ir::{Arg, Const, ExprId, ExprKind, Function, Op};

const BLOCKS: [&str; 1] = ["block"];

pub(in crate::lower) fn lower(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "identifier" => l.name(node),
        "string" => string(l, node),
        "concatenated_string" => {
            let parts = l.block(node);
            l.add(ExprKind::Build(parts), node)
        }
        "integer" => l.integer(node),
        "float" => l.constant(Const::Number, node),
        "true" => l.constant(Const::Bool(true), node),
        "false" => l.constant(Const::Bool(false), node),
        "none" => l.constant(Const::Null, node),
        "parenthesized_expression"
        | "expression_statement"
        | "await"
        | "list_splat"
        | "list_splat_pattern"
        | "dictionary_splat"
        | "yield"
        | "type" => l.inner(node),
        "attribute" => {
            let object = l.field(node, "object");
            let field = l.field_text(node, "attribute").unwrap_or_default();
            l.add(ExprKind::Field(object, field), node)
        }
        "subscript" => {
            let object = l.field(node, "value");
            let index = l.field(node, "subscript");
            l.add(ExprKind::Index(object, index), node)
        }
        "binary_operator" | "boolean_operator" => l.binary(node),
        "comparison_operator" => comparison(l, node),
        "not_operator" => {
            let inner = l.field(node, "argument");
            l.not(node, inner)
        }
        "unary_operator" => {
            let inner = l.field(node, "argument");
            if l.text(node).starts_with('-') {
                let zero = l.constant(Const::Int(0), node);
                return l.add(ExprKind::Binary(Op::Sub, zero, inner), node);
            }
            l.add(ExprKind::Opaque(vec![inner]), node)
        }
        "conditional_expression" => {
            let parts = children(node);
            let [then, cond, other] = parts.as_slice() else {
                return l.opaque(node);
            };
            let cond = l.node(*cond);
            let then = vec![l.node(*then)];
            let other = vec![l.node(*other)];
            l.if_else(node, cond, then, other)
        }
        "list" | "tuple" | "set" | "expression_list" | "pattern_list" | "tuple_pattern"
        | "list_pattern" => {
            let items = l.block(node);
            l.add(ExprKind::List(items), node)
        }
        "dictionary" => {
            let mut pairs = Vec::new();
            for child in children(node) {
                let (key, value) = if child.kind() == "pair" {
                    (l.field(child, "key"), l.field(child, "value"))
                } else {
                    let key = l.add(ExprKind::Opaque(Vec::new()), child);
                    (key, l.node(child))
                };
                pairs.push((key, value));
            }
            l.add(ExprKind::Map(pairs), node)
        }
        "list_comprehension"
        | "set_comprehension"
        | "generator_expression"
        | "dictionary_comprehension" => comprehension(l, node),
        "call" => call(l, node),
        "lambda" => {
            let params = node
                .child_by_field_name("parameters")
                .map(|list| parameters(l, list))
                .unwrap_or_default();
            let function = Function {
                params,
                ..Function::default()
            };
            let id = l.function(node, function, |l| {
                let value = l.field(node, "body");
                vec![l.add(ExprKind::Return(Some(value)), node)]
            });
            l.add(ExprKind::Lambda(id), node)
        }
        "assignment" | "augmented_assignment" | "named_expression" => assignment(l, node),
        "function_definition" | "class_definition" | "decorated_definition" => {
            definition(l, node, Vec::new())
        }
        "import_statement" | "import_from_statement" | "future_import_statement" => import(l, node),
        _ => statement(l, node),
    }
}

fn string(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    l.built_string(node, &["string_content"], &["interpolation"])
}

fn comparison(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let parts = children(node);
    let mut cursor = node.walk();
    let operator = node
        .children_by_field_name("operators", &mut cursor)
        .next()
        .map(|operator| l.text(operator))
        .unwrap_or_default();
    let op = Op::parse(operator);
    match parts.as_slice() {
        [left, right] => {
            let left = l.node(*left);
            let right = l.node(*right);
            l.add(ExprKind::Binary(op, left, right), node)
        }
        _ => l.opaque(node),
    }
}

/// A loop whose value is what its body gives.
fn comprehension(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let mut binds = Vec::new();
    for clause in children_of_kind(node, "for_in_clause") {
        let target = l.field(clause, "left");
        let value = l.field(clause, "right");
        binds.push(l.loop_over(clause, Some((target, value)), None, Vec::new()));
    }
    for clause in children_of_kind(node, "if_clause") {
        binds.push(l.inner(clause));
    }
    let body = l.field(node, "body");
    let value = l.add(ExprKind::Opaque(vec![body]), node);
    binds.push(value);
    l.add(ExprKind::Block(binds), node)
}

fn call(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let callee = l.field(node, "function");
    let mut args = Vec::new();
    if let Some(list) = node.child_by_field_name("arguments") {
        if list.kind() == "generator_expression" {
            args.push(Arg::plain(l.node(list)));
        } else {
            for arg in children(list) {
                if arg.kind() == "keyword_argument" {
                    let name = l.field_text(arg, "name");
                    let value = l.field(arg, "value");
                    args.push(Arg { name, value });
                } else {
                    args.push(Arg::plain(l.node(arg)));
                }
            }
        }
    }
    l.call(node, callee, args)
}

fn assignment(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "augmented_assignment" => l.augmented(node),
        "named_expression" => {
            let target = l.field(node, "name");
            let value = l.maybe(node, "value");
            l.assign(node, target, value, None)
        }
        _ => {
            let target = l.field(node, "left");
            let value = l.maybe(node, "right");
            let type_text = l.field_text(node, "type");
            l.assign(node, target, value, type_text)
        }
    }
}
