//! Statements that are prepared once, with what they give.

use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension as _, Params, Row};
use serde::de::DeserializeOwned;

pub(crate) type Found<T> = rusqlite::Result<Option<T>>;
pub(crate) type Rows<T> = rusqlite::Result<Vec<T>>;

/// What is made of a row. A value is its first column.
pub(crate) trait FromRow: Sized {
    /// `conn` is for what the row only names.
    fn from_row(conn: &Connection, row: &Row<'_>) -> rusqlite::Result<Self>;
}

impl<T: FromSql> FromRow for T {
    fn from_row(_: &Connection, row: &Row<'_>) -> rusqlite::Result<Self> {
        row.get(0)
    }
}

pub(crate) trait Select {
    /// The first row, which has to be there.
    fn one<T: FromRow>(&self, sql: &str, params: impl Params) -> rusqlite::Result<T>;

    fn all<T: FromRow>(&self, sql: &str, params: impl Params) -> Rows<T>;

    /// Rows that are no type of their own.
    fn all_with<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Rows<T>;

    fn run(&self, sql: &str, params: impl Params) -> rusqlite::Result<()>;

    /// Whether a row was changed.
    fn did(&self, sql: &str, params: impl Params) -> rusqlite::Result<bool>;

    /// Gives the id of the new row.
    fn add(&self, sql: &str, params: impl Params) -> rusqlite::Result<i64>;

    /// The first row, if there is one.
    fn find<T: FromRow>(&self, sql: &str, params: impl Params) -> Found<T> {
        self.one(sql, params).optional()
    }

    /// The same for a row that is no type of its own.
    fn find_with<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Found<T> {
        Ok(self.all_with(sql, params, read)?.into_iter().next())
    }
}

impl Select for Connection {
    fn one<T: FromRow>(&self, sql: &str, params: impl Params) -> rusqlite::Result<T> {
        let mut statement = self.prepare_cached(sql)?;
        statement.query_row(params, |row| T::from_row(self, row))
    }

    fn all<T: FromRow>(&self, sql: &str, params: impl Params) -> Rows<T> {
        self.all_with(sql, params, |row| T::from_row(self, row))
    }

    fn all_with<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Rows<T> {
        self.prepare_cached(sql)?.query_map(params, read)?.collect()
    }

    fn run(&self, sql: &str, params: impl Params) -> rusqlite::Result<()> {
        self.prepare_cached(sql)?.execute(params).map(drop)
    }

    fn did(&self, sql: &str, params: impl Params) -> rusqlite::Result<bool> {
        Ok(self.prepare_cached(sql)?.execute(params)? > 0)
    }

