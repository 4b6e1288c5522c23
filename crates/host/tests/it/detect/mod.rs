//! Project detection: small folder trees in, what was found out.

#![expect(
    clippy::unwrap_used,
    reason = "the lint knows test functions, not the functions that they share"
)]

mod cases;
mod commands;
mod hostile;
mod language;
mod properties;
mod render;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use baton_host::detect::{Options, detect};
use baton_protocol::Language;
use baton_protocol::detection::Project;
use tempfile::TempDir;

/// A folder that lives as long as the test.
struct Tree(TempDir);

impl Tree {
    fn new<P: AsRef<str>, C: AsRef<[u8]>>(files: &[(P, C)]) -> Self {
        let tree = Self(TempDir::new().unwrap());
        for (path, content) in files {
            tree.write(path.as_ref(), content.as_ref());
        }
        tree
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, path: &str, content: &[u8]) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn make_executable(&self, path: &str) {
        fs::set_permissions(self.path().join(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn detect(&self) -> Project {
        self.detect_as(None, &[])
    }

    fn detect_as(&self, language: Option<Language>, installed: &[&str]) -> Project {
        let options = Options {
            language,
            on_path: &|program| installed.contains(&program),
            by_sources: false,
        };
        detect(self.path(), &options)
    }
}
