//! Reporting commit statuses.

use super::known_commit;
use crate::actions::prelude::*;
use crate::store::check_state::StatusState;
use crate::store::commit_statuses::{self, CommitStatus, NewCommitStatus};

const DEFAULT_CONTEXT: &str = "default";
const MAX_DESCRIPTION_LEN: usize = 140;
const MAX_CONTEXT_LEN: usize = 255;

/// For one commit and one context.
const MAX_STATUSES: i64 = 1000;

/// What someone has to say about a commit.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub(crate) state: StatusState,
    pub(crate) context: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) target_url: Option<String>,
}

pub(crate) async fn create(
    cx: RepoContext<'_>,
    sha: &str,
    statement: Statement,
) -> Result<CommitStatus> {
    check(&statement)?;
    let sha = known_commit(cx.app, cx.repository, sha).await?;
    let creator_id = cx.allowed(Permission::Write)?.id;
    cx.change(move |change| {
        let (tx, repository_id) = (change.tx, change.repository_id);
        let context = statement.context.as_deref().unwrap_or(DEFAULT_CONTEXT);
        let known = commit_statuses::count(tx, repository_id, sha.as_str(), context)?;
        if known >= MAX_STATUSES {
            return Err(ApiError::Unprocessable(
                "This SHA and context has reached the maximum number of statuses.".to_owned(),
            ));
        }
        let id = commit_statuses::create(
            tx,
            &NewCommitStatus {
                repository_id,
                sha: sha.as_str(),
                context,
                state: statement.state,
                description: statement.description.as_deref(),
                target_url: statement.target_url.as_deref(),
                creator_id,
                at: change.at,
            },
        )?;
        change.tell("status", None, Some(id), None)?;
        commit_statuses::by_id(tx, id)?.ok_or(ApiError::NotFound)
    })
    .await
}

fn check(statement: &Statement) -> Result<()> {
    let refused =
        |field, message: String| Err(ApiError::invalid("Status", field, "custom", Some(message)));
    let length = |text: &Option<String>| text.as_ref().map_or(0, |text| text.chars().count());
    if length(&statement.description) > MAX_DESCRIPTION_LEN {
        let message =
            format!("description is too long (maximum is {MAX_DESCRIPTION_LEN} characters)");
        return refused("description", message);
    }
    if length(&statement.context) > MAX_CONTEXT_LEN {
        let message = format!("context is too long (maximum is {MAX_CONTEXT_LEN} characters)");
        return refused("context", message);
    }
    let address = statement.target_url.as_deref().unwrap_or_default();
    let is_web = address.starts_with("http://") || address.starts_with("https://");
    if !address.is_empty() && !is_web {
        return refused(
            "target_url",
            "target_url must use http(s) scheme".to_owned(),
        );
    }
    Ok(())
}
