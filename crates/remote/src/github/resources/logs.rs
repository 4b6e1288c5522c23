//! Logs of workflow runs.

use baton_protocol::Repository;
use tokio::io::AsyncWrite;

use crate::github::archive::{Archive, ArchiveLimits};
use crate::github::client::GitHub;
use crate::github::endpoint;
use crate::github::errand::Errand;
use crate::github::error::{GitHubError, GitHubErrorKind};
use crate::http::Overflow;

/// A log that was written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenLog {
    pub bytes: u64,
    /// There was more than the cap.
    pub truncated: bool,
}

impl GitHub {
    /// Writes a job's log to `to` as it comes, and at most `cap` bytes of it.
    /// `None`: there is no log, not yet or not any more.
    pub async fn job_log(
        &self,
        repository: &Repository,
        job: u64,
        cap: u64,
        to: &mut (dyn AsyncWrite + Send + Unpin),
    ) -> Result<Option<WrittenLog>, GitHubError> {
        let errand = Errand::new("read", format!("the log of job {job} in {repository}"));
        let request = endpoint::JOB_LOGS
            .read(repository, &[&job], errand)
            .size_cap(cap);
        let log = self.download(request, to, Overflow::Truncate).await;
        Ok(or_none(log)?.map(|download| WrittenLog {
            bytes: download.bytes,
            truncated: download.truncated,
        }))
    }

    /// The logs of all jobs of a run's latest attempt, a file each.
    /// `None`: there are none, not yet or not any more.
    pub async fn run_logs(
        &self,
        repository: &Repository,
        run: u64,
        limits: ArchiveLimits,
    ) -> Result<Option<Archive>, GitHubError> {
        let errand = Errand::new("read", format!("the logs of run {run} in {repository}"));
        let request = endpoint::WORKFLOW_RUN_LOGS.read(repository, &[&run], errand);
        or_none(self.archive(request, limits).await)
    }
}

/// GitHub responds with 404 while a job runs, and with 410 once its log has
/// expired.
fn or_none<T>(result: Result<T, GitHubError>) -> Result<Option<T>, GitHubError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) => match error.kind() {
            GitHubErrorKind::NotFound { .. } | GitHubErrorKind::Gone { .. } => Ok(None),
            _ => Err(error),
        },
    }
}
