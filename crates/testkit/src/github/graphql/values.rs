//! Whether a value fits a type: literals of a document, and JSON of variables and
//! answers.

use std::collections::HashMap;

use async_graphql_parser::types::{BaseType, Type, VariableDefinition};
use async_graphql_value::Value as Literal;
use serde_json::Value;

use super::schema::{Schema, is_required};
use crate::github::problem::{Findings, join};

/// The variables that a document declares, and those that it was seen to use.
#[derive(Debug, Default)]
pub(super) struct Variables<'a> {
    pub(super) declared: HashMap<&'a str, &'a VariableDefinition>,
    pub(super) used: Vec<String>,
}

/// What a literal is held to.
#[derive(Clone, Copy)]
pub(super) struct Expected<'a> {
    pub(super) ty: &'a Type,
    /// Where there is a default, a variable that may be null may stand.
    pub(super) has_default: bool,
}

impl Schema {
    /// Holds a literal of a document to the type of the place where it stands.
    pub(super) fn check_literal(
        &self,
        expected: Expected<'_>,
        literal: &Literal,
        variables: &mut Variables<'_>,
        pointer: &str,
        findings: &mut Findings<'_>,
    ) {
        if let Literal::Variable(name) = literal {
            variables.used.push(name.to_string());
            match variables.declared.get(name.as_str()) {
                None => findings.add(pointer, format!("`${name}` is not declared")),
                Some(variable) if !may_stand(variable, expected) => findings.add(
                    pointer,
                    format!(
                        "`${name}` is `{}`, but `{}` is expected",
                        variable.var_type.node, expected.ty
                    ),
                ),
                Some(_) => {}
            }
            return;
        }
        let ty = expected.ty;
        match (&ty.base, literal) {
            (_, Literal::Null) if ty.nullable => {}
            (BaseType::List(inner), Literal::List(items)) => {
                for (index, item) in items.iter().enumerate() {
                    let below = join(pointer, &index.to_string());
                    self.check_literal(plain(inner), item, variables, &below, findings);
                }
            }
            // A single value stands for a list of one.
            (BaseType::List(inner), literal) => {
                self.check_literal(plain(inner), literal, variables, pointer, findings);
            }
            (BaseType::Named(name), Literal::Object(given))
                if self.input_fields(name).is_some() =>
            {
                let known = self.input_fields(name).unwrap_or_default();
                for (key, value) in given {
                    let below = join(pointer, key);
                    match known.iter().find(|field| field.name.node == *key) {
                        None => findings.add(below, format!("`{name}` has no field `{key}`")),
                        Some(field) => {
                            let expected = Expected {
                                ty: &field.ty.node,
                                has_default: field.default_value.is_some(),
                            };
                            self.check_literal(expected, value, variables, &below, findings);
                        }
                    }
                }
                for field in known.iter().filter(|field| is_required(field)) {
                    if !given.contains_key(&field.name.node) {
                        findings.add(pointer, format!("`{}` is required", field.name.node));
                    }
                }
            }
            (BaseType::Named(name), literal) => {
                if !self.fits_literal(name, literal) {
                    findings.add(pointer, format!("`{literal}` is no `{ty}`"));
                }
            }
        }
    }

    fn fits_literal(&self, name: &str, literal: &Literal) -> bool {
        match literal {
            Literal::Enum(value) => self
                .enum_values(name)
                .is_some_and(|values| values.contains(&value.as_str())),
            Literal::Number(number) => match name {
                "Int" => number.is_i64(),
                "Float" => true,
                "ID" => number.is_i64() || number.is_u64(),
                _ => self.is_custom_scalar(name),
            },
            Literal::String(_) => matches!(name, "String" | "ID") || self.is_custom_scalar(name),
            Literal::Boolean(_) => name == "Boolean" || self.is_custom_scalar(name),
            _ => false,
        }
    }

    fn is_custom_scalar(&self, name: &str) -> bool {
        !matches!(name, "Int" | "Float" | "String" | "Boolean" | "ID")
            && self.is_input(name)
            && self.enum_values(name).is_none()
            && self.input_fields(name).is_none()
    }

