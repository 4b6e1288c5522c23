//! Lists the files of rules and of secret formats, so that adding one needs no other edit.
//!
//! Writes `(name, text)` pairs in the order of their names, where the name is
//! the path below the folder without its extension, as in `python/sql-injection`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    list("rules", "rule_files.rs")?;
    list("secrets", "secret_files.rs")
}

#[expect(
    clippy::disallowed_methods,
    reason = "cargo tells build scripts their folders by environment variables"
)]
fn list(folder: &str, listing_name: &str) -> io::Result<()> {
    println!("cargo:rerun-if-changed={folder}");
    // Asked when it runs: a build script outlives the checkout that it was compiled in
    // where checkouts share their builds.
    let package = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let root = Path::new(&package).join(folder);
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut listing = String::from("&[\n");
    for file in &files {
        let relative = file.strip_prefix(&root).expect("found below the root");
        let name = relative.with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        // The text itself, for the same reason.
        let text = fs::read_to_string(file)?;
        writeln!(listing, "    ({name:?}, {text:?}),").expect("a String takes all");
    }
    listing.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join(listing_name), listing)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            files.push(path);
        }
    }
    Ok(())
}
