//! The real programs that `cargo xtask test` installs for the tests.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A peer's program, or `None` after a loud line. Where peers are required
/// (`BATON_REQUIRE_PEERS=1`, as in CI), a missing one is a failure.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("BATON_PEERS_DIR").map(|folder| Path::new(&folder).join(program));
    match path {
        Some(path) if path.exists() => Some(path),
        _ => {
            assert!(
                env::var_os("BATON_REQUIRE_PEERS").is_none_or(|v| v != "1"),
                "{program} is required; run `cargo xtask peers`"
            );
            // Unlike `eprintln!`, this is not captured by the test harness.
            let _ = writeln!(
                io::stderr(),
                "SKIPPED: {program} is missing; run `cargo xtask test` to have it installed"
            );
            None
        }
    }
}

/// An empty folder of this process's own.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("baton-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}
