//! xmllint has no package of its own outside the system's package manager.

use crate::environment::Environment;
use crate::failure::Failure;
use crate::program::Program;

const PACKAGE: &str = "libxml2-utils";

/// Finds it on PATH. Only a CI machine that runs as root is changed to have it.
pub(super) fn ensure(environment: &Environment) -> Result<(), Failure> {
    let found = || environment.find_on_path("xmllint").is_some();
    if found() {
        return Ok(());
    }
    if environment.ci && environment.find_on_path("apt-get").is_some() && is_root() {
        println!("  installing the Debian package {PACKAGE} …");
        // A machine that has never asked for the package lists knows no packages.
        apt_get(&["install", "--yes", "--no-install-recommends", PACKAGE]).or_else(|_| {
            apt_get(&["update"])?;
            apt_get(&["install", "--yes", "--no-install-recommends", PACKAGE])
        })?;
        if found() {
            return Ok(());
        }
    }
    Err(Failure::new("not on PATH").next(format!(
        "install libxml2's tools (Debian and Ubuntu: {PACKAGE}; Homebrew: libxml2)"
    )))
}

fn apt_get(args: &[&str]) -> Result<(), Failure> {
    Program::new("apt-get")
        .args(args)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .run_quietly()
        .map(drop)
}

fn is_root() -> bool {
    Program::new("id")
        .args(["-u"])
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
