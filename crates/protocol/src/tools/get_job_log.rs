//! The last lines of a job's log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Repository;
use crate::request::{integer, optional, request, required, text, unlisted_default};

request! {
    pub struct GetJobLogInput, unknown keys Refused {
        /// The job: its id, or its URL.
        job: String = required(text()),
        /// The repository as `owner/repo` (default: that of the URL, else that of the checkout that baton was started in).
        repository: Option<String> = optional(text()),
        /// How many lines (default: 200).
        lines: u64 = unlisted_default(200, integer(1..=2000)),
        /// The last line to show, from 1 (default: the end).
        until_line: Option<u64> = optional(integer(1..=u64::MAX)),
    }
}

/// A job, as a call names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobReference {
    pub id: u64,
    /// The host and repository of its URL.
    pub place: Option<(String, Repository)>,
}

impl JobReference {
    /// `12`, or the URL of its page: `https://HOST/OWNER/REPO/actions/runs/1/job/12`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_url = text.starts_with("https://") || text.starts_with("http://");
        if !is_url {
            let id = text.parse().ok()?;
            return Some(Self { id, place: None });
        }
        let url = &text[..text.find(['?', '#']).unwrap_or(text.len())];
        let (repository, rest) = url.split_once("/actions/runs/")?;
        let (_, job) = rest.split_once("/job/")?;
        let id = job.trim_end_matches('/').parse().ok()?;
        let place = Repository::from_remote(repository)?;
        Some(Self {
            id,
            place: Some(place),
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GetJobLogOutput {
    /// `owner/repo`.
    pub repository: String,
    pub job: u64,
    /// Of the job.
    pub name: String,
    /// `queued`, `in_progress`, `completed` or another word of GitHub.
    pub status: String,
    /// How it ended: `success`, `failure`, `cancelled` or another word of GitHub. Absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html_url: Option<String>,
    /// How many lines the log has. Absent when there is no log: not yet, or not any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<u64>,
    /// The first line of `text`, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_line: Option<u64>,
    /// The lines, without colours and without the times in front of them.
    pub text: String,
    /// What the text does not show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_has_a_number_and_an_address() {
        let number = JobReference::parse(" 12 ").unwrap();
        assert_eq!((number.id, number.place), (12, None));
        let page = "https://github.com/octo/demo/actions/runs/7/job/12?pr=1#step:3:4";
        let page = JobReference::parse(page).unwrap();
        let octo = Repository::new("octo", "demo").unwrap();
        assert_eq!(page.id, 12);
        assert_eq!(page.place, Some(("github.com".to_owned(), octo)));
        for wrong in [
            "",
            "x",
            "-1",
            "https://github.com/octo/demo/actions/runs/7",
            "https://github.com/octo",
        ] {
            assert_eq!(JobReference::parse(wrong), None, "{wrong}");
        }
    }
}
