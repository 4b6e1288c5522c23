//! Lowers Rust macros, whose arguments are only tokens in the grammar.

use tree_sitter::Node;

use crate::ir::{Arg, Const, ExprId, ExprKind};
use crate::lower::{Lower, MAX_DEPTH, children_of_kind};

/// Macros whose arguments are a template and what goes into it.
const FORMATTING: [&str; 20] = [
    "format",
    "print",
    "println",
    "eprint",
    "eprintln",
    "panic",
    "write",
    "writeln",
    "info",
    "warn",
    "error",
    "debug",
    "trace",
    "bail",
    "anyhow",
    "ensure",
    "assert",
    "unreachable",
    "format_args",
    "log",
];

/// The grammar gives a macro's arguments as tokens, so they are read here as
/// far as names, fields, calls and literals go.
pub(super) fn macro_invocation(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let path = l.field_text(node, "macro").unwrap_or_default();
    let name = path.rsplit("::").next().unwrap_or(path);
    let mut args: Vec<ExprId> = children_of_kind(node, "token_tree")
        .into_iter()
        .flat_map(|tree| token_arguments(l, tree))
        .collect();
    if FORMATTING.contains(&name) {
        let template = args.iter().position(|arg| {
            matches!(
                l.unit.expr(*arg),
                ExprKind::Const(Const::Str(_)) | ExprKind::Build(_)
            )
        });
        if let Some(template) = template {
            let parts = args.split_off(template);
            args.push(l.add(ExprKind::Build(parts), node));
        }
        if name == "format"
            && let [built] = args.as_slice()
        {
            return *built;
        }
    }
    // With its exclamation mark, which follows it in the text.
    let end = node
        .child_by_field_name("macro")
        .map_or(node.end_byte(), |name| name.end_byte());
    let start = end - name.len();
    let full = l.unit.text.get(start..end + 1).unwrap_or(name);
    let callee = l.add(ExprKind::Name(full), node);
    l.call(node, callee, args.into_iter().map(Arg::plain).collect())
}

fn token_arguments(l: &mut Lower<'_>, tree: Node<'_>) -> Vec<ExprId> {
    let mut cursor = tree.walk();
    let tokens: Vec<Node<'_>> = tree.children(&mut cursor).collect();
    let inner = tokens.get(1..tokens.len().saturating_sub(1)).unwrap_or(&[]);
    inner
        .split(|token| token.kind() == ",")
        .filter_map(|group| Some(token_expression(l, *group.first()?, group)))
        .collect()
}

fn token_expression(l: &mut Lower<'_>, first: Node<'_>, tokens: &[Node<'_>]) -> ExprId {
    let mut parts: Vec<ExprId> = Vec::new();
    let mut joined = false;
    for token in tokens {
        match token.kind() {
            "." | "::" => joined = true,
            // The part before it names a field: `user = %name`.
            "=" => parts.clear(),
            "identifier" | "self" | "crate" => {
                let text = l.text(*token);
                let object = if joined { parts.pop() } else { None };
                let id = match object {
                    Some(object) => l.add(ExprKind::Field(object, text), *token),
                    None => l.add(ExprKind::Name(text), *token),
                };
                parts.push(id);
                joined = false;
            }
            "token_tree" if l.nested < MAX_DEPTH => {
                l.nested += 1;
                let args = token_arguments(l, *token);
                l.nested -= 1;
                match parts.pop() {
                    Some(callee) if l.text(*token).starts_with('(') => {
                        let args = args.into_iter().map(Arg::plain).collect();
                        parts.push(l.call(*token, callee, args));
                    }
                    before => {
                        parts.extend(before);
                        parts.extend(args);
                    }
                }
            }
            "string_literal" | "raw_string_literal" => parts.push(template(l, *token)),
            _ if token.is_named() => parts.push(l.node(*token)),
            _ => {}
        }
    }
    if let [one] = parts.as_slice() {
        return *one;
    }
    l.add(ExprKind::Opaque(parts), first)
}

/// `"{name} {}"` also takes in the variable `name`.
fn template(l: &mut Lower<'_>, node: Node<'_>) -> ExprId {
    let literal = l.built_string(node, &["string_content"], &[]);
    let text = l.text(node);
    let mut parts = vec![literal];
    for piece in text.split('{').skip(1) {
        let name = piece.split(['}', ':']).next().unwrap_or_default();
        let is_name = name
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_name {
            parts.push(l.add(ExprKind::Name(name), node));
        }
    }
    if parts.len() == 1 {
        return literal;
    }
    l.add(ExprKind::Build(parts), node)
}
