//! The last lines of a job's log, read while it is downloaded.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use baton_protocol::Repository;
use baton_protocol::tools::get_job_log::{GetJobLogInput, GetJobLogOutput, JobReference};
use baton_remote::github::resources::workflow_runs::Job;
use baton_report::plain_text;
use tokio::io::{self, AsyncWrite};

use super::context::PullContext;
use super::lockdown;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};

pub struct GetJobLog;

impl Operation for GetJobLog {
    const META: Meta = Meta {
        name: "get_job_log",
        title: "Get the log of a job",
        about: "Show the last lines of a job's log",
        description: "Gives the last lines of the log of a GitHub Actions job, or those before `until_line`. \
            get_failing_tests says more in less, so call this one for what it leaves open.",
        input: "get_job_log.input",
        output: "get_job_log.output",
        effects: Effects::READ_REMOTE,
        may_last: operation::never,
    };
    type Input = GetJobLogInput;
    type Output = GetJobLogOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let job = job(&input)?;
        let server = match (&job, &input.repository) {
            (
                JobReference {
                    place: Some((host, repository)),
                    ..
                },
                _,
            ) => Some(format!("https://{host}/{repository}")),
            (_, Some(named)) => Some(named.clone()),
            (_, None) => None,
        };
        let server: Vec<&str> = server.as_deref().into_iter().collect();
        let cx = cx.pulls(&server).await?;
        cx.until_cancelled(log(&cx, &input, &job)).await
    }
}

/// The end of a log says what failed, so the cap must not be low.
const MAX_LOG_BYTES: u64 = 256 << 20;
/// Of the answer.
const MAX_TEXT_BYTES: usize = 45_000;
/// Of a line: minified sources and data end up in logs.
const MAX_LINE_BYTES: usize = 4_000;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

async fn log(
    cx: &PullContext,
    input: &GetJobLogInput,
    job: &JobReference,
) -> Result<GetJobLogOutput, OpError> {
    let repository = repository(cx, input, job)?;
    let mut lines = LastLines::new(input);
    let facts = cx.github.job(&repository, job.id).await?;
    if cx.call.lockdown {
        require_writer(cx, &repository, &facts).await?;
    }
    let written = cx
        .github
        .job_log(&repository, job.id, MAX_LOG_BYTES, &mut lines)
        .await?;
    let is_missing = written.is_none();
    let excerpt = lines.finish();
    let message = if is_missing {
        Some("There is no log: the job has not ended, or its log was deleted".to_owned())
    } else if written.is_some_and(|written| written.truncated) {
        Some("The log is longer than what was read of it".to_owned())
    } else if excerpt.total == 0 {
        Some("The log is empty".to_owned())
    } else {
        excerpt
            .shortened
            .then(|| "Long lines, or lines before these, were left out".to_owned())
    };
    Ok(GetJobLogOutput {
        repository: repository.to_string(),
        job: job.id,
        name: facts.name,
        status: facts.status.as_str().to_owned(),
        conclusion: facts.conclusion.map(|word| word.as_str().to_owned()),
        html_url: facts.html_url,
        total_lines: (!is_missing).then_some(excerpt.total),
        first_line: (!excerpt.text.is_empty()).then_some(excerpt.first),
        text: excerpt.text,
        message,
    })
}

/// Others run what a comment or a label names, in the name of who wrote it.
const OWN_CODE: [&str; 5] = [
    "push",
    "pull_request",
    "merge_group",
    "schedule",
    "workflow_dispatch",
];

/// A job prints what the code and the event say that it ran for.
async fn require_writer(
    cx: &PullContext,
    repository: &Repository,
    job: &Job,
) -> Result<(), OpError> {
    let run = cx.github.workflow_run(repository, job.run_id).await?;
    let what = format!("The log of job {}", job.id);
    if !OWN_CODE.contains(&run.event.as_str()) {
        return Err(lockdown::refused(
            &what,
            "the author of what it ran",
            repository,
        ));
    }
    cx.require_code_of(repository, run.head_repository.as_ref(), &what)
        .await?;
    cx.require_words_of(repository, run.actor.as_ref(), &what)
        .await?;
    // Only writers push.
    if run.event != "pull_request" {
        return Ok(());
    }
    // Someone else may have started it, or started it again, for the code of an outsider.
    let pulls = cx
        .github
        .pull_requests_with_commit(repository, &run.head_sha);
    for pull in pulls.await?.items {
        if pull.head.sha != run.head_sha {
            continue;
        }
        cx.require_words_of(repository, pull.user.as_ref(), &what)
            .await?;
    }
    Ok(())
}

fn job(input: &GetJobLogInput) -> Result<JobReference, OpError> {
    JobReference::parse(&input.job).ok_or_else(|| {
        OpError::refused(
            "`job` must be the id of a job, or its URL",
            "Take the URL of a failed check: it ends with /actions/runs/NUMBER/job/NUMBER.",
        )
    })
}

