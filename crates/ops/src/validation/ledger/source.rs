//! The tests that a change adds and takes out, as its source has them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use baton_review::{Off, test_cases};

use super::shares_files_with_code;
use crate::validation::base::Base;

/// Files beside a test that are looked at, to see whether tests there are run.
const MAX_NEIGHBOURS: usize = 40;

/// Files of a tree that are searched for tests. Where a runner finds none, a few
/// thousand files tell whether there are any.
const MAX_FILES: usize = 3000;
/// Folders below each other: tests of Java lie eight deep.
const MAX_DEPTH: usize = 12;

/// Tests that a tree has in its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceTests {
    pub count: usize,
    /// The file with the most of them.
    pub file: String,
}

impl SourceTests {
    /// Searches the files of a folder, except hidden and installed ones.
    pub(super) fn find(folder: &Path) -> Option<Self> {
        let mut files = Vec::new();
        list_files(folder, MAX_DEPTH, &mut files);
        let counted = files.into_iter().filter_map(|path| {
            let bytes = fs::read(&path).ok()?;
            let file = path.strip_prefix(folder).ok()?.to_str()?.to_owned();
            Some((test_cases(&file, &bytes).len(), file))
        });
        let mut found = Self {
            count: 0,
            file: String::new(),
        };
        let mut most = 0;
        for (count, file) in counted {
            found.count += count;
            if count > most {
                (most, found.file) = (count, file);
            }
        }
        (found.count > 0).then_some(found)
    }
}

fn list_files(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    const INSTALLED: [&str; 5] = [
        "node_modules",
        "vendor",
        "third_party",
        "target",
        "testdata",
    ];
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let is_left_out = name
            .to_str()
            .is_none_or(|name| name.starts_with('.') || INSTALLED.contains(&name));
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if is_left_out || files.len() >= MAX_FILES {
            continue;
        }
        if kind.is_dir() && depth > 0 {
            list_files(&entry.path(), depth - 1, files);
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
}

/// What a change does to the tests.
#[derive(Debug, Default)]
pub(super) struct Tests {
    pub(super) added: Vec<Added>,
    /// Names that no file of the change has any more.
    pub(super) removed: BTreeSet<String>,
    /// Files with tests that can be put on top of the old code.
    pub(super) files: Vec<String>,
}

/// A test that no file of the change had before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Added {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) off: Off,
}

impl Tests {
    pub(super) async fn from_change(base: &Base, folder: &Path) -> Self {
        let mut tests = Self::default();
        let (mut before, mut after) = (BTreeSet::new(), Vec::new());
        for (path, file) in base.differences().await.unwrap_or_default() {
            let old = base.content(&file).await.unwrap_or_default();
            before.extend(test_cases(&path, &old).into_iter().map(|case| case.name));
            let Ok(new) = fs::read(folder.join(&path)) else {
                continue;
            };
            let cases = test_cases(&path, &new);
            if !cases.is_empty() && !shares_files_with_code(&path) {
                tests.files.push(path.clone());
            }
            after.extend(cases.into_iter().map(|case| (path.clone(), case)));
        }
        let names: BTreeSet<&str> = after.iter().map(|(_, case)| case.name.as_str()).collect();
        let gone = before.iter().filter(|name| !names.contains(name.as_str()));
        tests.removed = gone.cloned().collect();
        let new = after
            .iter()
            .filter(|(_, case)| !before.contains(&case.name));
        tests.added = new
            .map(|(path, case)| Added {
                path: path.clone(),
                name: case.name.clone(),
                off: case.off,
            })
            .collect();
        tests
    }
}

/// The names of the tests in a file's folder.
pub(super) fn neighbours(folder: &Path, path: &str) -> BTreeSet<String> {
    let place = folder.join(path);
    let Some(entries) = place.parent().and_then(|parent| fs::read_dir(parent).ok()) else {
        return BTreeSet::new();
    };
    entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .take(MAX_NEIGHBOURS)
        .filter_map(|entry| {
            let bytes = fs::read(entry.path()).ok()?;
            let name = entry.file_name();
            Some(test_cases(name.to_str()?, &bytes))
        })
        .flatten()
        .map(|case| case.name)
        .collect()
}
