//! Lists in pages, as GitHub cuts them.

use std::borrow::Cow;
use std::ops::Range;

use async_graphql::{Object, OutputType, SimpleObject, TypeName};

use super::page::{Page, cursor};
use super::scalars::int;

/// A list type: its names, and what is in it.
pub(super) trait ConnectionKind: Send + Sync {
    type Node: OutputType;
    const CONNECTION: &'static str;
    const EDGE: &'static str;
}

/// `connections! { Labels: LabelConnection, LabelEdge, Label }` makes the type
/// `LabelConnection`, whose kind is `Labels`.
macro_rules! connections {
    ($($kind:ident: $connection:ident, $edge:ident, $node:ty);* $(;)?) => {$(
        pub(in crate::graphql) enum $kind {}

        impl $crate::graphql::connection::ConnectionKind for $kind {
            type Node = $node;
            const CONNECTION: &'static str = stringify!($connection);
            const EDGE: &'static str = stringify!($edge);
        }

        pub(in crate::graphql) type $connection = $crate::graphql::connection::Connection<$kind>;
    )*};
}
pub(super) use connections;

/// `lists! { Reactors: ReactorConnection, Reactor }`, for a connection whose
/// edges nobody asks for: GitHub's have fields of their own there.
macro_rules! lists {
    ($($kind:ident: $connection:ident, $node:ty);* $(;)?) => {$(
        pub(in crate::graphql) enum $kind {}

        impl $crate::graphql::connection::ConnectionKind for $kind {
            type Node = $node;
            const CONNECTION: &'static str = stringify!($connection);
            const EDGE: &'static str = "";
        }

        pub(in crate::graphql) type $connection = $crate::graphql::connection::List<$kind>;
    )*};
}
pub(super) use lists;

pub(super) struct Connection<K: ConnectionKind> {
    edges: Vec<Edge<K>>,
    total: usize,
    has_previous: bool,
    has_next: bool,
}

pub(super) struct Edge<K: ConnectionKind> {
    cursor: String,
    node: K::Node,
}

#[derive(SimpleObject)]
pub(super) struct PageInfo {
    end_cursor: Option<String>,
    has_next_page: bool,
    has_previous_page: bool,
    start_cursor: Option<String>,
}

impl<K: ConnectionKind> Connection<K> {
    /// Of a list whose entries have keys that stay, such as rows: a cursor
    /// holds however much is added meanwhile.
    pub(super) fn keyed<E>(
        page: &Page,
        keys: &[i64],
        mut load: impl FnMut(i64) -> Result<K::Node, E>,
    ) -> Result<Self, E> {
        let range = page.cut(keys);
        let loaded = if page.is_wanted() {
            range.clone()
        } else {
            0..0
        };
        let edges = keys[loaded].iter().map(|key| {
            Ok(Edge {
                cursor: cursor(*key),
                node: load(*key)?,
            })
        });
        Ok(Self {
            edges: edges.collect::<Result<_, E>>()?,
            total: keys.len(),
            has_previous: range.start > 0,
            has_next: range.end < keys.len(),
        })
    }

    /// Of a list that is at hand, by its keys.
    pub(super) fn of<T>(
        page: &Page,
        items: Vec<T>,
        key: impl Fn(&T) -> i64,
        mut node: impl FnMut(T) -> K::Node,
    ) -> Self {
        let keys: Vec<i64> = items.iter().map(key).collect();
        let range = page.cut(&keys);
        let items = items.into_iter().zip(keys.iter().copied());
        let shown = items.skip(range.start).take(range.len());
        Self {
            edges: shown
                .map(|(item, key)| Edge {
                    cursor: cursor(key),
                    node: node(item),
                })
                .collect(),
            total: keys.len(),
            has_previous: range.start > 0,
            has_next: range.end < keys.len(),
        }
    }