fn repository(
    cx: &PullContext,
    input: &GetJobLogInput,
    job: &JobReference,
) -> Result<Repository, OpError> {
    let Some((_, place)) = &job.place else {
        return cx.repository(input.repository.as_deref());
    };
    let named = input.repository.as_deref().map(Repository::parse);
    match named.transpose().map_err(OpError::bad_reference)? {
        Some(other) if other != *place => Err(OpError::logical(
            format!("the job is one of {place}, and `repository` says {other}"),
            "Leave `repository` out.",
        )),
        _ => Ok(place.clone()),
    }
}

/// Keeps the wanted lines of what passes through, and counts them all.
struct LastLines {
    wanted: usize,
    until: u64,
    kept: VecDeque<Vec<u8>>,
    line: Vec<u8>,
    shortened: bool,
    total: u64,
}

struct Excerpt {
    text: String,
    first: u64,
    total: u64,
    shortened: bool,
}

impl LastLines {
    fn new(input: &GetJobLogInput) -> Self {
        Self {
            wanted: usize::try_from(input.lines).unwrap_or(usize::MAX),
            until: input.until_line.unwrap_or(u64::MAX),
            kept: VecDeque::new(),
            line: Vec::new(),
            shortened: false,
            total: 0,
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        let mut parts = bytes.split(|byte| *byte == b'\n');
        if let Some(first) = parts.next() {
            self.extend(first);
        }
        for part in parts {
            self.end_line();
            self.extend(part);
        }
    }

    fn extend(&mut self, part: &[u8]) {
        let room = MAX_LINE_BYTES.saturating_sub(self.line.len());
        let is_shown = self.total < self.until;
        self.shortened |= is_shown && part.len() > room;
        self.line.extend_from_slice(&part[..part.len().min(room)]);
    }

    fn end_line(&mut self) {
        let line = self.take_line();
        self.total += 1;
        if self.total > self.until {
            return;
        }
        if self.kept.len() >= self.wanted {
            self.kept.pop_front();
        }
        self.kept.push_back(line);
    }

    /// GitHub begins logs with a byte order mark.
    fn take_line(&mut self) -> Vec<u8> {
        let mut line = std::mem::take(&mut self.line);
        if self.total == 0 && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        line
    }

    fn finish(mut self) -> Excerpt {
        self.line = self.take_line();
        if !self.line.is_empty() {
            self.end_line();
        }
        let mut shown = VecDeque::new();
        let mut used = 0;
        for line in self.kept.iter().rev() {
            let line = plain_text(without_time(&String::from_utf8_lossy(line)));
            used += line.len() + 1;
            if used > MAX_TEXT_BYTES {
                self.shortened = true;
                break;
            }
            shown.push_front(line);
        }
        let end = self.total.min(self.until);
        Excerpt {
            first: end + 1 - shown.len() as u64,
            text: Vec::from(shown).join("\n"),
            total: self.total,
            shortened: self.shortened,
        }
    }
}

/// The runner writes the time in front of every line.
fn without_time(line: &str) -> &str {
    match line.split_once(' ') {
        Some((time, rest)) if time.ends_with('Z') && time.parse::<jiff::Timestamp>().is_ok() => {
            rest
        }
        _ => line,
    }
}

impl AsyncWrite for LastLines {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut TaskContext<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.feed(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(lines: u64, until_line: Option<u64>, chunks: &[&str]) -> Excerpt {
        let input = GetJobLogInput {
            job: "1".to_owned(),
            repository: None,
            lines,
            until_line,
        };
        let mut last = LastLines::new(&input);
        for chunk in chunks {
            last.feed(chunk.as_bytes());
        }
        last.finish()
    }

    #[test]
    fn the_last_lines_are_kept_with_their_numbers() {
        let log = [
            "\u{feff}2026-01-31T12:00:00.0000000Z one\ntw",
            "o\nthree\n\u{1b}[31mfour",
        ];
        let last = excerpt(2, None, &log);
        assert_eq!(
            (last.text.as_str(), last.first, last.total),
            ("three\nfour", 3, 4)
        );
        let earlier = excerpt(2, Some(2), &log);
        assert_eq!((earlier.text.as_str(), earlier.first), ("one\ntwo", 1));
        let none = excerpt(2, None, &["\u{feff}"]);
        assert_eq!((none.text.as_str(), none.total), ("", 0));
        assert!(!last.shortened);
    }

    #[test]
    fn long_lines_and_long_answers_are_shortened() {
        let line = "x".repeat(3 * MAX_LINE_BYTES);
        let last = excerpt(5, None, &[&line, "\nend\n"]);
        assert!(last.shortened && last.text.len() == MAX_LINE_BYTES + 4);
        let many = format!("{}\n", "x".repeat(100)).repeat(2_000);
        let last = excerpt(2_000, None, &[&many]);
        assert!(last.shortened && last.text.len() <= MAX_TEXT_BYTES);
        assert_eq!(last.first + last.text.lines().count() as u64, 2_001);
    }
}
