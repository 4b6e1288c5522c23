//! The pinned programs that tests need.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A path below the folder of the peers, or `None` after a loud line, see
/// [`missing`].
pub fn peer(path: &str) -> Option<PathBuf> {
    let found = installed(path);
    if found.is_none() {
        missing(path);
    }
    found
}

/// Like [`peer`], for one that is too large to be installed for tests: where it
/// is not there, not even CI asks for it.
pub fn optional_peer(path: &str) -> Option<PathBuf> {
    let found = installed(path);
    if found.is_none() {
        skip(&format!("{path} is not installed"));
    }
    found
}

#[expect(
    clippy::disallowed_methods,
    reason = "`cargo xtask test` tells every test the same way where the peers are"
)]
fn installed(path: &str) -> Option<PathBuf> {
    let folder = env::var_os("BATON_PEERS_DIR");
    folder
        .map(|folder| Path::new(&folder).join(path))
        .filter(|path| path.exists())
}

/// Says loudly that a test is skipped for want of `what`. Where peers are
/// required (`BATON_REQUIRE_PEERS=1`, as in CI), that is a failure instead.
#[expect(
    clippy::disallowed_methods,
    reason = "`cargo xtask test` tells every test the same way whether peers are required"
)]
pub fn missing(what: &str) {
    assert!(
        env::var_os("BATON_REQUIRE_PEERS").is_none_or(|value| value != "1"),
        "{what} is required; run `cargo xtask peers`"
    );
    skip(&format!(
        "{what} is missing; run `cargo xtask test` to have it installed"
    ));
}

/// Names the test and the reason. The test harness captures what `eprintln!` prints in a test
/// that passes, so this goes to the stream itself.
fn skip(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // A skipped test has no result that a closed stream could spoil.
    let _ = writeln!(io::stderr(), "SKIPPED {test}: {reason}");
}
