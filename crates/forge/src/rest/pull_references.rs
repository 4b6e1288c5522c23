//! Pull requests as checks and runs mention them.

use rusqlite::Connection;
use serde_json::Value;

use crate::store::repositories::Repository;
use crate::urls::Urls;

/// Those whose head is the commit: `pull-request-minimal` in GitHub's
/// description.
pub(crate) fn of_commit(
    _connection: &Connection,
    _urls: &Urls,
    _repository: &Repository,
    _sha: &str,
) -> rusqlite::Result<Vec<Value>> {
    Ok(Vec::new())
}
