//! Annotations of check runs.

use rusqlite::{Connection, Transaction};

use super::check_state::AnnotationLevel;
use crate::store::select::{Rows, Select as _, from_row, insert};

/// A remark of a check about some lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Annotation {
    pub(crate) path: String,
    pub(crate) start_line: i64,
    pub(crate) end_line: i64,
    pub(crate) start_column: Option<i64>,
    pub(crate) end_column: Option<i64>,
    pub(crate) level: AnnotationLevel,
    pub(crate) title: Option<String>,
    pub(crate) message: String,
    pub(crate) raw_details: Option<String>,
}

pub(crate) fn add(
    tx: &Transaction<'_>,
    check_run_id: i64,
    annotation: &Annotation,
) -> rusqlite::Result<()> {
    insert!(tx => check_annotations {
        check_run_id, path: annotation.path, start_line: annotation.start_line,
        end_line: annotation.end_line, start_column: annotation.start_column,
        end_column: annotation.end_column, level: annotation.level, title: annotation.title,
        message: annotation.message, raw_details: annotation.raw_details,
    })
    .map(drop)
}

/// In the order in which they were made.
pub(crate) fn for_run(conn: &Connection, check_run_id: i64) -> Rows<Annotation> {
    conn.all(
        "SELECT * FROM check_annotations WHERE check_run_id = ? ORDER BY id",
        [check_run_id],
    )
}

/// A job that is executed again starts without the remarks of its first try.
pub(crate) fn clear(tx: &Transaction<'_>, check_run_id: i64) -> rusqlite::Result<()> {
    tx.run(
        "DELETE FROM check_annotations WHERE check_run_id = ?",
        [check_run_id],
    )
}

from_row! {
    (_conn, row) => Annotation {
        path, start_line, end_line, start_column, end_column, level, title, message, raw_details
    }
}
