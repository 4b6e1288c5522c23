//! Keeping artifacts of workflow runs.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};

use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use crate::actions::prelude::*;
use crate::hex::hex;
use crate::store::artifacts::{self, Artifact, NewArtifact};

/// GitHub's default.
const KEPT_FOR: SignedDuration = SignedDuration::from_hours(90 * 24);

const MAX_NAME_LEN: usize = 256;

/// The artifact, when it belongs to the repository.
pub(crate) fn find(conn: &Connection, repository: &Repository, id: i64) -> Result<Artifact> {
    artifacts::by_id(conn, id)?
        .filter(|artifact| artifact.repository_id == repository.id)
        .ok_or(ApiError::NotFound)
}

/// A file in which an artifact may be put together; it vanishes unless it is
/// [kept](keep).
pub(crate) fn draft(app: &App, repository_id: i64) -> io::Result<NamedTempFile> {
    let folder = app.run_files().artifacts(repository_id);
    fs::create_dir_all(&folder)?;
    NamedTempFile::new_in(folder)
}

/// Keeps a zip file as an artifact of a run.
pub(crate) async fn keep(
    app: &App,
    repository_id: i64,
    run_id: i64,
    name: String,
    mut zip: NamedTempFile,
) -> Result<Artifact> {
    if !is_name(&name) {
        return Err(ApiError::invalid("Artifact", "name", "invalid", None));
    }
    let files = app.run_files().clone();
    let at = app.now();
    let expires_at = expiry(&at);
    app.write(move |tx| {
        let (size, sha256) = measure(&mut zip).map_err(|error| not_kept(&error))?;
        let id = artifacts::create(
            tx,
            &NewArtifact {
                run_id,
                name: &name,
                size,
                sha256: &sha256,
                at: &at,
                expires_at: &expires_at,
            },
        )?;
        zip.persist(files.artifact(repository_id, id))
            .map_err(|error| not_kept(&error.error))?;
        artifacts::by_id(tx, id)?.ok_or(ApiError::NotFound)
    })
    .await
}

/// What GitHub's own upload refuses would be trouble on someone's disk.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MAX_NAME_LEN
        && !name
            .chars()
            .any(|c| c.is_control() || "\"*/:<>?\\|".contains(c))
}

fn expiry(at: &str) -> String {
    let now: Timestamp = at.parse().unwrap_or(Timestamp::UNIX_EPOCH);
    now.checked_add(KEPT_FOR)
        .unwrap_or(Timestamp::MAX)
        .to_string()
}

fn measure(zip: &mut NamedTempFile) -> io::Result<(i64, String)> {
    let file = zip.as_file_mut();
    file.seek(SeekFrom::Start(0))?;
    let mut digest = Sha256::new();
    let mut size = 0;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        digest.update(&buffer[..count]);
        size += count;
    }
    file.sync_all()?;
    Ok((
        i64::try_from(size).unwrap_or(i64::MAX),
        hex(&digest.finalize()),
    ))
}

fn not_kept(error: &io::Error) -> ApiError {
    ApiError::internal(format!("an artifact could not be written: {error}"))
}
