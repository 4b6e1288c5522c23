//! The variables that `cargo xtask` reads. CONTRIBUTING.md lists them.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::failure::Failure;

pub(crate) const PEERS_DIR: &str = "BATON_PEERS_DIR";
pub(crate) const REQUIRE_PEERS: &str = "BATON_REQUIRE_PEERS";

pub(crate) struct Environment {
    /// No one is watching, and what is missing may be installed system-wide.
    pub(crate) ci: bool,
    /// A peer that cannot be had is a failure rather than a loud skip.
    pub(crate) require_peers: bool,
    /// Where the peers are installed; one folder serves every checkout.
    pub(crate) peers: PathBuf,
    path: OsString,
}

impl Environment {
    pub(crate) fn read() -> Result<Self, Failure> {
        let ci = is_set("CI");
        let cache = variable("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| env::home_dir().map(|home| home.join(".cache")));
        let peers = variable(PEERS_DIR)
            .map(PathBuf::from)
            .or_else(|| cache.map(|cache| cache.join("baton").join("peers")))
            .ok_or_else(|| {
                Failure::new("there is no home folder to cache the peers in")
                    .next(format!("set {PEERS_DIR} to a folder"))
            })?;
        let peers = std::path::absolute(&peers).map_err(Failure::could_not(format_args!(
            "make {} absolute",
            peers.display()
        )))?;
        Ok(Self {
            ci,
            require_peers: ci || is_set(REQUIRE_PEERS),
            peers,
            path: variable("PATH").unwrap_or_default(),
        })
    }

    /// The first file called `program` on PATH.
    pub(crate) fn find_on_path(&self, program: &str) -> Option<PathBuf> {
        env::split_paths(&self.path)
            .map(|folder| folder.join(program))
            .find(|candidate| candidate.is_file())
    }
}

/// Set to anything but the usual ways of saying no.
fn is_set(name: &str) -> bool {
    variable(name).is_some_and(|value| value != "0" && value != "false")
}

/// An empty value counts as unset, as the shell's `${NAME:-…}` has it.
#[expect(
    clippy::disallowed_methods,
    reason = "xtask is a program of its own; this is its one place that reads variables"
)]
fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}
