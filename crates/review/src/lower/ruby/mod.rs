//! Lowers Ruby.

mod define;

use tree_sitter::Node;

use self::define::{class, function};
use super::{Lower, children, children_of_kind, fields, text};
use crate::ir::{Arg, Arm, Block, Const, ExprId, ExprKind};

const BLOCKS: [&str; 7] = [
    "then",
    "else",
    "do",
    "block_body",
    "body_statement",
    "begin",
    "ensure",
];

pub(super) fn lower(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "identifier" | "constant" | "self" | "instance_variable" | "class_variable"
        | "global_variable" | "super" => l.name(node),
        "string" | "chained_string" | "bare_string" | "delimited_symbol" => {
            if node.kind() == "chained_string" {
                let parts = l.block(node);
                return l.add(ExprKind::Build(parts), node);
            }
            l.built_string(node, &["string_content"], &["interpolation"])
        }
        "subshell" => {
            let command = l.built_string(node, &["string_content"], &["interpolation"]);
            l.call_named(node, "`", vec![command])
        }
        "heredoc_beginning" => heredoc(l, node),
        // A block that is passed on is walked where it is written.
        "heredoc_body" | "comment" | "uninterpreted" | "block_argument" => {
            l.add(ExprKind::Opaque(Vec::new()), node)
        }
        "simple_symbol" | "hash_key_symbol" | "bare_symbol" => {
            let content = l.text(node).trim_matches(':');
            l.string(content, node)
        }
        "character" => {
            let content = l.text(node).trim_start_matches('?');
            l.string(content, node)
        }
        "integer" => l.integer(node),
        "float" | "rational" | "complex" => l.constant(Const::Number, node),
        "true" => l.constant(Const::Bool(true), node),
        "false" => l.constant(Const::Bool(false), node),
        "nil" => l.constant(Const::Null, node),
        "regex" => regex(l, node),
        "splat_argument"
        | "hash_splat_argument"
        | "pattern"
        | "rest_assignment"
        | "interpolation"
        | "exception_variable" => l.inner(node),
        "parenthesized_statements" => {
            let body = l.block(node);
            l.add(ExprKind::Block(body), node)
        }
        "scope_resolution" => {
            let name = l.field_text(node, "name").unwrap_or_default();
            match l.maybe(node, "scope") {
                Some(scope) => l.add(ExprKind::Field(scope, name), node),
                None => l.add(ExprKind::Name(name), node),
            }
        }
        "element_reference" => element(l, node),
        "binary" => binary(l, node),
        "unary" => {
            let operand = l.field(node, "operand");
            match l.field_text(node, "operator") {
                Some("!" | "not") => l.not(node, operand),
                _ => l.add(ExprKind::Opaque(vec![operand]), node),
            }
        }
        "array"
        | "string_array"
        | "symbol_array"
        | "left_assignment_list"
        | "right_assignment_list"
        | "destructured_left_assignment" => {
            let items = l.block(node);
            l.add(ExprKind::List(items), node)
        }
        "hash" => hash(l, node),
        "call" => call(l, node),
        "yield" => {
            let args = arguments(l, children(node).first().copied());
            let callee = l.add(ExprKind::Name("yield"), node);
            l.call(node, callee, args)
        }
        "lambda" | "method" | "singleton_method" => function(l, node),
        "assignment" => assignment(l, node),
        "operator_assignment" => l.augmented(node),
        "class" | "module" => class(l, node),
        _ => statement(l, node),
    }
}

fn assignment(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let target = attribute(l, node).unwrap_or_else(|| l.field(node, "left"));
    let value = l.maybe(node, "right");
    let assigned = l.assign(node, target, value, None);
    let (ExprKind::Index(object, key), Some(value)) = (l.unit.expr(target), value) else {
        return assigned;
    };
    let (object, key) = (*object, *key);
    let is_header = l.unit.text_of(object).to_lowercase().ends_with("headers");
    if !is_header {
        return assigned;
    }
    // Any name can be that of a header, so it is a call with the name as an argument.
    let callee = l.add(ExprKind::Field(object, "[]="), node);
    let set = l.call(node, callee, vec![Arg::plain(key), Arg::plain(value)]);
    l.add(ExprKind::Block(vec![set, assigned]), node)
}

