//! JavaScript, TypeScript and TSX.

use tree_sitter::Node;

use super::{Lower, children, fields, of_kind, text};
use crate::ir::{Arg, Arm, Const, ExprId, ExprKind, Function, Op, Param};

const BLOCKS: [&str; 2] = ["statement_block", "else_clause"];

pub(super) fn lower(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
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
            let parts = of_kind(template, "template_substitution");
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

fn function(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let params = match node.child_by_field_name("parameters") {
        Some(list) => parameters(l, list),
        None => node
            .child_by_field_name("parameter")
            .map(|name| Param {
                name: l.text(name),
                ..Param::default()
            })
            .into_iter()
            .collect(),
    };
    let mut marks: Vec<_> = fields(node, "decorator")
        .into_iter()
        .map(|mark| l.text(mark).trim_start_matches('@'))
        .collect();
    // In TypeScript, decorators of methods stand before them in the class body.
    let mut before = node.prev_named_sibling();
    while let Some(mark) = before.filter(|mark| mark.kind() == "decorator") {
        marks.push(l.text(mark).trim_start_matches('@'));
        before = mark.prev_named_sibling();
    }
    let name = l.field_text(node, "name").unwrap_or_default();
    let function = Function {
        name,
        params,
        marks,
        returns: l
            .field_text(node, "return_type")
            .map(|text| text.trim_start_matches(':').trim()),
        ..Function::default()
    };
    let id = l.function(node, function, |l| match node.child_by_field_name("body") {
        Some(body) if body.kind() == "statement_block" => l.block(body),
        Some(body) => {
            let value = l.node(body);
            vec![l.add(ExprKind::Return(Some(value)), body)]
        }
        None => Vec::new(),
    });
    let is_statement = node.kind().ends_with("_declaration") || node.kind() == "method_definition";
    if is_statement && !name.is_empty() {
        l.add(ExprKind::Define(id), node)
    } else {
        l.add(ExprKind::Lambda(id), node)
    }
}

fn parameters<'s>(l: &mut Lower<'s>, list: Node<'_>) -> Vec<Param<'s>> {
    let mut params = Vec::new();
    for node in children(list) {
        let (pattern, type_text, default) = match node.kind() {
            "required_parameter" | "optional_parameter" => (
                node.child_by_field_name("pattern"),
                l.field_text(node, "type"),
                node.child_by_field_name("value"),
            ),
            "assignment_pattern" => (
                node.child_by_field_name("left"),
                None,
                node.child_by_field_name("right"),
            ),
            "decorator" => continue,
            _ => (Some(node), None, None),
        };
        let Some(pattern) = pattern else {
            continue;
        };
        let marks = children(node)
            .into_iter()
            .filter(|mark| mark.kind() == "decorator")
            .map(|mark| l.text(mark).trim_start_matches('@'))
            .collect();
        let is_name = pattern.kind() == "identifier";
        params.push(Param {
            name: if is_name { l.text(pattern) } else { "" },
            pattern: (!is_name).then(|| l.node(pattern)),
            type_text: type_text.map(|text| text.trim_start_matches(':').trim()),
            marks,
            default: default.map(|value| l.node(value)),
        });
    }
    params
}

fn class<'s>(l: &mut Lower<'s>, node: Node<'_>) -> ExprId {
    let name = l.field_text(node, "name").unwrap_or_default();
    let mut marks: Vec<&'s str> = fields(node, "decorator")
        .into_iter()
        .map(|mark| l.text(mark).trim_start_matches('@'))
        .collect();
    for heritage in of_kind(node, "class_heritage") {
        marks.push(l.text(heritage).trim_start_matches("extends").trim());
    }
    // `@Controller() export class …` hangs on the export.
    if let Some(export) = node
        .parent()
        .filter(|parent| parent.kind() == "export_statement")
    {
        for mark in of_kind(export, "decorator") {
            marks.push(l.text(mark).trim_start_matches('@'));
        }
    }
    let body = l.class(name, marks, |l| {
        node.child_by_field_name("body")
            .map(|body| {
                let members = children(body)
                    .into_iter()
                    .filter(|member| member.kind() != "decorator")
                    .collect();
                l.all(members)
            })
            .unwrap_or_default()
    });
    l.add(ExprKind::Block(body), node)
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

fn assignment(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "augmented_assignment_expression" => l.augmented(node),
        "update_expression" => {
            let target = l.field(node, "argument");
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
        "variable_declarator" => {
            let target = l.field(node, "name");
            let value = l.maybe(node, "value");
            let type_text = l
                .field_text(node, "type")
                .map(|text| text.trim_start_matches(':').trim());
            l.assign(node, target, value, type_text)
        }
        "field_definition" | "public_field_definition" => {
            let name_field = if node.kind() == "field_definition" {
                "property"
            } else {
                "name"
            };
            let Some(name) = node.child_by_field_name(name_field) else {
                return l.opaque(node);
            };
            let type_text = l
                .field_text(node, "type")
                .map(|text| text.trim_start_matches(':').trim());
            if let Some(type_text) = type_text {
                let name = l.text(name);
                l.unit.field_types.insert(name, type_text);
            }
            let target = l.name(name);
            let value = l.maybe(node, "value");
            l.assign(node, target, value, type_text)
        }
        _ => {
            let target = l.field(node, "left");
            let value = l.maybe(node, "right");
            l.assign(node, target, value, None)
        }
    }
}

fn import(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let module = l
        .field_text(node, "source")
        .map(|source| module_path(text::unquoted(source)))
        .unwrap_or_default();
    for clause in of_kind(node, "import_clause") {
        for part in children(clause) {
            match part.kind() {
                "identifier" => l.import(l.text(part), module.clone()),
                "namespace_import" => {
                    if let Some(name) = children(part).first() {
                        l.import(l.text(*name), module.clone());
                    }
                }
                "named_imports" => {
                    for specifier in of_kind(part, "import_specifier") {
                        let name = l.field_text(specifier, "name").unwrap_or_default();
                        let alias = l.field_text(specifier, "alias").unwrap_or(name);
                        let path = if name == "default" {
                            module.clone()
                        } else {
                            format!("{module}.{name}")
                        };
                        l.import(alias, path);
                    }
                }
                _ => {}
            }
        }
    }
    l.add(ExprKind::Opaque(Vec::new()), node)
}

/// `node:fs/promises` → `fs.promises`.
pub(crate) fn module_path(module: &str) -> String {
    module.trim_start_matches("node:").replace('/', ".")
}

fn statement(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "statement_block"
        | "else_clause"
        | "lexical_declaration"
        | "variable_declaration"
        | "export_statement"
        | "labeled_statement"
        | "program"
        | "class_static_block" => {
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
            let mut all: Vec<_> = l.maybe(node, "initializer").into_iter().collect();
            let cond = l.maybe(node, "condition");
            let mut body = l.body(node, "body", &BLOCKS);
            body.extend(l.maybe(node, "increment"));
            all.push(l.loop_over(node, None, cond, body));
            l.add(ExprKind::Block(all), node)
        }
        "for_in_statement" => {
            let target = l.field(node, "left");
            let value = l.field(node, "right");
            // The keys of `for (k in o)` are as foreign as `o`.
            let body = l.body(node, "body", &BLOCKS);
            l.loop_over(node, Some((target, value)), None, body)
        }
        "switch_statement" => {
            let subject = l.maybe(node, "value");
            let mut arms = Vec::new();
            for case in node
                .child_by_field_name("body")
                .map(children)
                .unwrap_or_default()
            {
                let labels = l.maybe(case, "value").into_iter().collect();
                let body = l.all(fields(case, "body"));
                arms.push(Arm {
                    labels,
                    body,
                    falls_through: true,
                });
            }
            l.add(ExprKind::Switch { subject, arms }, node)
        }
        "try_statement" => {
            let body = l.body(node, "body", &BLOCKS);
            let handlers = node
                .child_by_field_name("handler")
                .map(|handler| l.body(handler, "body", &BLOCKS))
                .into_iter()
                .collect();
            let last = node
                .child_by_field_name("finalizer")
                .map(|last| l.body(last, "body", &BLOCKS))
                .unwrap_or_default();
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
