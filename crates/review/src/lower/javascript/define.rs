//! Lowers JavaScript functions and classes.

use tree_sitter::Node;

use super::super::{Lower, children, children_of_kind, fields};
use crate::ir::{ExprId, ExprKind, Function, Param};

pub(super) fn function(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
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
    // In TypeScript, decorators of methods precede them in the class body.
    let before = l.index.named_before(node);
    for mark in before.take_while(|mark| mark.kind() == "decorator") {
        marks.push(l.text(mark).trim_start_matches('@'));
    }
    marks.extend(exported_as(l, node));
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

pub(super) fn class<'s>(l: &mut Lower<'s>, node: Node<'_>) -> ExprId {
    let name = l.field_text(node, "name").unwrap_or_default();
    let mut marks: Vec<&'s str> = fields(node, "decorator")
        .into_iter()
        .map(|mark| l.text(mark).trim_start_matches('@'))
        .collect();
    for heritage in children_of_kind(node, "class_heritage") {
        marks.push(l.text(heritage).trim_start_matches("extends").trim());
    }
    // `@Controller() export class …` hangs on the export.
    if let Some(export) = l
        .index
        .parent(node)
        .filter(|parent| parent.kind() == "export_statement")
    {
        for mark in children_of_kind(export, "decorator") {
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

/// What a function is given to the world as: `exports.handler = …`, or
/// `export.handler` for `export const handler = …`, or `export.page` for the
/// default export that is a page of Next.
fn exported_as<'s>(l: &Lower<'s>, node: Node<'_>) -> Option<&'s str> {
    let parent = l.index.parent(node)?;
    match parent.kind() {
        "export_statement" => {
            let is_page = l
                .field_text(node, "parameters")
                .is_some_and(|list| list.contains("searchParams"));
            (is_page && l.text(parent).starts_with("export default")).then_some("export.page")
        }
        "assignment_expression" => l
            .field_text(parent, "left")
            .filter(|left| left.contains("exports.")),
        "variable_declarator" => {
            let export = l.index.parent(l.index.parent(parent)?)?;
            let is_handler = l.field_text(parent, "name") == Some("handler");
            (export.kind() == "export_statement" && is_handler).then_some("export.handler")
        }
        _ => None,
    }
}
