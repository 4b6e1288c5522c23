//! The test report of a job, kept as an artifact.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use tokio::task;

use super::claim::Claimed;
use super::workspace::Workspace;
use crate::actions::workflows::artifacts;
use crate::app::App;
use crate::error::ApiError;
use crate::run_files::single_file_archive;
use crate::store::artifacts::Artifact;

/// A report is read by people and programs; a larger file is something else.
const MAX_LEN: u64 = 64 * 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub(super) enum ReportError {
    #[error("the test report {path} cannot be kept")]
    File { path: String, source: io::Error },
    #[error("the test report {0} lies outside the working tree")]
    Outside(String),
    #[error("the test report {0} is no file of at most {MAX_LEN} bytes")]
    Unfit(String),
    #[error("the test report cannot be recorded")]
    Record(#[from] ApiError),
}

pub(super) async fn keep(
    app: &App,
    claimed: &Claimed,
    workspace: &Workspace,
    path: &str,
) -> Result<Artifact, ReportError> {
    let repository_id = claimed.repository.id;
    let (folder, wanted) = (workspace.path().to_path_buf(), path.to_owned());
    let drafting = app.clone();
    let drafted = task::spawn_blocking(move || {
        let (mut report, name) = open(&folder, &wanted)?;
        let trouble = |source| ReportError::File {
            path: wanted.clone(),
            source,
        };
        let mut draft = artifacts::draft(&drafting, repository_id).map_err(trouble)?;
        single_file_archive(draft.as_file_mut(), &name, &mut report).map_err(trouble)?;
        Ok::<_, ReportError>(draft)
    })
    .await;
    let draft =
        drafted.map_err(|_| ApiError::internal("the thread that packs reports ended early"))??;
    let name = artifact_name(&claimed.job.name);
    Ok(artifacts::keep(app, repository_id, claimed.run.id, name, draft).await?)
}

/// The file and its name. Commands can make links; those that lead out of the
/// working tree are not followed.
fn open(folder: &Path, path: &str) -> Result<(File, String), ReportError> {
    let trouble = |source| ReportError::File {
        path: path.to_owned(),
        source,
    };
    let root = folder.canonicalize().map_err(trouble)?;
    let real: PathBuf = root.join(path).canonicalize().map_err(trouble)?;
    if !real.starts_with(&root) {
        return Err(ReportError::Outside(path.to_owned()));
    }
    let report = File::open(&real).map_err(trouble)?;
    let facts = report.metadata().map_err(trouble)?;
    if !facts.is_file() || facts.len() > MAX_LEN {
        return Err(ReportError::Unfit(path.to_owned()));
    }
    let name = Path::new(path).file_name().unwrap_or_default();
    Ok((report, name.to_string_lossy().into_owned()))
}

fn artifact_name(job: &str) -> String {
    let fitting: String = job
        .chars()
        .map(|c| if "\"*/:<>?\\|".contains(c) { '-' } else { c })
        .collect();
    format!("junit-{fitting}")
}
