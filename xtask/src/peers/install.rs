//! How each kind of peer gets into its folder. The package managers are taken
//! as the machine has them, with whatever registries they are set up for.

use std::fs;
use std::path::Path;

use super::folder::Peer;
use crate::failure::Failure;
use crate::program::Program;

/// `peer.pin` is a `package.json`.
pub(super) fn npm_package(peer: &Peer, folder: &Path) -> Result<(), Failure> {
    write(&folder.join("package.json"), peer.pin)?;
    Program::new("npm")
        .args([
            "install",
            "--no-package-lock",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
        ])
        .args(["--loglevel", "error"])
        .current_dir(folder)
        .run_quietly()
        .map(drop)
}

/// The packages of a lock file, which belongs to `package`.
pub(super) fn npm_lock(lock: &str, package: &str, folder: &Path) -> Result<(), Failure> {
    write(&folder.join("package.json"), package)?;
    write(&folder.join("package-lock.json"), lock)?;
    Program::new("npm")
        // `npm ci` would refuse a lock that does not know the optional packages
        // of every platform; this one keeps to the lock all the same.
        .args(["install", "--no-audit", "--no-fund", "--ignore-scripts"])
        .args(["--loglevel", "error"])
        .current_dir(folder)
        .run_quietly()
        .map(drop)
}

/// `peer.pin` is a `requirements.txt`.
pub(super) fn python_environment(peer: &Peer, folder: &Path) -> Result<(), Failure> {
    Program::new("python3")
        .args(["-m", "venv"])
        .args([folder])
        .run_quietly()
        .map_err(|failure| {
            failure.next("on Debian and Ubuntu, venv is the package python3-venv")
        })?;
    let requirements = folder.join("requirements.txt");
    write(&requirements, peer.pin)?;
    Program::new(folder.join("bin/python"))
        .args(["-m", "pip", "install", "--quiet", "--requirement"])
        .args([requirements])
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .run_quietly()
        .map(drop)
}

/// `peer.pin` is a version; the tool is built here, which takes a minute.
pub(super) fn cargo_tool(peer: &Peer, folder: &Path) -> Result<(), Failure> {
    let build = folder.with_extension("build");
    // Without optimisation and debug info, cargo-deny builds in a third of the
    // time, and both tools run for seconds at most.
    Program::cargo([
        "install",
        "--locked",
        "--debug",
        "--version",
        peer.pin,
        peer.name,
        "--root",
    ])
    .args([folder, Path::new("--target-dir"), &build])
    .env("CARGO_PROFILE_DEV_DEBUG", "0")
    .env("CARGO_INCREMENTAL", "0")
    .current_dir(folder)
    .run_quietly()?;
    // Kept until now so that an interrupted build goes on where it was.
    fs::remove_dir_all(&build).map_err(Failure::could_not(format_args!(
        "remove {}",
        build.display()
    )))
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(Failure::could_not(format_args!("write {}", path.display())))
}
