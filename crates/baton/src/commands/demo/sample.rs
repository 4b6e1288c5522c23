//! The demo's project: a club's list of members on a very small SQL database,
//! with the checks that its forge runs.

use std::fs;
use std::io;
use std::path::Path;

/// What a user wants of it.
pub(super) const REQUEST: &str = "Let staff look members up by name";

/// Where the members are looked up.
pub(super) const MEMBERS: &str = "src/members.rs";

pub(super) const AT_FIRST: &str = include_str!("sample/members.rs.sample");

/// An implementation that works, and that anybody can ask for everything.
pub(super) const UNSAFE: &str = include_str!("sample/members-first.rs.sample");

/// The same with a parameter instead of text, and a test that shows it.
pub(super) const FIXED: &str = include_str!("sample/members-fixed.rs.sample");

const FILES: [(&str, &str); 8] = [
    ("Cargo.toml", include_str!("sample/Cargo.toml.sample")),
    ("Cargo.lock", include_str!("sample/Cargo.lock.sample")),
    ("src/lib.rs", include_str!("sample/lib.rs.sample")),
    ("src/web.rs", include_str!("sample/web.rs.sample")),
    ("src/database.rs", include_str!("sample/database.rs.sample")),
    (MEMBERS, AT_FIRST),
    (".gitignore", "/target\n"),
    (
        ".baton/forge-checks.toml",
        "name = \"CI\"\n\n[[jobs]]\nname = \"test\"\ncommand = \"cargo test --quiet\"\n",
    ),
];

pub(super) fn write(folder: &Path) -> io::Result<()> {
    for (name, content) in FILES {
        let file = folder.join(name);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(file, content)?;
    }
    Ok(())
}
