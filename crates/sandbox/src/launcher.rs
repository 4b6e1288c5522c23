//! Which program launches the restricted ones.
//!
//! `baton` contains the launcher, but it is a large program, and each child pays
//! for loading it. So it comes with a small one that contains nothing else.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{FINGERPRINT, LAUNCH_VERB};

/// The name of the small program. It is in the folder of `baton`.
pub const LAUNCHER: &str = "baton-launcher";

/// What makes a launcher print its fingerprint.
pub(crate) const ASK: &str = "--fingerprint";

/// Rights to write for the group and for all others.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// The small launcher beside a program, or else the program itself, which has to
/// contain the launcher. The small one is used only if no other user could have
/// put it there, and if it was built from the same source. Starts it once.
pub fn choose_launcher(own: &Path) -> PathBuf {
    let beside = own.with_file_name(LAUNCHER);
    if beside != own && is_as_safe_as(own, &beside) && has_our_fingerprint(&beside) {
        beside
    } else {
        own.to_owned()
    }
}

/// Whether only those can change a file who can change our own as well.
fn is_as_safe_as(own: &Path, other: &Path) -> bool {
    // Not where a link leads: that may be another folder.
    let (Ok(own), Ok(other)) = (fs::metadata(own), fs::symlink_metadata(other)) else {
        return false;
    };
    let writers = |facts: &Metadata| facts.mode() & WRITABLE_BY_OTHERS;
    other.is_file()
        && (own.uid(), own.gid()) == (other.uid(), other.gid())
        && writers(&other) & !writers(&own) == 0
}

#[expect(
    clippy::disallowed_methods,
    reason = "this crate is below the one that runs all other children"
)]
fn has_our_fingerprint(launcher: &Path) -> bool {
    let asked = Command::new(launcher)
        .args([LAUNCH_VERB, ASK])
        .env_clear()
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    asked.is_ok_and(|output| output.status.success() && output.stdout == FINGERPRINT.as_bytes())
}
