//! The GraphQL documents by themselves. The contract checker compares them with
//! GitHub's schema.

use std::collections::BTreeSet;

use async_graphql_parser::parse_query;
use async_graphql_parser::types::{
    DocumentOperations, ExecutableDocument, OperationType, Selection, SelectionSet,
};
use baton_remote::github::DOCUMENTS;

fn parsed() -> Vec<(&'static str, ExecutableDocument)> {
    let parse = |&(name, text): &(&'static str, &str)| match parse_query(text) {
        Ok(document) => (name, document),
        Err(error) => panic!("{name}: {error}"),
    };
    DOCUMENTS.iter().map(parse).collect()
}

/// Calls `visit` with the name, the arguments' names and the selection of every
/// field at any depth.
fn each_field(set: &SelectionSet, visit: &mut dyn FnMut(&str, &BTreeSet<&str>, &SelectionSet)) {
    for selection in &set.items {
        match &selection.node {
            Selection::Field(field) => {
                let field = &field.node;
                let arguments = field.arguments.iter().map(|(name, _)| name.node.as_str());
                visit(
                    field.name.node.as_str(),
                    &arguments.collect(),
                    &field.selection_set.node,
                );
                each_field(&field.selection_set.node, visit);
            }
            Selection::InlineFragment(fragment) => {
                each_field(&fragment.node.selection_set.node, visit);
            }
            Selection::FragmentSpread(_) => {}
        }
    }
}

fn selects(set: &SelectionSet, wanted: &str) -> bool {
    set.items.iter().any(|selection| {
        matches!(&selection.node, Selection::Field(field) if field.node.name.node == wanted)
    })
}

/// GitHub refuses a connection without a size, though its schema allows it.
#[test]
fn every_list_has_a_size() {
    let mut lists = 0;
    for (name, document) in parsed() {
        let mut check = |field: &str, arguments: &BTreeSet<&str>, set: &SelectionSet| {
            if selects(set, "nodes") || selects(set, "totalCount") || selects(set, "pageInfo") {
                lists += 1;
                let sized = arguments.contains("first") || arguments.contains("last");
                assert!(sized, "{name}: {field} has no size");
            }
        };
        for (_, operation) in document.operations.iter() {
            each_field(&operation.node.selection_set.node, &mut check);
        }
        for fragment in document.fragments.values() {
            each_field(&fragment.node.selection_set.node, &mut check);
        }
    }
    assert!(lists > 20, "only {lists} lists were looked at");
}

#[test]
fn every_query_asks_what_it_costs() {
    for (name, document) in parsed() {
        let DocumentOperations::Multiple(operations) = &document.operations else {
            panic!("{name}: the operation has no name");
        };
        assert_eq!(operations.len(), 1, "{name}");
        let operation = &operations.values().next().unwrap().node;
        if operation.ty == OperationType::Query {
            assert!(
                selects(&operation.selection_set.node, "rateLimit"),
                "{name}"
            );
        }
    }
}

/// A name means the same in all documents.
#[test]
fn fragments_of_one_name_are_the_same() {
    let text_of = |fragment: &str, text: &str| {
        let start = text.find(&format!("fragment {fragment} on "))?;
        let end = text[start..].find("\n}\n")?;
        Some(text[start..start + end].to_owned())
    };
    for fragment in ["ThreadComment", "Person"] {
        let texts: BTreeSet<String> = DOCUMENTS
            .iter()
            .filter_map(|(_, text)| text_of(fragment, text))
            .collect();
        assert_eq!(texts.len(), 1, "{fragment}");
    }
}
