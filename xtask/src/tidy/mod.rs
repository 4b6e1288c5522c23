//! House rules that neither the compiler nor clippy knows.

mod documents;
mod ignored_tests;
mod lockfile;
mod names;
mod wording;

use std::fs;

use crate::edges;
use crate::failure::Failure;
use crate::project::Project;

/// A text file of the checkout.
pub(crate) struct Source {
    /// Relative to the root, with forward slashes.
    path: String,
    text: String,
}

/// Runs every check, so that one run shows all there is to do.
pub(crate) fn check(project: &Project) -> Result<(), Failure> {
    let sources = sources(project)?;
    let mut found = edges::check(&project.metadata);
    found.extend(names::check(&sources));
    found.extend(ignored_tests::check(&sources));
    found.extend(lockfile::check(&project.read("Cargo.lock")?));
    found.extend(wording::check(&sources));
    let crates: Vec<_> = project
        .metadata
        .workspace_packages()
        .into_iter()
        .map(|package| edges::room_name(&package.name))
        .collect();
    found.extend(documents::check(&sources, &crates));
    if found.is_empty() {
        return Ok(());
    }
    Err(Failure::new(found.join("\n"))
        .next("put these right; `cargo xtask tidy` runs only these checks"))
}

/// Files that are not UTF-8 are data, about which there is nothing to say here.
fn sources(project: &Project) -> Result<Vec<Source>, Failure> {
    let files = project.files()?.into_iter();
    Ok(files
        .filter_map(|path| {
            let text = String::from_utf8(fs::read(project.root.join(&path)).ok()?).ok()?;
            Some(Source { path, text })
        })
        .collect())
}

#[cfg(test)]
fn source(path: &str, text: &str) -> Source {
    Source {
        path: path.to_owned(),
        text: text.to_owned(),
    }
}