/// `object.name` on the left of an assignment, which reads like a call.
fn attribute(l: &mut Lower<'_>, node: Node<'_>) -> Option<ExprId> {
    let left = node
        .child_by_field_name("left")
        .filter(|left| left.kind() == "call" && left.child_by_field_name("arguments").is_none())?;
    let name = l.field_text(left, "method")?;
    let object = l.maybe(left, "receiver")?;
    Some(l.add(ExprKind::Field(object, name), left))
}

fn binary(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    // `list << item` and `text << more` change what is on their left.
    if l.field_text(node, "operator") == Some("<<") {
        let object = l.field(node, "left");
        let value = l.field(node, "right");
        let callee = l.add(ExprKind::Field(object, "<<"), node);
        return l.call(node, callee, vec![Arg::plain(value)]);
    }
    l.binary(node)
}

fn regex(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    if !children_of_kind(node, "interpolation").is_empty() {
        let built = l.built_string(node, &["string_content"], &["interpolation"]);
        return l.call_named(node, "Regexp.new", vec![built]);
    }
    let pattern = l.text(node);
    let pattern = pattern.trim_start_matches("%r");
    let pattern = pattern.get(1..).unwrap_or_default();
    let end = pattern
        .rfind(['/', '}', ')', ']', '!', '|'])
        .unwrap_or(pattern.len());
    let pattern = pattern.get(..end).unwrap_or_default();
    l.constant(Const::Regex(pattern.into()), node)
}

/// The text of a heredoc follows the line that begins it.
fn heredoc(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let mut at: Option<Node<'_>> = Some(node);
    for _ in 0..12 {
        let Some(inside) = at else { break };
        let mut next = l.index.next_sibling(inside);
        while let Some(sibling) = next.filter(|_| l.budget.spend(1)) {
            if sibling.kind() == "heredoc_body" {
                return l.built_string(sibling, &["heredoc_content"], &["interpolation"]);
            }
            next = l.index.next_sibling(sibling);
        }
        at = l.index.parent(inside);
    }
    l.string("", node)
}

fn element(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let object_node = node.child_by_field_name("object");
    let object = l.field(node, "object");
    let index = children(node)
        .into_iter()
        .find(|child| Some(*child) != object_node)
        .map(|child| l.node(child));
    match index {
        Some(index) => l.add(ExprKind::Index(object, index), node),
        None => object,
    }
}

fn hash(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let mut pairs = Vec::new();
    for child in children(node) {
        if child.kind() == "pair" {
            let key = l.field(child, "key");
            let value = l.field(child, "value");
            pairs.push((key, value));
        } else {
            let key = l.add(ExprKind::Opaque(Vec::new()), child);
            let value = l.node(child);
            pairs.push((key, value));
        }
    }
    l.add(ExprKind::Map(pairs), node)
}

fn call(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let name = l.field_text(node, "method").unwrap_or("call");
    let callee = match l.maybe(node, "receiver") {
        Some(receiver) => l.add(ExprKind::Field(receiver, name), node),
        None => l.add(ExprKind::Name(name), node),
    };
    let list = node.child_by_field_name("arguments");
    let mut args = arguments(l, list);
    if let Some(block) = node.child_by_field_name("block") {
        args.push(Arg::plain(function(l, block)));
    }
    l.call(node, callee, args)
}

