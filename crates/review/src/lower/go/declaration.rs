//! Lowers Go functions, imports and types.

use tree_sitter::Node;

use super::BLOCKS;
use crate::ir::{ExprId, ExprKind, Function, Param};
use crate::lower::{Lower, children, children_of_kind, fields, text};

pub(super) fn function(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let mut params = node
        .child_by_field_name("parameters")
        .map(|list| parameters(l, list))
        .unwrap_or_default();
    let receiver = node
        .child_by_field_name("receiver")
        .map(|list| parameters(l, list))
        .and_then(|mut list| list.pop());
    let class = receiver
        .as_ref()
        .and_then(|receiver| receiver.type_text)
        .map(|text| text.trim_start_matches('*'));
    // Last, so that the positions of the others are those of a call.
    params.extend(receiver);
    let name = l.field_text(node, "name").unwrap_or_default();
    let function = Function {
        name,
        params,
        returns: l.field_text(node, "result"),
        ..Function::default()
    };
    let outer = std::mem::replace(&mut l.class, class);
    if let Some(class) = class {
        l.unit.classes.entry(class).or_default();
    }
    let id = l.function(node, function, |l| l.body(node, "body", &BLOCKS));
    l.class = outer;
    if node.kind() == "func_literal" {
        l.add(ExprKind::Lambda(id), node)
    } else {
        l.add(ExprKind::Define(id), node)
    }
}

fn parameters<'s>(l: &mut Lower<'s>, list: Node<'_>) -> Vec<Param<'s>> {
    let mut params = Vec::new();
    for declaration in children(list) {
        let type_text = l.field_text(declaration, "type");
        let names = fields(declaration, "name");
        if names.is_empty() {
            params.push(Param {
                type_text,
                ..Param::default()
            });
        }
        for name in names {
            params.push(Param {
                name: l.text(name),
                type_text,
                ..Param::default()
            });
        }
    }
    params
}

pub(super) fn import(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let mut specs = children_of_kind(node, "import_spec");
    for list in children_of_kind(node, "import_spec_list") {
        specs.extend(children_of_kind(list, "import_spec"));
    }
    for spec in specs {
        let Some(path) = l.field_text(spec, "path").map(text::unquoted) else {
            continue;
        };
        // `github.com/labstack/echo/v4` is used as `echo`.
        let mut parts: Vec<&str> = path.split('/').collect();
        if parts.len() > 1
            && parts.last().is_some_and(|last| {
                last.strip_prefix('v')
                    .is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit()))
            })
        {
            parts.pop();
        }
        let last = parts.last().copied().unwrap_or(path);
        let usual = last.split('.').next().unwrap_or(last);
        let name = l.field_text(spec, "name").unwrap_or(usual);
        l.import(name, parts.join("/"));
    }
    l.add(ExprKind::Opaque(Vec::new()), node)
}

pub(super) fn type_declaration(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    for spec in children_of_kind(node, "type_spec") {
        let Some(type_node) = spec.child_by_field_name("type") else {
            continue;
        };
        for list in children_of_kind(type_node, "field_declaration_list") {
            for field in children_of_kind(list, "field_declaration") {
                let Some(type_text) = l.field_text(field, "type") else {
                    continue;
                };
                for name in fields(field, "name") {
                    let name = l.text(name);
                    l.unit.field_types.insert(name, type_text);
                }
            }
        }
    }
    l.add(ExprKind::Opaque(Vec::new()), node)
}
