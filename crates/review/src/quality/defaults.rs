//! Default values that all calls share, and that the function changes.

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::syntax::field;

pub(super) const CHECK: Check = Check {
    name: "mutable-default",
    kinds: &["default_parameter", "typed_default_parameter"],
    look,
};

fn look(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let text = context.text;
    let value = node.child_by_field_name("value")?;
    let mutable = matches!(
        value.kind(),
        "list" | "dictionary" | "set" | "list_comprehension"
    ) || matches!(
        field(node, "value", text),
        Some("list()" | "dict()" | "set()")
    );
    if !mutable {
        return None;
    }
    let name = field(node, "name", text)?;
    let body = field(context.index.function_around(node)?, "body", text)?;
    (context.budget.search(body.len()) && changes(body, name)).then(|| node.byte_range())
}

/// Whether the text of a function changes the value of a name.
fn changes(body: &str, name: &str) -> bool {
    let changed = [
        ".append(",
        ".extend(",
        ".insert(",
        ".add(",
        ".update(",
        ".pop(",
        ".remove(",
        ".clear(",
        ".setdefault(",
        ".sort(",
        ".popitem(",
        " += ",
        " |= ",
    ];
    let mut from = 0;
    while let Some(at) = body[from..].find(name) {
        let start = from + at;
        let end = start + name.len();
        let before = body[..start].chars().next_back();
        let whole =
            before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_' && letter != '.');
        let after = &body[end..];
        let item = after.starts_with('[')
            && after.find(']').is_some_and(|close| {
                let rest = after[close + 1..].trim_start();
                (rest.starts_with('=') && !rest.starts_with("==")) || rest.starts_with("+=")
            });
        // Kept by the object, it is shared by all objects.
        let kept = after.starts_with('\n')
            && body[..start].trim_end().ends_with('=')
            && body[..start]
                .lines()
                .last()
                .is_some_and(|line| line.trim_start().starts_with("self."));
        if whole && (item || kept || changed.iter().any(|call| after.starts_with(call))) {
            return true;
        }
        from = end;
    }
    false
}
