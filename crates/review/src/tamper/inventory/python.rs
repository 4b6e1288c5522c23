//! Tests of pytest and unittest.

use tree_sitter::Node;

use super::{Item, Marks, Skip};
use crate::syntax::{field, line_of, text_of};
use crate::tree_index::TreeIndex;

pub(super) fn recognise(node: Node<'_>, text: &str, index: &TreeIndex<'_>) -> Option<Item> {
    match node.kind() {
        // The decorators belong to the test: they may hold its cases.
        "decorated_definition" => {
            let definition = node.child_by_field_name("definition")?;
            let name = test_name(definition, text)?;
            Some(Item::Case(name.to_owned(), marks(definition, text, index)))
        }
        "function_definition" => {
            let decorated = index
                .parent(node)
                .is_some_and(|parent| parent.kind() == "decorated_definition");
            match test_name(node, text) {
                Some(_) if decorated => None,
                Some(name) => Some(Item::Case(name.to_owned(), marks(node, text, index))),
                None => Some(Item::Definition(field(node, "name", text)?.to_owned())),
            }
        }
        "class_definition" => {
            let name = field(node, "name", text)?;
            Some(Item::Suite(name.to_owned(), marks(node, text, index)))
        }
        "assert_statement" => Some(Item::Assertion),
        "call" => call(node, text),
        "raise_statement" => text_of(node, text)
            .contains("SkipTest")
            .then_some(Item::Skip),
        _ => None,
    }
}

fn test_name<'t>(definition: Node<'_>, text: &'t str) -> Option<&'t str> {
    field(definition, "name", text)
        .filter(|name| definition.kind() == "function_definition" && name.starts_with("test"))
}

fn call(node: Node<'_>, text: &str) -> Option<Item> {
    let function = field(node, "function", text)?;
    let name = function.rsplit('.').next()?;
    let asserts = (name.starts_with("assert") && function.contains('.'))
        || matches!(
            function,
            "pytest.raises" | "pytest.warns" | "pytest.fail" | "self.fail"
        );
    if asserts {
        return Some(Item::Assertion);
    }
    matches!(
        function,
        "pytest.skip" | "self.skipTest" | "unittest.skip" | "pytest.xfail"
    )
    .then_some(Item::Skip)
}

fn marks(definition: Node<'_>, text: &str, index: &TreeIndex<'_>) -> Marks {
    let mut marks = Marks::default();
    let Some(decorated) = index
        .parent(definition)
        .filter(|parent| parent.kind() == "decorated_definition")
    else {
        return marks;
    };
    let mut cursor = decorated.walk();
    for decorator in decorated
        .named_children(&mut cursor)
        .filter(|child| child.kind() == "decorator")
    {
        let decorator_text = text_of(decorator, text);
        let name = decorator_text
            .trim_start_matches('@')
            .split('(')
            .next()
            .unwrap_or(decorator_text)
            .trim();
        match name.rsplit('.').next().unwrap_or(name) {
            "skip" => marks.skipped = Some(Skip::at(decorator, false)),
            "skipif" | "skipIf" | "skipUnless" => {
                let always = ["(True", "(not False", "(1,", "(1)"];
                let constant = always.iter().any(|start| decorator_text.contains(start));
                marks.skipped = Some(Skip::at(decorator, !constant));
            }
            "xfail" | "expectedFailure" => marks.expected_to_fail = Some(line_of(decorator)),
            _ => {}
        }
    }
    marks
}