fn arguments<'s>(l: &mut Lower<'s>, list: Option<Node<'_>>) -> Vec<Arg<'s>> {
    let mut args = Vec::new();
    for node in list.map(children).unwrap_or_default() {
        let is_word = node.child_by_field_name("key").is_some_and(|key| {
            matches!(key.kind(), "hash_key_symbol" | "simple_symbol" | "string")
        });
        if node.kind() == "pair" && is_word {
            let name = l
                .field_text(node, "key")
                .map(|key| text::unquoted(key.trim_matches(':')));
            let value = match l.maybe(node, "value") {
                Some(value) => value,
                // `f(name:)` passes the variable of that name.
                None => l.add(ExprKind::Name(name.unwrap_or_default()), node),
            };
            args.push(Arg { name, value });
        } else {
            args.push(Arg::plain(l.node(node)));
        }
    }
    args
}

/// Statements, with any `rescue` around them.
fn block(l: &mut Lower<'_>, node: Node<'_>) -> Block {
    let (rescues, rest): (Vec<_>, Vec<_>) = children(node)
        .into_iter()
        .partition(|child| matches!(child.kind(), "rescue" | "ensure"));
    let body = l.all(rest);
    if rescues.is_empty() {
        return body;
    }
    let mut handlers = Vec::new();
    let mut last = Vec::new();
    for clause in rescues {
        if clause.kind() == "ensure" {
            last = l.block(clause);
        } else {
            let mut handler = l.body(clause, "body", &BLOCKS);
            if let Some(error) = l.maybe(clause, "variable") {
                handler.insert(0, l.caught(clause, error));
            }
            handlers.push(handler);
        }
    }
    vec![l.add(
        ExprKind::Try {
            body,
            handlers,
            last,
        },
        node,
    )]
}

fn statement(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    match node.kind() {
        "then" | "else" | "do" | "block_body" | "body_statement" | "begin" | "program"
        | "begin_block" => {
            let body = block(l, node);
            l.add(ExprKind::Block(body), node)
        }
        "if" | "elsif" | "unless" | "conditional" => {
            let mut cond = l.field(node, "condition");
            if node.kind() == "unless" {
                cond = l.not(node, cond);
            }
            let then = l.body(node, "consequence", &BLOCKS);
            let other = l.body(node, "alternative", &BLOCKS);
            l.if_else(node, cond, then, other)
        }
        "if_modifier" | "unless_modifier" => {
            let mut cond = l.field(node, "condition");
            if node.kind() == "unless_modifier" {
                cond = l.not(node, cond);
            }
            let then = l.body(node, "body", &BLOCKS);
            l.if_else(node, cond, then, Vec::new())
        }
        "while" | "until" | "while_modifier" | "until_modifier" => {
            let cond = l.maybe(node, "condition");
            let body = l.body(node, "body", &BLOCKS);
            l.loop_over(node, None, cond, body)
        }
        "for" => {
            let target = l.field(node, "pattern");
            let value = l.field(node, "value");
            let body = l.body(node, "body", &BLOCKS);
            l.loop_over(node, Some((target, value)), None, body)
        }
        "case" => case(l, node),
        "rescue_modifier" => {
            let body = l.body(node, "body", &BLOCKS);
            let handler = l.body(node, "handler", &BLOCKS);
            l.add(
                ExprKind::Try {
                    body,
                    handlers: vec![handler],
                    last: Vec::new(),
                },
                node,
            )
        }
        "return" | "next" => {
            let value = children(node)
                .first()
                .and_then(|list| children(*list).first().copied())
                .map(|value| l.node(value));
            l.add(ExprKind::Return(value), node)
        }
        "break" => l.add(ExprKind::Break, node),
        _ => l.opaque(node),
    }
}

fn case(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let subject = l.maybe(node, "value");
    let mut arms = Vec::new();
    for clause in children(node) {
        match clause.kind() {
            "when" => {
                let labels = l.all(fields(clause, "pattern"));
                let body = l.body(clause, "body", &BLOCKS);
                arms.push(Arm {
                    labels,
                    body,
                    falls_through: false,
                });
            }
            "else" => arms.push(Arm {
                labels: Vec::new(),
                body: l.block(clause),
                falls_through: false,
            }),
            _ => {}
        }
    }
    l.add(ExprKind::Switch { subject, arms }, node)
}
