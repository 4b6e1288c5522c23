//! What was meant to be removed before the change was shown.

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::engine::is_test_path;
use crate::language::Language;
use crate::syntax::{field, text_of};

pub(super) const DEBUGGING: Check = Check {
    name: "debug-leftover",
    kinds: &[
        "debugger_statement",
        "call",
        "call_expression",
        "macro_invocation",
        "identifier",
    ],
    look: debugging,
};

pub(super) const BARE_TODO: Check = Check {
    name: "todo-without-context",
    kinds: &["comment", "line_comment", "block_comment"],
    look: bare_todo,
};

fn debugging(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let text = context.text;
    let left = match (context.language, node.kind()) {
        (_, "debugger_statement") => true,
        (Language::Python, "call") => matches!(
            field(node, "function", text)?,
            "breakpoint"
                | "pdb.set_trace"
                | "ipdb.set_trace"
                | "pudb.set_trace"
                | "debugpy.breakpoint"
        ),
        (Language::JavaScript | Language::TypeScript | Language::Tsx, "call_expression") => {
            let function = field(node, "function", text)?;
            matches!(function, "console.log" | "console.debug" | "alert")
                && is_scribble(field(node, "arguments", text)?)
        }
        (Language::Go, "call_expression") => {
            let function = field(node, "function", text)?;
            matches!(function, "fmt.Println" | "println" | "spew.Dump")
                && is_scribble(field(node, "arguments", text)?)
        }
        (Language::Rust, "macro_invocation") => field(node, "macro", text)? == "dbg",
        (Language::Ruby, "call") => {
            field(node, "receiver", text) == Some("binding")
                && matches!(field(node, "method", text)?, "pry" | "irb" | "break")
        }
        (Language::Ruby, "identifier") => {
            matches!(text_of(node, text), "byebug" | "debugger")
                && node.parent().is_some_and(|parent| {
                    matches!(
                        parent.kind(),
                        "body_statement" | "block_body" | "program" | "then"
                    )
                })
        }
        _ => false,
    };
    // Tests of a debugger call it.
    (left && !is_test_path(context.path)).then(|| node.byte_range())
}

/// What people print to see whether a line is reached.
fn is_scribble(arguments: &str) -> bool {
    let inner = arguments.trim_matches(['(', ')', ' ']);
    let words = [
        "here", "asdf", "xxx", "debug", "test", "foo", "hello", "wtf", "here1", "here2", ">>>",
        "***", "!!!", "===", "aaa", "lol",
    ];
    let said = inner.split(',').next().unwrap_or("").trim();
    let quoted = said.starts_with(['"', '\'', '`']);
    let said = said
        .trim_matches(['"', '\'', '`', ':', ' ', '!', '.'])
        .to_ascii_lowercase();
    quoted && words.contains(&said.as_str())
}

/// A note to oneself that tells nobody else what to do.
fn bare_todo(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let said = text_of(node, context.text);
    let said = said
        .trim_start_matches(['/', '#', '*', '!', ' ', '-'])
        .trim_end_matches(['*', '/', ' ']);
    let rest = ["TODO", "FIXME", "XXX", "HACK"]
        .iter()
        .find_map(|mark| said.strip_prefix(mark))?;
    let named = rest.starts_with('(');
    let refers = rest.contains('#')
        || rest.contains("http")
        || rest.contains(|letter: char| letter.is_ascii_digit());
    let words = rest
        .split_whitespace()
        .filter(|word| word.chars().any(char::is_alphabetic))
        .count();
    (!named && !refers && words < 3 && !said.contains('\n')).then(|| node.byte_range())
}
