//! Statements that are prepared once, with what they give.

use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension as _, Params, Row};

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

    fn add(&self, sql: &str, params: impl Params) -> rusqlite::Result<i64> {
        self.prepare_cached(sql)?.insert(params)
    }
}

/// [`FromRow`] from the columns of the same names, and what has to be made of others:
/// `from_row! { (conn, row) => Label { id, name; state: parse(row)? } }`.
macro_rules! from_row {
    (($conn:ident, $row:ident) => $type:ident { $($columns:tt)* }) => {
        impl $crate::store::select::FromRow for $type {
            fn from_row(
                $conn: &rusqlite::Connection,
                $row: &rusqlite::Row<'_>,
            ) -> rusqlite::Result<Self> {
                $crate::store::select::columns!($row => $type { $($columns)* })
            }
        }
    };
}
pub(crate) use from_row;

/// The inside of [`from_row`], for rows that need more.
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