    fn add(&self, sql: &str, params: impl Params) -> rusqlite::Result<i64> {
        self.prepare_cached(sql)?.insert(params)
    }
}

/// A column of JSON, where there is some.
pub(crate) fn json_column<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> Found<T> {
    let text: Option<String> = row.get(column)?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

/// A row: its type, and how it is read. A field is the column of its name, or what is made of others:
///
/// ```text
/// row! {
///     Reaction by (conn, row) {
///         id: i64,
///         user: User = users::by_id(conn, row.get("user_id")?)?,
///     }
/// }
/// ```
macro_rules! row {
    ($(#[$meta:meta])* $name:ident { $($fields:tt)* }) => {
        row! { $(#[$meta])* $name by (_conn, row) { $($fields)* } }
    };
    ($(#[$meta:meta])* $name:ident by ($conn:ident, $row:ident) {
        $($(#[$about:meta])* $field:ident: $type:ty $(= $value:expr)?,)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone)]
        pub(crate) struct $name {
            $($(#[$about])* pub(crate) $field: $type,)*
        }

        impl $crate::store::select::FromRow for $name {
            fn from_row(
                $conn: &rusqlite::Connection,
                $row: &rusqlite::Row<'_>,
            ) -> rusqlite::Result<Self> {
                Ok(Self {
                    $($field: row!(@value $row $field $(= $value)?),)*
                })
            }
        }
    };
    (@value $row:ident $field:ident) => {
        $row.get(stringify!($field))?
    };
    (@value $row:ident $field:ident = $value:expr) => {
        $value
    };
}
pub(crate) use row;

/// A value from the columns of the same names, and what has to be made of others.
macro_rules! columns {
    ($row:ident => $type:ident {
        $($column:ident),* $(,)? $(; $($field:ident $(: $value:expr)?),* $(,)?)?
    }) => {
        Ok($type {
            $($column: $row.get(stringify!($column))?,)*
            $($($field $(: $value)?,)*)?
        })
    };
}
pub(crate) use columns;

/// Adds a row and gives its id: `insert!(tx => labels { name, created_at: at })`.
macro_rules! insert {
    ($tx:ident => $table:ident {
        $first:ident $(: $value:expr)? $(, $column:ident $(: $more:expr)?)* $(,)?
    }) => {
        $tx.add(
            concat!(
                "INSERT INTO ", stringify!($table), " (",
                stringify!($first) $(, ", ", stringify!($column))*,
                ") VALUES (?" $(, insert!(@mark $column))*, ")"
            ),
            rusqlite::params![
                insert!(@value $first $(, $value)?) $(, insert!(@value $column $(, $more)?))*
            ],
        )
    };
    (@mark $column:ident) => {
        ", ?"
    };
    (@value $column:ident) => {
        $column
    };
    (@value $column:ident, $value:expr) => {
        $value
    };
}
pub(crate) use insert;

/// Functions that add a row and give its id: `inserts! { create(new: &NewLabel<'_>) into labels
/// { name: new.name } }`.
macro_rules! inserts {
    ($(
        $(#[$doc:meta])*
        $name:ident($($arg:ident: $type:ty),* $(,)?) into $table:ident { $($columns:tt)* }
    )*) => {
        $($(#[$doc])*
        pub(crate) fn $name(
            tx: &rusqlite::Transaction<'_>, $($arg: $type),*
        ) -> rusqlite::Result<i64> {
            $crate::store::select::insert!(tx => $table { $($columns)* })
        })*
    };
}
pub(crate) use inserts;

/// Functions that are one statement each:
///
/// ```text
/// sql! {
///     find by_id(id: i64) -> Label: "SELECT * FROM labels WHERE id = ?";
/// }
/// ```
///
/// `find` gives the first row if there is one, `one` the row that has to be there, `all` every row;
/// `run` gives nothing, `did` whether a row was changed, `add` the id of a new row. What the statement
/// needs are the arguments in their order, unless a list after it says otherwise.
macro_rules! sql {
    ($(
        $(#[$doc:meta])*
        $verb:ident $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)?
            : $sql:expr $(, [$($param:expr),*])?;
    )*) => {
        $(sql! {
            @$verb [$(#[$doc])*] $name($($arg: $type),*) [$($out)?] $sql,
            sql!(@params [$($arg),*] $([$($param),*])?)
        })*
    };
    (@find [$($doc:tt)*] $name:ident($($args:tt)*) [$out:ty] $sql:expr, $params:expr) => {
        $($doc)*
        pub(crate) fn $name(
            conn: &rusqlite::Connection, $($args)*
        ) -> $crate::store::select::Found<$out> {
            conn.find($sql, $params)
        }
    };
    (@all [$($doc:tt)*] $name:ident($($args:tt)*) [$out:ty] $sql:expr, $params:expr) => {
        $($doc)*
        pub(crate) fn $name(
            conn: &rusqlite::Connection, $($args)*
        ) -> $crate::store::select::Rows<$out> {
            conn.all($sql, $params)
        }
    };
    (@one [$($doc:tt)*] $name:ident($($args:tt)*) [$out:ty] $sql:expr, $params:expr) => {
        $($doc)*
        pub(crate) fn $name(conn: &rusqlite::Connection, $($args)*) -> rusqlite::Result<$out> {
            conn.one($sql, $params)
        }
    };
    (@run [$($doc:tt)*] $name:ident($($args:tt)*) [] $sql:expr, $params:expr) => {
        $($doc)*
        pub(crate) fn $name(tx: &rusqlite::Transaction<'_>, $($args)*) -> rusqlite::Result<()> {
            tx.run($sql, $params)
        }
    };
    (@add [$($doc:tt)*] $name:ident($($args:tt)*) [$out:ty] $sql:expr, $params:expr) => {
        $($doc)*
        pub(crate) fn $name(tx: &rusqlite::Transaction<'_>, $($args)*) -> rusqlite::Result<$out> {
            tx.add($sql, $params)
        }
    };
    (@did [$($doc:tt)*] $name:ident($($args:tt)*) [] $sql:expr, $params:expr) => {
        $($doc)*
        pub(crate) fn $name(tx: &rusqlite::Transaction<'_>, $($args)*) -> rusqlite::Result<bool> {
            tx.did($sql, $params)
        }
    };
    (@params [$($arg:ident),*]) => {
        rusqlite::params![$($arg),*]
    };
    (@params [$($arg:ident),*] [$($param:expr),*]) => {
        rusqlite::params![$($param),*]
    };
}
pub(crate) use sql;
