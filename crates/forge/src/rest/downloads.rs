//! Logs and artifacts as files. The API answers with a redirect to an address
//! that is good for a minute and needs no token, as at GitHub: clients do not
//! send their token to wherever a redirect leads.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, LOCATION};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use sha2::Sha256;
use tokio::task;
use tokio_util::io::ReaderStream;

use crate::app::App;
use crate::error::{ApiError, Result};
use crate::hex::hex;
use crate::random;
use crate::run_files::{JobLog, StepLog, job_text, run_archive};
use crate::store::workflow_jobs::{self, Job};
use crate::store::{artifacts, workflow_runs, workflow_steps};

const GOOD_FOR: SignedDuration = SignedDuration::from_secs(60);

/// What signs the addresses. It lives as long as the forge runs, which is
/// longer than any address.
pub(crate) struct DownloadKey([u8; 32]);

impl DownloadKey {
    pub(crate) fn new() -> Self {
        Self(random::bytes())
    }

    fn sign(&self, text: &str) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key may have any length");
        mac.update(text.as_bytes());
        mac
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Download {
    JobLog { job_id: i64 },
    RunLogs { run_id: i64, attempt: i64 },
    Artifact { artifact_id: i64 },
}

pub(super) fn routes() -> Router<App> {
    Router::new().route("/_forge/downloads/{name}", get(serve))
}

/// 302, as GitHub answers.
pub(super) fn redirect(app: &App, download: Download) -> Response {
    let (name, expires) = (download.name(), Timestamp::now() + GOOD_FOR);
    let expires = expires.as_second();
    let signature = app.download_key().sign(&signed_text(&name, expires));
    let signature = hex(&signature.finalize().into_bytes());
    let address = app.urls().page(&format!(
        "/_forge/downloads/{name}?expires={expires}&signature={signature}"
    ));
    let mut response = StatusCode::FOUND.into_response();
    if let Ok(address) = HeaderValue::from_str(&address) {
        response.headers_mut().insert(LOCATION, address);
    }
    response
}

#[derive(Deserialize)]
struct Pass {
    expires: i64,
    signature: String,
}

async fn serve(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(pass): Query<Pass>,
) -> Result<Response> {
    let signature = decode_hex(&pass.signature).unwrap_or_default();
    let expected = app.download_key().sign(&signed_text(&name, pass.expires));
    let is_genuine = expected.verify_slice(&signature).is_ok();
    if !is_genuine || pass.expires < Timestamp::now().as_second() {
        return Err(ApiError::Forbidden(
            "This address has expired; ask the API for a new one".to_owned(),
        ));
    }
    let download = Download::parse(&name).ok_or(ApiError::NotFound)?;
    let file_name = format!("{name}.{}", download.extension());
    let (file, kind) = task::spawn_blocking(move || download.open(&app))
        .await
        .map_err(|_| ApiError::internal("the thread that packs downloads ended early"))??;
    let length = file.metadata().map_or(0, |facts| facts.len());
    let stream = ReaderStream::new(tokio::fs::File::from_std(file));
    let mut response = Response::new(Body::from_stream(stream));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    let disposition = format!("attachment; filename={file_name}");
    if let Ok(disposition) = HeaderValue::from_str(&disposition) {
        headers.insert(CONTENT_DISPOSITION, disposition);
    }
    Ok(response)
}

impl Download {
    fn name(self) -> String {
        match self {
            Self::JobLog { job_id } => format!("job-{job_id}"),
            Self::RunLogs { run_id, attempt } => format!("run-{run_id}-{attempt}"),
            Self::Artifact { artifact_id } => format!("artifact-{artifact_id}"),
        }
    }

    fn parse(name: &str) -> Option<Self> {
        let (kind, rest) = name.split_once('-')?;
        match kind {
            "job" => Some(Self::JobLog {
                job_id: rest.parse().ok()?,
            }),
            "run" => {
                let (run_id, attempt) = rest.split_once('-')?;
                Some(Self::RunLogs {
                    run_id: run_id.parse().ok()?,
                    attempt: attempt.parse().ok()?,
                })
            }
            "artifact" => Some(Self::Artifact {
                artifact_id: rest.parse().ok()?,
            }),
            _ => None,
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Self::JobLog { .. } => "txt",
            Self::RunLogs { .. } | Self::Artifact { .. } => "zip",
        }
    }

    /// The file and its media type. On a thread that may block.
    fn open(self, app: &App) -> Result<(File, &'static str)> {
        match self {
            Self::JobLog { job_id } => {
                let log = app.read(|conn| {
                    let job = workflow_jobs::by_id(conn, job_id)?;
                    job_log(app, conn, &job.ok_or(ApiError::NotFound)?)
                })?;
                let file = packed(app, |file| job_text(&mut &file, &log).map(|()| file))?;
                Ok((file, "text/plain; charset=utf-8"))
            }
            Self::RunLogs { run_id, attempt } => {
                let logs = app.read(|conn| {
                    workflow_jobs::for_attempt(conn, run_id, attempt)?
                        .iter()
                        .map(|job| job_log(app, conn, job))
                        .collect::<Result<Vec<_>, _>>()
                })?;
                Ok((
                    packed(app, |file| run_archive(file, &logs))?,
                    "application/zip",
                ))
            }
            Self::Artifact { artifact_id } => {
                let artifact = app
                    .rows(|conn| artifacts::by_id(conn, artifact_id))?
                    .ok_or(ApiError::NotFound)?;
                let path = app
                    .run_files()
                    .artifact(artifact.repository_id, artifact_id);
                Ok((
                    File::open(path).map_err(|error| unreadable(&error))?,
                    "application/zip",
                ))
            }
        }
    }
}

fn job_log(app: &App, conn: &rusqlite::Connection, job: &Job) -> Result<JobLog> {
    let run = workflow_runs::by_id(conn, job.run_id)?.ok_or(ApiError::NotFound)?;
    let steps = workflow_steps::for_job(conn, job.id)?;
    let files = app.run_files();
    Ok(JobLog {
        name: job.name.clone(),
        steps: steps
            .into_iter()
            .map(|step| StepLog {
                number: step.number,
                name: step.name,
                path: files.step_log(run.repository_id, job.id, step.number),
            })
            .collect(),
    })
}

/// A file without a name that is written and then read from its beginning.
fn packed(app: &App, write: impl FnOnce(File) -> io::Result<File>) -> Result<File> {
    let file = tempfile::tempfile_in(app.settings().environment.temporary_folder())
        .map_err(|error| unreadable(&error))?;
    let mut file = write(file).map_err(|error| unreadable(&error))?;
    file.seek(SeekFrom::Start(0))
        .map_err(|error| unreadable(&error))?;
    Ok(file)
}

fn unreadable(error: &io::Error) -> ApiError {
    ApiError::internal(format!("a download could not be read: {error}"))
}

fn signed_text(name: &str, expires: i64) -> String {
    format!("{name} {expires}")
}

fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    digits
        .chunks_exact(2)
        .map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}
