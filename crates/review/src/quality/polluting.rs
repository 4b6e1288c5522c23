//! Functions that copy an object deeply and let it reach what all objects share.

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::syntax::{field, text_of};

pub(super) const CHECK: Check = Check {
    name: "polluting-merge",
    kinds: &["assignment_expression"],
    look: polluting,
};

/// How often the text of a function is searched.
const SEARCHES: usize = 12;

/// `target[key] = …` in a function that goes over the keys of another object
/// and calls itself for what is below `target[key]`.
fn polluting(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let text = context.text;
    let left = node.child_by_field_name("left")?;
    if left.kind() != "subscript_expression" {
        return None;
    }
    let key = left.child_by_field_name("index")?;
    let target = left.child_by_field_name("object")?;
    if key.kind() != "identifier" || target.kind() != "identifier" {
        return None;
    }
    let (function, name) = context
        .index
        .ancestors(node)
        .find_map(|outer| named_function(outer, text))?;
    let (key, target) = (text_of(key, text), text_of(target, text));
    let asked = (function.start_byte(), key, target);
    let known = context.merges.borrow().get(&asked).copied();
    let pollutes = known.unwrap_or_else(|| {
        let body = text_of(function, text);
        context.budget.search(body.len() * SEARCHES) && merges(body, name, key, target)
    });
    context.merges.borrow_mut().insert(asked, pollutes);
    pollutes.then(|| node.byte_range())
}

/// Whether a function is one that merges all keys of another object, unguarded.
fn merges(body: &str, name: &str, key: &str, target: &str) -> bool {
    let below = format!("{target}[{key}]");
    let calls_itself = body.split(&format!("{name}(")).skip(2).any(|arguments| {
        arguments
            .split(';')
            .next()
            .is_some_and(|call| call.starts_with(&below) || call.contains(&below))
    });
    let all_keys = [
        format!(" {key} in "),
        format!(" {key} of Object."),
        format!("(({key}) =>"),
        format!("({key} =>"),
        format!("function({key})"),
        format!("function ({key})"),
        format!("[{key}, "),
    ];
    let goes_over_keys = all_keys.iter().any(|words| body.contains(words.as_str()));
    let is_guarded = ["__proto__", "prototype", "hasOwn", "Object.create(null)"]
        .iter()
        .any(|word| body.contains(word));
    calls_itself && goes_over_keys && !is_guarded
}

/// A function and its name, however it got it.
fn named_function<'t, 's>(node: Node<'t>, text: &'s str) -> Option<(Node<'t>, &'s str)> {
    match node.kind() {
        "function_declaration" | "method_definition" | "function_expression" => {
            Some((node, field(node, "name", text)?))
        }
        "variable_declarator" => {
            let value = node.child_by_field_name("value")?;
            matches!(value.kind(), "arrow_function" | "function_expression")
                .then_some((node, field(node, "name", text)?))
        }
        "assignment_expression" => {
            let value = node.child_by_field_name("right")?;
            let name = field(node, "left", text)?;
            matches!(value.kind(), "arrow_function" | "function_expression").then_some((node, name))
        }
        _ => None,
    }
}
