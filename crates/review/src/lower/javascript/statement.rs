//! Lowers JavaScript statements.

use tree_sitter::Node;

use super::super::{Lower, children, fields};
use crate::ir::{Arm, ExprId, ExprKind};

const BLOCKS: [&str; 2] = ["statement_block", "else_clause"];

pub(super) fn statement(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
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
                .map(|handler| {
                    let mut body = l.body(handler, "body", &BLOCKS);
                    if let Some(error) = l.maybe(handler, "parameter") {
                        body.insert(0, l.caught(handler, error));
                    }
                    body
                })
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
        "return_statement" => l.leave(node, ExprKind::Return),
        "throw_statement" => l.leave(node, ExprKind::Throw),
        "break_statement" => l.add(ExprKind::Break, node),
        "continue_statement" => l.add(ExprKind::Continue, node),
        _ => l.opaque(node),
    }
}
