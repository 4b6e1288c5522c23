use std::env;
use std::path::{Path, PathBuf};

/// A path below the folder of the peers, or `None` after a loud line, see
/// [`missing`].
#[expect(
    clippy::disallowed_methods,
    reason = "`cargo xtask test` tells every test the same way where the peers are"
)]
pub fn peer(path: &str) -> Option<PathBuf> {
    let folder = env::var_os("BATON_PEERS_DIR");
    let found = folder
        .map(|folder| Path::new(&folder).join(path))
        .filter(|path| path.exists());
    if found.is_none() {
        missing(path);
    }
    found
}

/// Says loudly that a test is skipped for want of `what`. Where peers are
/// required (`BATON_REQUIRE_PEERS=1`, as in CI), that is a failure instead.
#[expect(
    clippy::disallowed_methods,
    reason = "`cargo xtask test` tells every test the same way whether peers are required"
)]
#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
pub fn missing(what: &str) {
    assert!(
        env::var_os("BATON_REQUIRE_PEERS").is_none_or(|value| value != "1"),
        "{what} is required; run `cargo xtask peers`"
    );
    eprintln!("SKIPPED: {what} is missing; run `cargo xtask test` to have it installed");
}
