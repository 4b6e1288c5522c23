//! The schema about itself, as far as `gh` asks for it.

use async_graphql_parser::Positioned;
use async_graphql_parser::types::{BaseType, InputValueDefinition, Type, TypeDefinition, TypeKind};
use serde_json::{Value, json};

use super::context::Context;
use super::field::Field;
use super::object::{Object, Output, Plain, Resolved, all, kind, maybe, one, plain};
use super::schema::{SCHEMA, fields};

/// `__schema`.
pub(super) fn schema() -> Resolved {
    one(SchemaObject)
}

/// `__type(name: …)`.
pub(super) fn type_named(name: &str) -> Resolved {
    maybe(SCHEMA.get(name).map(TypeObject::Named))
}

struct SchemaObject;

impl Object for SchemaObject {
    kind!("__Schema");

    async fn resolve(&self, _: &Context, field: &Field<'_>) -> Resolved {
        match field.name {
            "queryType" => type_named("Query"),
            "mutationType" => type_named("Mutation"),
            "types" => all(SCHEMA
                .names()
                .into_iter()
                .filter_map(|name| SCHEMA.get(name))
                .map(TypeObject::Named)),
            _ => plain(json!([{ "name": "include" }, { "name": "skip" }])),
        }
    }
}

enum TypeObject {
    Named(&'static TypeDefinition),
    /// `String`, which no SDL defines.
    BuiltIn(String),
    Around(&'static Type),
}

impl TypeObject {
    fn new(ty: &'static Type) -> Self {
        match &ty.base {
            BaseType::Named(name) if ty.nullable => match SCHEMA.get(name) {
                Some(definition) => Self::Named(definition),
                None => Self::BuiltIn(name.to_string()),
            },
            _ => Self::Around(ty),
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Self::BuiltIn(_) => "SCALAR",
            Self::Around(ty) if !ty.nullable => "NON_NULL",
            Self::Around(_) => "LIST",
            Self::Named(definition) => match definition.kind {
                TypeKind::Scalar => "SCALAR",
                TypeKind::Object(_) => "OBJECT",
                TypeKind::Interface(_) => "INTERFACE",
                TypeKind::Union(_) => "UNION",
                TypeKind::Enum(_) => "ENUM",
                TypeKind::InputObject(_) => "INPUT_OBJECT",
            },
        }
    }
}

impl Object for TypeObject {
    kind!("__Type");

    async fn resolve(&self, _: &Context, field: &Field<'_>) -> Resolved {
        match (field.name, self) {
            ("kind", _) => plain(self.word()),
            ("name", Self::Named(definition)) => plain(definition.name.node.as_str()),
            ("name", Self::BuiltIn(name)) => plain(name.as_str()),
            ("ofType", Self::Around(ty)) => match &ty.base {
                BaseType::List(inner) if ty.nullable => one(Self::new(inner)),
                base => one(Self::within(base)),
            },
            ("fields", Self::Named(definition)) if !fields(definition).is_empty() => {
                all(fields(definition)
                    .iter()
                    .map(|field| FieldObject(&field.node)))
            }
            ("inputFields", Self::Named(definition)) => match &definition.kind {
                TypeKind::InputObject(object) => inputs(&object.fields),
                _ => plain(Value::Null),
            },
            ("enumValues", Self::Named(definition)) => match &definition.kind {
                TypeKind::Enum(known) => all(known.values.iter().map(|value| Plain {
                    kind: "__EnumValue",
                    facts: json!({ "name": value.node.value.node.as_str(), "deprecated": false }),
                })),
                _ => plain(Value::Null),
            },
            ("interfaces", Self::Named(definition)) => match &definition.kind {
                TypeKind::Object(object) => {
                    let names = object.implements.iter();
                    all(names
                        .filter_map(|name| SCHEMA.get(&name.node))
                        .map(Self::Named))
                }
                _ => plain(Value::Null),
            },
            ("possibleTypes", Self::Named(definition)) => {
                let names = SCHEMA.possible(&definition.name.node);
                if names.is_empty() {
                    return plain(Value::Null);
                }
                let types = names.into_iter().filter_map(|name| SCHEMA.get(name));
                all(types.map(Self::Named))
            }
            _ => plain(Value::Null),
        }
    }
}

impl TypeObject {
    /// What a non-null is around.
    fn within(base: &'static BaseType) -> Self {
        match base {
            BaseType::Named(name) => match SCHEMA.get(name) {
                Some(definition) => Self::Named(definition),
                None => Self::BuiltIn(name.to_string()),
            },
            BaseType::List(inner) => Self::new(inner),
        }
    }
}

struct FieldObject(&'static async_graphql_parser::types::FieldDefinition);

impl Object for FieldObject {
    kind!("__Field");

    fn facts(&self, _: &Context) -> Result<Value, super::errors::QueryError> {
        Ok(json!({ "name": self.0.name.node.as_str(), "deprecated": false }))
    }

    async fn resolve(&self, _: &Context, field: &Field<'_>) -> Resolved {
        match field.name {
            "type" => one(TypeObject::new(&self.0.ty.node)),
            "args" => inputs(&self.0.arguments),
            _ => Ok(Output::Fact),
        }
    }
}

struct InputObject(&'static InputValueDefinition);

impl Object for InputObject {
    kind!("__InputValue");

    async fn resolve(&self, _: &Context, field: &Field<'_>) -> Resolved {
        match field.name {
            "name" => plain(self.0.name.node.as_str()),
            "type" => one(TypeObject::new(&self.0.ty.node)),
            _ => plain(
                self.0
                    .default_value
                    .as_ref()
                    .map(|value| value.node.to_string()),
            ),
        }
    }
}

fn inputs(definitions: &'static [Positioned<InputValueDefinition>]) -> Resolved {
    all(definitions
        .iter()
        .map(|definition| InputObject(&definition.node)))
}
