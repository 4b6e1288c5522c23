//! Whether GitHub would take a document: the rules of GraphQL that its server
//! applies, and what it asks of connections beyond them.
//!
//! GitHub is laxer than the specification in one point that `gh` relies on: the same
//! response key may have different types on different members of a union.

use std::collections::BTreeSet;

use async_graphql_parser::Positioned;
use async_graphql_parser::types::{
    Directive, ExecutableDocument, Field, FieldDefinition, FragmentDefinition, OperationDefinition,
    OperationType, Selection, SelectionSet, Type,
};
use async_graphql_value::Value as Literal;
use serde_json::Value;

use super::fragments;
use super::schema::{Schema, is_required, named};
use super::values::{Expected, Variables};
use crate::github::problem::{Findings, join};

/// The nodes that one request may ask for in all, as GitHub's documentation of its limits says.
const NODE_LIMIT: u64 = 500_000;

/// The most that one connection gives at once.
const PAGE_LIMIT: u64 = 100;

pub(super) struct Check<'a, 'f> {
    schema: &'a Schema,
    document: &'a ExecutableDocument,
    variables: Variables<'a>,
    /// What the request came with; it decides how many nodes a connection is asked for.
    values: &'a Value,
    spread: BTreeSet<String>,
    findings: &'f mut Findings<'a>,
}

impl<'a, 'f> Check<'a, 'f> {
    pub(super) fn new(
        schema: &'a Schema,
        document: &'a ExecutableDocument,
        values: &'a Value,
        findings: &'f mut Findings<'a>,
    ) -> Self {
        Self {
            schema,
            document,
            variables: Variables::default(),
            values,
            spread: BTreeSet::new(),
            findings,
        }
    }

    pub(super) fn operation(mut self, operation: &'a OperationDefinition) {
        let root = match operation.ty {
            OperationType::Query => self.schema.query(),
            OperationType::Mutation => self.schema.mutation(),
            OperationType::Subscription => {
                self.findings.add("", "GitHub has no subscriptions");
                return;
            }
        };
        for definition in &operation.variable_definitions {
            let definition = &definition.node;
            let name = definition.name.node.as_str();
            self.variables.declared.insert(name, definition);
            self.variable(name, &definition.var_type.node);
            if let Some(default) = &definition.default_value {
                let expected = Expected {
                    ty: &definition.var_type.node,
                    has_default: false,
                };
                let literal = default.node.clone().into_value();
                let mut none = Variables::default();
                self.schema
                    .check_literal(expected, &literal, &mut none, "", self.findings);
            }
        }
        self.directives(&operation.directives, "");
        let nodes = self.selections(root, &operation.selection_set.node, "", 1);
        if nodes > NODE_LIMIT {
            self.findings.add(
                "",
                format!("{nodes} nodes are asked for; GitHub gives {NODE_LIMIT} at most"),
            );
        }
        self.leftovers();
    }

    fn variable(&mut self, name: &str, ty: &Type) {
        if !self.schema.is_input(named(ty)) {
            self.findings
                .add("", format!("`${name}` is `{ty}`, which is no input type"));
        }
        if let Some(value) = self.values.get(name) {
            let pointer = format!("/variables/{name}");
            self.schema.check_input(ty, value, &pointer, self.findings);
        } else if !ty.nullable
            && self.values.is_object()
            && self.variables.declared[name].default_value.is_none()
        {
            self.findings.add("", format!("`${name}` is not given"));
        }
    }

    /// What was defined and never used, which GitHub does not take.
    fn leftovers(&mut self) {
        let unused = self.variables.declared.keys();
        let mut unused: Vec<_> = unused
            .filter(|name| !self.variables.used.iter().any(|used| used == *name))
            .map(|name| format!("`${name}` is declared but not used"))
            .collect();
        unused.sort();
        for message in unused {
            self.findings.add("", message);
        }
    }

    /// Checks a selection set and counts the nodes that it asks for, `times` over.
    fn selections(
        &mut self,
        parent: &'a str,
        set: &'a SelectionSet,
        pointer: &str,
        times: u64,
    ) -> u64 {
        for key in fragments::ambiguous_keys(self.schema, self.document, parent, set) {
            let message = format!("`{key}` is asked for in two ways; give one an alias");
            self.findings.add(pointer, message);
        }
        let mut nodes = 0;
        for selection in &set.items {
            let directives = selection.node.directives();
            self.directives(directives, pointer);
            nodes += match &selection.node {
                Selection::Field(field) => self.field(parent, &field.node, pointer, times),
                Selection::FragmentSpread(spread) => {
                    let name = spread.node.fragment_name.node.as_str();
                    self.spread(parent, name, pointer, times)
                }
                Selection::InlineFragment(fragment) => {
                    let condition = fragment.node.type_condition.as_ref();
                    let on = condition.map_or(parent, |condition| condition.node.on.node.as_str());
                    let set = &fragment.node.selection_set.node;
                    self.condition(parent, on, pointer, |check| {
                        check.selections(on, set, pointer, times)
                    })
                }
            };
        }
        nodes
    }

    fn spread(&mut self, parent: &'a str, name: &'a str, pointer: &str, times: u64) -> u64 {
        let Some(fragment) = self.document.fragments.get(name) else {
            self.findings
                .add(pointer, format!("there is no fragment `{name}`"));
            return 0;
        };
        let FragmentDefinition {
            type_condition,
            selection_set,
            ..
        } = &fragment.node;
        let on = type_condition.node.on.node.as_str();
        // A fragment inside itself would never end.
        if !self.spread.insert(name.to_owned()) {
            self.findings
                .add(pointer, format!("fragment `{name}` contains itself"));
            return 0;
        }
        let nodes = self.condition(parent, on, pointer, |check| {
            check.selections(on, &selection_set.node, pointer, times)
        });
        self.spread.remove(name);
        nodes
    }

