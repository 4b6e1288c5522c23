//! Lowers Go statements.

use tree_sitter::Node;

use super::BLOCKS;
use crate::ir::{Arm, ExprId, ExprKind};
use crate::lower::{Lower, children, children_of_kind};

pub(super) fn statement(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "block" | "statement_list" | "labeled_statement" | "var_declaration"
        | "const_declaration" | "var_spec_list" => {
            let body = l.block(node);
            l.add(ExprKind::Block(body), node)
        }
        "if_statement" => {
            let before = l.maybe(node, "initializer");
            let cond = l.field(node, "condition");
            let then = l.body(node, "consequence", &BLOCKS);
            let other = l.body(node, "alternative", &BLOCKS);
            let branch = l.if_else(node, cond, then, other);
            match before {
                Some(before) => l.add(ExprKind::Block(vec![before, branch]), node),
                None => branch,
            }
        }
        "for_statement" => for_statement(l, node),
        "expression_switch_statement" | "type_switch_statement" | "select_statement" => {
            switch(l, node)
        }
        "return_statement" => {
            // An error next to the value is not part of it.
            let list = children(node).first().copied();
            let value = list
                .and_then(|list| children(list).first().copied())
                .map(|value| l.node(value));
            l.add(ExprKind::Return(value), node)
        }
        "break_statement" => l.add(ExprKind::Break, node),
        "continue_statement" => l.add(ExprKind::Continue, node),
        _ => l.opaque(node),
    }
}

fn for_statement(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let mut before = Vec::new();
    let mut after = Vec::new();
    let mut bind = None;
    let mut cond = None;
    for head in children(node) {
        match head.kind() {
            "block" => {}
            "for_clause" => {
                before.extend(l.maybe(head, "initializer"));
                cond = l.maybe(head, "condition");
                after.extend(l.maybe(head, "update"));
            }
            "range_clause" => {
                let targets = head
                    .child_by_field_name("left")
                    .map(children)
                    .unwrap_or_default();
                let value = l.field(head, "right");
                let target = match targets.as_slice() {
                    [_, element, ..] => l.node(*element),
                    _ => l.add(ExprKind::Opaque(Vec::new()), head),
                };
                bind = Some((target, value));
            }
            _ => cond = Some(l.node(head)),
        }
    }
    let mut body = l.body(node, "body", &BLOCKS);
    body.extend(after);
    before.push(l.loop_over(node, bind, cond, body));
    l.add(ExprKind::Block(before), node)
}

fn switch(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let mut all: Vec<_> = l.maybe(node, "initializer").into_iter().collect();
    let subject = l.maybe(node, "value");
    if let (Some(alias), Some(subject)) = (l.maybe(node, "alias"), subject) {
        all.push(l.assign(node, alias, Some(subject), None));
    }
    let mut arms = Vec::new();
    for case in children(node) {
        let labels = match case.kind() {
            "expression_case" => case
                .child_by_field_name("value")
                .map(|values| l.block(values))
                .unwrap_or_default(),
            "type_case" => vec![l.add(ExprKind::Opaque(Vec::new()), case)],
            "communication_case" => {
                let value = l.field(case, "communication");
                vec![l.add(ExprKind::Opaque(vec![value]), case)]
            }
            "default_case" => Vec::new(),
            _ => continue,
        };
        let body = children_of_kind(case, "statement_list")
            .into_iter()
            .flat_map(|list| l.block(list))
            .collect();
        arms.push(Arm {
            labels,
            body,
            falls_through: false,
        });
    }
    let is_expression = node.kind() == "expression_switch_statement";
    all.push(l.add(
        ExprKind::Switch {
            subject: subject.filter(|_| is_expression),
            arms,
        },
        node,
    ));
    l.add(ExprKind::Block(all), node)
}
