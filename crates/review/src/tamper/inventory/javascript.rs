//! Tests of jest, vitest, mocha, jasmine, node:test, ava and Playwright.

use tree_sitter::Node;

use super::{Item, Marks, Skip, unquoted};
use crate::syntax::{field, line_of, text_of};

/// Chains such as `test.concurrent.only.each` have a few parts.
const MAX_CHAIN_LEN: usize = 12;

pub(super) fn recognise(node: Node<'_>, text: &str) -> Option<Item> {
    match node.kind() {
        "call_expression" => call(node, text),
        "function_declaration"
        | "class_declaration"
        | "method_definition"
        | "generator_function_declaration" => {
            Some(Item::Definition(field(node, "name", text)?.to_owned()))
        }
        "variable_declarator" => {
            let value = node.child_by_field_name("value")?;
            matches!(
                value.kind(),
                "arrow_function" | "function_expression" | "class"
            )
            .then(|| field(node, "name", text).map(|name| Item::Definition(name.to_owned())))?
        }
        _ => None,
    }
}

fn call(node: Node<'_>, text: &str) -> Option<Item> {
    let chain = chain(node, text);
    let (root, parts) = chain.split_first()?;
    let arguments = node.child_by_field_name("arguments")?;
    match *root {
        "it" | "test" | "specify" | "fit" | "xit" | "xtest" | "ftest" | "xspecify" => {
            if parts.first() == Some(&"describe") {
                return suite(node, root, parts, arguments, text);
            }
            let name = first_string(arguments, text)?;
            // `test.skip()` without a function inside a test is Playwright's.
            Some(Item::Case(name, marks(node, root, parts, arguments, text)))
        }
        "describe" | "context" | "suite" | "fdescribe" | "xdescribe" | "xcontext" | "fcontext" => {
            suite(node, root, parts, arguments, text)
        }
        "expect" | "assert" | "chai" | "expectTypeOf" | "assertEquals" | "assertThrows" => {
            Some(Item::Assertion)
        }
        "t" | "this" | "ctx" | "context_" if matches!(parts, ["skip" | "todo"]) => Some(Item::Skip),
        "t" if matches!(
            parts.first(),
            Some(
                &("is"
                    | "not"
                    | "deepEqual"
                    | "like"
                    | "truthy"
                    | "falsy"
                    | "true"
                    | "false"
                    | "throws"
                    | "throwsAsync"
                    | "regex"
                    | "equal"
                    | "same"
                    | "ok"
                    | "assert")
            )
        ) =>
        {
            Some(Item::Assertion)
        }
        _ => parts.contains(&"should").then_some(Item::Assertion),
    }
}

fn suite(
    node: Node<'_>,
    root: &str,
    parts: &[&str],
    arguments: Node<'_>,
    text: &str,
) -> Option<Item> {
    let name = first_string(arguments, text)?;
    Some(Item::Suite(name, marks(node, root, parts, arguments, text)))
}

fn marks(node: Node<'_>, root: &str, parts: &[&str], arguments: Node<'_>, text: &str) -> Marks {
    let is_marked = |word: &str| parts.contains(&word) || has_option(arguments, word, text);
    let skipped = if root.starts_with('x') || is_marked("skip") || is_marked("todo") {
        Some(Skip::at(node, false))
    } else if is_marked("skipIf") || is_marked("runIf") {
        Some(Skip::at(node, true))
    } else {
        None
    };
    Marks {
        skipped,
        focused: (root.starts_with('f') || is_marked("only")).then(|| line_of(node)),
        expected_to_fail: (is_marked("failing") || is_marked("fails") || is_marked("fail"))
            .then(|| line_of(node)),
    }
}

/// `{ skip: true }` among the arguments.
fn has_option(arguments: Node<'_>, word: &str, text: &str) -> bool {
    let mut cursor = arguments.walk();
    arguments
        .named_children(&mut cursor)
        .filter(|argument| argument.kind() == "object")
        .any(|object| {
            let mut cursor = object.walk();
            object.named_children(&mut cursor).any(|pair| {
                field(pair, "key", text) == Some(word)
                    && field(pair, "value", text).is_some_and(|value| value != "false")
            })
        })
}

fn first_string(arguments: Node<'_>, text: &str) -> Option<String> {
    let first = arguments.named_child(0)?;
    match first.kind() {
        "string" | "template_string" => Some(unquoted(text_of(first, text)).to_owned()),
        "identifier" | "member_expression" | "binary_expression"
            if arguments.named_child_count() > 1 =>
        {
            Some(text_of(first, text).to_owned())
        }
        _ => None,
    }
}

/// `test.only.each(table)("…", fn)` → test, only, each.
fn chain<'t>(call: Node<'_>, text: &'t str) -> Vec<&'t str> {
    let mut parts = Vec::new();
    let mut node = call;
    for _ in 0..MAX_CHAIN_LEN {
        let next = match node.kind() {
            "call_expression" => node.child_by_field_name("function"),
            "member_expression" => {
                parts.extend(field(node, "property", text));
                node.child_by_field_name("object")
            }
            "identifier" | "this" => {
                parts.push(text_of(node, text));
                None
            }
            "await_expression" | "parenthesized_expression" | "non_null_expression" => {
                node.named_child(0)
            }
            _ => None,
        };
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    parts.reverse();
    parts
}
