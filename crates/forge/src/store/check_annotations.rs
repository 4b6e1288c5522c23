//! Annotations of check runs.

use super::check_state::AnnotationLevel;
use crate::store::prelude::*;

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

sql! {
    /// In the order in which they were made.
    all for_run(check_run_id: i64) -> Annotation:
        "SELECT * FROM check_annotations WHERE check_run_id = ? ORDER BY id";

    /// A job that is executed again starts without the remarks of its first try.
    run clear(check_run_id: i64): "DELETE FROM check_annotations WHERE check_run_id = ?";
}

from_row! {
    (_conn, row) => Annotation {
        path, start_line, end_line, start_column, end_column, level, title, message, raw_details
    }
}
