//! Branches and tags that are deleted without a push.

use crate::actions::prelude::*;
use crate::actions::pushes;

/// `name` is in full: `refs/heads/feature`. Rights have been checked.
pub(crate) async fn delete(cx: RepoContext<'_>, name: &str) -> Result<()> {
    let found = cx.git().find_ref(name).await?;
    let missing = || ApiError::Unprocessable("Reference does not exist".to_owned());
    let found = found.ok_or_else(missing)?;
    pushes::update_refs_as(cx, &[found.deletion()]).await
}
