use crate::app::App;
use crate::auth::Caller;
use crate::error::ApiError;
use crate::store::milestones::{self, Milestone, NewMilestone};
use crate::store::repositories::Repository;

/// A milestone to be made.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    pub(crate) due_on: Option<String>,
}

pub(crate) async fn create(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    draft: Draft,
) -> Result<Milestone, ApiError> {
    let user = caller.user()?.clone();
    if draft.title.trim().is_empty() {
        return Err(ApiError::invalid(
            "Milestone",
            "title",
            "missing_field",
            None,
        ));
    }
    app.change(repository, &user, move |change| {
        let known = milestones::of_repository(change.transaction, change.repository.id)?;
        if known.iter().any(|known| known.title == draft.title) {
            return Err(ApiError::invalid(
                "Milestone",
                "title",
                "already_exists",
                None,
            ));
        }
        let id = milestones::create(
            change.transaction,
            &NewMilestone {
                repository_id: change.repository.id,
                creator_id: change.actor.id,
                title: &draft.title,
                description: draft.description.as_deref(),
                due_on: draft.due_on.as_deref(),
                at: change.at,
            },
        )?;
        change.event("milestone", "created", id, None)?;
        Ok(milestones::by_id(change.transaction, id)?)
    })
    .await
}
