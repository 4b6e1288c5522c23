//! What people have accepted for a repository: where it belongs, who accepts,
//! until when.

use std::path::Path;

use baton_agents::repository_identity;
use baton_engine::{Acceptance, Acceptances, read_acceptances};
use baton_host::git::{Call, Git};
use baton_ops::validation::{AcceptedBy, AcceptedFindings};
use baton_remote::github::Server;
use baton_workflow::{Goal, Objection};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use tokio_util::sync::CancellationToken;

use crate::checkout;
use crate::environment::{self, LOGNAME, USER};
use crate::error::CommandError;
use crate::github::GitHubAccess;
use crate::runs;
use crate::session::Session;

/// What a reason may have: a sentence, not a report.
pub(crate) const MAX_REASON: usize = 500;

/// As much of a text as is kept.
const MAX_TEXT: usize = 600;

/// Half a year: long enough to be of use, short enough to be looked at again.
const USUAL_DAYS: i64 = 180;

/// When an acceptance stops to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expiry {
    Never,
    After(SignedDuration),
    On(Date),
}

impl Default for Expiry {
    fn default() -> Self {
        Self::After(SignedDuration::from_hours(24 * USUAL_DAYS))
    }
}

impl Expiry {
    /// `30d`, `never` or `2031-05-06`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        const EXPECTED: &str =
            "write a number of days such as `30d`, a date such as `2031-05-06`, or `never`";
        if text == "never" {
            return Ok(Self::Never);
        }
        if let Some(days) = text.strip_suffix('d') {
            let days: i64 = days.parse().map_err(|_| EXPECTED.to_owned())?;
            return match days {
                1..=36_500 => Ok(Self::After(SignedDuration::from_hours(24 * days))),
                _ => Err("write a number of days between 1 and 36500".to_owned()),
            };
        }
        let date: Date = text.parse().map_err(|_| EXPECTED.to_owned())?;
        Ok(Self::On(date))
    }

    fn moment(self, now: Timestamp) -> Result<Option<Timestamp>, CommandError> {
        let at = match self {
            Self::Never => return Ok(None),
            Self::After(time) => now.saturating_add(time).unwrap_or(Timestamp::MAX),
            // Through the whole day that was named.
            Self::On(date) => date
                .tomorrow()
                .and_then(|next| next.to_zoned(TimeZone::UTC))
                .map_or(Timestamp::MAX, |next| next.timestamp()),
        };
        if at <= now {
            return Err(
                CommandError::wrong_use("--expires names a day that is over")
                    .hint("Name a day to come, a number of days such as `30d`, or `never`."),
            );
        }
        Ok(Some(at))
    }
}

/// What a person says who accepts something.
pub(crate) struct Grounds<'a> {
    pub(crate) reason: &'a str,
    pub(crate) author: String,
    pub(crate) expiry: Expiry,
}

impl Grounds<'_> {
    /// Acceptances of these, from now on.
    pub(crate) fn accept(&self, objections: &[Objection]) -> Result<Vec<Acceptance>, CommandError> {
        let now = Timestamp::now();
        let expires = self.expiry.moment(now)?;
        let reason = one_line(self.reason);
        if reason.is_empty() {
            return Err(CommandError::wrong_use("the reason is empty")
                .hint("Say why it can be accepted: --reason TEXT."));
        }
        if reason.len() > MAX_REASON {
            return Err(CommandError::wrong_use(format!(
                "the reason is longer than {MAX_REASON} bytes"
            ))
            .hint("Say it in a sentence."));
        }
        let all = objections.iter().map(|objection| Acceptance {
            fingerprint: objection.fingerprint.clone(),
            rule: cut(&objection.rule),
            text: cut(&objection.text),
            reason: reason.clone(),
            author: cut(&self.author),
            accepted: now,
            expires,
        });
        Ok(all.collect())
    }
}

/// The repository around a folder, as acceptances name it: by its host and name,
/// else by the folder that its worktrees share.
pub(crate) async fn identity(
    folder: &Path,
    session: &Session,
    cancel: &CancellationToken,
) -> String {
    let environment = &session.environment;
    if let Some((host, repository)) = checkout::repository(folder, environment, cancel).await {
        let server = match GitHubAccess::new(session) {
            Ok(access) => access.server_of(&host),
            Err(_) => Server::from_host(&host),
        };
        return repository_identity(&server.host(), &repository);
    }
    let shared = match checkout::open_git(folder, environment, cancel).await {
        Ok(git) => git.facts().await.ok().map(|facts| facts.common_dir),
        Err(_) => None,
    };
    let shared = shared.unwrap_or_else(|| folder.to_path_buf());
    let shared = shared.canonicalize().unwrap_or(shared);
    format!("folder:{}", shared.display())
}

/// The repository of a run.
pub(crate) fn identity_of_run(goal: &Goal) -> Option<String> {
    let repository = baton_protocol::Repository::parse(&goal.repository).ok()?;
    let server = Server::at(runs::api_url(goal)?);
    Some(repository_identity(&server.host(), &repository))
}

