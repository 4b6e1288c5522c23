//! Reacting to comments.

use crate::actions::prelude::*;
use crate::store::reactions::{self, CONTENTS, Reaction, Subject};

/// The reaction, and whether it is new. GitHub tells no one of reactions, so
/// there is no event.
pub(crate) async fn add(
    cx: RepoContext<'_>,
    subject: Subject,
    subject_id: i64,
    content: String,
) -> Result<(Reaction, bool)> {
    let user_id = cx.caller.user()?.id;
    if !CONTENTS.contains(&content.as_str()) {
        return Err(ApiError::invalid("Reaction", "content", "invalid", None));
    }
    cx.change(move |change| {
        let (tx, at) = (change.tx, change.at);
        Ok(reactions::add(
            tx, subject, subject_id, user_id, &content, at,
        )?)
    })
    .await
}