    /// Of a list that never changes, by position.
    pub(super) fn fixed<T>(page: &Page, items: Vec<T>, node: impl FnMut(T) -> K::Node) -> Self {
        let mut node = node;
        let numbered: Vec<(i64, T)> = (1..).zip(items).collect();
        Self::of(
            page,
            numbered,
            |(position, _)| *position,
            |(_, item)| node(item),
        )
    }

    /// Of a list that never changes, when only the page was loaded: the part of
    /// it that [`Page::window`] gave.
    pub(super) fn window(window: Range<usize>, total: usize, nodes: Vec<K::Node>) -> Self {
        let positions = (1..).skip(window.start);
        Self {
            edges: positions
                .zip(nodes)
                .map(|(position, node)| Edge {
                    cursor: cursor(position),
                    node,
                })
                .collect(),
            total,
            has_previous: window.start > 0,
            has_next: window.end < total,
        }
    }

    /// Of things that the forge has none of.
    pub(super) fn empty(page: &Page) -> Self {
        Self::fixed(page, Vec::new(), |node| node)
    }

    pub(super) fn edges(&self) -> impl Iterator<Item = &Edge<K>> {
        self.edges.iter()
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = &K::Node> {
        self.edges.iter().map(|edge| &edge.node)
    }

    pub(super) fn page_info(&self) -> PageInfo {
        PageInfo {
            end_cursor: self.edges.last().map(|edge| edge.cursor.clone()),
            has_next_page: self.has_next,
            has_previous_page: self.has_previous,
            start_cursor: self.edges.first().map(|edge| edge.cursor.clone()),
        }
    }

    pub(super) fn total(&self) -> i32 {
        int(i64::try_from(self.total).unwrap_or(i64::MAX))
    }
}

impl<K: ConnectionKind> TypeName for Connection<K> {
    fn type_name() -> Cow<'static, str> {
        Cow::Borrowed(K::CONNECTION)
    }
}

#[Object(name_type)]
impl<K: ConnectionKind> Connection<K> {
    #[graphql(name = "edges")]
    async fn all_edges(&self) -> Option<Vec<Option<&Edge<K>>>> {
        Some(self.edges.iter().map(Some).collect())
    }

    #[graphql(name = "nodes")]
    async fn all_nodes(&self) -> Option<Vec<Option<&K::Node>>> {
        Some(self.edges.iter().map(|edge| Some(&edge.node)).collect())
    }

    #[graphql(name = "pageInfo")]
    async fn info(&self) -> PageInfo {
        self.page_info()
    }

    async fn total_count(&self) -> i32 {
        self.total()
    }
}

/// A connection without edges.
pub(super) struct List<K: ConnectionKind>(Connection<K>);

impl<K: ConnectionKind> From<Connection<K>> for List<K> {
    fn from(connection: Connection<K>) -> Self {
        Self(connection)
    }
}

impl<K: ConnectionKind> TypeName for List<K> {
    fn type_name() -> Cow<'static, str> {
        Cow::Borrowed(K::CONNECTION)
    }
}

#[Object(name_type)]
impl<K: ConnectionKind> List<K> {
    async fn nodes(&self) -> Option<Vec<Option<&K::Node>>> {
        Some(self.0.edges.iter().map(|edge| Some(&edge.node)).collect())
    }

    async fn page_info(&self) -> PageInfo {
        self.0.page_info()
    }

    async fn total_count(&self) -> i32 {
        self.0.total()
    }
}

impl<K: ConnectionKind> Edge<K> {
    /// Of something that was just added to a list.
    pub(super) fn new(key: i64, node: K::Node) -> Self {
        Self {
            cursor: cursor(key),
            node,
        }
    }
}

impl<K: ConnectionKind> TypeName for Edge<K> {
    fn type_name() -> Cow<'static, str> {
        Cow::Borrowed(K::EDGE)
    }
}

#[Object(name_type)]
impl<K: ConnectionKind> Edge<K> {
    pub(super) async fn cursor(&self) -> &str {
        &self.cursor
    }

    pub(super) async fn node(&self) -> Option<&K::Node> {
        Some(&self.node)
    }
}
