//! Lists in pages, as GitHub cuts them.

use std::borrow::Cow;
use std::ops::Range;

use async_graphql::{Context, Object, OutputType, SimpleObject, TypeName};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::errors::QueryError;
use super::scalars::int;

/// GitHub's limit for `first` and `last`.
const LARGEST_PAGE: i32 = 100;

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

/// The arguments that every list has.
#[derive(Debug, Default)]
pub(super) struct PageArguments {
    pub(super) after: Option<String>,
    pub(super) before: Option<String>,
    pub(super) first: Option<i32>,
    pub(super) last: Option<i32>,
}

/// Which part of a list was asked for.
#[derive(Debug)]
pub(super) struct Page {
    after: Option<i64>,
    before: Option<i64>,
    first: Option<usize>,
    last: Option<usize>,
    /// Whether anybody looks at what is in it, or only at its length.
    wanted: bool,
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
        let loaded = if page.wanted { range.clone() } else { 0..0 };
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

impl Page {
    /// GitHub's checks: a page needs a size unless only the length of the list
    /// is asked for.
    pub(super) fn new(ctx: &Context<'_>, arguments: PageArguments) -> Result<Self, QueryError> {
        let ahead = ctx.look_ahead();
        let wanted = ahead.field("nodes").exists() || ahead.field("edges").exists();
        let name = ctx.item.node.name.node.as_str();
        if wanted && arguments.first.is_none() && arguments.last.is_none() {
            return Err(QueryError::new(
                "MISSING_PAGINATION_BOUNDARIES",
                format!(
                    "You must provide a `first` or `last` value to properly paginate the `{name}` connection."
                ),
            ));
        }
        if arguments.first.is_some() && arguments.last.is_some() {
            return Err(QueryError::new(
                "INVALID_PAGINATION_BOUNDARIES",
                format!(
                    "Passing both `first` and `last` to paginate the `{name}` connection is not supported."
                ),
            ));
        }
        Ok(Self {
            after: arguments.after.as_deref().map(position).transpose()?,
            before: arguments.before.as_deref().map(position).transpose()?,
            first: arguments
                .first
                .map(|n| size(name, "first", n))
                .transpose()?,
            last: arguments.last.map(|n| size(name, "last", n)).transpose()?,
            wanted,
        })
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.wanted
    }

    /// What the page shows of a list that never changes.
    pub(super) fn window(&self, total: usize) -> Range<usize> {
        let keys: Vec<i64> = (1..).take(total).collect();
        self.cut(&keys)
    }

    /// What the page shows of a list with these keys. A cursor whose entry is
    /// gone does not cut anything off.
    fn cut(&self, keys: &[i64]) -> Range<usize> {
        let find = |key: Option<i64>| {
            let key = key?;
            keys.iter().position(|known| *known == key)
        };
        let mut start = find(self.after).map_or(0, |at| at + 1);
        let mut end = find(self.before).unwrap_or(keys.len()).max(start);
        if let Some(first) = self.first {
            end = end.min(start.saturating_add(first));
        }
        if let Some(last) = self.last {
            start = start.max(end.saturating_sub(last));
        }
        start..end
    }
}

fn size(connection: &str, argument: &str, value: i32) -> Result<usize, QueryError> {
    if value > LARGEST_PAGE {
        return Err(QueryError::new(
            "EXCESSIVE_PAGINATION",
            format!(
                "Requesting {value} records on the `{connection}` connection exceeds the `{argument}` limit of {LARGEST_PAGE} records."
            ),
        ));
    }
    usize::try_from(value).map_err(|_| {
        QueryError::new(
            "INVALID_PAGINATION_BOUNDARIES",
            format!("`{argument}` on the `{connection}` connection cannot be less than zero."),
        )
    })
}

const CURSOR_PREFIX: &str = "cursor:v2:";

fn cursor(key: i64) -> String {
    STANDARD.encode(format!("{CURSOR_PREFIX}{key}"))
}

fn position(cursor: &str) -> Result<i64, QueryError> {
    let read = || {
        let bytes = STANDARD.decode(cursor).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        text.strip_prefix(CURSOR_PREFIX)?.parse().ok()
    };
    read().ok_or_else(|| {
        QueryError::new(
            "INVALID_CURSOR_ARGUMENTS",
            format!("`{cursor}` does not appear to be a valid cursor."),
        )
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn page(
        first: Option<usize>,
        last: Option<usize>,
        after: Option<i64>,
        before: Option<i64>,
    ) -> Page {
        Page {
            after,
            before,
            first,
            last,
            wanted: true,
        }
    }

    #[test]
    fn pages_are_cut_from_either_end() {
        let keys = [11, 12, 13, 14, 15];
        assert_eq!(page(Some(2), None, None, None).cut(&keys), 0..2);
        assert_eq!(page(Some(2), None, Some(12), None).cut(&keys), 2..4);
        assert_eq!(page(Some(9), None, Some(14), None).cut(&keys), 4..5);
        assert_eq!(page(None, Some(2), None, None).cut(&keys), 3..5);
        assert_eq!(page(None, Some(2), None, Some(13)).cut(&keys), 0..2);
        assert_eq!(page(None, Some(2), Some(11), None).cut(&keys), 3..5);
        assert_eq!(page(Some(0), None, None, None).cut(&keys), 0..0);
        assert_eq!(page(None, None, Some(15), Some(11)).cut(&keys), 5..5);
        assert_eq!(page(Some(2), None, Some(99), None).cut(&keys), 0..2);
        assert_eq!(page(Some(2), None, None, None).cut(&[]), 0..0);
    }

    #[test]
    fn a_cursor_comes_back_and_others_are_refused() {
        assert_eq!(position(&cursor(42)), Ok(42));
        insta::assert_snapshot!(
            position("Y3Vyc29yOnYyOg").unwrap_err(),
            @"`Y3Vyc29yOnYyOg` does not appear to be a valid cursor."
        );
    }
}
