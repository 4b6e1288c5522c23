//! How much a document asks for, before anything is done for it.

use std::collections::HashMap;

use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, Field, FragmentDefinition, OperationDefinition,
    OperationType, Selection, SelectionSet,
};
use async_graphql::{Name, Positioned, Value, Variables};

use super::errors::QueryError;

/// GitHub's limit for the entries that all lists together may have.
const LARGEST_NODE_COUNT: u64 = 500_000;
/// Fields of the document once every fragment is written out. `gh`'s largest
/// has less than 200; without a limit, fragments within fragments make a
/// document of a few lines go on forever.
const MOST_FIELDS: u64 = 20_000;
/// Levels of nesting; the library walks them on the stack.
const DEEPEST: usize = 30;

/// What a document asks for, counted as GitHub counts it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Demand {
    /// Entries of lists, at most.
    pub(super) nodes: u64,
    /// Requests to a database that would ask for every list one by one.
    requests: u64,
    fields: u64,
}

impl Demand {
    /// Points of the rate limit: a hundred requests make one.
    pub(super) fn cost(self) -> u64 {
        self.requests.div_ceil(100).max(1)
    }

    fn and(self, other: Self) -> Self {
        Self {
            nodes: self.nodes.saturating_add(other.nodes),
            requests: self.requests.saturating_add(other.requests),
            fields: self.fields.saturating_add(other.fields),
        }
    }

    /// For every entry of a list.
    fn times(self, count: u64) -> Self {
        Self {
            nodes: self.nodes.saturating_mul(count),
            requests: self.requests.saturating_mul(count),
            fields: self.fields,
        }
    }
}

/// Only the operation that will be executed counts. A document without one is
/// left to the library, which says so.
pub(super) fn measure(
    document: &ExecutableDocument,
    operation: Option<&str>,
    variables: &Variables,
) -> Result<Demand, QueryError> {
    let Some(operation) = chosen(document, operation) else {
        return Ok(Demand::default());
    };
    let mut walk = Walk {
        fragments: &document.fragments,
        operation,
        variables,
        known: HashMap::new(),
    };
    let demand = walk.set(&operation.selection_set.node, 0)?;
    if demand.fields > MOST_FIELDS {
        return Err(too_large());
    }
    if demand.nodes > LARGEST_NODE_COUNT {
        return Err(QueryError::new(
            "MAX_NODE_LIMIT_EXCEEDED",
            format!(
                "This query requests up to {} possible nodes which exceeds the maximum limit of {}.",
                thousands(demand.nodes),
                thousands(LARGEST_NODE_COUNT),
            ),
        ));
    }
    Ok(demand)
}

pub(super) fn is_mutation(document: &ExecutableDocument, operation: Option<&str>) -> bool {
    chosen(document, operation).is_some_and(|chosen| chosen.ty == OperationType::Mutation)
}

fn chosen<'a>(
    document: &'a ExecutableDocument,
    name: Option<&str>,
) -> Option<&'a OperationDefinition> {
    match (&document.operations, name) {
        (DocumentOperations::Single(operation), _) => Some(&operation.node),
        (DocumentOperations::Multiple(operations), Some(name)) => {
            operations.get(name).map(|operation| &operation.node)
        }
        (DocumentOperations::Multiple(operations), None) => {
            operations.values().next().map(|operation| &operation.node)
        }
    }
}

struct Walk<'a> {
    fragments: &'a HashMap<Name, Positioned<FragmentDefinition>>,
    operation: &'a OperationDefinition,
    variables: &'a Variables,
    /// Fragments that were measured: each once, however often it is used.
    known: HashMap<&'a str, Demand>,
}

impl<'a> Walk<'a> {
    fn set(&mut self, set: &'a SelectionSet, depth: usize) -> Result<Demand, QueryError> {
        if depth > DEEPEST {
            return Err(too_large());
        }
        let mut demand = Demand::default();
        for selection in &set.items {
            let more = match &selection.node {
                Selection::Field(field) => self.field(&field.node, depth)?,
                Selection::InlineFragment(fragment) => {
                    self.set(&fragment.node.selection_set.node, depth + 1)?
                }
                Selection::FragmentSpread(spread) => {
                    self.fragment(&spread.node.fragment_name.node, depth)?
                }
            };
            demand = demand.and(more);
        }
        Ok(demand)
    }

