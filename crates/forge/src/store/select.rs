//! Statements that are prepared once, with what they give.

use rusqlite::{Connection, OptionalExtension as _, Params, Row};

pub(crate) type Found<T> = rusqlite::Result<Option<T>>;
pub(crate) type Rows<T> = rusqlite::Result<Vec<T>>;

pub(crate) trait Select {
    /// The first row, which has to be there.
    fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T>;

    fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Rows<T>;

    fn run(&self, sql: &str, params: impl Params) -> rusqlite::Result<()>;

    /// Gives the id of the new row.
    fn add(&self, sql: &str, params: impl Params) -> rusqlite::Result<i64>;

    /// The first row, if there is one.
    fn find<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Found<T> {
        self.one(sql, params, read).optional()
    }
}

impl Select for Connection {
    fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        self.prepare_cached(sql)?.query_row(params, read)
    }

    fn all<T>(
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

    fn add(&self, sql: &str, params: impl Params) -> rusqlite::Result<i64> {
        self.prepare_cached(sql)?.insert(params)
    }
}

/// A row type from the columns of the same names, and what has to be made of others:
/// `columns!(row => Label { id, name; state: parse(row)? })`.
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