    fn condition(
        &mut self,
        parent: &str,
        on: &str,
        pointer: &str,
        inside: impl FnOnce(&mut Self) -> u64,
    ) -> u64 {
        if !self.schema.is_composite(on) {
            self.findings
                .add(pointer, format!("there is no composite type `{on}`"));
            return 0;
        }
        if !self.schema.overlap(parent, on) {
            let message = format!("a `{parent}` is never a `{on}`");
            self.findings.add(pointer, message);
        }
        inside(self)
    }

    fn field(&mut self, parent: &'a str, field: &'a Field, pointer: &str, times: u64) -> u64 {
        let name = field.name.node.as_str();
        let pointer = join(pointer, field.response_key().node.as_str());
        let Some(definition) = self.schema.field(parent, name) else {
            let message = format!("type `{parent}` has no field `{name}`");
            self.findings.add(pointer, message);
            return 0;
        };
        self.arguments(field, definition, &pointer);
        let inner = named(&definition.ty.node);
        let selections = &field.selection_set.node;
        match (self.schema.is_composite(inner), selections.items.is_empty()) {
            (true, true) => {
                let message = format!("`{name}` is a `{inner}`, of which fields have to be chosen");
                self.findings.add(pointer, message);
                0
            }
            (false, false) => {
                let message = format!("`{name}` is a `{inner}`, which has no fields");
                self.findings.add(pointer, message);
                0
            }
            (false, true) => 0,
            (true, false) => {
                let size = self.page_size(field, definition, &pointer);
                let nodes = times.saturating_mul(size.unwrap_or(1));
                let below = self.selections(inner, selections, &pointer, nodes);
                below.saturating_add(if size.is_some() { nodes } else { 0 })
            }
        }
    }

    fn arguments(&mut self, field: &'a Field, definition: &'a FieldDefinition, pointer: &str) {
        for (name, value) in &field.arguments {
            let known = definition
                .arguments
                .iter()
                .find(|argument| argument.node.name.node == name.node);
            match known {
                None => {
                    let message = format!("`{}` takes no `{}`", field.name.node, name.node);
                    self.findings.add(pointer, message);
                }
                Some(argument) => {
                    let expected = Expected {
                        ty: &argument.node.ty.node,
                        has_default: argument.node.default_value.is_some(),
                    };
                    self.schema.check_literal(
                        expected,
                        &value.node,
                        &mut self.variables,
                        pointer,
                        self.findings,
                    );
                }
            }
        }
        let missing = definition
            .arguments
            .iter()
            .map(|argument| &argument.node)
            .filter(|argument| is_required(argument))
            .filter(|argument| field.get_argument(&argument.name.node).is_none());
        for argument in missing {
            let message = format!("`{}` needs `{}`", field.name.node, argument.name.node);
            self.findings.add(pointer, message);
        }
    }

    /// How many nodes a connection is asked for; `None` for what is none, or where only
    /// its count is wanted.
    fn page_size(
        &mut self,
        field: &Field,
        definition: &FieldDefinition,
        pointer: &str,
    ) -> Option<u64> {
        let is_connection = named(&definition.ty.node).ends_with("Connection");
        if !is_connection || !fragments::asks_for_nodes(self.document, &field.selection_set.node) {
            return None;
        }
        let size = ["first", "last"]
            .iter()
            .find_map(|name| field.get_argument(name))
            .map(|literal| self.number(&literal.node));
        match size {
            None => {
                let message = format!(
                    "`{}` is a connection, for which GitHub wants `first` or `last`",
                    field.name.node
                );
                self.findings.add(pointer, message);
                Some(1)
            }
            Some(Some(size)) if size == 0 || size > PAGE_LIMIT => {
                let message = format!("GitHub gives 1 to {PAGE_LIMIT} nodes at once, not {size}");
                self.findings.add(pointer, message);
                Some(size)
            }
            // The value of a variable that the caller did not give: the worst case.
            Some(size) => Some(size.unwrap_or(PAGE_LIMIT)),
        }
    }

    fn number(&self, literal: &Literal) -> Option<u64> {
        match literal {
            Literal::Number(number) => number.as_u64(),
            Literal::Variable(name) => {
                let given = self.values.get(name.as_str()).and_then(Value::as_u64);
                let declared = self.variables.declared.get(name.as_str());
                given.or_else(|| {
                    let default = declared?.default_value()?.clone();
                    default.into_json().ok()?.as_u64()
                })
            }
            _ => None,
        }
    }

    fn directives(&mut self, directives: &'a [Positioned<Directive>], pointer: &str) {
        for directive in directives {
            let name = directive.node.name.node.as_str();
            let condition = directive.node.get_argument("if");
            match (name, condition) {
                ("skip" | "include", Some(value)) => {
                    let boolean = Type::new("Boolean!").expect("the type is well formed");
                    let expected = Expected {
                        ty: &boolean,
                        has_default: false,
                    };
                    self.schema.check_literal(
                        expected,
                        &value.node,
                        &mut self.variables,
                        pointer,
                        self.findings,
                    );
                }
                ("skip" | "include", None) => {
                    self.findings.add(pointer, format!("`@{name}` needs `if`"));
                }
                _ => self
                    .findings
                    .add(pointer, format!("there is no directive `@{name}`")),
            }
        }
    }
}
