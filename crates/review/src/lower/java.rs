//! Java.

use tree_sitter::Node;

use super::{Lower, children, fields, of_kind, text};
use crate::ir::{Arg, Arm, Const, ExprId, ExprKind, Function, Op, Param};

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
            let body: Vec<ExprId> = of_kind(node, "class_body")
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

fn declaration(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "import_declaration" => {
            let path = children(node).first().map(|path| l.text(*path));
            if let Some(path) = path {
                let name = path.rsplit('.').next().unwrap_or(path);
                l.import(name, path.to_owned());
            }
            l.add(ExprKind::Opaque(Vec::new()), node)
        }
        "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => {
            let params = node
                .child_by_field_name("parameters")
                .map(|list| parameters(l, list))
                .unwrap_or_default();
            let function = Function {
                name: l.field_text(node, "name").unwrap_or_default(),
                params,
                marks: marks(l, node),
                returns: l.field_text(node, "type"),
                ..Function::default()
            };
            let id = l.function(node, function, |l| l.body(node, "body", &BLOCKS));
            l.add(ExprKind::Define(id), node)
        }
        _ => {
            let name = l.field_text(node, "name").unwrap_or_default();
            let mut known = marks(l, node);
            for parent in ["superclass", "interfaces"] {
                if let Some(parent) = node.child_by_field_name(parent) {
                    known.extend(children(parent).into_iter().map(|child| l.text(child)));
                }
            }
            let body = l.class(name, known, |l| {
                node.child_by_field_name("body")
                    .map(|body| l.block(body))
                    .unwrap_or_default()
            });
            l.add(ExprKind::Block(body), node)
        }
    }
}

fn marks<'s>(l: &Lower<'s>, node: Node<'_>) -> Vec<&'s str> {
    of_kind(node, "modifiers")
        .into_iter()
        .flat_map(children)
        .filter(|mark| matches!(mark.kind(), "annotation" | "marker_annotation"))
        .map(|mark| l.text(mark).trim_start_matches('@'))
        .collect()
}

fn parameters<'s>(l: &mut Lower<'s>, list: Node<'_>) -> Vec<Param<'s>> {
    children(list)
        .into_iter()
        .map(|param| {
            let name = match param.kind() {
                "identifier" => Some(param),
                "spread_parameter" => of_kind(param, "variable_declarator")
                    .first()
                    .and_then(|declarator| declarator.child_by_field_name("name")),
                _ => param.child_by_field_name("name"),
            };
            Param {
                name: name.map(|name| l.text(name)).unwrap_or_default(),
                type_text: l.field_text(param, "type"),
                marks: marks(l, param),
                ..Param::default()
            }
        })
        .collect()
}

fn statement(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "block" | "constructor_body" | "labeled_statement" | "static_initializer" => {
            let body = l.block(node);
            l.add(ExprKind::Block(body), node)
        }
        "if_statement" => {
            let cond = l.field(node, "condition");
            let then = l.body(node, "consequence", &BLOCKS);
            let other = l.body(node, "alternative", &BLOCKS);
            l.if_else(node, cond, then, other)
        }
        "while_statement" | "do_statement" => {
            let cond = l.maybe(node, "condition");
            let body = l.body(node, "body", &BLOCKS);
            l.loop_over(node, None, cond, body)
        }
        "for_statement" => {
            let mut all: Vec<_> = l.all(fields(node, "init"));
            let cond = l.maybe(node, "condition");
            let mut body = l.body(node, "body", &BLOCKS);
            body.extend(l.all(fields(node, "update")));
            all.push(l.loop_over(node, None, cond, body));
            l.add(ExprKind::Block(all), node)
        }
        "enhanced_for_statement" => {
            let target = match node.child_by_field_name("name") {
                Some(name) => l.name(name),
                None => return l.opaque(node),
            };
            let target = match l.field_text(node, "type") {
                Some(type_text) => l.add(ExprKind::Cast(type_text, target), node),
                None => target,
            };
            let value = l.field(node, "value");
            let body = l.body(node, "body", &BLOCKS);
            l.loop_over(node, Some((target, value)), None, body)
        }
        "switch_expression" => switch(l, node),
        "try_statement" | "try_with_resources_statement" => {
            let mut body: Vec<ExprId> = node
                .child_by_field_name("resources")
                .map(|resources| l.block(resources))
                .unwrap_or_default();
            body.extend(l.body(node, "body", &BLOCKS));
            let handlers = of_kind(node, "catch_clause")
                .into_iter()
                .map(|handler| l.body(handler, "body", &BLOCKS))
                .collect();
            let last = of_kind(node, "finally_clause")
                .into_iter()
                .flat_map(|last| l.block(last))
                .collect();
            l.add(
                ExprKind::Try {
                    body,
                    handlers,
                    last,
                },
                node,
            )
        }
        "return_statement" => {
            let value = children(node).first().map(|value| l.node(*value));
            l.add(ExprKind::Return(value), node)
        }
        "throw_statement" => {
            let value = children(node).first().map(|value| l.node(*value));
            l.add(ExprKind::Throw(value), node)
        }
        "break_statement" => l.add(ExprKind::Break, node),
        "continue_statement" => l.add(ExprKind::Continue, node),
        _ => l.opaque(node),
    }
}

fn switch(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let subject = l.maybe(node, "condition");
    let mut arms = Vec::new();
    for group in node
        .child_by_field_name("body")
        .map(children)
        .unwrap_or_default()
    {
        let (labels, rest): (Vec<_>, Vec<_>) = children(group)
            .into_iter()
            .partition(|child| child.kind() == "switch_label");
        let labels = labels
            .into_iter()
            .flat_map(|label| l.block(label))
            .collect();
        arms.push(Arm {
            labels,
            body: l.all(rest),
            falls_through: group.kind() == "switch_block_statement_group",
        });
    }
    l.add(ExprKind::Switch { subject, arms }, node)
}