/// Who accepts: as git knows the user, else the login name.
pub(crate) async fn author(folder: &Path, session: &Session, cancel: &CancellationToken) -> String {
    let environment = &session.environment;
    let git = checkout::open_git(folder, environment, cancel).await.ok();
    let (name, email) = match &git {
        Some(git) => (
            setting(git, "user.name").await,
            setting(git, "user.email").await,
        ),
        None => (None, None),
    };
    match (name, email) {
        (Some(name), Some(email)) => format!("{name} <{email}>"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => [LOGNAME, USER]
            .iter()
            .find_map(|name| environment::text(environment, name))
            .map_or_else(|| "unknown".to_owned(), one_line),
    }
}

async fn setting(git: &Git, name: &str) -> Option<String> {
    let call = Call::read("look up who you are").args(["config", "--get", name]);
    let reply = git.call(call).await.ok()?.success().ok()?;
    let value = one_line(&String::from_utf8_lossy(&reply.stdout));
    (!value.is_empty()).then_some(value)
}

/// What is accepted for the repository around a folder.
pub(crate) async fn known(
    folder: &Path,
    session: &Session,
    cancel: &CancellationToken,
) -> Result<Acceptances, CommandError> {
    let config = session.config_at(folder)?;
    let Some(state) = config.state_dir(&session.environment) else {
        return Ok(Acceptances::default());
    };
    if !state.join(baton_state::DATABASE_NAME).exists() {
        return Ok(Acceptances::default());
    }
    let identity = identity(folder, session, cancel).await;
    read_acceptances(&state, &identity, Timestamp::now()).map_err(|error| runs::failed(&error))
}

/// The same for the findings of a review. Where it cannot be read, nothing counts
/// as accepted.
pub(crate) async fn known_findings(
    folder: &Path,
    session: &Session,
    cancel: &CancellationToken,
) -> AcceptedFindings {
    let known = match known(folder, session, cancel).await {
        Ok(known) => known,
        Err(error) => {
            tracing::warn!("nothing counts as accepted: {}", error.in_one_line());
            return AcceptedFindings::default();
        }
    };
    let by = |acceptance: &Acceptance| {
        let by = AcceptedBy {
            reason: acceptance.reason.clone(),
            author: acceptance.author.clone(),
            expires: acceptance.expires,
        };
        (acceptance.fingerprint.clone(), by)
    };
    AcceptedFindings {
        valid: known.valid().map(by).collect(),
        expired: known.expired().map(by).collect(),
    }
}

fn one_line(text: &str) -> String {
    let shown = text.split_whitespace().map(|word| {
        let letters = word.chars().filter(|letter| !letter.is_control());
        letters.collect::<String>()
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn cut(text: &str) -> String {
    let mut line = one_line(text);
    if line.len() > MAX_TEXT {
        line.truncate(line.floor_char_boundary(MAX_TEXT));
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_acceptance_expires_as_its_author_says() {
        let now: Timestamp = "2031-05-06T12:00:00Z".parse().unwrap();
        let until = |text: &str| match Expiry::parse(text).map(|expiry| expiry.moment(now)) {
            Ok(Ok(Some(at))) => at.to_string(),
            Ok(Ok(None)) => "never".to_owned(),
            Ok(Err(error)) => error.in_one_line(),
            Err(error) => error,
        };
        assert_eq!(until("30d"), "2031-06-05T12:00:00Z");
        assert_eq!(until("2031-05-06"), "2031-05-07T00:00:00Z");
        assert_eq!(until("never"), "never");
        assert_eq!(until("2031-05-05"), "--expires names a day that is over");
        assert_eq!(until("0d"), "write a number of days between 1 and 36500");
        for wrong in ["", "d", "30", "soon", "-3d ", "2031-13-01"] {
            assert!(
                until(wrong).starts_with("write a number of days such as"),
                "{wrong}"
            );
        }
        let usual = Expiry::default().moment(now).unwrap().unwrap();
        assert_eq!(usual.to_string(), "2031-11-02T12:00:00Z");
    }

    #[test]
    fn a_reason_is_a_sentence() {
        let accept = |reason: &str| {
            let grounds = Grounds {
                reason,
                author: "Ann".to_owned(),
                expiry: Expiry::Never,
            };
            let objection = Objection {
                rule: "r".to_owned(),
                fingerprint: "1".to_owned(),
                text: "a\u{1b}[31m  b\n".to_owned(),
            };
            grounds.accept(&[objection])
        };
        let accepted = accept(" it is\nfine ").unwrap();
        assert_eq!(accepted[0].reason, "it is fine");
        assert_eq!(accepted[0].text, "a[31m b");
        assert!(accept(" \n").is_err());
        assert!(accept(&"x".repeat(MAX_REASON + 1)).is_err());
    }
}
