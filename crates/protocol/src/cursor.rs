//! Page cursors: opaque, and worth nothing anywhere but in the next call of
//! the same tool with the same arguments.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::Serialize;
use serde_json::Value;
use sha2::Sha256;

/// Changes whenever the meaning of the bytes below does.
const VERSION: u8 = 1;
const OFFSET_BYTES: usize = 4;
/// Half of a SHA-256 tag: 128 bits cannot be guessed, and the cursor stays short.
const TAG_BYTES: usize = 16;

/// The secret that marks cursors as ours. It must outlive a call and stay on
/// this machine; the caller keeps it.
#[derive(Clone)]
pub struct CursorKey([u8; 32]);

impl CursorKey {
    pub fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }
}

/// Prints no secret.
impl std::fmt::Debug for CursorKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CursorKey(…)")
    }
}

/// The tool and the arguments that a cursor belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CursorScope(String);

impl CursorScope {
    /// `input` is the tool's input type, which writes its keys in one order
    /// however the caller wrote them. Its own `cursor` does not count.
    pub fn new(tool: &str, input: &impl Serialize) -> Self {
        let mut arguments = serde_json::to_value(input).expect("inputs have only string keys");
        if let Value::Object(object) = &mut arguments {
            // The others keep their order, which `remove` does not promise.
            object.retain(|name, _| name != "cursor");
        }
        Self(format!("{tool}\n{arguments}"))
    }
}

/// The cursor was made up, altered, or issued for something else. Which of
/// them cannot be told, and need not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "this cursor was not issued for this tool and these arguments; \
     call again without 'cursor' to start at the first page"
)]
pub struct BadCursor;

/// Makes the cursor for the page that begins at `offset`.
pub fn issue(key: &CursorKey, scope: &CursorScope, offset: u32) -> String {
    let mut bytes = vec![VERSION];
    bytes.extend(offset.to_be_bytes());
    let tag = tag(key, scope, &bytes).finalize().into_bytes();
    bytes.extend(&tag[..TAG_BYTES]);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The offset that a cursor of ours stands for.
pub fn redeem(key: &CursorKey, scope: &CursorScope, cursor: &str) -> Result<u32, BadCursor> {
    // Decoding is capped by the length that a cursor of ours has.
    const LENGTH: usize = (1 + OFFSET_BYTES + TAG_BYTES) * 4 / 3;
    if cursor.len() != LENGTH {
        return Err(BadCursor);
    }
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| BadCursor)?;
    let (content, given) = bytes.split_at_checked(1 + OFFSET_BYTES).ok_or(BadCursor)?;
    tag(key, scope, content)
        .verify_truncated_left(given)
        .map_err(|_| BadCursor)?;
    match content.split_first() {
        Some((&VERSION, offset)) => offset
            .try_into()
            .map(u32::from_be_bytes)
            .map_err(|_| BadCursor),
        _ => Err(BadCursor),
    }
}

fn tag(key: &CursorKey, scope: &CursorScope, content: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&key.0).expect("HMAC takes keys of every length");
    mac.update(content);
    mac.update(scope.0.as_bytes());
    mac
}
