//! Undocumented public items in files that document the others.

use tree_sitter::Node;

use super::{Check, Context, Place};
use crate::engine::is_test_path;
use crate::language::Language;
use crate::syntax::{descendants, field, parts, text_of};

/// This many public items are enough to see a habit …
const MIN_PUBLIC_ITEMS: usize = 5;

/// … if this many of ten are documented.
const OF_TEN: usize = 8;

const KINDS: &[&str] = &[
    "function_definition",
    "function_declaration",
    "function_item",
    "struct_item",
    "enum_item",
    "trait_item",
    "class_definition",
    "method_declaration",
    "class_declaration",
    "export_statement",
    "interface_declaration",
    "method",
];

pub(super) const CHECK: Check = Check {
    name: "undocumented-api",
    kinds: KINDS,
    look,
};

fn look(node: Node<'_>, context: &Context<'_>) -> Option<Place> {
    let before = context.before?;
    if is_test_path(context.path) || !is_public(node, context) || is_documented(node, context) {
        return None;
    }
    // Only what the change adds: what was there undocumented is no habit of this change.
    let name = name_of(node, context)?;
    if !context.has_habit.get_or_init(|| has_habit(context))
        || !context.budget.search(before.len())
        || before.contains(name)
    {
        return None;
    }
    let start = node.start_byte();
    let end = context.text[start..]
        .find('\n')
        .map_or(node.end_byte(), |at| start + at);
    Some(start..end)
}

fn has_habit(context: &Context<'_>) -> bool {
    let public: Vec<_> = descendants(context.source.tree.root_node(), context.budget)
        .filter(|node| node.is_named() && KINDS.contains(&node.kind()) && is_public(*node, context))
        .collect();
    let documented = public
        .iter()
        .filter(|node| is_documented(**node, context))
        .count();
    public.len() >= MIN_PUBLIC_ITEMS && documented * 10 >= public.len() * OF_TEN
}

fn name_of<'t>(node: Node<'_>, context: &Context<'t>) -> Option<&'t str> {
    let text: &'t str = context.text;
    if node.kind() == "export_statement" {
        return field(node.child_by_field_name("declaration")?, "name", text);
    }
    field(node, "name", text)
}

fn is_public(node: Node<'_>, context: &Context<'_>) -> bool {
    let Some(name) = name_of(node, context) else {
        return false;
    };
    match context.language {
        Language::Python => {
            let nested = context.index.parent(node).is_some_and(|parent| {
                context
                    .index
                    .parent(parent)
                    .is_some_and(|around| around.kind() == "function_definition")
            });
            !name.starts_with('_') && !nested
        }
        Language::Go => name.starts_with(|letter: char| letter.is_uppercase()),
        Language::Rust => text_of(node, context.text).starts_with("pub "),
        Language::Java => {
            let modifiers = parts(node)
                .into_iter()
                .find(|part| part.kind() == "modifiers");
            modifiers.is_some_and(|modifiers| {
                let modifiers = text_of(modifiers, context.text);
                modifiers.contains("public") && !modifiers.contains("@Override")
            })
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            node.kind() == "export_statement"
        }
        Language::Ruby => node.kind() == "method" && !name.starts_with('_') && name != "initialize",
    }
}

fn is_documented(node: Node<'_>, context: &Context<'_>) -> bool {
    if context.language == Language::Python {
        let first = node
            .child_by_field_name("body")
            .and_then(|body| body.named_child(0));
        return first.is_some_and(|statement| {
            statement.kind() == "expression_statement"
                && statement
                    .named_child(0)
                    .is_some_and(|inner| inner.kind() == "string")
        });
    }
    let mut before = context.index.previous_sibling(node);
    while let Some(sibling) =
        before.filter(|sibling| matches!(sibling.kind(), "attribute_item" | "decorator"))
    {
        before = context.index.previous_sibling(sibling);
    }
    before.is_some_and(|sibling| sibling.kind().contains("comment"))
}
