//! Check runs by which the runner says why it does not execute a checks file.

use rusqlite::Transaction;

use super::checks_file;
use crate::error::{ApiError, Result};
use crate::store::check_annotations::{self, Annotation};
use crate::store::check_runs::{self, NewCheckRun};
use crate::store::check_state::{AnnotationLevel, Conclusion, Progress};
use crate::store::repositories::Repository;

struct Note<'a> {
    path: &'a str,
    conclusion: Conclusion,
    level: AnnotationLevel,
    title: &'a str,
    text: &'a str,
}

/// A file that cannot be read checks nothing, and that must not look like a
/// commit without checks.
pub(super) fn mistake(
    tx: &Transaction<'_>,
    suite_id: i64,
    path: &str,
    mistake: &str,
    at: &str,
) -> Result<()> {
    let note = Note {
        path,
        conclusion: Conclusion::Failure,
        level: AnnotationLevel::Failure,
        title: "Invalid workflow file",
        text: mistake,
    };
    note.add(tx, suite_id, at)
}

/// Nor must a file that is not executed.
pub(super) fn switched_off(
    tx: &Transaction<'_>,
    suite_id: i64,
    repository: &Repository,
    at: &str,
) -> Result<()> {
    let note = Note {
        path: checks_file::PATH,
        conclusion: Conclusion::Skipped,
        level: AnnotationLevel::Notice,
        title: "Pushed checks are switched off",
        text: &why_switched_off(repository),
    };
    note.add(tx, suite_id, at)
}

/// With the command that changes it.
pub(super) fn why_switched_off(repository: &Repository) -> String {
    format!(
        "The commands of {} are not executed in this repository. An administrator of the forge \
         switches them on with `baton forge repo pushed-checks {} on`.",
        checks_file::PATH,
        repository.full_name()
    )
}

impl Note<'_> {
    fn add(&self, tx: &Transaction<'_>, suite_id: i64, at: &str) -> Result<()> {
        let id = check_runs::create(
            tx,
            &NewCheckRun {
                suite_id,
                name: self.path,
                external_id: "",
                details_url: None,
                progress: Progress::Completed(self.conclusion),
                started_at: Some(at),
                completed_at: Some(at),
            },
        )?;
        let mut run = check_runs::by_id(tx, id)?.ok_or(ApiError::NotFound)?;
        run.title = Some(self.title.to_owned());
        run.summary = Some(self.text.to_owned());
        check_runs::update(tx, &run)?;
        check_annotations::add(
            tx,
            id,
            &Annotation {
                path: self.path.to_owned(),
                start_line: 1,
                end_line: 1,
                start_column: None,
                end_column: None,
                level: self.level,
                title: Some(self.title.to_owned()),
                message: self.text.to_owned(),
                raw_details: None,
            },
        )?;
        Ok(())
    }
}
