//! Lowers Java.

mod declaration;
mod statement;

use tree_sitter::Node;

use self::declaration::{declaration, parameters};
use self::statement::statement;
use super::{Lower, children, children_of_kind, fields, text};
use crate::ir::{Arg, Const, ExprId, ExprKind, Function, Op, Param};

const BLOCKS: [&str; 2] = ["block", "constructor_body"];

pub(super) fn lower(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "identifier" | "type_identifier" | "this" | "super" | "scoped_type_identifier" => {
            l.name(node)
        }
        "string_literal" => l.built_string(
            node,
            &["string_fragment", "multiline_string_fragment"],
            &["string_interpolation"],
        ),
        "character_literal" => {
            let inner = l.text(node).trim_matches('\'');
            let value = text::unescape(inner);
            l.string(&value, node)
        }
        "decimal_integer_literal"
        | "hex_integer_literal"
        | "octal_integer_literal"
        | "binary_integer_literal" => l.integer(node),
        "decimal_floating_point_literal" | "hex_floating_point_literal" => {
            l.constant(Const::Number, node)
        }
        "true" => l.constant(Const::Bool(true), node),
        "false" => l.constant(Const::Bool(false), node),
        "null_literal" => l.constant(Const::Null, node),
        "parenthesized_expression" | "expression_statement" | "yield_statement" => l.inner(node),
        "field_access" => {
            let object = l.field(node, "object");
            let field = l.field_text(node, "field").unwrap_or_default();
            l.add(ExprKind::Field(object, field), node)
        }
        "scoped_identifier" => {
            let object = l.field(node, "scope");
            let field = l.field_text(node, "name").unwrap_or_default();
            l.add(ExprKind::Field(object, field), node)
        }
        "array_access" => {
            let array = l.field(node, "array");
            let index = l.field(node, "index");
            l.add(ExprKind::Index(array, index), node)
        }
        "binary_expression" => l.binary(node),
        "unary_expression" => unary(l, node),
        "ternary_expression" => {
            let cond = l.field(node, "condition");
            let then = vec![l.field(node, "consequence")];
            let other = vec![l.field(node, "alternative")];
            l.if_else(node, cond, then, other)
        }
        "cast_expression" => {
            let type_text = l.field_text(node, "type").unwrap_or_default();
            let value = l.field(node, "value");
            l.add(ExprKind::Cast(type_text, value), node)
        }
        "array_initializer" | "element_value_array_initializer" => {
            let items = l.block(node);
            l.add(ExprKind::List(items), node)
        }
        "array_creation_expression" => match l.maybe(node, "value") {
            Some(value) => value,
            None => l.add(ExprKind::List(Vec::new()), node),
        },
        "method_invocation"
        | "object_creation_expression"
        | "explicit_constructor_invocation"
        | "lambda_expression"
        | "method_reference" => call(l, node),
        "assignment_expression"
        | "update_expression"
        | "local_variable_declaration"
        | "field_declaration"
        | "constant_declaration"
        | "resource" => assignment(l, node),
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "import_declaration" => declaration(l, node),
        "package_declaration" | "modifiers" | "dimensions" | "type_arguments" => {
            l.add(ExprKind::Opaque(Vec::new()), node)
        }
        _ => statement(l, node),
    }
}

fn unary(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let operand = l.field(node, "operand");
    match l.field_text(node, "operator") {
        Some("!") => l.not(node, operand),
        Some("-") => {
            let zero = l.constant(Const::Int(0), node);
            l.add(ExprKind::Binary(Op::Sub, zero, operand), node)
        }
        _ => l.add(ExprKind::Opaque(vec![operand]), node),
    }
}

fn call(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "method_invocation" => {
            let name = l.field_text(node, "name").unwrap_or_default();
            let callee = match l.maybe(node, "object") {
                Some(object) => l.add(ExprKind::Field(object, name), node),
                None => l.add(ExprKind::Name(name), node),
            };
            let args = arguments(l, node);
            l.call(node, callee, args)
        }
        "object_creation_expression" => {
            let type_text = l.field_text(node, "type").unwrap_or_default();
            let callee = l.add(ExprKind::Name(type_text), node);
            let args = arguments(l, node);
            let body: Vec<ExprId> = children_of_kind(node, "class_body")
                .into_iter()
                .flat_map(|body| l.block(body))
                .collect();
            let new = l.add(
                ExprKind::Call {
                    callee,
                    args,
                    new: true,
                },
                node,
            );
            if body.is_empty() {
                return new;
            }
            let mut all = body;
            all.push(new);
            l.add(ExprKind::Block(all), node)
        }
        "lambda_expression" => {
            let params = match node.child_by_field_name("parameters") {
                Some(list) if list.kind() == "identifier" => vec![Param {
                    name: l.text(list),
                    ..Param::default()
                }],
                Some(list) => parameters(l, list),
                None => Vec::new(),
            };
            let function = Function {
                params,
                ..Function::default()
            };
            let id = l.function(node, function, |l| match node.child_by_field_name("body") {
                Some(body) if body.kind() == "block" => l.block(body),
                Some(body) => {
                    let value = l.node(body);
                    vec![l.add(ExprKind::Return(Some(value)), body)]
                }
                None => Vec::new(),
            });
            l.add(ExprKind::Lambda(id), node)
        }
        "explicit_constructor_invocation" => {
            let callee = l.field(node, "constructor");
            let args = arguments(l, node);
            l.call(node, callee, args)
        }
        "method_reference" => match children(node).as_slice() {
            [of, name] if name.kind() == "identifier" => {
                let of = l.node(*of);
                let name = l.text(*name);
                l.add(ExprKind::Field(of, name), node)
            }
            _ => l.opaque(node),
        },
        _ => l.opaque(node),
    }
}

fn arguments<'s>(l: &mut Lower<'s>, node: Node<'_>) -> Vec<Arg<'s>> {
    let Some(list) = node.child_by_field_name("arguments") else {
        return Vec::new();
    };
    l.block(list).into_iter().map(Arg::plain).collect()
}

fn assignment(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "assignment_expression" => {
            if l.field_text(node, "operator") == Some("=") {
                let target = l.field(node, "left");
                let value = l.maybe(node, "right");
                l.assign(node, target, value, None)
            } else {
                l.augmented(node)
            }
        }
        "update_expression" => {
            let target = l.inner(node);
            let one = l.constant(Const::Int(1), node);
            let op = if l.text(node).contains("++") {
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
        "resource" => {
            let Some(name) = node.child_by_field_name("name") else {
                return l.opaque(node);
            };
            let target = l.name(name);
            let value = l.maybe(node, "value");
            let type_text = l.field_text(node, "type");
            l.assign(node, target, value, type_text)
        }
        kind => {
            let type_text = l.field_text(node, "type");
            let is_field = kind != "local_variable_declaration";
            let mut all = Vec::new();
            for declarator in fields(node, "declarator") {
                let Some(name) = declarator.child_by_field_name("name") else {
                    continue;
                };
                if let Some(type_text) = type_text.filter(|_| is_field) {
                    let name = l.text(name);
                    l.unit.field_types.insert(name, type_text);
                }
                let target = l.name(name);
                let value = l.maybe(declarator, "value");
                all.push(l.assign(declarator, target, value, type_text));
            }
            l.add(ExprKind::Block(all), node)
        }
    }
}
