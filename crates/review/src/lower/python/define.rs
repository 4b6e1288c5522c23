//! Lowers Python functions, classes and imports.

use tree_sitter::Node;

use super::super::{Lower, children, children_of_kind, fields};
use super::BLOCKS;
use crate::ir::{ExprId, ExprKind, Function, Param};

pub(super) fn parameters<'s>(l: &mut Lower<'s>, list: Node<'_>) -> Vec<Param<'s>> {
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

pub(super) fn definition<'s>(l: &mut Lower<'s>, node: Node<'_>, marks: Vec<&'s str>) -> ExprId {
    match node.kind() {
        "decorated_definition" => {
            let mut all: Vec<&'s str> = Vec::new();
            let mut values = Vec::new();
            for decorator in children_of_kind(node, "decorator") {
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

pub(super) fn import(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let module = l
        .field_text(node, "module_name")
        .map(|module| module.trim_start_matches('.'));
    let is_fallback = is_fallback(l, node);
    for name in fields(node, "name") {
        let (path, alias) = if name.kind() == "aliased_import" {
            let path = l.field_text(name, "name").unwrap_or_default();
            (path, l.field_text(name, "alias").unwrap_or(path))
        } else {
            let path = l.text(name);
            (path, path)
        };
        if is_fallback && l.knows_import(alias) {
            continue;
        }
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

/// Imported where the import of something better has failed.
fn is_fallback(l: &Lower<'_>, import: Node<'_>) -> bool {
    let block = l.index.parent(import);
    let around = block.and_then(|block| l.index.parent(block));
    around.is_some_and(|around| around.kind() == "except_clause")
}
