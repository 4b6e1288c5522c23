//! Packs the relocations of the program, where the C library of this machine can load that.
//!
//! Half a million constants of baton are addresses. As they are by default they take 24 bytes each; packed,
//! a few bits. A program that was packed does not start with a C library older than 2.36, so it
//! is left alone when it is built for another machine, or the version is not known.

#![expect(
    clippy::disallowed_methods,
    reason = "cargo tells build scripts their target by environment variables, and this is no part of the program"
)]

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let is_for_here = variable("TARGET") == variable("HOST");
    let is_glibc =
        variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    if is_for_here && is_glibc && glibc_version() >= Some((2, 36)) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// `(2, 36)` of `glibc 2.36`.
fn glibc_version() -> Option<(u32, u32)> {
    let answer = Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output()
        .ok()?;
    let answer = String::from_utf8(answer.stdout).ok()?;
    let (major, minor) = answer.trim().strip_prefix("glibc ")?.split_once('.')?;
    let minor = minor.split('.').next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