    /// Holds the JSON of a variable to its type.
    pub(super) fn check_input(
        &self,
        ty: &Type,
        value: &Value,
        pointer: &str,
        findings: &mut Findings<'_>,
    ) {
        match (&ty.base, value) {
            (_, Value::Null) => {
                if !ty.nullable {
                    findings.add(pointer, format!("`{ty}` cannot be null"));
                }
            }
            (BaseType::List(inner), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.check_input(inner, item, &join(pointer, &index.to_string()), findings);
                }
            }
            (BaseType::List(inner), value) => self.check_input(inner, value, pointer, findings),
            (BaseType::Named(name), Value::Object(given)) if self.input_fields(name).is_some() => {
                let known = self.input_fields(name).unwrap_or_default();
                for (key, value) in given {
                    let below = join(pointer, key);
                    match known.iter().find(|field| field.name.node == key.as_str()) {
                        None => findings.add(below, format!("`{name}` has no field `{key}`")),
                        Some(field) => self.check_input(&field.ty.node, value, &below, findings),
                    }
                }
                for field in known.iter().filter(|field| is_required(field)) {
                    if !given.contains_key(field.name.node.as_str()) {
                        findings.add(pointer, format!("`{}` is required", field.name.node));
                    }
                }
            }
            (BaseType::Named(name), value) => {
                if let Some(trouble) = self.leaf_trouble(name, value, true) {
                    findings.add(pointer, trouble);
                }
            }
        }
    }

    /// What is wrong with a scalar or an enum of an answer.
    pub(super) fn check_leaf(&self, name: &str, value: &Value) -> Option<String> {
        self.leaf_trouble(name, value, false)
    }

    fn leaf_trouble(&self, name: &str, value: &Value, input: bool) -> Option<String> {
        if let Some(values) = self.enum_values(name) {
            let known = value.as_str().is_some_and(|value| values.contains(&value));
            return (!known).then(|| format!("{value} is no value of `{name}`"));
        }
        let text = value.as_str();
        let fits = match name {
            "Int" => value
                .as_i64()
                .is_some_and(|number| i32::try_from(number).is_ok()),
            "Float" => value.is_number(),
            "String" => value.is_string(),
            "Boolean" => value.is_boolean(),
            "ID" => value.is_string() || (input && value.is_i64()),
            "DateTime" | "PreciseDateTime" | "GitTimestamp" => text.is_some_and(is_date_time),
            "URI" => text.is_some_and(|text| text.contains(':') || text.starts_with('/')),
            "GitObjectID" => text.is_some_and(|text| {
                matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
            }),
            // The other scalars of GitHub are written as text.
            _ => self.is_custom_scalar(name) && value.is_string(),
        };
        (!fits).then(|| format!("{value} is no `{name}`"))
    }
}

fn plain(ty: &Type) -> Expected<'_> {
    Expected {
        ty,
        has_default: false,
    }
}

/// Whether a variable may stand where a type is expected.
fn may_stand(variable: &VariableDefinition, expected: Expected<'_>) -> bool {
    let given = &variable.var_type.node;
    let never_null = variable
        .default_value()
        .is_some_and(|default| *default != async_graphql_value::ConstValue::Null);
    if !expected.ty.nullable && given.nullable {
        return (never_null || expected.has_default) && same_base(&given.base, &expected.ty.base);
    }
    is_within(given, expected.ty)
}

fn is_within(given: &Type, expected: &Type) -> bool {
    (expected.nullable || !given.nullable) && same_base(&given.base, &expected.base)
}

fn same_base(given: &BaseType, expected: &BaseType) -> bool {
    match (given, expected) {
        (BaseType::Named(given), BaseType::Named(expected)) => given == expected,
        (BaseType::List(given), BaseType::List(expected)) => is_within(given, expected),
        _ => false,
    }
}

/// `2024-01-02T03:04:05Z`, perhaps with fractions or an offset.
fn is_date_time(text: &str) -> bool {
    let shape: String = text
        .chars()
        .map(|char| if char.is_ascii_digit() { '0' } else { char })
        .collect();
    let Some(rest) = shape.strip_prefix("0000-00-00T00:00:00") else {
        return false;
    };
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches('0'),
        None => rest,
    };
    matches!(zone, "Z" | "+00:00" | "-00:00")
}
