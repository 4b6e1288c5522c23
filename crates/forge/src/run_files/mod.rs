//! What runs leave behind as files: logs and artifacts. Facts about them are
//! in the database; a file without a row is rubbish, never the other way round.

mod archive;
mod lines;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use archive::{JobLog, StepLog, job_text, run_archive, single_file_archive};
pub(crate) use lines::{stamp, stamped};

/// Where they lie. Everything of a repository is in one folder, so that it
/// can go with it.
#[derive(Debug, Clone)]
pub(crate) struct RunFiles {
    folder: PathBuf,
}

impl RunFiles {
    pub(crate) fn new(data: &Path) -> Self {
        Self {
            folder: data.join("actions"),
        }
    }

    /// Of one step of a job.
    pub(crate) fn step_log(&self, repository_id: i64, job_id: i64, step: i64) -> PathBuf {
        self.job_logs(repository_id, job_id)
            .join(format!("{step}.txt"))
    }

    fn job_logs(&self, repository_id: i64, job_id: i64) -> PathBuf {
        let jobs = self.for_repository(repository_id).join("logs");
        jobs.join(job_id.to_string())
    }

    pub(crate) fn artifact(&self, repository_id: i64, artifact_id: i64) -> PathBuf {
        self.artifacts(repository_id)
            .join(format!("{artifact_id}.zip"))
    }

    /// Also where an artifact is written before it has a number.
    pub(crate) fn artifacts(&self, repository_id: i64) -> PathBuf {
        self.for_repository(repository_id).join("artifacts")
    }

    /// Working trees of jobs that are executed. All of it may be removed when
    /// none is.
    pub(crate) fn workspaces(&self) -> PathBuf {
        self.folder.join("work")
    }

    pub(crate) fn remove_repository(&self, repository_id: i64) -> io::Result<()> {
        remove_folder(&self.for_repository(repository_id))
    }

    fn for_repository(&self, repository_id: i64) -> PathBuf {
        self.folder.join(repository_id.to_string())
    }
}

/// With everything in it; it need not be there.
pub(crate) fn remove_folder(folder: &Path) -> io::Result<()> {
    ignore_missing(fs::remove_dir_all(folder))
}

fn ignore_missing(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
