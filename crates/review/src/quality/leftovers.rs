//! Code that was meant to be removed before review.

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
        "method_invocation",
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
            let arguments = field(node, "arguments", text)?;
            matches!(function, "console.log" | "console.debug" | "alert")
                && (is_scribble(arguments)
                    || (is_marked(arguments) && !is_asked_for(node, context)))
        }
        (Language::Go, "call_expression") => in_go(node, context)?,
        (Language::Java, "method_invocation") => in_java(node, context)?,
        (Language::Rust, "macro_invocation") => field(node, "macro", text)? == "dbg",
        (Language::Ruby, "call") => {
            field(node, "receiver", text) == Some("binding")
                && matches!(field(node, "method", text)?, "pry" | "irb" | "break")
        }
        (Language::Ruby, "identifier") => {
            matches!(text_of(node, text), "byebug" | "debugger")
                && context.index.parent(node).is_some_and(|parent| {
                    matches!(
                        parent.kind(),
                        "body_statement" | "block_body" | "program" | "then"
                    )
                })
        }
        _ => false,
    };
    // Tests of a debugger call it.
    (left && !is_test_path(context.path) && !context.is_inline_test(node))
        .then(|| node.byte_range())
}

fn in_go(call: Node<'_>, context: &Context<'_>) -> Option<bool> {
    let text = context.text;
    let arguments = field(call, "arguments", text)?;
    Some(match field(call, "function", text)? {
        "fmt.Println" | "println" | "spew.Dump" if is_scribble(arguments) => true,
        "fmt.Println" | "fmt.Printf" | "fmt.Print" | "println" => {
            is_marked(arguments) && !is_asked_for(call, context)
        }
        _ => false,
    })
}

fn in_java(call: Node<'_>, context: &Context<'_>) -> Option<bool> {
    let text = context.text;
    let left = match field(call, "name", text)? {
        "println" | "print" | "printf" => {
            matches!(field(call, "object", text)?, "System.out" | "System.err")
                && is_marked(field(call, "arguments", text)?)
        }
        // Never thrown: made to print the callers.
        "printStackTrace" => {
            call.child_by_field_name("object")?.kind() == "object_creation_expression"
        }
        _ => false,
    };
    Some(left && !is_asked_for(call, context))
}

/// In a function for that, or where a condition asks whether to.
fn is_asked_for(node: Node<'_>, context: &Context<'_>) -> bool {
    let text = context.text;
    context.index.ancestors(node).any(|around| {
        let hint = match around.kind() {
            "function_declaration" | "method_declaration" => field(around, "name", text),
            "if_statement" => field(around, "condition", text),
            _ => None,
        };
        hint.is_some_and(|hint| {
            let hint = hint.to_ascii_lowercase();
            ["debug", "verbose", "trace", "log", "dump", "print"]
                .iter()
                .any(|word| hint.contains(word))
        })
    })
}

/// What people print to see whether a line is reached.
fn is_scribble(arguments: &str) -> bool {
    let words = [
        "here", "asdf", "xxx", "debug", "test", "foo", "hello", "wtf", "here1", "here2", ">>>",
        "***", "!!!", "===", "aaa", "lol",
    ];
    let printed = first_argument(arguments);
    let quoted = printed.starts_with(['"', '\'', '`']);
    let printed = printed
        .trim_matches(['"', '\'', '`', ':', ' ', '!', '.'])
        .to_ascii_lowercase();
    quoted && words.contains(&printed.as_str())
}

/// What people print to see a value, and mark to find the line again.
fn is_marked(arguments: &str) -> bool {
    let printed = first_argument(arguments).trim_start_matches(['"', '\'', '`']);
    ["DEBUG", "XXX", ">>>", "!!!", "***"].iter().any(|mark| {
        printed
            .strip_prefix(mark)
            .is_some_and(|rest| rest.starts_with([' ', ':', '>', '!', '*', '=']))
    })
}

fn first_argument(arguments: &str) -> &str {
    let inner = arguments.trim_matches(['(', ')', ' ']);
    inner.split(',').next().unwrap_or_default().trim()
}

/// A note to oneself without instructions for others.
fn bare_todo(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let comment = text_of(node, context.text);
    let comment = comment
        .trim_start_matches(['/', '#', '*', '!', ' ', '-'])
        .trim_end_matches(['*', '/', ' ']);
    let rest = ["TODO", "FIXME", "XXX", "HACK"]
        .iter()
        .find_map(|mark| comment.strip_prefix(mark))?;
    let named = rest.starts_with('(');
    let refers = rest.contains('#')
        || rest.contains("http")
        || rest.contains(|letter: char| letter.is_ascii_digit());
    let words = rest
        .split_whitespace()
        .filter(|word| word.chars().any(char::is_alphabetic))
        .count();
    (!named && !refers && words < 3 && !comment.contains('\n')).then(|| node.byte_range())
}
