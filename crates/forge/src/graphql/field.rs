//! A field that is asked for: its name and its arguments.

use serde_json::{Map, Value};

use super::errors::QueryError;
use super::object::{Connection, Object, Resolved, one};
use super::page::Page;

pub(super) struct Field<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: Arguments,
    /// Whether what is in a list is asked for, or only its length.
    pub(super) wants_items: bool,
}

/// Arguments or the fields of an input object, once they are coerced to their types.
#[derive(Debug, Clone, Default)]
pub(super) struct Arguments(pub(super) Map<String, Value>);

impl Arguments {
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    /// Of a type that is not null.
    pub(super) fn required(&self, key: &str) -> &str {
        self.text(key).unwrap_or_default()
    }

    pub(super) fn owned(&self, key: &str) -> Option<String> {
        self.text(key).map(str::to_owned)
    }

    pub(super) fn number(&self, key: &str) -> Option<i64> {
        self.get(key)?.as_i64()
    }

    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        self.get(key)?.as_bool()
    }

    pub(super) fn texts(&self, key: &str) -> Option<Vec<String>> {
        let items = self.get(key)?.as_array()?.iter();
        Some(
            items
                .filter_map(|item| Some(item.as_str()?.to_owned()))
                .collect(),
        )
    }

    pub(super) fn input(&self, key: &str) -> Option<Self> {
        self.get(key)?.as_object().map(|map| Self(map.clone()))
    }

    pub(super) fn inputs(&self, key: &str) -> Vec<Self> {
        let items = self.get(key).and_then(Value::as_array);
        let items = items.into_iter().flatten().filter_map(Value::as_object);
        items.map(|map| Self(map.clone())).collect()
    }

    /// `orderBy: { field: …, direction: … }`: the field, and whether the largest come first.
    pub(super) fn order(&self) -> Option<(String, bool)> {
        let order = self.input("orderBy")?;
        Some((order.owned("field")?, order.required("direction") == "DESC"))
    }
}

impl Field<'_> {
    pub(super) fn page(&self) -> Result<Page, QueryError> {
        Page::new(self)
    }

    /// A list that is at hand, whose entries have keys that stay.
    pub(super) fn list<T, O: Object>(
        &self,
        items: Vec<T>,
        key: impl Fn(&T) -> i64,
        mut node: impl FnMut(T) -> O,
    ) -> Resolved {
        let keys: Vec<i64> = items.iter().map(key).collect();
        let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
        let connection = Connection::keyed(&self.page()?, &keys, |wanted| {
            let at = keys.iter().position(|key| *key == wanted);
            let item = at.and_then(|at| items[at].take());
            item.map(&mut node)
                .ok_or_else(|| QueryError::unknown_id(&wanted.to_string()))
        })?;
        one(connection)
    }

    /// A list that never changes, by position.
    pub(super) fn fixed<T, O: Object>(
        &self,
        items: Vec<T>,
        mut node: impl FnMut(T) -> O,
    ) -> Resolved {
        let numbered: Vec<(i64, T)> = (1..).zip(items).collect();
        self.list(numbered, |(position, _)| *position, |(_, item)| node(item))
    }

    /// A list of what the forge has none of.
    pub(super) fn empty(&self) -> Resolved {
        self.page()?;
        one(Connection::default())
    }
}
