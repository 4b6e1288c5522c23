//! Pull requests as checks and runs mention them.

use serde_json::Value;

use crate::error::ApiError;
use crate::rest::view::View;
use crate::store::repositories::Repository;

/// Those whose head is the commit: `pull-request-minimal` in GitHub's
/// description.
pub(crate) fn of_commit(
    _view: View<'_>,
    _repository: &Repository,
    _sha: &str,
) -> Result<Vec<Value>, ApiError> {
    Ok(Vec::new())
}