    fn field(&mut self, field: &'a Field, depth: usize) -> Result<Demand, QueryError> {
        let inner = self.set(&field.selection_set.node, depth + 1)?;
        let own = Demand {
            fields: 1,
            ..Demand::default()
        };
        let Some(count) = self.page_size(field) else {
            return Ok(own.and(inner));
        };
        let list = Demand {
            nodes: count,
            requests: 1,
            fields: 1,
        };
        Ok(list.and(inner.times(count)))
    }

    fn fragment(&mut self, name: &'a Name, depth: usize) -> Result<Demand, QueryError> {
        if let Some(known) = self.known.get(name.as_str()) {
            return Ok(*known);
        }
        // One that is not there is left to the library; one within itself ends
        // at the largest depth.
        let Some(fragment) = self.fragments.get(name) else {
            return Ok(Demand::default());
        };
        let demand = self.set(&fragment.node.selection_set.node, depth + 1)?;
        self.known.insert(name.as_str(), demand);
        Ok(demand)
    }

    /// Only lists have these arguments.
    fn page_size(&self, field: &Field) -> Option<u64> {
        let argument = field
            .get_argument("first")
            .or_else(|| field.get_argument("last"))?;
        let value = argument.node.clone().into_const_with(|name| {
            let given = self.variables.get(&name).cloned();
            given.or_else(|| self.default_of(&name)).ok_or(())
        });
        match value {
            Ok(Value::Number(number)) => number.as_u64(),
            _ => None,
        }
    }

    fn default_of(&self, name: &Name) -> Option<Value> {
        let definitions = &self.operation.variable_definitions;
        let definition = definitions
            .iter()
            .find(|definition| definition.node.name.node == *name)?;
        definition
            .node
            .default_value
            .as_ref()
            .map(|value| value.node.clone())
    }
}

fn too_large() -> QueryError {
    QueryError::new(
        "RESOURCE_LIMITS_EXCEEDED",
        "Resource limits for this query exceeded.",
    )
}

/// `1,234,567`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut written = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;
    use serde_json::json;

    use super::*;

    fn measured(query: &str) -> Result<Demand, QueryError> {
        let variables = Variables::from_json(json!({ "given": 7 }));
        measure(&parse_query(query).unwrap(), None, &variables)
    }

    #[test]
    fn entries_are_counted_through_nested_lists() {
        let demand = measured(
            "query($given: Int, $default: Int = 3) { a(first: 50) { nodes { b(last: $given) { nodes { c } } } }
             ...F d(first: $default) { totalCount } } fragment F on Query { e(first: 100) { nodes { f } } }",
        )
        .unwrap();
        assert_eq!(demand.nodes, 50 + 50 * 7 + 3 + 100);
        assert_eq!(demand.cost(), 1);
        assert_eq!(
            measured("{ a(first: 100) { nodes { b(first: 10) { nodes { c(first: 1) { nodes { d } } } } } } }")
                .unwrap()
                .cost(),
            12,
            "1 + 100 + 1000 requests"
        );
    }

    #[test]
    fn too_many_entries_are_refused() {
        let query = "{ a(first: 100) { nodes { b(first: 100) { nodes { c(first: 100) { nodes { d } } } } } } }";
        insta::assert_snapshot!(
            measured(query).unwrap_err(),
            @"This query requests up to 1,010,100 possible nodes which exceeds the maximum limit of 500,000."
        );
    }

    #[test]
    fn fragments_that_multiply_end_quickly() {
        let mut query = "{ ...F0 }".to_owned();
        for at in 0..25 {
            query.push_str(&format!(
                " fragment F{at} on Query {{ ...F{next} ...F{next} }}",
                next = at + 1
            ));
        }
        query.push_str(" fragment F25 on Query { viewer { login } }");
        assert!(measured(&query).is_err());
        assert!(measured("{ ...F } fragment F on Query { a { ...F } }").is_err());
    }
}
