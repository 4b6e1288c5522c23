//! Types as they are written, and what follows from them.

use std::rc::Rc;

use super::origin::Taint;
use super::value::Value;
use super::walk::Walker;

impl Walker<'_, '_, '_, '_> {
    /// A value that was declared to be of a type.
    pub(super) fn declared(&mut self, mut value: Value, type_text: Option<&str>) -> Value {
        let Some(type_text) = type_text else {
            return value;
        };
        if is_number(type_text) {
            value.taint = Taint::default();
            return value;
        }
        if (!value.typed || value.path.is_none())
            && let Some(path) = self.type_path(type_text)
        {
            value.path = Some(path);
            value.typed = true;
        }
        value
    }

    /// The path of a type as it is written, with its imports resolved.
    pub(super) fn type_path(&self, text: &str) -> Option<Rc<str>> {
        let bare = bare_type(text);
        if bare.is_empty()
            || matches!(
                bare.as_str(),
                "var" | "any" | "Object" | "String" | "string" | "str"
            )
        {
            return None;
        }
        let first = bare.split('.').next().unwrap_or(&bare);
        match self.unit.imports.get(first) {
            Some(path) if first.len() == bare.len() => Some(path.as_str().into()),
            Some(path) => Some(format!("{path}{}", &bare[first.len()..]).into()),
            None => Some(bare.into()),
        }
    }
}

/// `&'a mut web::Json<T>` → `web.Json`.
pub(super) fn bare_type(text: &str) -> String {
    let mut text = text.trim();
    for prefix in [
        "&",
        "*",
        "mut ",
        "dyn ",
        "impl ",
        "final ",
        "readonly ",
        "[]",
    ] {
        text = text.trim_start_matches(prefix).trim_start();
    }
    if let Some(rest) = text.strip_prefix('\'') {
        text = rest.split_once(' ').map_or("", |(_, rest)| rest);
        text = text.trim_start_matches("mut ");
    }
    let end = text
        .find(['<', '[', '|', '(', '{', ' ', ','])
        .unwrap_or(text.len());
    text[..end].replace("::", ".").trim_matches('"').to_owned()
}

/// Types that cannot carry an injection, in any of the languages.
pub(super) fn is_number(text: &str) -> bool {
    let inner = text
        .rsplit_once(['<', '['])
        .map_or(text, |(_, inner)| inner)
        .trim_end_matches(['>', ']', ')', ','])
        .trim_start_matches('(')
        .trim();
    let bare = inner.rsplit(['.', ':']).next().unwrap_or(inner);
    matches!(
        bare,
        "int"
            | "long"
            | "short"
            | "byte"
            | "float"
            | "double"
            | "boolean"
            | "bool"
            | "Integer"
            | "Long"
            | "Short"
            | "Double"
            | "Float"
            | "Boolean"
            | "BigInteger"
            | "BigDecimal"
            | "number"
            | "bigint"
            | "i8"
            | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "isize"
            | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
            | "f32"
            | "f64"
            | "int8"
            | "int16"
            | "int32"
            | "int64"
            | "uint"
            | "uint8"
            | "uint16"
            | "uint32"
            | "uint64"
            | "float32"
            | "float64"
            | "UUID"
            | "Uuid"
            | "Decimal"
            | "datetime"
            | "LocalDate"
            | "LocalDateTime"
            | "Instant"
            | "Date"
            | "Duration"
            | "IpAddr"
            | "ObjectId"
    ) && !text.starts_with("[]")
}
