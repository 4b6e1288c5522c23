//! Lowers JavaScript assignments and imports.

use tree_sitter::Node;

use super::super::{Lower, children, children_of_kind, text};
use crate::ir::{Const, ExprId, ExprKind, Op};

pub(super) fn assignment(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
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

pub(super) fn import(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let module = l
        .field_text(node, "source")
        .map(|source| module_path(text::unquoted(source)))
        .unwrap_or_default();
    for clause in children_of_kind(node, "import_clause") {
        for part in children(clause) {
            match part.kind() {
                "identifier" => l.import(l.text(part), module.clone()),
                "namespace_import" => {
                    if let Some(name) = children(part).first() {
                        l.import(l.text(*name), module.clone());
                    }
                }
                "named_imports" => {
                    for specifier in children_of_kind(part, "import_specifier") {
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
