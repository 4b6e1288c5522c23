//! Tests of the `testing` package, with testify and similar.

use tree_sitter::Node;

use super::{Item, Marks, unquoted};
use crate::syntax::{field, text_of};

pub(super) fn recognise(node: Node<'_>, text: &str) -> Option<Item> {
    match node.kind() {
        "function_declaration" | "method_declaration" => {
            let name = field(node, "name", text)?;
            let takes_testing = field(node, "parameters", text)
                .is_some_and(|parameters| parameters.contains("testing.") || parameters == "()");
            let tested = ["Test", "Fuzz", "Example"]
                .iter()
                .any(|prefix| name.strip_prefix(prefix).is_some_and(starts_new_word));
            if tested && takes_testing {
                return Some(Item::Case(name.to_owned(), Marks::default()));
            }
            Some(Item::Definition(name.to_owned()))
        }
        "type_spec" => Some(Item::Definition(field(node, "name", text)?.to_owned())),
        "call_expression" => call(node, text),
        "if_statement" => fails_if(node, text),
        _ => None,
    }
}

/// `if got != want { t.Errorf(…) }`.
fn fails_if(node: Node<'_>, text: &str) -> Option<Item> {
    let condition = node.child_by_field_name("condition")?;
    let body = node.child_by_field_name("consequence")?;
    let mut statement = body.named_child(0)?;
    if statement.kind() == "statement_list" {
        statement = statement.named_child(0)?;
    }
    let statement_text = text_of(statement, text);
    [
        "t.Error", "t.Fatal", "t.Fail", "tb.Error", "tb.Fatal", "b.Fatal",
    ]
    .iter()
    .any(|start| statement_text.starts_with(start))
    .then(|| Item::FailsIf(condition.byte_range()))
}

/// `TestAdd` and `Test_add` are tests, `Testify` is not.
fn starts_new_word(rest: &str) -> bool {
    !rest.starts_with(|letter: char| letter.is_lowercase())
}

fn call(node: Node<'_>, text: &str) -> Option<Item> {
    let function = field(node, "function", text)?;
    let (receiver, method) = function.rsplit_once('.')?;
    match (receiver, method) {
        ("t" | "b" | "f" | "s.T()", "Skip" | "Skipf" | "SkipNow") => Some(Item::Skip),
        ("t" | "b" | "f" | "tb", "Error" | "Errorf" | "Fatal" | "Fatalf" | "Fail" | "FailNow") => {
            Some(Item::Assertion)
        }
        ("assert" | "require" | "is" | "suite" | "s" | "qt" | "must", method)
            if method.starts_with(|letter: char| letter.is_uppercase())
                && method != "T"
                && method != "Run" =>
        {
            Some(Item::Assertion)
        }
        ("t", "Run") => {
            let name = node.child_by_field_name("arguments")?.named_child(0)?;
            (name.kind() == "interpreted_string_literal")
                .then(|| Item::Case(unquoted(text_of(name, text)).to_owned(), Marks::default()))
        }
        _ => None,
    }
}
