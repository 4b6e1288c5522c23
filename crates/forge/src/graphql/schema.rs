//! The served slice of GitHub's schema, as an index over its SDL.

use std::collections::HashMap;
use std::sync::LazyLock;

use async_graphql_parser::parse_schema;
use async_graphql_parser::types::{
    BaseType, FieldDefinition, InputValueDefinition, Type, TypeDefinition, TypeKind,
    TypeSystemDefinition,
};
use async_graphql_parser::{Pos, Positioned};
use serde_json::{Map, Value};

pub(super) const SDL: &str = include_str!("schema.graphql");
const INTROSPECTION: &str = include_str!("introspection.graphql");

/// It has no state, so one serves every forge of the process.
pub(super) static SCHEMA: LazyLock<Schema> = LazyLock::new(Schema::new);

pub(super) struct Schema {
    types: HashMap<String, TypeDefinition>,
}

impl Schema {
    fn new() -> Self {
        let mut types: HashMap<String, TypeDefinition> = HashMap::new();
        for text in [SDL, INTROSPECTION] {
            let document = parse_schema(text).expect("the schema in the tree is well-formed");
            for definition in document.definitions {
                let TypeSystemDefinition::Type(definition) = definition else {
                    continue;
                };
                let name = definition.node.name.node.to_string();
                match types.get_mut(&name) {
                    Some(known) => extend(known, definition.node),
                    None => drop(types.insert(name, definition.node)),
                }
            }
        }
        Self { types }
    }

    pub(super) fn get(&self, name: &str) -> Option<&TypeDefinition> {
        self.types.get(name)
    }

    /// By name, without those that only introspection has.
    pub(super) fn names(&self) -> Vec<&str> {
        let names = self.types.keys().map(String::as_str);
        let mut names: Vec<&str> = names.filter(|name| !name.starts_with("__")).collect();
        names.sort_unstable();
        names
    }

    pub(super) fn field(&self, type_name: &str, field: &str) -> Option<&FieldDefinition> {
        let found = fields(self.get(type_name)?)
            .iter()
            .find(|known| known.node.name.node == field);
        found.map(|found| &found.node)
    }

    /// Whether it has fields or members, so that a selection has to follow.
    pub(super) fn is_composite(&self, name: &str) -> bool {
        self.get(name).is_some_and(|definition| {
            matches!(
                definition.kind,
                TypeKind::Object(_) | TypeKind::Interface(_) | TypeKind::Union(_)
            )
        })
    }

    /// Whether an object of this type is what a fragment is about.
    pub(super) fn fits(&self, object: &str, condition: &str) -> bool {
        object == condition || self.possible(condition).contains(&object)
    }

    /// The objects that an interface or a union stands for.
    pub(super) fn possible(&self, name: &str) -> Vec<&str> {
        match self.get(name).map(|definition| &definition.kind) {
            Some(TypeKind::Union(union)) => {
                let members = union.members.iter();
                members.map(|member| member.node.as_str()).collect()
            }
            Some(TypeKind::Interface(_)) => {
                let all = self.types.values().filter(|definition| {
                    let TypeKind::Object(object) = &definition.kind else {
                        return false;
                    };
                    object.implements.iter().any(|known| known.node == name)
                });
                all.map(|definition| definition.name.node.as_str())
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// The value of an input, with the defaults of what is left out. The error says what was
    /// expected instead.
    pub(super) fn coerce(&self, ty: &Type, value: Value) -> Result<Value, String> {
        match (&ty.base, value) {
            (_, Value::Null) if ty.nullable => Ok(Value::Null),
            (_, Value::Null) => Err("Expected value to not be null".to_owned()),
            (BaseType::List(inner), Value::Array(items)) => {
                let items = items.into_iter().map(|item| self.coerce(inner, item));
                items.collect::<Result<Vec<_>, _>>().map(Value::Array)
            }
            (BaseType::List(inner), one) => Ok(Value::Array(vec![self.coerce(inner, one)?])),
            (BaseType::Named(name), value) => self.coerce_named(name, value),
        }
    }

    fn coerce_named(&self, name: &str, value: Value) -> Result<Value, String> {
        match (self.get(name).map(|definition| &definition.kind), value) {
            (Some(TypeKind::Enum(known)), Value::String(text)) => {
                let mut values = known.values.iter();
                if !values.any(|known| known.node.value.node == text) {
                    return Err(format!("Expected \"{text}\" to be one of {name}"));
                }
                Ok(Value::String(text))
            }
            (Some(TypeKind::InputObject(object)), Value::Object(given)) => {
                self.coerce_inputs(&object.fields, given).map(Value::Object)
            }
            (Some(TypeKind::Scalar) | None, value) if is_scalar(name, &value) => {
                Ok(match (name, value) {
                    ("ID", Value::Number(number)) => Value::String(number.to_string()),
                    (_, value) => value,
                })
            }
            (_, value) => Err(format!("Could not coerce value {value} to {name}")),
        }
    }

    /// The arguments of a field, or the fields of an input object. What is not given and has no
    /// default stays out.
    pub(super) fn coerce_inputs(
        &self,
        definitions: &[Positioned<InputValueDefinition>],
        mut given: Map<String, Value>,
    ) -> Result<Map<String, Value>, String> {
        let mut coerced = Map::new();
        for Positioned { node, .. } in definitions {
            let name = node.name.node.as_str();
            let value = match (given.remove(name), &node.default_value) {
                (Some(value), _) => value,
                (None, Some(default)) => json(&default.node),
                (None, None) if node.ty.node.nullable => continue,
                (None, None) => return Err(format!("{name} (Expected value to not be null)")),
            };
            let value = self.coerce(&node.ty.node, value);
            let value = value.map_err(|problem| format!("{name} ({problem})"))?;
            coerced.insert(name.to_owned(), value);
        }
        match given.keys().next() {
            Some(name) => Err(format!("{name} (Field is not defined)")),
            None => Ok(coerced),
        }
    }
}

fn extend(known: &mut TypeDefinition, more: TypeDefinition) {
    if let (TypeKind::Object(known), TypeKind::Object(more)) = (&mut known.kind, more.kind) {
        known.fields.extend(more.fields);
    }
}

pub(super) fn fields(definition: &TypeDefinition) -> &[Positioned<FieldDefinition>] {
    match &definition.kind {
        TypeKind::Object(object) => &object.fields,
        TypeKind::Interface(interface) => &interface.fields,
        _ => &[],
    }
}

/// The name at the bottom of a type, whatever lists are around it.
pub(super) fn named(ty: &Type) -> &str {
    match &ty.base {
        BaseType::Named(name) => name,
        BaseType::List(inner) => named(inner),
    }
}

/// A literal of the document or of the schema, in which there are no variables any more.
pub(super) fn json(value: &async_graphql_value::ConstValue) -> Value {
    value.clone().into_json().unwrap_or_default()
}

/// Scalars that are not built in are all written as text.
fn is_scalar(name: &str, value: &Value) -> bool {
    match name {
        "Int" => value
            .as_i64()
            .is_some_and(|number| i32::try_from(number).is_ok()),
        "Float" => value.is_number(),
        "Boolean" => value.is_boolean(),
        "ID" => value.is_string() || value.is_i64(),
        _ => value.is_string(),
    }
}

/// A place in a document, as an error gives it.
pub(super) fn location(pos: Pos) -> Value {
    serde_json::json!([{ "line": pos.line, "column": pos.column }])
}
