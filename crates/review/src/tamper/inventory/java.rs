//! Tests of `JUnit` 3 to 5 and `TestNG`.

use tree_sitter::Node;

use super::{Item, Marks, Skip};
use crate::syntax::{field, line_of, text_of};

pub(super) fn recognise(node: Node<'_>, text: &str) -> Option<Item> {
    match node.kind() {
        "method_declaration" => {
            let name = field(node, "name", text)?;
            let (marks, is_test) = annotations(node, text);
            let by_name = name.starts_with("test") && field(node, "type", text) == Some("void");
            if is_test || by_name {
                return Some(Item::Case(name.to_owned(), marks));
            }
            Some(Item::Definition(name.to_owned()))
        }
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration" => {
            let (marks, _) = annotations(node, text);
            Some(Item::Suite(field(node, "name", text)?.to_owned(), marks))
        }
        "method_invocation" => invocation(node, text),
        _ => None,
    }
}

fn invocation(node: Node<'_>, text: &str) -> Option<Item> {
    let name = field(node, "name", text)?;
    let whole = text_of(node, text);
    let object = field(node, "object", text);
    let begins = [
        "assertThat",
        "Assertions.assert",
        "Assert.assert",
        "verify(",
        "expect(",
    ];
    if name.starts_with("assert")
        || name == "fail"
        || begins.iter().any(|start| whole.starts_with(start))
    {
        return Some(Item::Assertion);
    }
    if name == "andExpect" {
        return Some(Item::Assertion);
    }
    let gives_up = matches!(name, "assumeTrue" | "assumeFalse")
        && (whole.contains("(false") || whole.contains("(true"));
    let throws = name == "abort" && object == Some("Assumptions");
    (gives_up || throws).then_some(Item::Skip)
}

fn annotations(node: Node<'_>, text: &str) -> (Marks, bool) {
    let mut marks = Marks::default();
    let mut is_test = false;
    let mut cursor = node.walk();
    let modifiers = node
        .named_children(&mut cursor)
        .find(|child| child.kind() == "modifiers");
    let Some(modifiers) = modifiers else {
        return (marks, is_test);
    };
    let mut cursor = modifiers.walk();
    for annotation in modifiers.named_children(&mut cursor) {
        let Some(name) = field(annotation, "name", text) else {
            continue;
        };
        let annotation_text = text_of(annotation, text);
        match name.rsplit('.').next().unwrap_or(name) {
            "Test" => {
                is_test = true;
                if annotation_text.contains("enabled = false")
                    || annotation_text.contains("enabled=false")
                {
                    marks.skipped = Some(Skip::at(annotation, false));
                }
                if annotation_text.contains("expected") {
                    marks.expected_to_fail = Some(line_of(annotation));
                }
            }
            "ParameterizedTest" | "RepeatedTest" | "TestFactory" | "Property" | "TestTemplate" => {
                is_test = true;
            }
            "Disabled" | "Ignore" => marks.skipped = Some(Skip::at(annotation, false)),
            other
                if other.starts_with("DisabledOn")
                    || other.starts_with("DisabledIf")
                    || other.starts_with("EnabledIf")
                    || other.starts_with("EnabledOn") =>
            {
                marks.skipped = Some(Skip::at(annotation, true));
            }
            _ => {}
        }
    }
    (marks, is_test)
}
