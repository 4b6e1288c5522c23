//! What is asked about: a pull request, or a commit by itself.

use std::fmt;

use baton_protocol::Oid;
use baton_protocol::{BadReference, PrReference, Repository};

use crate::error::OpError;
use crate::pulls::context::PullContext;

pub(super) enum Target {
    Pull(PrReference),
    Commit { repository: Repository, commit: Oid },
}

impl Target {
    /// Reads a reference to a pull request, `owner/repo@` with the full id of a
    /// commit or, inside a checkout, the id alone.
    pub(super) fn read(cx: &PullContext, text: &str) -> Result<Self, OpError> {
        let text = text.trim();
        let (repository, id) = match text.rsplit_once('@') {
            Some((repository, id)) => (Some(repository), id),
            None => (None, text),
        };
        let Some(commit) = Oid::parse(id) else {
            if is_short_id(id, repository.is_some()) {
                return Err(too_short(id));
            }
            return pull(cx, text);
        };
        let repository = match (repository, &cx.here) {
            (Some(given), _) => Repository::parse(given).map_err(|bad| bad_reference(&bad))?,
            (None, Some(here)) => here.clone(),
            (None, None) => return Err(without_repository(&commit)),
        };
        if cx.call.lockdown {
            return Err(OpError::logical(
                format!(
                    "{repository}@{commit} is withheld by --lockdown: anyone may have written a commit"
                ),
                "Name a pull request.",
            ));
        }
        Ok(Self::Commit { repository, commit })
    }

    pub(super) fn repository(&self) -> &Repository {
        match self {
            Self::Pull(reference) => reference.repository(),
            Self::Commit { repository, .. } => repository,
        }
    }
}

fn pull(cx: &PullContext, text: &str) -> Result<Target, OpError> {
    let reference = PrReference::parse(text, cx.here.as_ref());
    let reference = reference.map_err(|bad| bad_reference(&bad))?;
    Ok(Target::Pull(reference))
}

/// Digits alone are a number of a pull request, unless they stand where a
/// commit does.
fn is_short_id(id: &str, is_behind_at: bool) -> bool {
    (4..40).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_hexdigit())
        && (is_behind_at || id.bytes().any(|byte| byte.is_ascii_alphabetic()))
}

fn bad_reference(error: &BadReference) -> OpError {
    OpError::refused(
        error.to_string(),
        "A commit is named by 'owner/repo@' and its full id.".to_owned(),
    )
}

fn too_short(id: &str) -> OpError {
    OpError::refused(
        format!("'{id}' is only the beginning of a commit's id"),
        format!(
            "Write all 40 digits, as in 'owner/repo@SHA'; `git rev-parse {id}` prints them in a checkout."
        ),
    )
}

fn without_repository(commit: &Oid) -> OpError {
    OpError::refused(
        format!("'{commit}' is a commit without a repository"),
        format!("Run inside a checkout, or write 'owner/repo@{commit}'."),
    )
}

/// The normal form.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pull(reference) => reference.fmt(f),
            Self::Commit { repository, commit } => write!(f, "{repository}@{commit}"),
        }
    }
}
