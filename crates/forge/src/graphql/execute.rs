//! Walks a selection over the objects and makes the answer.
//!
//! The order of the answer is that of the query. A field that fails is null with an error beside
//! it; where the schema allows no null, the nearest place above that may be null is.

use std::sync::{Arc, OnceLock};

use async_graphql_parser::types::{
    BaseType, Directive, Field as Selected, FragmentDefinition, Selection, SelectionSet, Type,
    TypeKind,
};
use async_graphql_parser::{Pos, Positioned};
use async_graphql_value::Name;
use futures_util::future::{BoxFuture, join_all};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

use super::context::Context;
use super::errors::QueryError;
use super::field::{Arguments, Field};
use super::object::{AnyObject, Node, Output, Plain};
use super::schema::{SCHEMA, json as const_json, location, named};

/// An operation under way.
pub(super) struct Execution<'a> {
    pub(super) cx: &'a Context,
    pub(super) fragments: &'a HashMap<Name, Positioned<FragmentDefinition>>,
    /// Coerced to their types.
    pub(super) variables: &'a Map<String, Value>,
}

/// A value, or a null that has to go up, with the errors below it.
pub(super) struct Done {
    pub(super) value: Option<Value>,
    pub(super) errors: Vec<Value>,
}

/// Where an error happened: keys and indices from the root.
#[derive(Clone, Copy)]
struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    last: Segment<'a>,
}

#[derive(Clone, Copy)]
enum Segment<'a> {
    Key(&'a str),
    Index(usize),
}

impl Path<'_> {
    fn segments(&self) -> Vec<Value> {
        let mut segments = self.parent.map(Path::segments).unwrap_or_default();
        segments.push(match self.last {
            Segment::Key(key) => json!(key),
            Segment::Index(index) => json!(index),
        });
        segments
    }
}

/// A field of the answer: the first of the selections that ask for it, and the sets of all.
struct Group<'a> {
    key: &'a str,
    field: &'a Positioned<Selected>,
    sets: Vec<&'a SelectionSet>,
}

/// An object with its facts, which are made once.
struct Source<'a> {
    object: &'a dyn AnyObject,
    type_name: &'a str,
    facts: OnceLock<Result<Value, QueryError>>,
}

impl<'a> Execution<'a> {
    /// `serial` for mutations: each sees what the one before did.
    pub(super) async fn run(
        &self,
        root: &dyn AnyObject,
        set: &'a SelectionSet,
        serial: bool,
    ) -> Done {
        self.select(root, root.kind(), &[set], None, serial).await
    }

