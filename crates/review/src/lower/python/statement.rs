//! Lowers Python statements.

use tree_sitter::Node;

use super::super::{Lower, children, children_of_kind, fields};
use super::BLOCKS;
use crate::ir::{Arm, Block, ExprId, ExprKind};

/// A chain of `elif` this long is a table, not a decision.
const MAX_ALTERNATIVES: usize = 40;

pub(super) fn statement(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "block" | "module" | "else_clause" => {
            let body = l.block(node);
            l.add(ExprKind::Block(body), node)
        }
        "if_statement" => if_statement(l, node, fields(node, "alternative")),
        "while_statement" => {
            let cond = l.maybe(node, "condition");
            let body = l.body(node, "body", &BLOCKS);
            l.loop_over(node, None, cond, body)
        }
        "for_statement" => {
            let target = l.field(node, "left");
            let value = l.field(node, "right");
            let body = l.body(node, "body", &BLOCKS);
            l.loop_over(node, Some((target, value)), None, body)
        }
        "with_statement" => {
            let mut all = Vec::new();
            for clause in children_of_kind(node, "with_clause") {
                for item in children_of_kind(clause, "with_item") {
                    all.push(l.field(item, "value"));
                }
            }
            all.extend(l.body(node, "body", &BLOCKS));
            l.add(ExprKind::Block(all), node)
        }
        "as_pattern" => {
            let value = l.inner(node);
            match node
                .child_by_field_name("alias")
                .and_then(|alias| alias.named_child(0).or(Some(alias)))
            {
                Some(alias) => {
                    let target = l.node(alias);
                    l.assign(node, target, Some(value), None)
                }
                None => value,
            }
        }
        "try_statement" => {
            let mut body = l.body(node, "body", &BLOCKS);
            for clause in children_of_kind(node, "else_clause") {
                body.push(l.node(clause));
            }
            let handlers = children_of_kind(node, "except_clause")
                .into_iter()
                .map(|clause| except(l, clause))
                .collect();
            let last = children_of_kind(node, "finally_clause")
                .into_iter()
                .flat_map(|clause| l.block(clause))
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
        "match_statement" => match_statement(l, node),
        "return_statement" => l.leave(node, ExprKind::Return),
        "raise_statement" => l.leave(node, ExprKind::Throw),
        "break_statement" => l.add(ExprKind::Break, node),
        "continue_statement" => l.add(ExprKind::Continue, node),
        _ => l.opaque(node),
    }
}

fn match_statement(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let subject = l.maybe(node, "subject");
    let mut arms = Vec::new();
    for case in node
        .child_by_field_name("body")
        .map(children)
        .unwrap_or_default()
    {
        let mut labels = labels(l, case);
        let mut body = captured(l, case, subject);
        let then = l.body(case, "consequence", &BLOCKS);
        match case.child_by_field_name("guard") {
            Some(guard) => {
                labels.push(l.add(ExprKind::Opaque(Vec::new()), guard));
                let cond = l.inner(guard);
                body.push(l.if_else(case, cond, then, Vec::new()));
            }
            None => body.extend(then),
        }
        arms.push(Arm {
            labels,
            body,
            falls_through: false,
        });
    }
    l.add(ExprKind::Switch { subject, arms }, node)
}

/// The values that a case matches, with `a | b` as two; empty for a case that always matches.
fn labels(l: &mut Lower<'_>, case: Node<'_>) -> Vec<ExprId> {
    let mut labels = Vec::new();
    for pattern in children_of_kind(case, "case_pattern") {
        let unions = children_of_kind(pattern, "union_pattern");
        if let [union] = unions.as_slice() {
            labels.extend(children(*union).into_iter().map(|one| l.node(one)));
        } else if l.text(pattern) != "_" && !is_capture(l, pattern) {
            labels.push(l.inner(pattern));
        }
    }
    labels
}

/// `case name` and `case … as name` give the subject a name.
fn captured(l: &mut Lower<'_>, case: Node<'_>, subject: Option<ExprId>) -> Block {
    let mut body = Vec::new();
    for pattern in children_of_kind(case, "case_pattern") {
        let named = match children(pattern).as_slice() {
            [one] if one.kind() == "as_pattern" => children(*one).pop(),
            [one] if is_capture(l, pattern) => Some(*one),
            _ => None,
        };
        if let Some(named) = named {
            let target = l.name(named);
            body.push(l.assign(case, target, subject, None));
        }
    }
    body
}

/// A name alone fits whatever there is.
fn is_capture(l: &Lower<'_>, pattern: Node<'_>) -> bool {
    match children(pattern).as_slice() {
        [one] => one.kind() == "dotted_name" && !l.text(*one).contains('.'),
        _ => false,
    }
}

/// Each alternative is inside the one before it, unless there are very many.
fn if_statement(l: &mut Lower<'_>, node: Node<'_>, alternatives: Vec<Node<'_>>) -> ExprId {
    if alternatives.len() > MAX_ALTERNATIVES {
        return many_alternatives(l, node, alternatives);
    }
    let cond = l.field(node, "condition");
    let then = l.body(node, "consequence", &BLOCKS);
    let mut other = Vec::new();
    for alternative in alternatives.into_iter().rev() {
        if alternative.kind() == "elif_clause" {
            let cond = l.field(alternative, "condition");
            let then = l.body(alternative, "consequence", &BLOCKS);
            other = vec![l.if_else(alternative, cond, then, other)];
        } else {
            other = l.body(alternative, "body", &BLOCKS);
        }
    }
    l.if_else(node, cond, then, other)
}

/// The arms of a switch, side by side, each with its condition in front.
fn many_alternatives(l: &mut Lower<'_>, node: Node<'_>, alternatives: Vec<Node<'_>>) -> ExprId {
    let mut arms = Vec::new();
    for part in std::iter::once(node).chain(alternatives) {
        let is_last = part.kind() == "else_clause";
        let label = l.add(ExprKind::Opaque(Vec::new()), part);
        let mut body: Vec<_> = l.maybe(part, "condition").into_iter().collect();
        let field = if is_last { "body" } else { "consequence" };
        body.extend(l.body(part, field, &BLOCKS));
        arms.push(Arm {
            labels: if is_last { Vec::new() } else { vec![label] },
            body,
            falls_through: false,
        });
    }
    let subject = None;
    l.add(ExprKind::Switch { subject, arms }, node)
}
/// `except Error as name:` gives the error to the name.
fn except(l: &mut Lower<'_>, clause: Node<'_>) -> Block {
    let mut body = Vec::new();
    for part in children(clause) {
        let alias = (part.kind() == "as_pattern")
            .then(|| part.child_by_field_name("alias"))
            .flatten();
        match alias.and_then(|alias| alias.named_child(0).or(Some(alias))) {
            Some(alias) => {
                let target = l.node(alias);
                body.push(l.caught(part, target));
            }
            None if part.kind() == "block" => body.extend(l.block(part)),
            None => body.push(l.node(part)),
        }
    }
    body
}
