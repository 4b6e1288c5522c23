//! Lists commits.

use std::path::Path;

use super::call::Call;
use super::names::check_revision;
use super::{Git, GitError, LogEntry, parse};

/// Which commits to list: those that `to` has and `from` does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogRange<'a> {
    /// Absent: from the beginning.
    pub from: Option<&'a str>,
    pub to: &'a str,
}

impl Git {
    /// At most `limit` commits, the newest first.
    pub async fn log(&self, range: LogRange<'_>, limit: usize) -> Result<Vec<LogEntry>, GitError> {
        self.log_call(range, &[], limit).await
    }

    /// The same, of the commits that changed one of the given files.
    pub async fn log_touching(
        &self,
        range: LogRange<'_>,
        paths: &[&Path],
        limit: usize,
    ) -> Result<Vec<LogEntry>, GitError> {
        self.log_call(range, paths, limit).await
    }

    async fn log_call(
        &self,
        range: LogRange<'_>,
        paths: &[&Path],
        limit: usize,
    ) -> Result<Vec<LogEntry>, GitError> {
        let mut call = Call::read(format!("list the commits of {}", range.to))
            .args([
                "--literal-pathspecs",
                "log",
                "-z",
                "--no-color",
                "--no-show-signature",
            ])
            .args(["--encoding=UTF-8", "--no-notes", parse::LOG_DATES])
            .arg(format!("--max-count={limit}"))
            .arg(format!("--format=tformat:{}", parse::LOG_FORMAT))
            .args(["--end-of-options", check_revision(range.to)?]);
        if let Some(from) = range.from {
            call = call.arg(format!("^{}", check_revision(from)?));
        }
        let reply = self
            .call(call.arg("--").args(paths.iter().copied()))
            .await?
            .success()?;
        Ok(parse::log(&reply.stdout))
    }
}
