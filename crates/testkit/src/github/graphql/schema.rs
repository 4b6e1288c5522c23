//! A GraphQL schema, looked up by name.

use std::collections::{BTreeSet, HashMap};

use async_graphql_parser::parse_schema;
use async_graphql_parser::types::{
    BaseType, FieldDefinition, InputValueDefinition, Type, TypeDefinition, TypeKind,
    TypeSystemDefinition,
};

/// What every GraphQL service has without saying so.
const BUILT_IN: &str = r"
scalar Int scalar Float scalar String scalar Boolean scalar ID

type __Schema {
  description: String
  types: [__Type!]!
  queryType: __Type!
  mutationType: __Type
  subscriptionType: __Type
  directives: [__Directive!]!
}
type __Type {
  kind: __TypeKind!
  name: String
  description: String
  specifiedByURL: String
  fields(includeDeprecated: Boolean = false): [__Field!]
  interfaces: [__Type!]
  possibleTypes: [__Type!]
  enumValues(includeDeprecated: Boolean = false): [__EnumValue!]
  inputFields(includeDeprecated: Boolean = false): [__InputValue!]
  ofType: __Type
}
type __Field {
  name: String!
  description: String
  args(includeDeprecated: Boolean = false): [__InputValue!]!
  type: __Type!
  isDeprecated: Boolean!
  deprecationReason: String
}
type __InputValue {
  name: String!
  description: String
  type: __Type!
  defaultValue: String
  isDeprecated: Boolean!
  deprecationReason: String
}
type __EnumValue {
  name: String!
  description: String
  isDeprecated: Boolean!
  deprecationReason: String
}
type __Directive {
  name: String!
  description: String
  locations: [__DirectiveLocation!]!
  args(includeDeprecated: Boolean = false): [__InputValue!]!
  isRepeatable: Boolean!
}
enum __TypeKind { SCALAR OBJECT INTERFACE UNION ENUM INPUT_OBJECT LIST NON_NULL }
enum __DirectiveLocation {
  QUERY MUTATION SUBSCRIPTION FIELD FRAGMENT_DEFINITION FRAGMENT_SPREAD INLINE_FRAGMENT
  VARIABLE_DEFINITION SCHEMA SCALAR OBJECT FIELD_DEFINITION ARGUMENT_DEFINITION INTERFACE UNION
  ENUM ENUM_VALUE INPUT_OBJECT INPUT_FIELD_DEFINITION
}
type __Root {
  __schema: __Schema!
  __type(name: String!): __Type
  __typename: String!
}
";

#[derive(Debug)]
pub(super) struct Schema {
    types: HashMap<String, TypeDefinition>,
    query: String,
    mutation: String,
    /// Object types that belong to an interface or a union, by its name.
    possible: HashMap<String, BTreeSet<String>>,
}

impl Schema {
    pub(super) fn parse(sdl: &str) -> Result<Self, String> {
        let mut schema = Self {
            types: HashMap::new(),
            query: "Query".to_owned(),
            mutation: "Mutation".to_owned(),
            possible: HashMap::new(),
        };
        for text in [BUILT_IN, sdl] {
            let document = parse_schema(text).map_err(|error| error.to_string())?;
            for definition in document.definitions {
                schema.define(definition);
            }
        }
        schema.possible = schema.find_possible_types();
        Ok(schema)
    }

    fn define(&mut self, definition: TypeSystemDefinition) {
        match definition {
            TypeSystemDefinition::Schema(schema) => {
                if let Some(query) = schema.node.query {
                    self.query = query.node.to_string();
                }
                if let Some(mutation) = schema.node.mutation {
                    self.mutation = mutation.node.to_string();
                }
            }
            TypeSystemDefinition::Type(definition) => {
                let name = definition.node.name.node.to_string();
                self.types.insert(name, definition.node);
            }
            TypeSystemDefinition::Directive(_) => {}
        }
    }

