//! Tests of `RSpec` and minitest.

use tree_sitter::Node;

use super::{Item, Marks, Skip, unquoted};
use crate::syntax::{field, line_of, text_of};
use crate::tree_index::TreeIndex;

pub(super) fn recognise(node: Node<'_>, text: &str, index: &TreeIndex<'_>) -> Option<Item> {
    match node.kind() {
        "method" => {
            let name = field(node, "name", text)?;
            if name.starts_with("test_") {
                return Some(Item::Case(name.to_owned(), Marks::default()));
            }
            Some(Item::Definition(name.to_owned()))
        }
        "class" | "module" => Some(Item::Suite(
            field(node, "name", text)?.to_owned(),
            Marks::default(),
        )),
        "call" => call(node, text),
        "identifier" => {
            let skips = matches!(text_of(node, text), "skip" | "pending")
                && index.parent(node).is_some_and(|parent| {
                    matches!(
                        parent.kind(),
                        "body_statement" | "block_body" | "then" | "program"
                    )
                });
            skips.then_some(Item::Skip)
        }
        _ => None,
    }
}

fn call(node: Node<'_>, text: &str) -> Option<Item> {
    let method = field(node, "method", text)?;
    let receiver = field(node, "receiver", text);
    let block = node.child_by_field_name("block");
    match (receiver, method) {
        (
            None,
            "it" | "specify" | "example" | "scenario" | "test" | "xit" | "fit" | "xspecify"
            | "xexample" | "fexample" | "fspecify" | "xscenario" | "fscenario",
        ) => {
            block.or_else(|| node.child_by_field_name("arguments"))?;
            Some(Item::Case(name(node, text), marks(node, method, text)))
        }
        (None, "pending" | "skip") if block.is_some() => {
            let marks = Marks {
                skipped: Some(Skip::at(node, false)),
                ..Marks::default()
            };
            Some(Item::Case(name(node, text), marks))
        }
        (None, "pending" | "skip") => Some(Item::Skip),
        (
            None | Some("RSpec"),
            "describe" | "context" | "feature" | "xdescribe" | "xcontext" | "fdescribe"
            | "fcontext" | "xfeature" | "ffeature",
        ) if block.is_some() => Some(Item::Suite(name(node, text), marks(node, method, text))),
        (Some(receiver), "to" | "not_to" | "to_not")
            if receiver.starts_with("expect") || receiver.starts_with("is_expected") =>
        {
            Some(Item::Assertion)
        }
        (Some(_), "should" | "should_not") => Some(Item::Assertion),
        (Some(_), method) if method.starts_with("must_") || method.starts_with("wont_") => {
            Some(Item::Assertion)
        }
        (None, method)
            if method.starts_with("assert")
                || method.starts_with("refute")
                || method == "flunk" =>
        {
            Some(Item::Assertion)
        }
        _ => None,
    }
}

fn name(node: Node<'_>, text: &str) -> String {
    let first = node
        .child_by_field_name("arguments")
        .and_then(|arguments| arguments.named_child(0));
    first.map_or_else(String::new, |first| {
        unquoted(text_of(first, text)).to_owned()
    })
}

fn marks(node: Node<'_>, method: &str, text: &str) -> Marks {
    let arguments = field(node, "arguments", text).unwrap_or("");
    let has_tag = |word: &str| {
        arguments.contains(&format!("{word}: ")) && !arguments.contains(&format!("{word}: false"))
            || arguments
                .split([',', ' ', ')'])
                .any(|part| part.strip_prefix(':') == Some(word))
    };
    let skipped = method.starts_with('x') || has_tag("skip") || has_tag("pending");
    let focused = (method.starts_with('f') && method != "feature") || has_tag("focus");
    Marks {
        skipped: skipped.then(|| Skip::at(node, false)),
        focused: focused.then(|| line_of(node)),
        expected_to_fail: None,
    }
}
