//! Whether a document fits the schema. What does not is refused before anything is executed, in
//! GitHub's words.

use std::collections::{HashMap, HashSet};

use async_graphql_parser::types::{
    Field, FieldDefinition, FragmentDefinition, OperationDefinition, Selection, SelectionSet,
};
use async_graphql_parser::{Pos, Positioned};
use async_graphql_value::{Name, Value as Literal};
use serde_json::{Map, Value, json};

use super::errors::invalid;
use super::execute::arguments;
use super::schema::{SCHEMA, json as const_json, named};

/// The variables of the operation, or why a document is refused.
pub(super) fn variables(
    operation: &OperationDefinition,
    mut given: Map<String, Value>,
) -> Result<Map<String, Value>, Vec<Value>> {
    let mut variables = Map::new();
    let mut problems = Vec::new();
    for Positioned { pos, node } in &operation.variable_definitions {
        let (name, ty) = (node.name.node.as_str(), &node.var_type.node);
        let value = match (given.remove(name), &node.default_value) {
            (Some(value), _) => value,
            (None, Some(default)) => const_json(&default.node),
            (None, None) if ty.nullable => continue,
            (None, None) => Value::Null,
        };
        match SCHEMA.coerce(ty, value) {
            Ok(value) => drop(variables.insert(name.to_owned(), value)),
            Err(problem) => {
                let message =
                    format!("Variable ${name} of type {ty} was provided invalid value: {problem}");
                problems.push(invalid(&message, *pos, None));
            }
        }
    }
    if problems.is_empty() {
        Ok(variables)
    } else {
        Err(problems)
    }
}

/// Everything that is wrong with the operation and the fragments it uses.
pub(super) fn problems(
    root: &str,
    operation: &OperationDefinition,
    fragments: &HashMap<Name, Positioned<FragmentDefinition>>,
    variables: &Map<String, Value>,
) -> Vec<Value> {
    let declared = operation.variable_definitions.iter();
    let mut check = Check {
        fragments,
        variables,
        declared: declared
            .map(|known| known.node.name.node.as_str())
            .collect(),
        seen: HashSet::new(),
        problems: Vec::new(),
    };
    check.set(root, &operation.selection_set.node);
    check.problems
}

struct Check<'a> {
    fragments: &'a HashMap<Name, Positioned<FragmentDefinition>>,
    variables: &'a Map<String, Value>,
    declared: HashSet<&'a str>,
    /// Fragments that were checked: each once, however often it is used.
    seen: HashSet<&'a str>,
    problems: Vec<Value>,
}

impl<'a> Check<'a> {
    fn set(&mut self, parent: &str, set: &'a SelectionSet) {
        for selection in &set.items {
            match &selection.node {
                Selection::Field(field) => self.field(parent, field),
                Selection::InlineFragment(fragment) => {
                    let on = fragment.node.type_condition.as_ref();
                    let on = on.map_or(parent, |on| on.node.on.node.as_str());
                    self.fragment(on, fragment.pos, &fragment.node.selection_set.node);
                }
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name.node;
                    let Some(found) = self.fragments.get(name) else {
                        self.refuse(
                            &format!("Fragment {name} was used, but not defined"),
                            spread.pos,
                        );
                        continue;
                    };
                    if self.seen.insert(name) {
                        let on = &found.node.type_condition.node.on.node;
                        self.fragment(on, found.pos, &found.node.selection_set.node);
                    }
                }
            }
        }
    }

    fn fragment(&mut self, on: &str, pos: Pos, set: &'a SelectionSet) {
        if SCHEMA.is_composite(on) {
            self.set(on, set);
        } else {
            self.refuse(
                &format!("No such type {on}, so it can't be a fragment condition"),
                pos,
            );
        }
    }

    fn field(&mut self, parent: &str, field: &'a Positioned<Field>) {
        let (name, pos) = (field.node.name.node.as_str(), field.pos);
        if name == "__typename" {
            return;
        }
        let Some(definition) = SCHEMA.field(parent, name) else {
            let message = format!("Field '{name}' doesn't exist on type '{parent}'");
            let code = json!({ "code": "undefinedField", "typeName": parent, "fieldName": name });
            self.problems.push(invalid(&message, pos, Some(code)));
            return;
        };
        self.arguments(definition, field);
        let (set, ty) = (&field.node.selection_set.node, named(&definition.ty.node));
        match (SCHEMA.is_composite(ty), set.items.is_empty()) {
            (true, false) => self.set(ty, set),
            (true, true) => self.refuse(
                &format!(
                    "Field must have selections (field '{name}' returns {ty} but has no selections)"
                ),
                pos,
            ),
            (false, false) => self.refuse(
                &format!("Selections can't be made on scalars (field '{name}' returns {ty})"),
                pos,
            ),
            (false, true) => {}
        }
    }

    fn arguments(&mut self, definition: &FieldDefinition, field: &'a Positioned<Field>) {
        let (name, pos) = (field.node.name.node.as_str(), field.pos);
        for (argument, value) in &field.node.arguments {
            let mut known = definition.arguments.iter();
            if !known.any(|known| known.node.name.node == argument.node) {
                let argument = &argument.node;
                let message = format!("Field '{name}' doesn't accept argument '{argument}'");
                let code = json!({
                    "code": "argumentNotAccepted",
                    "name": name,
                    "typeName": "Field",
                    "argumentName": argument.as_str(),
                });
                self.problems.push(invalid(&message, pos, Some(code)));
                return;
            }
            self.declared_only(&value.node, value.pos);
        }
        let missing = definition.arguments.iter().map(|known| &known.node);
        let missing = missing.filter(|known| {
            let needed = !known.ty.node.nullable && known.default_value.is_none();
            needed && field.node.get_argument(&known.name.node).is_none()
        });
        let missing: Vec<&str> = missing.map(|known| known.name.node.as_str()).collect();
        if !missing.is_empty() {
            let missing = missing.join(", ");
            let message = format!("Field '{name}' is missing required arguments: {missing}");
            let code = json!({
                "code": "missingRequiredArguments",
                "className": "Field",
                "name": name,
                "arguments": missing,
            });
            self.problems.push(invalid(&message, pos, Some(code)));
            return;
        }
        if let Err(problem) = arguments(definition, &field.node, self.variables) {
            self.refuse(
                &format!("Field '{name}' has an invalid argument: {problem}"),
                pos,
            );
        }
    }

    /// Refuses variables that the operation does not declare.
    fn declared_only(&mut self, value: &Literal, pos: Pos) {
        match value {
            Literal::Variable(name) if !self.declared.contains(name.as_str()) => {
                self.refuse(
                    &format!("Variable ${name} is used by this query but not declared"),
                    pos,
                );
            }
            Literal::List(items) => {
                for item in items {
                    self.declared_only(item, pos);
                }
            }
            Literal::Object(fields) => {
                for value in fields.values() {
                    self.declared_only(value, pos);
                }
            }
            _ => {}
        }
    }

    fn refuse(&mut self, message: &str, pos: Pos) {
        self.problems.push(invalid(message, pos, None));
    }
}
