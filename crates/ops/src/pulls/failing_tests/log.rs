//! The log of a job, read while it is downloaded.

use std::pin::Pin;
use std::task::{Context, Poll};

use baton_protocol::Repository;
use baton_protocol::report::TestReport;
use baton_remote::github::{GitHub, GitHubError};
use baton_report::Reader;
use tokio::io::{self, AsyncWrite};

/// Read in bounded memory; the cap is against logs without an end. What failed
/// is told at the end of a log, so it must not be low.
const MAX_LOG_BYTES: u64 = 256 << 20;

pub(super) struct ReadLog {
    pub(super) report: TestReport,
    /// The last lines of what failed.
    pub(super) tail: String,
    /// There was more than the cap.
    pub(super) truncated: bool,
}

/// `None`: there is no log, not yet or not any more.
pub(super) async fn read(
    github: &GitHub,
    repository: &Repository,
    job: u64,
) -> Result<Option<ReadLog>, GitHubError> {
    let mut sink = Sink(Reader::new().keeping_tail());
    let written = github
        .job_log(repository, job, MAX_LOG_BYTES, &mut sink)
        .await?;
    Ok(written.map(|written| {
        let (report, tail) = sink.0.finish_with_tail();
        ReadLog {
            report,
            tail,
            truncated: written.truncated,
        }
    }))
}

/// Takes what is downloaded, and keeps only what it means.
struct Sink(Reader);

impl AsyncWrite for Sink {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.feed(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
