//! Python.

use tree_sitter::Node;

use super::{Lower, children, fields, of_kind};
use crate::ir::{Arg, Arm, Const, ExprId, ExprKind, Function, Op, Param};

const BLOCKS: [&str; 1] = ["block"];

/// A chain of `elif` this long is a table, not a decision.
const MOST_ALTERNATIVES: usize = 40;

pub(super) fn lower(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
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
    let op = Op::of(operator);
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
    for clause in of_kind(node, "for_in_clause") {
        let target = l.field(clause, "left");
        let value = l.field(clause, "right");
        binds.push(l.loop_over(clause, Some((target, value)), None, Vec::new()));
    }
    for clause in of_kind(node, "if_clause") {
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

fn parameters<'s>(l: &mut Lower<'s>, list: Node<'_>) -> Vec<Param<'s>> {
    children(list)
        .into_iter()
        .filter(|node| !matches!(node.kind(), "keyword_separator" | "positional_separator"))
        .map(|node| {
            let name = match node.kind() {
                "identifier" => Some(node),
                "typed_parameter" | "list_splat_pattern" | "dictionary_splat_pattern" => {
                    node.named_child(0)
                }
                _ => node.child_by_field_name("name"),
            };
            Param {
                name: name
                    .map(|name| l.text(name).trim_start_matches('*'))
                    .unwrap_or_default(),
                type_text: l.field_text(node, "type"),
                default: l.maybe(node, "value"),
                ..Param::default()
            }
        })
        .collect()
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

fn definition<'s>(l: &mut Lower<'s>, node: Node<'_>, marks: Vec<&'s str>) -> ExprId {
    match node.kind() {
        "decorated_definition" => {
            let mut all: Vec<&'s str> = Vec::new();
            let mut values = Vec::new();
            for decorator in of_kind(node, "decorator") {
                all.push(l.text(decorator).trim_start_matches('@'));
                values.push(l.inner(decorator));
            }
            let Some(inner) = node.child_by_field_name("definition") else {
                return l.opaque(node);
            };
            values.push(definition(l, inner, all));
            l.add(ExprKind::Block(values), node)
        }
        "class_definition" => {
            let name = l.field_text(node, "name").unwrap_or_default();
            let mut known = marks;
            if let Some(parents) = node.child_by_field_name("superclasses") {
                known.extend(children(parents).into_iter().map(|parent| l.text(parent)));
            }
            let body = l.class(name, known, |l| l.body(node, "body", &BLOCKS));
            l.add(ExprKind::Block(body), node)
        }
        _ => {
            let params = node
                .child_by_field_name("parameters")
                .map(|list| parameters(l, list))
                .unwrap_or_default();
            let function = Function {
                name: l.field_text(node, "name").unwrap_or_default(),
                params,
                marks,
                returns: l.field_text(node, "return_type"),
                ..Function::default()
            };
            let id = l.function(node, function, |l| l.body(node, "body", &BLOCKS));
            l.add(ExprKind::Define(id), node)
        }
    }
}

fn import(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let module = l
        .field_text(node, "module_name")
        .map(|module| module.trim_start_matches('.'));
    for name in fields(node, "name") {
        let (path, alias) = if name.kind() == "aliased_import" {
            let path = l.field_text(name, "name").unwrap_or_default();
            (path, l.field_text(name, "alias").unwrap_or(path))
        } else {
            let path = l.text(name);
            (path, path)
        };
        match module {
            Some("") => l.import(alias, path.to_owned()),
            Some(module) => l.import(alias, format!("{module}.{path}")),
            // `import a.b` makes `a` known, and `a.b` is then written out.
            None if alias == path => {
                let first = path.split('.').next().unwrap_or(path);
                l.import(first, first.to_owned());
            }
            None => l.import(alias, path.to_owned()),
        }
    }
    l.add(ExprKind::Opaque(Vec::new()), node)
}

fn statement(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "block" | "module" | "else_clause" => {
            let body = l.block(node);
            l.add(ExprKind::Block(body), node)
        }
        "if_statement" => if_statement(l, node, fields(node, "alternative")),
        "while_statement" => {
            let cond = l.maybe(node, "condition");
            let body = l.body(node, "body", &BLOCKS);
            l.loop_over(node, None, cond, body)
        }
        "for_statement" => {
            let target = l.field(node, "left");
            let value = l.field(node, "right");
            let body = l.body(node, "body", &BLOCKS);
            l.loop_over(node, Some((target, value)), None, body)
        }
        "with_statement" => {
            let mut all = Vec::new();
            for clause in of_kind(node, "with_clause") {
                for item in of_kind(clause, "with_item") {
                    all.push(l.field(item, "value"));
                }
            }
            all.extend(l.body(node, "body", &BLOCKS));
            l.add(ExprKind::Block(all), node)
        }
        "as_pattern" => {
            let value = l.inner(node);
            match node
                .child_by_field_name("alias")
                .and_then(|alias| alias.named_child(0).or(Some(alias)))
            {
                Some(alias) => {
                    let target = l.node(alias);
                    l.assign(node, target, Some(value), None)
                }
                None => value,
            }
        }
        "try_statement" => {
            let mut body = l.body(node, "body", &BLOCKS);
            for clause in of_kind(node, "else_clause") {
                body.push(l.node(clause));
            }
            let handlers = of_kind(node, "except_clause")
                .into_iter()
                .map(|clause| l.block(clause))
                .collect();
            let last = of_kind(node, "finally_clause")
                .into_iter()
                .flat_map(|clause| l.block(clause))
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
        "match_statement" => {
            let subject = l.maybe(node, "subject");
            let mut arms = Vec::new();
            for case in node
                .child_by_field_name("body")
                .map(children)
                .unwrap_or_default()
            {
                let mut labels = Vec::new();
                for pattern in of_kind(case, "case_pattern") {
                    if l.text(pattern) != "_" {
                        labels.push(l.inner(pattern));
                    }
                }
                let body = l.body(case, "consequence", &BLOCKS);
                arms.push(Arm {
                    labels,
                    body,
                    falls_through: false,
                });
            }
            l.add(ExprKind::Switch { subject, arms }, node)
        }
        "return_statement" => {
            let value = children(node).first().map(|value| l.node(*value));
            l.add(ExprKind::Return(value), node)
        }
        "raise_statement" => {
            let value = children(node).first().map(|value| l.node(*value));
            l.add(ExprKind::Throw(value), node)
        }
        "break_statement" => l.add(ExprKind::Break, node),
        "continue_statement" => l.add(ExprKind::Continue, node),
        _ => l.opaque(node),
    }
}

/// Each alternative is inside the one before it, unless there are very many.
fn if_statement(l: &mut Lower<'_>, node: Node<'_>, alternatives: Vec<Node<'_>>) -> ExprId {
    if alternatives.len() > MOST_ALTERNATIVES {
        return many_alternatives(l, node, alternatives);
    }
    let cond = l.field(node, "condition");
    let then = l.body(node, "consequence", &BLOCKS);
    let mut other = Vec::new();
    for alternative in alternatives.into_iter().rev() {
        if alternative.kind() == "elif_clause" {
            let cond = l.field(alternative, "condition");
            let then = l.body(alternative, "consequence", &BLOCKS);
            other = vec![l.if_else(alternative, cond, then, other)];
        } else {
            other = l.body(alternative, "body", &BLOCKS);
        }
    }
    l.if_else(node, cond, then, other)
}

/// The arms of a switch, side by side, each with its condition in front.
fn many_alternatives(l: &mut Lower<'_>, node: Node<'_>, alternatives: Vec<Node<'_>>) -> ExprId {
    let mut arms = Vec::new();
    for part in std::iter::once(node).chain(alternatives) {
        let is_last = part.kind() == "else_clause";
        let label = l.add(ExprKind::Opaque(Vec::new()), part);
        let mut body: Vec<_> = l.maybe(part, "condition").into_iter().collect();
        let field = if is_last { "body" } else { "consequence" };
        body.extend(l.body(part, field, &BLOCKS));
        arms.push(Arm {
            labels: if is_last { Vec::new() } else { vec![label] },
            body,
            falls_through: false,
        });
    }
    let subject = None;
    l.add(ExprKind::Switch { subject, arms }, node)
}
