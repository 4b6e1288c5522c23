//! Lowers Rust.

mod item;
mod macros;
mod statement;

use tree_sitter::Node;

use self::item::{function, import, item};
use self::macros::macro_invocation;
use self::statement::statement;
use super::{Lower, children, text};
use crate::ir::{Arg, Const, ExprId, ExprKind, Op};

const BLOCKS: [&str; 1] = ["block"];

pub(super) fn lower(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "identifier"
        | "self"
        | "super"
        | "crate"
        | "type_identifier"
        | "field_identifier"
        | "primitive_type"
        | "shorthand_field_identifier" => l.name(node),
        "generic_type" => generic_type(l, node),
        "string_literal" | "raw_string_literal" => l.built_string(node, &["string_content"], &[]),
        "char_literal" => {
            let content = text::unescape(text::unquoted(l.text(node)));
            l.string(&content, node)
        }
        "integer_literal" => l.integer(node),
        "float_literal" | "negative_literal" => l.constant(Const::Number, node),
        "boolean_literal" => {
            let value = l.text(node) == "true";
            l.constant(Const::Bool(value), node)
        }
        "parenthesized_expression"
        | "expression_statement"
        | "try_expression"
        | "await_expression"
        | "unsafe_block"
        | "async_block"
        | "const_block"
        | "mut_pattern"
        | "ref_pattern"
        | "reference_pattern" => wrapped(l, node),
        "reference_expression" => l.field(node, "value"),
        "unary_expression" => unary(l, node),
        "field_expression" => {
            let object = l.field(node, "value");
            let field = l.field_text(node, "field").unwrap_or_default();
            l.add(ExprKind::Field(object, field), node)
        }
        "scoped_identifier" | "scoped_type_identifier" => {
            let name = l.field_text(node, "name").unwrap_or_default();
            match l.maybe(node, "path") {
                Some(path) => l.add(ExprKind::Field(path, name), node),
                None => l.add(ExprKind::Name(name), node),
            }
        }
        "generic_function" => l.field(node, "function"),
        "generic_type_with_turbofish" => l.field(node, "type"),
        "index_expression" => {
            let parts = l.block(node);
            match parts.as_slice() {
                [object, index] => l.add(ExprKind::Index(*object, *index), node),
                _ => l.add(ExprKind::Opaque(parts), node),
            }
        }
        "binary_expression" => l.binary(node),
        "type_cast_expression" => {
            let value = l.field(node, "value");
            let type_text = l.field_text(node, "type").unwrap_or_default();
            l.add(ExprKind::Cast(type_text, value), node)
        }
        "array_expression" | "tuple_expression" | "tuple_pattern" | "slice_pattern" => {
            let items = l.block(node);
            l.add(ExprKind::List(items), node)
        }
        "call_expression" => call(l, node),
        "struct_expression" => struct_expression(l, node),
        "macro_invocation" => macro_invocation(l, node),
        "closure_expression" | "function_item" => function(l, node),
        "let_declaration"
        | "let_condition"
        | "assignment_expression"
        | "compound_assignment_expr"
        | "const_item"
        | "static_item" => assignment(l, node),
        "use_declaration" => {
            if let Some(argument) = node.child_by_field_name("argument") {
                import(l, argument, "");
            }
            l.add(ExprKind::Opaque(Vec::new()), node)
        }
        "impl_item" | "mod_item" | "struct_item" | "trait_item" | "enum_item" => item(l, node),
        "attribute_item" | "inner_attribute_item" | "macro_definition" | "type_item" => {
            l.add(ExprKind::Opaque(Vec::new()), node)
        }
        "tuple_struct_pattern"
        | "struct_pattern"
        | "or_pattern"
        | "captured_pattern"
        | "field_pattern"
        | "match_pattern" => pattern(l, node),
        _ => statement(l, node),
    }
}

/// `Vec::<u8>` in an expression is `Vec`.
fn generic_type(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    if l.text(node).contains("::<") {
        return l.field(node, "type");
    }
    l.name(node)
}

fn call(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let callee = l.field(node, "function");
    let args = node
        .child_by_field_name("arguments")
        .map(|list| l.block(list))
        .unwrap_or_default();
    let call = l.call(node, callee, args.into_iter().map(Arg::plain).collect());
    match parsed_type(l, node) {
        Some(type_text) => l.add(ExprKind::Cast(type_text, call), node),
        None => call,
    }
}

/// The type in `text.parse::<u32>()`.
fn parsed_type<'s>(l: &Lower<'s>, call: Node<'_>) -> Option<&'s str> {
    let function = call.child_by_field_name("function")?;
    let types = function.child_by_field_name("type_arguments")?;
    let name = l.field_text(function, "function")?;
    let (_, method) = name.rsplit_once('.')?;
    (method == "parse").then(|| l.text(types).trim_matches(['<', '>', ' ']))
}

/// The content, without `mut`.
fn wrapped(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let inner = children(node)
        .into_iter()
        .find(|child| child.kind() != "mutable_specifier");
    match inner {
        Some(inner) => l.node(inner),
        None => l.add(ExprKind::Opaque(Vec::new()), node),
    }
}

fn unary(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let operand = l.inner(node);
    let text = l.text(node);
    if text.starts_with('!') {
        return l.not(node, operand);
    }
    if text.starts_with('-') {
        let zero = l.constant(Const::Int(0), node);
        return l.add(ExprKind::Binary(Op::Sub, zero, operand), node);
    }
    operand
}

/// What a pattern binds, without the names of variants and fields.
fn pattern(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let type_node = node.child_by_field_name("type");
    let inner: Vec<_> = match node.kind() {
        "field_pattern" => node
            .child_by_field_name("pattern")
            .or(node.child_by_field_name("name"))
            .into_iter()
            .collect(),
        _ => children(node)
            .into_iter()
            .filter(|child| Some(*child) != type_node)
            .collect(),
    };
    let parts = l.all(inner);
    if let [one] = parts.as_slice() {
        return *one;
    }
    l.add(ExprKind::Opaque(parts), node)
}

fn struct_expression(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let callee = l.field(node, "name");
    let mut args = Vec::new();
    for field in node
        .child_by_field_name("body")
        .map(children)
        .unwrap_or_default()
    {
        match field.kind() {
            "field_initializer" => {
                let name = l.field_text(field, "field");
                let value = l.field(field, "value");
                args.push(Arg { name, value });
            }
            "shorthand_field_initializer" => {
                let name = Some(l.text(field));
                let value = l.inner(field);
                args.push(Arg { name, value });
            }
            _ => args.push(Arg::plain(l.inner(field))),
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

fn assignment(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "compound_assignment_expr" => l.augmented(node),
        "assignment_expression" => {
            let target = l.field(node, "left");
            let value = l.maybe(node, "right");
            l.assign(node, target, value, None)
        }
        "const_item" | "static_item" => {
            let target = l.field(node, "name");
            let value = l.maybe(node, "value");
            let type_text = l.field_text(node, "type");
            l.assign(node, target, value, type_text)
        }
        _ => {
            let value = l.maybe(node, "value");
            let other = l.maybe(node, "alternative");
            let target = l.field(node, "pattern");
            let type_text = l.field_text(node, "type");
            let assigned = l.assign(node, target, value, type_text);
            match other {
                // The block of `let … else` leaves, so it is walked aside.
                Some(other) => {
                    let unknown = l.add(ExprKind::Opaque(Vec::new()), node);
                    let aside = l.if_else(node, unknown, vec![other], Vec::new());
                    l.add(ExprKind::Block(vec![aside, assigned]), node)
                }
                None => assigned,
            }
        }
    }
}
