//! Records what the crate was built from, so that `baton` and the launcher
//! beside it can check that they belong together.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// All that decides how the launcher reads its arguments and what it does with them.
const SOURCES: [&str; 3] = ["src", "build.rs", "Cargo.toml"];

#[expect(
    clippy::disallowed_methods,
    reason = "cargo tells build scripts their folder and target by environment variables"
)]
fn main() -> io::Result<()> {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut files = Vec::new();
    for name in SOURCES {
        println!("cargo:rerun-if-changed={name}");
        collect(&package.join(name), &mut files)?;
    }
    files.sort();
    let mut hash = Fnv::new();
    for name in ["CARGO_PKG_VERSION", "TARGET"] {
        hash.add(env::var(name).expect("cargo sets it").as_bytes());
    }
    for file in &files {
        let name = file.strip_prefix(&package).expect("found below it");
        hash.add(name.to_string_lossy().as_bytes());
        hash.add(&fs::read(file)?);
    }
    println!("cargo:rustc-env=SANDBOX_FINGERPRINT={:016x}", hash.0);
    Ok(())
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        collect(&entry?.path(), files)?;
    }
    Ok(())
}

/// FNV-1a. The fingerprint finds versions that were mixed up; it keeps no attacker out.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// The length comes first, so that the end of one part is not the start of the next.
    fn add(&mut self, bytes: &[u8]) {
        let len = (bytes.len() as u64).to_le_bytes();
        for &byte in len.iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
