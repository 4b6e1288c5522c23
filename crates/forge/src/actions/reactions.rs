use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, Result};
use crate::store::reactions::{self, CONTENTS, Reaction, Subject};
use crate::store::repositories::Repository;

/// The reaction, and whether it is new. GitHub tells no one of reactions, so
/// there is no event.
pub(crate) async fn add(
    app: &App,
    caller: &Caller,
    repository: &Repository,
    subject: Subject,
    subject_id: i64,
    content: String,
) -> Result<(Reaction, bool)> {
    let user = caller.user()?.clone();
    if !CONTENTS.contains(&content.as_str()) {
        return Err(ApiError::invalid("Reaction", "content", "invalid", None));
    }
    app.change(repository, &user, move |change| {
        Ok(reactions::add(
            change.tx,
            subject,
            subject_id,
            change.actor.id,
            &content,
            change.at,
        )?)
    })
    .await
}
