//! Tests by `#[test]` and the test attributes of other crates.

use tree_sitter::Node;

use super::{Item, Marks, Skip};
use crate::syntax::{field, line_of, text_of};
use crate::tree_index::TreeIndex;

/// Maximum number of attributes before one function.
const MAX_ATTRIBUTES: usize = 20;

pub(super) fn recognise(node: Node<'_>, text: &str, index: &TreeIndex<'_>) -> Option<Item> {
    match node.kind() {
        "function_item" => {
            let name = field(node, "name", text)?;
            match marks(node, text, index) {
                Some(marks) => Some(Item::Case(name.to_owned(), marks)),
                None => Some(Item::Definition(name.to_owned())),
            }
        }
        "mod_item" => Some(Item::Suite(
            field(node, "name", text)?.to_owned(),
            Marks::default(),
        )),
        "struct_item" | "enum_item" | "trait_item" | "type_item" | "macro_definition" => {
            Some(Item::Definition(field(node, "name", text)?.to_owned()))
        }
        "macro_invocation" => {
            let name = field(node, "macro", text)?;
            let name = name.rsplit("::").next()?;
            (name.starts_with("assert") || name.starts_with("prop_assert") || name == "expect")
                .then_some(Item::Assertion)
        }
        _ => None,
    }
}

/// `None` if the function is no test.
fn marks(function: Node<'_>, text: &str, index: &TreeIndex<'_>) -> Option<Marks> {
    let mut marks = Marks::default();
    let mut is_test = false;
    for attribute in index.named_before(function).take(MAX_ATTRIBUTES) {
        match attribute.kind() {
            "attribute_item" => {
                let attribute_text = text_of(attribute, text);
                let inside = attribute_text
                    .trim_start_matches("#[")
                    .trim_end_matches(']');
                let path = inside.split(['(', '=', ' ']).next().unwrap_or(inside);
                match path.rsplit("::").next().unwrap_or(path) {
                    "test" | "rstest" | "test_case" | "quickcheck" | "proptest"
                    | "wasm_bindgen_test" => is_test = true,
                    "ignore" => marks.skipped = Some(Skip::at(attribute, false)),
                    "cfg_attr" if inside.contains("ignore") => {
                        marks.skipped = Some(Skip::at(attribute, true));
                    }
                    "cfg" if inside.contains("any()") || inside.contains("FALSE") => {
                        marks.skipped = Some(Skip::at(attribute, false));
                    }
                    "should_panic" => marks.expected_to_fail = Some(line_of(attribute)),
                    _ => {}
                }
            }
            "line_comment" | "block_comment" => {}
            _ => break,
        }
    }
    is_test.then_some(marks)
}
