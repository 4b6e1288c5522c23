//! Rust.

use tree_sitter::Node;

use super::{Lower, children, of_kind, text};
use crate::ir::{Arg, Arm, Const, ExprId, ExprKind, Function, Op, Param};

const BLOCKS: [&str; 1] = ["block"];

/// Macros whose arguments are a template and what goes into it.
const FORMATTING: [&str; 20] = [
    "format",
    "print",
    "println",
    "eprint",
    "eprintln",
    "panic",
    "write",
    "writeln",
    "info",
    "warn",
    "error",
    "debug",
    "trace",
    "bail",
    "anyhow",
    "ensure",
    "assert",
    "unreachable",
    "format_args",
    "log",
];

pub(super) fn lower(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "identifier"
        | "self"
        | "super"
        | "crate"
        | "type_identifier"
        | "field_identifier"
        | "primitive_type"
        | "shorthand_field_identifier"
        | "generic_type" => l.name(node),
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
        "call_expression" => {
            let callee = l.field(node, "function");
            let args = node
                .child_by_field_name("arguments")
                .map(|list| l.block(list))
                .unwrap_or_default();
            l.call(node, callee, args.into_iter().map(Arg::plain).collect())
        }
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

/// What stands inside, without `mut`.
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

/// The grammar gives a macro's arguments as tokens, so they are read here as
/// far as names, fields, calls and literals go.
fn macro_invocation(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let path = l.field_text(node, "macro").unwrap_or_default();
    let name = path.rsplit("::").next().unwrap_or(path);
    let mut args: Vec<ExprId> = of_kind(node, "token_tree")
        .into_iter()
        .flat_map(|tree| token_arguments(l, tree))
        .collect();
    if FORMATTING.contains(&name) {
        let template = args.iter().position(|arg| {
            matches!(
                l.unit.expr(*arg),
                ExprKind::Const(Const::Str(_)) | ExprKind::Build(_)
            )
        });
        if let Some(template) = template {
            let parts = args.split_off(template);
            args.push(l.add(ExprKind::Build(parts), node));
        }
        if name == "format"
            && let [built] = args.as_slice()
        {
            return *built;
        }
    }
    // With its exclamation mark, which follows it in the text.
    let end = node
        .child_by_field_name("macro")
        .map_or(node.end_byte(), |name| name.end_byte());
    let start = end - name.len();
    let full = l.unit.text.get(start..end + 1).unwrap_or(name);
    let callee = l.add(ExprKind::Name(full), node);
    l.call(node, callee, args.into_iter().map(Arg::plain).collect())
}

fn token_arguments(l: &mut Lower<'_>, tree: Node<'_>) -> Vec<ExprId> {
    let mut cursor = tree.walk();
    let tokens: Vec<Node<'_>> = tree.children(&mut cursor).collect();
    let inner = tokens.get(1..tokens.len().saturating_sub(1)).unwrap_or(&[]);
    inner
        .split(|token| token.kind() == ",")
        .filter_map(|group| Some(token_expression(l, *group.first()?, group)))
        .collect()
}

fn token_expression(l: &mut Lower<'_>, first: Node<'_>, tokens: &[Node<'_>]) -> ExprId {
    let mut parts: Vec<ExprId> = Vec::new();
    let mut joined = false;
    for token in tokens {
        match token.kind() {
            "." | "::" => joined = true,
            "identifier" | "self" | "crate" => {
                let text = l.text(*token);
                let id = match parts.pop().filter(|_| joined) {
                    Some(object) => l.add(ExprKind::Field(object, text), *token),
                    None => l.add(ExprKind::Name(text), *token),
                };
                parts.push(id);
                joined = false;
            }
            "token_tree" if l.nested < super::MOST_NESTED => {
                l.nested += 1;
                let args = token_arguments(l, *token);
                l.nested -= 1;
                match parts.pop() {
                    Some(callee) if l.text(*token).starts_with('(') => {
                        let args = args.into_iter().map(Arg::plain).collect();
                        parts.push(l.call(*token, callee, args));
                    }
                    before => {
                        parts.extend(before);
                        parts.extend(args);
                    }
                }
            }
            "string_literal" | "raw_string_literal" => parts.push(template(l, *token)),
            _ if token.is_named() => parts.push(l.node(*token)),
            _ => {}
        }
    }
    if let [one] = parts.as_slice() {
        return *one;
    }
    l.add(ExprKind::Opaque(parts), first)
}

/// `"{name} {}"` also takes in the variable `name`.
fn template(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let literal = l.built_string(node, &["string_content"], &[]);
    let text = l.text(node);
    let mut parts = vec![literal];
    for piece in text.split('{').skip(1) {
        let name = piece.split(['}', ':']).next().unwrap_or_default();
        let is_name = name
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_name {
            parts.push(l.add(ExprKind::Name(name), node));
        }
    }
    if parts.len() == 1 {
        return literal;
    }
    l.add(ExprKind::Build(parts), node)
}

fn function(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let params = node
        .child_by_field_name("parameters")
        .map(|list| parameters(l, list))
        .unwrap_or_default();
    let mut marks = Vec::new();
    let mut before = node.prev_named_sibling();
    while let Some(mark) = before.filter(|mark| mark.kind() == "attribute_item") {
        marks.push(l.text(mark).trim_matches(['#', '[', ']']));
        before = mark.prev_named_sibling();
    }
    let function = Function {
        name: l.field_text(node, "name").unwrap_or_default(),
        params,
        marks,
        returns: l.field_text(node, "return_type"),
        implicit_return: true,
        ..Function::default()
    };
    let id = l.function(node, function, |l| l.body(node, "body", &BLOCKS));
    if node.kind() == "function_item" {
        l.add(ExprKind::Define(id), node)
    } else {
        l.add(ExprKind::Lambda(id), node)
    }
}

fn parameters<'s>(l: &mut Lower<'s>, list: Node<'_>) -> Vec<Param<'s>> {
    let mut params = Vec::new();
    for node in children(list) {
        if matches!(node.kind(), "self_parameter" | "attribute_item") {
            continue;
        }
        let pattern = node.child_by_field_name("pattern").unwrap_or(node);
        let is_name = pattern.kind() == "identifier";
        params.push(Param {
            name: if is_name { l.text(pattern) } else { "" },
            pattern: (!is_name).then(|| l.node(pattern)),
            type_text: l.field_text(node, "type"),
            ..Param::default()
        });
    }
    params
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

fn import(l: &mut Lower<'_>, node: Node<'_>, prefix: &str) {
    if l.nested >= super::MOST_NESTED {
        return;
    }
    l.nested += 1;
    let joined = |text: &str| {
        let text = text.replace("::", ".");
        if prefix.is_empty() {
            text
        } else {
            format!("{prefix}.{text}")
        }
    };
    match node.kind() {
        "use_as_clause" => {
            let path = joined(l.field_text(node, "path").unwrap_or_default());
            if let Some(alias) = l.field_text(node, "alias") {
                l.import(alias, path);
            }
        }
        "scoped_use_list" => {
            let path = joined(l.field_text(node, "path").unwrap_or_default());
            if let Some(list) = node.child_by_field_name("list") {
                import(l, list, &path);
            }
        }
        "use_list" => {
            for child in children(node) {
                import(l, child, prefix);
            }
        }
        "identifier" | "scoped_identifier" => {
            let text = l.text(node);
            let name = text.rsplit("::").next().unwrap_or(text);
            l.import(name, joined(text));
        }
        "self" => {
            // `use std::fs::{self, File}` also makes `fs` known.
            let name = prefix.rsplit('.').next().unwrap_or(prefix);
            if let Some(at) = l.unit.text[..node.start_byte()].rfind(name) {
                let name = &l.unit.text[at..at + name.len()];
                l.import(name, prefix.to_owned());
            }
        }
        _ => {}
    }
    l.nested -= 1;
}

fn item(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "struct_item" => {
            for list in of_kind(node, "field_declaration_list") {
                for field in of_kind(list, "field_declaration") {
                    if let (Some(name), Some(type_text)) =
                        (l.field_text(field, "name"), l.field_text(field, "type"))
                    {
                        l.unit.field_types.insert(name, type_text);
                    }
                }
            }
            l.add(ExprKind::Opaque(Vec::new()), node)
        }
        "impl_item" | "trait_item" => {
            let name = l
                .field_text(node, "type")
                .or(l.field_text(node, "name"))
                .unwrap_or_default();
            let name = name.split('<').next().unwrap_or(name);
            let body = l.class(name, Vec::new(), |l| {
                node.child_by_field_name("body")
                    .map(|body| l.block(body))
                    .unwrap_or_default()
            });
            l.add(ExprKind::Block(body), node)
        }
        _ => {
            let body = node
                .child_by_field_name("body")
                .map(|body| l.block(body))
                .unwrap_or_default();
            l.add(ExprKind::Block(body), node)
        }
    }
}

fn statement(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "block" | "else_clause" | "declaration_list" => {
            let body = l.block(node);
            l.add(ExprKind::Block(body), node)
        }
        "let_chain" => {
            let parts = l.block(node);
            l.add(ExprKind::Opaque(parts), node)
        }
        "if_expression" => {
            let cond = l.field(node, "condition");
            let then = l.body(node, "consequence", &BLOCKS);
            let other = l.body(node, "alternative", &["block", "else_clause"]);
            l.if_else(node, cond, then, other)
        }
        "while_expression" | "loop_expression" => {
            let cond = l.maybe(node, "condition");
            let body = l.body(node, "body", &BLOCKS);
            l.loop_over(node, None, cond, body)
        }
        "for_expression" => {
            let target = l.field(node, "pattern");
            let value = l.field(node, "value");
            let body = l.body(node, "body", &BLOCKS);
            l.loop_over(node, Some((target, value)), None, body)
        }
        "match_expression" => match_expression(l, node),
        "return_expression" => {
            let value = children(node).first().map(|value| l.node(*value));
            l.add(ExprKind::Return(value), node)
        }
        "break_expression" => l.add(ExprKind::Break, node),
        "continue_expression" => l.add(ExprKind::Continue, node),
        _ => l.opaque(node),
    }
}

fn match_expression(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let subject = l.field(node, "value");
    let mut arms = Vec::new();
    for arm in node
        .child_by_field_name("body")
        .map(|body| of_kind(body, "match_arm"))
        .unwrap_or_default()
    {
        let Some(pattern) = arm.child_by_field_name("pattern") else {
            continue;
        };
        let is_default = l.text(pattern) == "_";
        let target = l.node(pattern);
        let bound = l.assign(pattern, target, Some(subject), None);
        let value = l.field(arm, "value");
        let is_literal = matches!(l.unit.expr(target), ExprKind::Const(_));
        let label = if is_literal {
            target
        } else {
            l.add(ExprKind::Opaque(Vec::new()), pattern)
        };
        arms.push(Arm {
            labels: if is_default { Vec::new() } else { vec![label] },
            body: if is_literal {
                vec![value]
            } else {
                vec![bound, value]
            },
            falls_through: false,
        });
    }
    l.add(
        ExprKind::Switch {
            subject: Some(subject),
            arms,
        },
        node,
    )
}
