//! Lowers JavaScript, TypeScript and TSX.

mod bind;
mod define;
mod statement;

use tree_sitter::Node;

use self::bind::{assignment, import};
use self::define::{class, function};
use self::statement::statement;
use super::{Lower, children, children_of_kind, text};
use crate::ir::{Arg, Const, ExprId, ExprKind, Op};

pub(crate) use self::bind::module_path;

pub(in crate::lower) fn lower(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "identifier"
        | "this"
        | "super"
        | "import"
        | "property_identifier"
        | "shorthand_property_identifier"
        | "shorthand_property_identifier_pattern" => l.name(node),
        "string" => l.built_string(node, &["string_fragment"], &[]),
        "template_string" => l.built_string(node, &["string_fragment"], &["template_substitution"]),
        "number" => l.integer(node),
        "regex" => {
            let pattern = l.field_text(node, "pattern").unwrap_or_default();
            l.constant(Const::Regex(pattern.into()), node)
        }
        "true" => l.constant(Const::Bool(true), node),
        "false" => l.constant(Const::Bool(false), node),
        "null" | "undefined" => l.constant(Const::Null, node),
        "parenthesized_expression"
        | "expression_statement"
        | "await_expression"
        | "spread_element"
        | "non_null_expression"
        | "jsx_expression"
        | "rest_pattern"
        | "yield_expression"
        | "computed_property_name" => l.inner(node),
        "sequence_expression" => {
            let all = l.block(node);
            l.add(ExprKind::Block(all), node)
        }
        "as_expression" | "satisfies_expression" => {
            let parts = children(node);
            let type_text = parts.get(1).map(|node| l.text(*node)).unwrap_or_default();
            let value = l.inner(node);
            l.add(ExprKind::Cast(type_text, value), node)
        }
        "member_expression" => {
            let object = l.field(node, "object");
            let field = l.field_text(node, "property").unwrap_or_default();
            l.add(ExprKind::Field(object, field), node)
        }
        "subscript_expression" => {
            let object = l.field(node, "object");
            let index = l.field(node, "index");
            l.add(ExprKind::Index(object, index), node)
        }
        "binary_expression" => l.binary(node),
        "unary_expression" => unary(l, node),
        "ternary_expression" => {
            let cond = l.field(node, "condition");
            let then = vec![l.field(node, "consequence")];
            let other = vec![l.field(node, "alternative")];
            l.if_else(node, cond, then, other)
        }
        "array" | "array_pattern" => {
            let items = l.block(node);
            l.add(ExprKind::List(items), node)
        }
        "object" | "object_pattern" => object(l, node),
        "call_expression" | "new_expression" => call(l, node),
        "arrow_function"
        | "function_expression"
        | "generator_function"
        | "function_declaration"
        | "generator_function_declaration"
        | "method_definition" => function(l, node),
        "class_declaration" | "class" | "abstract_class_declaration" => class(l, node),
        "jsx_attribute" => jsx_attribute(l, node),
        "assignment_expression"
        | "augmented_assignment_expression"
        | "update_expression"
        | "assignment_pattern"
        | "object_assignment_pattern"
        | "variable_declarator"
        | "field_definition"
        | "public_field_definition" => assignment(l, node),
        "import_statement" => import(l, node),
        "type_annotation"
        | "interface_declaration"
        | "type_alias_declaration"
        | "type_arguments"
        | "comment" => l.add(ExprKind::Opaque(Vec::new()), node),
        _ => statement(l, node),
    }
}

fn unary(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let operand = l.field(node, "argument");
    match l.field_text(node, "operator") {
        Some("!") => l.not(node, operand),
        Some("-") => {
            let zero = l.constant(Const::Int(0), node);
            l.add(ExprKind::Binary(Op::Sub, zero, operand), node)
        }
        // `+x` is a number, and `typeof x` one of a few words.
        Some("+") => l.call_named(node, "Number", vec![operand]),
        Some("typeof") => l.call_named(node, "typeof", vec![operand]),
        Some("void") => l.constant(Const::Null, node),
        _ => l.add(ExprKind::Opaque(vec![operand]), node),
    }
}

fn object(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let mut pairs = Vec::new();
    for child in children(node) {
        match child.kind() {
            "pair" | "pair_pattern" => {
                let key = match child.child_by_field_name("key") {
                    Some(key) if key.kind() == "computed_property_name" => l.inner(key),
                    Some(key) => {
                        let name = text::unquoted(l.text(key));
                        l.string(name, key)
                    }
                    None => continue,
                };
                let value = l.field(child, "value");
                pairs.push((key, value));
            }
            "shorthand_property_identifier" | "shorthand_property_identifier_pattern" => {
                let name = l.text(child);
                let key = l.string(name, child);
                let value = l.name(child);
                pairs.push((key, value));
            }
            "object_assignment_pattern" => {
                let name = l.field_text(child, "left").unwrap_or_default();
                let key = l.string(name, child);
                let value = l.node(child);
                pairs.push((key, value));
            }
            "method_definition" => {
                let name = l.field_text(child, "name").unwrap_or_default();
                let key = l.string(name, child);
                let value = l.node(child);
                pairs.push((key, value));
            }
            _ => {
                let key = l.add(ExprKind::Opaque(Vec::new()), child);
                let value = l.node(child);
                pairs.push((key, value));
            }
        }
    }
    l.add(ExprKind::Map(pairs), node)
}

fn call(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let new = node.kind() == "new_expression";
    let callee = l.field(node, if new { "constructor" } else { "function" });
    let args = match node.child_by_field_name("arguments") {
        // A tagged template takes its parts as values, not as a string.
        Some(template) if template.kind() == "template_string" => {
            let parts = children_of_kind(template, "template_substitution");
            let values: Vec<_> = parts.into_iter().map(|part| l.inner(part)).collect();
            let text = l.string("", template);
            std::iter::once(text)
                .chain(values)
                .map(Arg::plain)
                .collect()
        }
        Some(list) => l.block(list).into_iter().map(Arg::plain).collect(),
        None => Vec::new(),
    };
    l.add(ExprKind::Call { callee, args, new }, node)
}

/// `dangerouslySetInnerHTML={…}` is an assignment to a property of the element.
fn jsx_attribute(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let parts = children(node);
    let (Some(name), Some(value)) = (parts.first(), parts.get(1)) else {
        return l.opaque(node);
    };
    let field = l.text(*name);
    let element = l.add(ExprKind::Name("jsx"), node);
    let target = l.add(ExprKind::Field(element, field), *name);
    let value = l.node(*value);
    l.assign(node, target, Some(value), None)
}
