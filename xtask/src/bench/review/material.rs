//! The code that is scanned, copied to where nothing but the code is: no
//! settings of a project, no truth, no folder whose name says "test".

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// A folder of our own, empty at first.
pub(super) struct Material {
    pub(super) folder: PathBuf,
}

impl Material {
    pub(super) fn empty(folder: PathBuf) -> Result<Self, Failure> {
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(Failure::could_not(format_args!(
                "empty {}",
                folder.display()
            )))?;
        }
        Ok(Self { folder })
    }

    pub(super) fn name(&self) -> String {
        let name = self.folder.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    pub(super) fn add(&self, path: &str, content: &str) -> Result<(), Failure> {
        let file = self.folder.join(path);
        let doing = || format!("write {}", file.display());
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).map_err(Failure::could_not(doing()))?;
        }
        fs::write(&file, content).map_err(Failure::could_not(doing()))
    }
}

/// The languages that the review reads, by the endings of their files.
const LANGUAGES: [(&str, &[&str]); 7] = [
    ("Go", &["go"]),
    ("Java", &["java"]),
    ("JavaScript", &["js", "jsx", "mjs", "cjs"]),
    ("Python", &["py"]),
    ("Ruby", &["rb"]),
    ("Rust", &["rs"]),
    ("TypeScript", &["ts", "tsx"]),
];

pub(super) fn language(path: &str) -> Option<&'static str> {
    let (_, ending) = path.rsplit_once('.')?;
    let known = LANGUAGES
        .iter()
        .find(|(_, endings)| endings.contains(&ending))?;
    Some(known.0)
}

/// All files below `folder`, relative to it and in order. Links are not followed.
pub(super) fn files_below(folder: &Path) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        let listing = |error| Failure::could_not(format_args!("list {}", next.display()))(error);
        for entry in fs::read_dir(&next).map_err(listing)? {
            let path = entry.map_err(listing)?.path();
            if path.is_symlink() || path.ends_with(".git") {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if let Some(name) = path.strip_prefix(folder).ok().and_then(Path::to_str) {
                found.push(name.to_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Whatever the encoding: old sources are not all UTF-8.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    let bytes =
        fs::read(path).map_err(Failure::could_not(format_args!("read {}", path.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
