//! Whether the data of an answer is what its document asked for.

use std::collections::{BTreeMap, BTreeSet};

use async_graphql_parser::types::{
    BaseType, ExecutableDocument, Field, OperationDefinition, OperationType, Selection,
    SelectionSet, Type,
};
use serde_json::{Map, Value};

use super::schema::Schema;
use crate::github::problem::{Findings, join};

pub(super) struct Check<'a, 'f> {
    pub(super) schema: &'a Schema,
    pub(super) document: &'a ExecutableDocument,
    pub(super) findings: &'f mut Findings<'a>,
}

/// What an object of one type has to have under one key.
struct Asked<'a> {
    fields: Vec<&'a Field>,
    /// Every mention of it is conditional, so it may be left out.
    optional: bool,
}

impl<'a> Check<'a, '_> {
    pub(super) fn data(&mut self, operation: &'a OperationDefinition, data: &Value) {
        let root = match operation.ty {
            OperationType::Mutation => self.schema.mutation(),
            _ => self.schema.query(),
        };
        match data.as_object() {
            None => self.findings.add("/data", "the data is no object"),
            Some(object) => {
                self.object(root, &[&operation.selection_set.node], object, "/data");
            }
        }
    }

    fn value(&mut self, ty: &Type, fields: &[&'a Field], value: &Value, pointer: &str) {
        match (&ty.base, value) {
            // Errors are no excuse: GraphQL moves a null up to the next field that may have it.
            (_, Value::Null) => {
                if !ty.nullable {
                    self.findings.add(pointer, format!("`{ty}` cannot be null"));
                }
            }
            (BaseType::List(inner), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.value(inner, fields, item, &join(pointer, &index.to_string()));
                }
            }
            (BaseType::List(_), _) => self.findings.add(pointer, format!("this is no `{ty}`")),
            (BaseType::Named(name), value) if self.schema.is_composite(name) => {
                let sets: Vec<_> = fields
                    .iter()
                    .map(|field| &field.selection_set.node)
                    .collect();
                match value.as_object() {
                    None => self.findings.add(pointer, format!("this is no `{name}`")),
                    Some(object) => self.composite(name, &sets, object, pointer),
                }
            }
            (BaseType::Named(name), value) => {
                if let Some(trouble) = self.schema.check_leaf(name, value) {
                    self.findings.add(pointer, trouble);
                }
            }
        }
    }

    /// An object whose type is known or has to be found out.
    fn composite(
        &mut self,
        declared: &str,
        sets: &[&'a SelectionSet],
        object: &Map<String, Value>,
        pointer: &str,
    ) {
        let Some(possible) = self.schema.possible_types(declared) else {
            let message = format!("no type is a `{declared}`");
            self.findings.add(pointer, message);
            return;
        };
        if let Some(actual) = self.typename(sets, object) {
            if possible.contains(&actual) {
                self.object(&actual, sets, object, pointer);
            } else {
                let message = format!("a `{declared}` is never a `{actual}`");
                self.findings.add(pointer, message);
            }
            return;
        }
        // Of all types that it could be, the one that fits best.
        let before = self.findings.len();
        let mut best: Option<(usize, String)> = None;
        for candidate in self.candidates(possible, sets) {
            self.object(&candidate, sets, object, pointer);
            let problems = self.findings.len() - before;
            self.findings.truncate(before);
            if best.as_ref().is_none_or(|(fewest, _)| problems < *fewest) {
                best = Some((problems, candidate));
            }
        }
        if let Some((1.., candidate)) = best {
            self.object(&candidate, sets, object, pointer);
        }
    }

    /// What the object says of itself, if it was asked.
    fn typename(&self, sets: &[&'a SelectionSet], object: &Map<String, Value>) -> Option<String> {
        let mut keys = BTreeSet::new();
        let mut visited = BTreeSet::new();
        for set in sets {
            self.typename_keys(set, &mut visited, &mut keys);
        }
        keys.iter()
            .find_map(|key| object.get(*key)?.as_str())
            .map(ToOwned::to_owned)
    }

    fn typename_keys(
        &self,
        set: &'a SelectionSet,
        visited: &mut BTreeSet<&'a str>,
        keys: &mut BTreeSet<&'a str>,
    ) {
        for selection in &set.items {
            match &selection.node {
                Selection::Field(field) if field.node.name.node == "__typename" => {
                    keys.insert(field.node.response_key().node.as_str());
                }
                Selection::Field(_) => {}
                Selection::InlineFragment(fragment) => {
                    self.typename_keys(&fragment.node.selection_set.node, visited, keys);
                }
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name.node;
                    if visited.insert(name)
                        && let Some(fragment) = self.document.fragments.get(name)
                    {
                        self.typename_keys(&fragment.node.selection_set.node, visited, keys);
                    }
                }
            }
        }
    }

    /// One of each kind of type that the fragments tell apart; `Node` alone has hundreds.
    fn candidates(&self, possible: &BTreeSet<String>, sets: &[&'a SelectionSet]) -> Vec<String> {
        let mut conditions = BTreeSet::new();
        for set in sets {
            self.conditions(set, &mut conditions);
        }
        let mut kinds: BTreeMap<Vec<bool>, &String> = BTreeMap::new();
        for name in possible {
            let kind = conditions
                .iter()
                .map(|condition| self.schema.overlap(condition, name))
                .collect();
            kinds.entry(kind).or_insert(name);
        }
        kinds.into_values().rev().cloned().collect()
    }

    fn conditions(&self, set: &'a SelectionSet, found: &mut BTreeSet<&'a str>) {
        for selection in &set.items {
            match &selection.node {
                Selection::Field(_) => {}
                Selection::InlineFragment(fragment) => {
                    if let Some(condition) = &fragment.node.type_condition {
                        found.insert(condition.node.on.node.as_str());
                    }
                    self.conditions(&fragment.node.selection_set.node, found);
                }
                Selection::FragmentSpread(spread) => {
                    if let Some(fragment) =
                        self.document.fragments.get(&spread.node.fragment_name.node)
                        && found.insert(fragment.node.type_condition.node.on.node.as_str())
                    {
                        self.conditions(&fragment.node.selection_set.node, found);
                    }
                }
            }
        }
    }

    /// An object of a known type: it has what was asked for, and nothing else.
    fn object(
        &mut self,
        actual: &str,
        sets: &[&'a SelectionSet],
        object: &Map<String, Value>,
        pointer: &str,
    ) {
        let mut asked = BTreeMap::new();
        let mut visited = BTreeSet::new();
        for set in sets {
            self.collect(actual, set, false, &mut visited, &mut asked);
        }
        for (key, Asked { fields, optional }) in &asked {
            let below = join(pointer, key);
            let name = fields[0].name.node.as_str();
            let Some(definition) = self.schema.field(actual, name) else {
                let message = format!("type `{actual}` has no field `{name}`");
                self.findings.add(below, message);
                continue;
            };
            match object.get(*key) {
                Some(value) => self.value(&definition.ty.node, fields, value, &below),
                None if *optional => {}
                None => self
                    .findings
                    .add(below, "it was asked for and is not there"),
            }
        }
        for key in object
            .keys()
            .filter(|key| !asked.contains_key(key.as_str()))
        {
            self.findings.add(join(pointer, key), "no one asked for it");
        }
    }

    fn collect(
        &self,
        actual: &str,
        set: &'a SelectionSet,
        conditional: bool,
        visited: &mut BTreeSet<(&'a str, bool)>,
        asked: &mut BTreeMap<&'a str, Asked<'a>>,
    ) {
        for selection in &set.items {
            let conditional = conditional || !selection.node.directives().is_empty();
            match &selection.node {
                Selection::Field(field) => {
                    let key = field.node.response_key().node.as_str();
                    let entry = asked.entry(key).or_insert_with(|| Asked {
                        fields: Vec::new(),
                        optional: true,
                    });
                    entry.fields.push(&field.node);
                    entry.optional &= conditional;
                }
                Selection::InlineFragment(fragment) => {
                    let condition = fragment.node.type_condition.as_ref();
                    let applies = condition
                        .is_none_or(|on| self.schema.overlap(on.node.on.node.as_str(), actual));
                    if applies {
                        let set = &fragment.node.selection_set.node;
                        self.collect(actual, set, conditional, visited, asked);
                    }
                }
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name.node;
                    if visited.insert((name, conditional))
                        && let Some(fragment) = self.document.fragments.get(name)
                        && self
                            .schema
                            .overlap(fragment.node.type_condition.node.on.node.as_str(), actual)
                    {
                        let set = &fragment.node.selection_set.node;
                        self.collect(actual, set, conditional, visited, asked);
                    }
                }
            }
        }
    }
}