    fn select<'b>(
        &'b self,
        object: &'b dyn AnyObject,
        type_name: &'b str,
        sets: &'b [&'a SelectionSet],
        parent: Option<&'b Path<'b>>,
        serial: bool,
    ) -> BoxFuture<'b, Done> {
        Box::pin(async move {
            let mut groups = Vec::new();
            for set in sets {
                self.collect(type_name, set, &mut groups);
            }
            let source = Source {
                object,
                type_name,
                facts: OnceLock::new(),
            };
            let fields = groups
                .iter()
                .map(|group| self.field(&source, group, parent));
            let results = if serial {
                let mut results = Vec::new();
                for field in fields {
                    results.push(field.await);
                }
                results
            } else {
                join_all(fields).await
            };
            let mut done = Done {
                value: Some(Value::Null),
                errors: Vec::new(),
            };
            let mut answer = Map::new();
            for (group, result) in groups.iter().zip(results) {
                done.errors.extend(result.errors);
                match result.value {
                    Some(value) => drop(answer.insert(group.key.to_owned(), value)),
                    None => done.value = None,
                }
            }
            done.value = done.value.map(|_| Value::Object(answer));
            done
        })
    }

    /// The fields that a selection asks for, in its order, with fragments written out.
    fn collect(&self, type_name: &str, set: &'a SelectionSet, groups: &mut Vec<Group<'a>>) {
        for selection in &set.items {
            if !self.is_included(selection.node.directives()) {
                continue;
            }
            let (condition, set) = match &selection.node {
                Selection::Field(field) => {
                    let key = field.node.response_key().node.as_str();
                    let set = &field.node.selection_set.node;
                    match groups.iter_mut().find(|group| group.key == key) {
                        Some(group) => group.sets.push(set),
                        None => groups.push(Group {
                            key,
                            field,
                            sets: vec![set],
                        }),
                    }
                    continue;
                }
                Selection::InlineFragment(fragment) => (
                    fragment.node.type_condition.as_ref(),
                    &fragment.node.selection_set.node,
                ),
                Selection::FragmentSpread(spread) => {
                    match self.fragments.get(&spread.node.fragment_name.node) {
                        Some(found) => (
                            Some(&found.node.type_condition),
                            &found.node.selection_set.node,
                        ),
                        None => continue,
                    }
                }
            };
            if condition.is_none_or(|on| SCHEMA.fits(type_name, &on.node.on.node)) {
                self.collect(type_name, set, groups);
            }
        }
    }

    /// By `@skip` and `@include`.
    fn is_included(&self, directives: &[Positioned<Directive>]) -> bool {
        directives.iter().all(|directive| {
            let condition = directive.node.get_argument("if");
            let condition = condition.and_then(|value| literal(&value.node, self.variables));
            match directive.node.name.node.as_str() {
                "skip" => condition != Some(Value::Bool(true)),
                "include" => condition == Some(Value::Bool(true)),
                _ => true,
            }
        })
    }

    async fn field(
        &self,
        source: &Source<'_>,
        group: &Group<'a>,
        parent: Option<&Path<'_>>,
    ) -> Done {
        let name = group.field.node.name.node.as_str();
        if name == "__typename" {
            return Done {
                value: Some(json!(source.type_name)),
                errors: Vec::new(),
            };
        }
        let path = Path {
            parent,
            last: Segment::Key(group.key),
        };
        let Some(definition) = SCHEMA.field(source.type_name, name) else {
            let error = QueryError::unprocessable(format!("Field '{name}' doesn't exist"));
            return failed(&error, true, group.field.pos, &path);
        };
        let ty = &definition.ty.node;
        let arguments = arguments(definition, &group.field.node, self.variables);
        let field = Field {
            name,
            arguments: Arguments(arguments.unwrap_or_default()),
            wants_items: self.wants_items(named(ty), &group.sets),
        };
        let output = source.object.resolve(self.cx, &field).await;
        let output = match output {
            Ok(Output::Fact) => source.fact(self.cx, name).map(Output::Plain),
            other => other,
        };
        self.complete(ty, output, group, &path).await
    }

    /// Whether the entries of a list are among what is selected of it.
    fn wants_items(&self, type_name: &str, sets: &[&'a SelectionSet]) -> bool {
        let mut groups = Vec::new();
        for set in sets {
            self.collect(type_name, set, &mut groups);
        }
        let mut names = groups
            .iter()
            .map(|group| group.field.node.name.node.as_str());
        names.any(|name| name == "nodes" || name == "edges")
    }

    /// Makes what a field gave fit its type.
    fn complete<'b>(
        &'b self,
        ty: &'b Type,
        output: Result<Output, QueryError>,
        group: &'b Group<'a>,
        path: &'b Path<'b>,
    ) -> BoxFuture<'b, Done> {
        Box::pin(async move {
            let pos = group.field.pos;
            let completed = match (&ty.base, output) {
                (_, Err(error)) => return failed(&error, ty.nullable, pos, path),
                (_, Ok(Output::Plain(Value::Null) | Output::Fact)) => Done {
                    value: None,
                    errors: Vec::new(),
                },
                (BaseType::List(inner), Ok(output)) => {
                    let items: Vec<_> = match output {
                        Output::List(items) => items,
                        Output::Plain(Value::Array(items)) => items
                            .into_iter()
                            .map(|item| Ok(Output::Plain(item)))
                            .collect(),
                        other => vec![Ok(other)],
                    };
                    self.list(inner, items, group, path).await
                }
                (BaseType::Named(name), Ok(output)) => {
                    let object: Node = match output {
                        Output::Object(object) => object,
                        Output::Plain(facts @ Value::Object(_)) if SCHEMA.is_composite(name) => {
                            Arc::new(Plain { kind: "", facts })
                        }
                        Output::Plain(value) => return scalar(name, ty, value, pos, path),
                        Output::List(_) | Output::Fact => {
                            let error = QueryError::from(crate::error::ApiError::internal(
                                "a list where one value belongs",
                            ));
                            return failed(&error, ty.nullable, pos, path);
                        }
                    };
                    let is_object = SCHEMA
                        .get(name)
                        .is_some_and(|known| matches!(known.kind, TypeKind::Object(_)));
                    let type_name = if is_object {
                        name.as_str()
                    } else {
                        object.kind()
                    };
                    self.select(&*object, type_name, &group.sets, Some(path), false)
                        .await
                }
            };
            match completed.value {
                None if !ty.nullable && completed.errors.is_empty() => {
                    let error = QueryError::from(crate::error::ApiError::internal(
                        "a null where there must be a value",
                    ));
                    failed(&error, false, pos, path)
                }
                None if ty.nullable => Done {
                    value: Some(Value::Null),
                    ..completed
                },
                _ => completed,
            }
        })
    }

    async fn list(
        &self,
        inner: &Type,
        items: Vec<Result<Output, QueryError>>,
        group: &Group<'a>,
        path: &Path<'_>,
    ) -> Done {
        let items = items
            .into_iter()
            .enumerate()
            .map(|(index, item)| async move {
                let path = Path {
                    parent: Some(path),
                    last: Segment::Index(index),
                };
                self.complete(inner, item, group, &path).await
            });
        let mut done = Done {
            value: Some(Value::Null),
            errors: Vec::new(),
        };
        let mut values = Vec::new();
        for item in join_all(items).await {
            done.errors.extend(item.errors);
            match item.value {
                Some(value) => values.push(value),
                None => done.value = None,
            }
        }
        done.value = done.value.map(|_| Value::Array(values));
        done
    }
}

