//! Lowers Java classes, methods and their parameters.

use tree_sitter::Node;

use super::BLOCKS;
use crate::ir::{ExprId, ExprKind, Function, Param};
use crate::lower::{Lower, children, children_of_kind};

pub(super) fn declaration(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
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
    children_of_kind(node, "modifiers")
        .into_iter()
        .flat_map(children)
        .filter(|mark| matches!(mark.kind(), "annotation" | "marker_annotation"))
        .map(|mark| l.text(mark).trim_start_matches('@'))
        .collect()
}

pub(super) fn parameters<'s>(l: &mut Lower<'s>, list: Node<'_>) -> Vec<Param<'s>> {
    children(list)
        .into_iter()
        .map(|param| {
            let name = match param.kind() {
                "identifier" => Some(param),
                "spread_parameter" => children_of_kind(param, "variable_declarator")
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