    fn find_possible_types(&self) -> HashMap<String, BTreeSet<String>> {
        let mut possible: HashMap<String, BTreeSet<String>> = HashMap::new();
        for (name, definition) in &self.types {
            match &definition.kind {
                TypeKind::Object(object) => {
                    for interface in &object.implements {
                        let members = possible.entry(interface.node.to_string()).or_default();
                        members.insert(name.clone());
                    }
                    possible.insert(name.clone(), BTreeSet::from([name.clone()]));
                }
                TypeKind::Union(union) => {
                    let members = union.members.iter().map(|member| member.node.to_string());
                    possible.entry(name.clone()).or_default().extend(members);
                }
                _ => {}
            }
        }
        possible
    }

    pub(super) fn query(&self) -> &str {
        &self.query
    }

    pub(super) fn mutation(&self) -> &str {
        &self.mutation
    }

    pub(super) fn get(&self, name: &str) -> Option<&TypeDefinition> {
        self.types.get(name)
    }

    /// All types in the order of their names, without what every service has.
    pub(super) fn types(&self) -> Vec<&TypeDefinition> {
        let built_in = |name: &str| {
            name.starts_with("__") || matches!(name, "Int" | "Float" | "String" | "Boolean" | "ID")
        };
        let mut types: Vec<_> = self
            .types
            .iter()
            .filter(|(name, _)| !built_in(name))
            .collect();
        types.sort_by_key(|(name, _)| name.as_str());
        types
            .into_iter()
            .map(|(_, definition)| definition)
            .collect()
    }

    /// The object types that a value of this composite type can have.
    pub(super) fn possible_types(&self, name: &str) -> Option<&BTreeSet<String>> {
        self.possible.get(name)
    }

    pub(super) fn overlap(&self, one: &str, other: &str) -> bool {
        match (self.possible_types(one), self.possible_types(other)) {
            (Some(one), Some(other)) => !one.is_disjoint(other),
            _ => false,
        }
    }

    pub(super) fn is_object(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|definition| matches!(definition.kind, TypeKind::Object(_)))
    }

    pub(super) fn is_composite(&self, name: &str) -> bool {
        self.get(name).is_some_and(|definition| {
            matches!(
                definition.kind,
                TypeKind::Object(_) | TypeKind::Interface(_) | TypeKind::Union(_)
            )
        })
    }

    pub(super) fn is_input(&self, name: &str) -> bool {
        self.get(name).is_some() && !self.is_composite(name)
    }

    pub(super) fn field(&self, parent: &str, name: &str) -> Option<&FieldDefinition> {
        let root = match name {
            "__typename" => true,
            "__schema" | "__type" => parent == self.query,
            _ => false,
        };
        let parent = if root { "__Root" } else { parent };
        fields(self.get(parent)?)
            .iter()
            .map(|field| &field.node)
            .find(|field| field.name.node == name)
    }

    pub(super) fn input_fields(&self, name: &str) -> Option<Vec<&InputValueDefinition>> {
        match &self.get(name)?.kind {
            TypeKind::InputObject(input) => {
                Some(input.fields.iter().map(|field| &field.node).collect())
            }
            _ => None,
        }
    }

    pub(super) fn enum_values(&self, name: &str) -> Option<Vec<&str>> {
        match &self.get(name)?.kind {
            TypeKind::Enum(kind) => {
                let values = kind.values.iter();
                Some(values.map(|value| value.node.value.node.as_str()).collect())
            }
            _ => None,
        }
    }
}

pub(super) fn fields(
    definition: &TypeDefinition,
) -> &[async_graphql_parser::Positioned<FieldDefinition>] {
    match &definition.kind {
        TypeKind::Object(object) => &object.fields,
        TypeKind::Interface(interface) => &interface.fields,
        _ => &[],
    }
}

/// The name inside all lists.
pub(super) fn named(ty: &Type) -> &str {
    match &ty.base {
        BaseType::Named(name) => name,
        BaseType::List(inner) => named(inner),
    }
}

/// Whether a value has to be given.
pub(super) fn is_required(input: &InputValueDefinition) -> bool {
    !input.ty.node.nullable && input.default_value.is_none()
}
