//! What a document says when its fragments are put in place.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_graphql_parser::types::{ExecutableDocument, Field, Selection, SelectionSet};

use super::schema::Schema;

/// The keys under which two different questions are asked about the same object.
pub(super) fn ambiguous_keys<'a>(
    schema: &Schema,
    document: &'a ExecutableDocument,
    parent: &'a str,
    set: &'a SelectionSet,
) -> Vec<&'a str> {
    let mut asked: BTreeMap<&str, Vec<(&str, &Field)>> = BTreeMap::new();
    collect(document, parent, set, &mut BTreeSet::new(), &mut asked);
    let clash = |fields: &Vec<(&str, &Field)>| {
        fields.iter().enumerate().any(|(index, (on, field))| {
            fields[..index].iter().any(|(other_on, other)| {
                may_be_one_object(schema, on, other_on) && !same_question(field, other)
            })
        })
    };
    asked.retain(|_, fields| clash(fields));
    asked.into_keys().collect()
}

/// Whether the nodes of a connection are wanted, and not its count alone.
pub(super) fn asks_for_nodes(document: &ExecutableDocument, set: &SelectionSet) -> bool {
    let mut asked = BTreeMap::new();
    collect(document, "", set, &mut BTreeSet::new(), &mut asked);
    asked
        .values()
        .flatten()
        .any(|(_, field)| matches!(field.name.node.as_str(), "nodes" | "edges"))
}

/// The fragments that no operation uses, which GitHub does not take.
pub(super) fn unused(document: &ExecutableDocument) -> Vec<String> {
    let mut used = BTreeSet::new();
    for (_, operation) in document.operations.iter() {
        collect_used(document, &operation.node.selection_set.node, &mut used);
    }
    let mut unused: Vec<_> = document
        .fragments
        .keys()
        .filter(|name| !used.contains(name.as_str()))
        .map(ToString::to_string)
        .collect();
    unused.sort();
    unused
}

fn collect_used<'a>(
    document: &'a ExecutableDocument,
    set: &'a SelectionSet,
    used: &mut BTreeSet<&'a str>,
) {
    for selection in &set.items {
        match &selection.node {
            Selection::Field(field) => {
                collect_used(document, &field.node.selection_set.node, used);
            }
            Selection::InlineFragment(fragment) => {
                collect_used(document, &fragment.node.selection_set.node, used);
            }
            Selection::FragmentSpread(spread) => {
                let name = &spread.node.fragment_name.node;
                if used.insert(name)
                    && let Some(fragment) = document.fragments.get(name)
                {
                    collect_used(document, &fragment.node.selection_set.node, used);
                }
            }
        }
    }
}

/// Two object types are never one object; with an interface or a union it may be.
fn may_be_one_object(schema: &Schema, one: &str, other: &str) -> bool {
    one == other
        || (schema.overlap(one, other) && !(schema.is_object(one) && schema.is_object(other)))
}

/// The fields of a selection set by response key, with the type they are asked of.
fn collect<'a>(
    document: &'a ExecutableDocument,
    parent: &'a str,
    set: &'a SelectionSet,
    visited: &mut BTreeSet<&'a str>,
    asked: &mut BTreeMap<&'a str, Vec<(&'a str, &'a Field)>>,
) {
    for selection in &set.items {
        match &selection.node {
            Selection::Field(field) => {
                let key = field.node.response_key().node.as_str();
                asked.entry(key).or_default().push((parent, &field.node));
            }
            Selection::InlineFragment(fragment) => {
                let condition = fragment.node.type_condition.as_ref();
                let on = condition.map_or(parent, |condition| condition.node.on.node.as_str());
                let set = &fragment.node.selection_set.node;
                collect(document, on, set, visited, asked);
            }
            Selection::FragmentSpread(spread) => {
                let name = &spread.node.fragment_name.node;
                if visited.insert(name)
                    && let Some(fragment) = document.fragments.get(name)
                {
                    let on = fragment.node.type_condition.node.on.node.as_str();
                    let set = &fragment.node.selection_set.node;
                    collect(document, on, set, visited, asked);
                }
            }
        }
    }
}

fn same_question(one: &Field, other: &Field) -> bool {
    let arguments = |field: &Field| -> HashMap<String, String> {
        let pairs = field.arguments.iter();
        pairs
            .map(|(name, value)| (name.node.to_string(), value.node.to_string()))
            .collect()
    };
    one.name.node == other.name.node && arguments(one) == arguments(other)
}
