//! Lowers Rust statements, which are expressions.

use tree_sitter::Node;

use super::BLOCKS;
use crate::ir::{Arm, ExprId, ExprKind};
use crate::lower::{Lower, children_of_kind};

pub(super) fn statement(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "block" | "else_clause" | "declaration_list" => {
            let body = l.block(node);
            l.add(ExprKind::Block(body), node)
        }
        "let_chain" => {
            let parts = l.block(node);
            l.add(ExprKind::Opaque(parts), node)
        }
        "if_expression" => {
            let cond = l.field(node, "condition");
            let then = l.body(node, "consequence", &BLOCKS);
            let other = l.body(node, "alternative", &["block", "else_clause"]);
            l.if_else(node, cond, then, other)
        }
        "while_expression" | "loop_expression" => {
            let cond = l.maybe(node, "condition");
            let body = l.body(node, "body", &BLOCKS);
            l.loop_over(node, None, cond, body)
        }
        "for_expression" => {
            let target = l.field(node, "pattern");
            let value = l.field(node, "value");
            let body = l.body(node, "body", &BLOCKS);
            l.loop_over(node, Some((target, value)), None, body)
        }
        "match_expression" => match_expression(l, node),
        "return_expression" => l.leave(node, ExprKind::Return),
        "break_expression" => l.add(ExprKind::Break, node),
        "continue_expression" => l.add(ExprKind::Continue, node),
        _ => l.opaque(node),
    }
}

fn match_expression(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let subject = l.field(node, "value");
    let mut arms = Vec::new();
    for arm in node
        .child_by_field_name("body")
        .map(|body| children_of_kind(body, "match_arm"))
        .unwrap_or_default()
    {
        let Some(pattern) = arm.child_by_field_name("pattern") else {
            continue;
        };
        let is_default = l.text(pattern) == "_";
        let target = l.node(pattern);
        let bound = l.assign(pattern, target, Some(subject), None);
        let value = l.field(arm, "value");
        let is_literal = matches!(l.unit.expr(target), ExprKind::Const(_));
        let label = if is_literal {
            target
        } else {
            l.add(ExprKind::Opaque(Vec::new()), pattern)
        };
        arms.push(Arm {
            labels: if is_default { Vec::new() } else { vec![label] },
            body: if is_literal {
                vec![value]
            } else {
                vec![bound, value]
            },
            falls_through: false,
        });
    }
    l.add(
        ExprKind::Switch {
            subject: Some(subject),
            arms,
        },
        node,
    )
}
