//! What a field can give, and what gives it.

#![expect(
    clippy::unnecessary_wraps,
    reason = "answers are results of functions that may fail"
)]

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::context::Context;
use super::errors::QueryError;
use super::field::Field;
use super::page::{Page, cursor};

/// Something with fields.
pub(super) trait Object: Send + Sync + 'static {
    /// Its type, for where the schema leaves a choice.
    fn kind(&self) -> &'static str;

    /// Where the fields are read from that `resolve` leaves to them: what REST shows of the thing.
    fn facts(&self, _: &Context) -> Result<Value, QueryError> {
        Ok(Value::Null)
    }

    /// A field that the facts do not have.
    fn resolve(&self, _cx: &Context, _field: &Field<'_>) -> impl Future<Output = Resolved> + Send {
        async { Ok(Output::Fact) }
    }
}

/// The same without its type, as it is handed on.
pub(super) trait AnyObject: Send + Sync + 'static {
    fn kind(&self) -> &'static str;

    fn facts(&self, cx: &Context) -> Result<Value, QueryError>;

    fn resolve<'a>(&'a self, cx: &'a Context, field: &'a Field<'a>) -> BoxFuture<'a, Resolved>;
}

impl<T: Object> AnyObject for T {
    fn kind(&self) -> &'static str {
        Object::kind(self)
    }

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        Object::facts(self, cx)
    }

    fn resolve<'a>(&'a self, cx: &'a Context, field: &'a Field<'a>) -> BoxFuture<'a, Resolved> {
        Box::pin(Object::resolve(self, cx, field))
    }
}

/// The type of an object that is always of the same.
macro_rules! kind {
    ($name:literal) => {
        fn kind(&self) -> &'static str {
            $name
        }
    };
}
pub(super) use kind;

pub(super) type Node = Arc<dyn AnyObject>;
pub(super) type Resolved = Result<Output, QueryError>;

pub(super) enum Output {
    /// A scalar, or an object or list of them.
    Plain(Value),
    Object(Node),
    List(Vec<Resolved>),
    /// What the facts say.
    Fact,
}

pub(super) fn plain(value: impl Into<Value>) -> Resolved {
    Ok(Output::Plain(value.into()))
}

pub(super) fn one(object: impl Object) -> Resolved {
    Ok(Output::Object(Arc::new(object)))
}

pub(super) fn maybe(object: Option<impl Object>) -> Resolved {
    object.map_or_else(|| plain(Value::Null), one)
}

pub(super) fn all<T: Object>(objects: impl IntoIterator<Item = T>) -> Resolved {
    Ok(Output::List(objects.into_iter().map(one).collect()))
}

/// An object that is all facts.
pub(super) struct Plain {
    pub(super) kind: &'static str,
    pub(super) facts: Value,
}

impl Object for Plain {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn facts(&self, _: &Context) -> Result<Value, QueryError> {
        Ok(self.facts.clone())
    }
}

/// A list in pages, as GitHub cuts them.
#[derive(Default)]
pub(super) struct Connection {
    items: Vec<(i64, Node)>,
    total: usize,
    has_previous: bool,
    has_next: bool,
    /// What it counts besides; only a search does.
    pub(super) counts: Value,
}

impl Connection {
    /// Of a list whose entries have keys that stay, such as rows: a cursor holds however much is
    /// added meanwhile. Only what is on the page is loaded.
    pub(super) fn keyed<T: Object>(
        page: &Page,
        keys: &[i64],
        mut load: impl FnMut(i64) -> Result<T, QueryError>,
    ) -> Result<Self, QueryError> {
        let range = page.cut(keys);
        let shown = if page.wanted { range.clone() } else { 0..0 };
        let mut items: Vec<(i64, Node)> = Vec::with_capacity(shown.len());
        for key in &keys[shown] {
            items.push((*key, Arc::new(load(*key)?)));
        }
        Ok(Self {
            items,
            total: keys.len(),
            has_previous: range.start > 0,
            has_next: range.end < keys.len(),
            counts: Value::Null,
        })
    }

    /// Of a list that never changes, when only the part from `start` on was loaded.
    pub(super) fn window<T: Object>(start: usize, total: usize, nodes: Vec<T>) -> Self {
        let positions = (1..).skip(start);
        let items: Vec<(i64, Node)> = positions
            .zip(nodes)
            .map(|(position, node)| (position, Arc::new(node) as Node))
            .collect();
        Self {
            has_previous: start > 0,
            has_next: start + items.len() < total,
            items,
            total,
            counts: Value::Null,
        }
    }

    pub(super) fn total(&self) -> usize {
        self.total
    }
}

impl Object for Connection {
    kind!("Connection");

    fn facts(&self, _: &Context) -> Result<Value, QueryError> {
        Ok(self.counts.clone())
    }

    async fn resolve(&self, _: &Context, field: &Field<'_>) -> Resolved {
        let end = |item: Option<&(i64, Node)>| item.map(|(key, _)| cursor(*key));
        match field.name {
            "nodes" => {
                let nodes = self.items.iter().map(|(_, node)| Arc::clone(node));
                Ok(Output::List(
                    nodes.map(|node| Ok(Output::Object(node))).collect(),
                ))
            }
            "edges" => all(self.items.iter().map(|(key, node)| Edge {
                key: *key,
                node: Arc::clone(node),
            })),
            "pageInfo" => plain(json!({
                "end_cursor": end(self.items.last()),
                "has_next_page": self.has_next,
                "has_previous_page": self.has_previous,
                "start_cursor": end(self.items.first()),
            })),
            "totalCount" => plain(self.total),
            _ => Ok(Output::Fact),
        }
    }
}

/// An entry of a list.
pub(super) struct Edge {
    key: i64,
    node: Node,
}

impl Edge {
    /// Of something that was just added to a list.
    pub(super) fn new(key: i64, node: impl Object) -> Self {
        let node = Arc::new(node);
        Self { key, node }
    }
}

impl Object for Edge {
    kind!("Edge");

    async fn resolve(&self, _: &Context, field: &Field<'_>) -> Resolved {
        match field.name {
            "cursor" => plain(cursor(self.key)),
            _ => Ok(Output::Object(Arc::clone(&self.node))),
        }
    }
}
