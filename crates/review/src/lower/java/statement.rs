//! Lowers Java statements.

use tree_sitter::Node;

use super::BLOCKS;
use crate::ir::{Arm, ExprId, ExprKind};
use crate::lower::{Lower, children, children_of_kind, fields};

pub(super) fn statement(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "block" | "constructor_body" | "labeled_statement" | "static_initializer" => {
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
            let mut all: Vec<_> = l.all(fields(node, "init"));
            let cond = l.maybe(node, "condition");
            let mut body = l.body(node, "body", &BLOCKS);
            body.extend(l.all(fields(node, "update")));
            all.push(l.loop_over(node, None, cond, body));
            l.add(ExprKind::Block(all), node)
        }
        "enhanced_for_statement" => {
            let target = match node.child_by_field_name("name") {
                Some(name) => l.name(name),
                None => return l.opaque(node),
            };
            let target = match l.field_text(node, "type") {
                Some(type_text) => l.add(ExprKind::Cast(type_text, target), node),
                None => target,
            };
            let value = l.field(node, "value");
            let body = l.body(node, "body", &BLOCKS);
            l.loop_over(node, Some((target, value)), None, body)
        }
        "switch_expression" => switch(l, node),
        "try_statement" | "try_with_resources_statement" => {
            let mut body: Vec<ExprId> = node
                .child_by_field_name("resources")
                .map(|resources| l.block(resources))
                .unwrap_or_default();
            body.extend(l.body(node, "body", &BLOCKS));
            let handlers = children_of_kind(node, "catch_clause")
                .into_iter()
                .map(|handler| l.body(handler, "body", &BLOCKS))
                .collect();
            let last = children_of_kind(node, "finally_clause")
                .into_iter()
                .flat_map(|last| l.block(last))
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
        "return_statement" => l.leave(node, ExprKind::Return),
        "throw_statement" => l.leave(node, ExprKind::Throw),
        "break_statement" => l.add(ExprKind::Break, node),
        "continue_statement" => l.add(ExprKind::Continue, node),
        _ => l.opaque(node),
    }
}

fn switch(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let subject = l.maybe(node, "condition");
    let mut arms = Vec::new();
    for group in node
        .child_by_field_name("body")
        .map(children)
        .unwrap_or_default()
    {
        let (labels, rest): (Vec<_>, Vec<_>) = children(group)
            .into_iter()
            .partition(|child| child.kind() == "switch_label");
        let labels = labels
            .into_iter()
            .flat_map(|label| l.block(label))
            .collect();
        arms.push(Arm {
            labels,
            body: l.all(rest),
            falls_through: group.kind() == "switch_block_statement_group",
        });
    }
    l.add(ExprKind::Switch { subject, arms }, node)
}
