use rusqlite::{Connection, Row, Transaction, params};

use super::check_state::AnnotationLevel;

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
    transaction: &Transaction<'_>,
    check_run_id: i64,
    annotation: &Annotation,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO check_annotations
             (check_run_id, path, start_line, end_line, start_column, end_column, level, title,
              message, raw_details)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            check_run_id,
            annotation.path,
            annotation.start_line,
            annotation.end_line,
            annotation.start_column,
            annotation.end_column,
            annotation.level,
            annotation.title,
            annotation.message,
            annotation.raw_details,
        ])
        .map(drop)
}

/// In the order in which they were made.
pub(crate) fn of_run(
    connection: &Connection,
    check_run_id: i64,
) -> rusqlite::Result<Vec<Annotation>> {
    connection
        .prepare_cached("SELECT * FROM check_annotations WHERE check_run_id = ? ORDER BY id")?
        .query_map([check_run_id], from_row)?
        .collect()
}

/// A job that is executed again starts without the remarks of its first try.
pub(crate) fn clear(transaction: &Transaction<'_>, check_run_id: i64) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("DELETE FROM check_annotations WHERE check_run_id = ?")?
        .execute([check_run_id])
        .map(drop)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Annotation> {
    Ok(Annotation {
        path: row.get("path")?,
        start_line: row.get("start_line")?,
        end_line: row.get("end_line")?,
        start_column: row.get("start_column")?,
        end_column: row.get("end_column")?,
        level: row.get("level")?,
        title: row.get("title")?,
        message: row.get("message")?,
        raw_details: row.get("raw_details")?,
    })
}
