//! Annotations of check runs.

use super::check_state::AnnotationLevel;
use crate::store::prelude::*;

row! {
    /// A remark of a check about some lines of a file.
    #[derive(PartialEq, Eq)]
    Annotation {
        path: String,
        start_line: i64,
        end_line: i64,
        start_column: Option<i64>,
        end_column: Option<i64>,
        level: AnnotationLevel,
        title: Option<String>,
        message: String,
        raw_details: Option<String>,
    }
}

inserts! {
    add(check_run_id: i64, annotation: &Annotation) into check_annotations {
        check_run_id, path: annotation.path, start_line: annotation.start_line,
        end_line: annotation.end_line, start_column: annotation.start_column,
        end_column: annotation.end_column, level: annotation.level, title: annotation.title,
        message: annotation.message, raw_details: annotation.raw_details,
    }
}

sql! {
    /// In the order in which they were made.
    all for_run(check_run_id: i64) -> Annotation:
        "SELECT * FROM check_annotations WHERE check_run_id = ? ORDER BY id";

    /// A job that is executed again starts without the remarks of its first try.
    run clear(check_run_id: i64): "DELETE FROM check_annotations WHERE check_run_id = ?";
}
