//! Lowers Rust functions, implementations, types and imports.

use tree_sitter::Node;

use super::BLOCKS;
use crate::ir::{ExprId, ExprKind, Function, Param};
use crate::lower::{Lower, MAX_DEPTH, children, children_of_kind};

pub(super) fn item(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "struct_item" => {
            for list in children_of_kind(node, "field_declaration_list") {
                for field in children_of_kind(list, "field_declaration") {
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

pub(super) fn function(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let params = node
        .child_by_field_name("parameters")
        .map(|list| parameters(l, list))
        .unwrap_or_default();
    let mut marks = Vec::new();
    let before = l.index.named_before(node);
    for mark in before.take_while(|mark| mark.kind() == "attribute_item") {
        marks.push(l.text(mark).trim_matches(['#', '[', ']']));
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

pub(super) fn import(l: &mut Lower<'_>, node: Node<'_>, prefix: &str) {
    if l.nested >= MAX_DEPTH {
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
