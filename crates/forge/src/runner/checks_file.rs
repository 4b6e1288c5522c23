//! `.baton/forge-checks.toml`: which jobs a commit is checked with.

use std::collections::BTreeSet;
use std::path::{Component, Path};
use std::time::Duration;

use serde::Deserialize;

use crate::store::workflow_jobs::Order;

pub(super) const PATH: &str = ".baton/forge-checks.toml";

/// Far more than the jobs below need.
pub(super) const MAX_LEN: usize = 64 * 1024;

const DEFAULT_NAME: &str = "Checks";
const MAX_JOBS: usize = 20;
const MAX_NAME_LEN: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChecksFile {
    pub(super) name: String,
    pub(super) jobs: Vec<NamedOrder>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedOrder {
    pub(super) name: String,
    pub(super) order: Order,
}

/// What is wrong with the file, for its author.
#[derive(Debug, thiserror::Error)]
pub(super) enum ChecksFileError {
    #[error("the file has more than {MAX_LEN} bytes")]
    TooLarge,
    #[error("the file is not UTF-8")]
    NotText,
    #[error("{0}")]
    NotToml(String),
    #[error("there are no jobs; add [[jobs]] with a name and a command")]
    NoJobs,
    #[error("there are more than {MAX_JOBS} jobs")]
    TooManyJobs,
    #[error(
        "the name {0:?} is empty, longer than {MAX_NAME_LEN} characters or has control characters"
    )]
    BadName(String),
    #[error("two jobs have the name {0:?}")]
    SameName(String),
    #[error("the job {0:?} has no command")]
    NoCommand(String),
    #[error("the job {name:?} may take at least one second and at most {most} seconds")]
    BadTimeLimit { name: String, most: u64 },
    #[error("the report {path:?} of the job {name:?} does not lie in the working tree")]
    BadReport { name: String, path: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    name: Option<String>,
    timeout_seconds: Option<u64>,
    #[serde(default)]
    jobs: Vec<DocumentJob>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentJob {
    name: String,
    command: String,
    timeout_seconds: Option<u64>,
    junit: Option<String>,
}

/// `most` is what a job may take at most, and takes unless it says otherwise.
pub(super) fn parse(bytes: &[u8], most: Duration) -> Result<ChecksFile, ChecksFileError> {
    if bytes.len() > MAX_LEN {
        return Err(ChecksFileError::TooLarge);
    }
    let text = str::from_utf8(bytes).map_err(|_| ChecksFileError::NotText)?;
    let document: Document =
        toml::from_str(text).map_err(|error| ChecksFileError::NotToml(error.to_string()))?;
    let name = document.name.unwrap_or_else(|| DEFAULT_NAME.to_owned());
    check_name(&name)?;
    match document.jobs.len() {
        0 => return Err(ChecksFileError::NoJobs),
        1..=MAX_JOBS => {}
        _ => return Err(ChecksFileError::TooManyJobs),
    }
    let mut names = BTreeSet::new();
    let mut jobs = Vec::new();
    for job in document.jobs {
        if !names.insert(job.name.clone()) {
            return Err(ChecksFileError::SameName(job.name));
        }
        let seconds = job.timeout_seconds.or(document.timeout_seconds);
        jobs.push(order(job, seconds, most)?);
    }
    Ok(ChecksFile { name, jobs })
}

/// What a repository's check command comes to.
pub(super) fn from_command(command: &str, most: Duration) -> ChecksFile {
    ChecksFile {
        name: DEFAULT_NAME.to_owned(),
        jobs: vec![NamedOrder {
            name: "check".to_owned(),
            order: Order {
                command: command.to_owned(),
                time_limit: most,
                report_path: None,
            },
        }],
    }
}

fn order(
    job: DocumentJob,
    seconds: Option<u64>,
    most: Duration,
) -> Result<NamedOrder, ChecksFileError> {
    check_name(&job.name)?;
    let name = job.name;
    if job.command.trim().is_empty() || job.command.contains('\0') {
        return Err(ChecksFileError::NoCommand(name));
    }
    let time_limit = seconds.map_or(most, Duration::from_secs);
    if time_limit.is_zero() || time_limit > most {
        let most = most.as_secs();
        return Err(ChecksFileError::BadTimeLimit { name, most });
    }
    if let Some(path) = &job.junit
        && !lies_below(path)
    {
        let path = path.clone();
        return Err(ChecksFileError::BadReport { name, path });
    }
    Ok(NamedOrder {
        name,
        order: Order {
            command: job.command,
            time_limit,
            report_path: job.junit,
        },
    })
}

fn check_name(name: &str) -> Result<(), ChecksFileError> {
    let fits = (1..=MAX_NAME_LEN).contains(&name.chars().count());
    if fits && !name.trim().is_empty() && !name.chars().any(char::is_control) {
        Ok(())
    } else {
        Err(ChecksFileError::BadName(name.to_owned()))
    }
}

fn lies_below(path: &str) -> bool {
    let mut parts = Path::new(path).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    fn complaint(text: &str) -> String {
        parse(text.as_bytes(), HOUR)
            .expect_err("the file is wrong")
            .to_string()
    }

    #[test]
    fn jobs_take_what_the_file_says() {
        let text = r#"
            name = "CI"
            timeout_seconds = 60
            [[jobs]]
            name = "test"
            command = "make test"
            junit = "build/junit.xml"
            [[jobs]]
            name = "lint"
            command = "make lint"
            timeout_seconds = 5
        "#;
        let file = parse(text.as_bytes(), HOUR).expect("the file is right");
        assert_eq!(file.name, "CI");
        let [first, second] = &file.jobs[..] else {
            panic!("two jobs");
        };
        assert_eq!(first.name, "test");
        assert_eq!(first.order.command, "make test");
        assert_eq!(first.order.time_limit, Duration::from_mins(1));
        assert_eq!(first.order.report_path.as_deref(), Some("build/junit.xml"));
        assert_eq!(second.order.time_limit, Duration::from_secs(5));
        assert_eq!(second.order.report_path, None);
    }

    #[test]
    fn mistakes_are_explained() {
        insta::assert_snapshot!(complaint("jobs = 1"), @r"
        TOML parse error at line 1, column 8
          |
        1 | jobs = 1
          |        ^
        invalid type: integer `1`, expected a sequence
        ");
        insta::assert_snapshot!(complaint(""), @"there are no jobs; add [[jobs]] with a name and a command");
        insta::assert_snapshot!(
            complaint("[[jobs]]\nname = 'a'\ncommand = ' '"),
            @r#"the job "a" has no command"#
        );
        insta::assert_snapshot!(
            complaint("[[jobs]]\nname = ''\ncommand = 'true'"),
            @r#"the name "" is empty, longer than 100 characters or has control characters"#
        );
        let twice = "[[jobs]]\nname = 'a'\ncommand = 'true'\n".repeat(2);
        insta::assert_snapshot!(complaint(&twice), @r#"two jobs have the name "a""#);
        insta::assert_snapshot!(
            complaint("[[jobs]]\nname = 'a'\ncommand = 'true'\ntimeout_seconds = 3601"),
            @r#"the job "a" may take at least one second and at most 3600 seconds"#
        );
        insta::assert_snapshot!(
            complaint("[[jobs]]\nname = 'a'\ncommand = 'true'\njunit = '../secret.xml'"),
            @r#"the report "../secret.xml" of the job "a" does not lie in the working tree"#
        );
    }
}
