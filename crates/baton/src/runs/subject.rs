//! What a run is to be about, as a person says it.

use baton_protocol::{PrReference, Repository};

use crate::error::CommandError;
use crate::terminal::sanitize;

/// A request in words, or an issue or pull request that is there already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Words(String),
    /// Of the repository at hand.
    Number(u32),
    Issue {
        host: Option<String>,
        repository: Repository,
        number: u32,
    },
    PullRequest {
        host: Option<String>,
        /// By default the one at hand.
        repository: Option<Repository>,
        number: u32,
    },
}

impl Subject {
    pub(crate) fn read_pull_request(text: &str) -> Result<Self, CommandError> {
        let text = text.trim();
        if let Some(number) = number(text.strip_prefix('#').unwrap_or(text)) {
            return Ok(Self::PullRequest {
                host: None,
                repository: None,
                number,
            });
        }
        let reference = PrReference::parse(text, None).map_err(|error| {
            CommandError::wrong_use(sanitize(&error.to_string()))
                .hint("Name a pull request: its number, `owner/repo#12` or its URL.")
        })?;
        Ok(Self::PullRequest {
            host: reference.host().map(str::to_owned),
            repository: Some(reference.repository().clone()),
            number: reference.number(),
        })
    }

    /// Whatever names no issue is a request.
    pub(crate) fn read(text: &str) -> Self {
        let text = text.trim();
        if let Some(number) = number(text.strip_prefix('#').unwrap_or(text)) {
            return Self::Number(number);
        }
        address(text)
            .or_else(|| short(text))
            .unwrap_or_else(|| Self::Words(text.to_owned()))
    }
}

/// `https://github.com/octo/shop/issues/12`, with or without what follows.
fn address(text: &str) -> Option<Subject> {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))?;
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let mut parts = rest[..end].trim_end_matches('/').split('/');
    let host = parts.next().filter(|host| !host.contains('@'))?;
    let (owner, name) = (parts.next()?, parts.next()?);
    if parts.next()? != "issues" {
        return None;
    }
    let number = number(parts.next()?)?;
    if parts.next().is_some() {
        return None;
    }
    // Through the eyes of a remote, which tells hosts from everything else.
    let (host, repository) = Repository::from_remote(&format!("https://{host}/{owner}/{name}"))?;
    Some(Subject::Issue {
        host: Some(host),
        repository,
        number,
    })
}

/// `octo/shop#12`.
fn short(text: &str) -> Option<Subject> {
    let (repository, digits) = text.split_once('#')?;
    Some(Subject::Issue {
        host: None,
        repository: Repository::parse(repository).ok()?,
        number: number(digits)?,
    })
}

fn number(text: &str) -> Option<u32> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_number && *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issue(host: Option<&str>) -> Subject {
        Subject::Issue {
            host: host.map(str::to_owned),
            repository: Repository::parse("octo/shop").unwrap(),
            number: 12,
        }
    }

    #[test]
    fn issues_are_told_from_requests() {
        assert_eq!(Subject::read(" 12 "), Subject::Number(12));
        assert_eq!(Subject::read("#12"), Subject::Number(12));
        assert_eq!(Subject::read("octo/shop#12"), issue(None));
        let github = issue(Some("github.com"));
        assert_eq!(
            Subject::read("https://github.com/octo/shop/issues/12"),
            github
        );
        assert_eq!(
            Subject::read("https://github.com/octo/shop/issues/12/?a=b#issuecomment-1"),
            github
        );
        assert_eq!(
            Subject::read("http://127.0.0.1:8417/octo/shop/issues/12"),
            issue(Some("127.0.0.1:8417"))
        );
        for words in [
            "Add rate limiting",
            "0",
            "12 things",
            "fix #12",
            "https://github.com/octo/shop/pull/12",
            "https://user@github.com/octo/shop/issues/12",
            "4294967296",
        ] {
            assert_eq!(Subject::read(words), Subject::Words(words.to_owned()));
        }
    }
}
