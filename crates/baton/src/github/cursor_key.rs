//! The secret behind page cursors. It outlives a call, so that the next page
//! can be asked for by another process.

use std::path::Path;

use baton_protocol::cursor::CursorKey;
use baton_state::key_file;

const FILE_NAME: &str = "cursor.key";

/// The key of this state folder, made when there is none. Without a place to
/// keep it, cursors hold as long as the process.
pub(super) fn kept_in(folder: Option<&Path>) -> CursorKey {
    let kept = folder.map(|folder| key_file::read_or_create(&folder.join(FILE_NAME)));
    let secret = match kept {
        Some(Ok(secret)) => secret,
        Some(Err(error)) => {
            tracing::debug!(%error, "the key of cursors cannot be kept");
            key_file::random()
        }
        None => key_file::random(),
    };
    CursorKey::new(secret)
}