impl Source<'_> {
    /// A field by its name in REST, in which most are called the same.
    fn fact(&self, cx: &Context, name: &str) -> Result<Value, QueryError> {
        let facts = self.facts.get_or_init(|| self.object.facts(cx));
        let facts = facts.as_ref().map_err(Clone::clone)?;
        let key = match name {
            "id" => "node_id".to_owned(),
            "databaseId" | "fullDatabaseId" => "id".to_owned(),
            "url" | "permalink" | "resourcePath" => "html_url".to_owned(),
            "bodyText" => "body".to_owned(),
            "oid" => "sha".to_owned(),
            _ => snake(name),
        };
        let short = key.strip_prefix("is_").unwrap_or(&key);
        let found = facts.get(&key).or_else(|| facts.get(short));
        match found {
            Some(Value::String(url)) if name == "resourcePath" => {
                let root = cx.app.urls().page("");
                Ok(json!(url.strip_prefix(&root).unwrap_or(url)))
            }
            Some(value) => Ok(value.clone()),
            None => {
                let place = format!("{}.{name} has no resolver", self.type_name);
                Err(crate::error::ApiError::internal(place).into())
            }
        }
    }
}

fn failed(error: &QueryError, nullable: bool, pos: Pos, path: &Path<'_>) -> Done {
    let error = json!({
        "type": error.kind,
        "path": path.segments(),
        "locations": location(pos),
        "message": error.message,
    });
    Done {
        value: nullable.then_some(Value::Null),
        errors: vec![error],
    }
}

/// A leaf, written as its type wants it.
fn scalar(name: &str, ty: &Type, value: Value, pos: Pos, path: &Path<'_>) -> Done {
    let is_enum = SCHEMA
        .get(name)
        .is_some_and(|known| matches!(known.kind, TypeKind::Enum(_)));
    let value = match (name, value) {
        // `Int` has 32 bits. What does not fit is null where it may be.
        ("Int", Value::Number(number)) => {
            match number
                .as_i64()
                .and_then(|number| i32::try_from(number).ok())
            {
                Some(number) => json!(number),
                None if ty.nullable => Value::Null,
                None => json!(i32::MAX),
            }
        }
        ("BigInt", Value::Number(number)) => json!(number.to_string()),
        (_, Value::String(word)) if is_enum => {
            json!(word.to_ascii_uppercase().replace(['-', ' '], "_"))
        }
        (_, value @ (Value::Array(_) | Value::Object(_))) => {
            let error = format!("{value} is no {name}");
            let error = QueryError::from(crate::error::ApiError::internal(error));
            return failed(&error, ty.nullable, pos, path);
        }
        (_, value) => value,
    };
    Done {
        value: Some(value),
        errors: Vec::new(),
    }
}

/// The arguments of a field, coerced to their types. The error names the argument.
pub(super) fn arguments(
    definition: &async_graphql_parser::types::FieldDefinition,
    field: &Selected,
    variables: &Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    let mut given = Map::new();
    for (name, value) in &field.arguments {
        if let Some(value) = literal(&value.node, variables) {
            given.insert(name.node.to_string(), value);
        }
    }
    SCHEMA.coerce_inputs(&definition.arguments, given)
}

/// What a document says, with its variables filled in. None for a variable that was not given.
fn literal(value: &async_graphql_value::Value, variables: &Map<String, Value>) -> Option<Value> {
    if let async_graphql_value::Value::Variable(name) = value {
        return variables.get(name.as_str()).cloned();
    }
    let filled = value.clone().into_const_with(|name| {
        let given = variables.get(name.as_str()).cloned().unwrap_or_default();
        async_graphql_value::ConstValue::from_json(given)
    });
    filled.ok().map(|filled| const_json(&filled))
}

/// `headRefName` is `head_ref_name` in REST.
fn snake(name: &str) -> String {
    let mut key = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            key.push('_');
        }
        key.push(letter.to_ascii_lowercase());
    }
    key
}
