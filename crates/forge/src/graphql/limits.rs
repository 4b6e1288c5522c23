//! How much a document asks for, before anything is done for it.

use std::collections::HashMap;

use async_graphql_parser::Positioned;
use async_graphql_parser::types::{
    Field, FragmentDefinition, OperationDefinition, Selection, SelectionSet,
};
use async_graphql_value::{Name, Value as Literal};
use serde_json::{Map, Value};

use super::errors::QueryError;

/// GitHub's limit for the entries that all lists together may have.
const MAX_NODES: u64 = 500_000;
/// Fields of the document once every fragment is written out. `gh`'s largest
/// has less than 200; without a limit, fragments within fragments make a
/// document of a few lines go on forever.
const MAX_FIELDS: u64 = 20_000;
/// Levels of nesting; they are walked on the stack.
const MAX_DEPTH: usize = 30;

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
    pub(super) fn cost(self) -> u32 {
        let points = self.requests.div_ceil(100).max(1);
        u32::try_from(points).unwrap_or(u32::MAX)
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

/// Only the operation that will be executed counts.
pub(super) fn measure(
    operation: &OperationDefinition,
    fragments: &HashMap<Name, Positioned<FragmentDefinition>>,
    variables: &Map<String, Value>,
) -> Result<Demand, QueryError> {
    let mut walk = Walk {
        fragments,
        operation,
        variables,
        known: HashMap::new(),
    };
    let demand = walk.set(&operation.selection_set.node, 0)?;
    if demand.fields > MAX_FIELDS {
        return Err(too_large());
    }
    if demand.nodes > MAX_NODES {
        return Err(QueryError::new(
            "MAX_NODE_LIMIT_EXCEEDED",
            format!(
                "This query requests up to {} possible nodes which exceeds the maximum limit of {}.",
                thousands(demand.nodes),
                thousands(MAX_NODES),
            ),
        ));
    }
    Ok(demand)
}

struct Walk<'a> {
    fragments: &'a HashMap<Name, Positioned<FragmentDefinition>>,
    operation: &'a OperationDefinition,
    variables: &'a Map<String, Value>,
    /// Fragments that were measured: each once, however often it is used.
    known: HashMap<&'a str, Demand>,
}

impl<'a> Walk<'a> {
    fn set(&mut self, set: &'a SelectionSet, depth: usize) -> Result<Demand, QueryError> {
        if depth > MAX_DEPTH {
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
        // One that is not there is refused later; one within itself ends at the largest depth.
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
        match &argument.node {
            Literal::Number(number) => number.as_u64(),
            Literal::Variable(name) => match self.variables.get(name.as_str()) {
                Some(given) => given.as_u64(),
                None => self.default_of(name),
            },
            _ => None,
        }
    }

    fn default_of(&self, name: &Name) -> Option<u64> {
        let mut definitions = self.operation.variable_definitions.iter();
        let found = definitions.find(|definition| definition.node.name.node == *name)?;
        let default = found.node.default_value.as_ref()?;
        super::schema::json(&default.node).as_u64()
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
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use async_graphql_parser::parse_query;
    use serde_json::json;

    use super::*;

    fn measured(query: &str) -> Result<Demand, QueryError> {
        let variables = json!({ "given": 7 });
        let document = parse_query(query).unwrap();
        let (_, operation) = document.operations.iter().next().unwrap();
        let variables = variables.as_object().unwrap();
        measure(&operation.node, &document.fragments, variables)
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
            let next = at + 1;
            let _ = write!(
                query,
                " fragment F{at} on Query {{ ...F{next} ...F{next} }}"
            );
        }
        query.push_str(" fragment F25 on Query { viewer { login } }");
        assert!(measured(&query).is_err());
        assert!(measured("{ ...F } fragment F on Query { a { ...F } }").is_err());
    }
}
