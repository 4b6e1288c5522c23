//! The files that somebody names, with what is left out of them.

use std::path::{Path, PathBuf};

use baton_ops::validation;

use crate::error::CommandError;
use crate::terminal::harmless;

/// What is to be reviewed.
#[derive(Default)]
pub(crate) struct Named {
    /// Also what cannot be reviewed: the review says why.
    pub(crate) names: Vec<String>,
    /// What was passed over on the way.
    pub(crate) notes: Vec<String>,
}

/// Files as they are named, and all below folders that are named.
pub(crate) fn named(folder: &Path, paths: &[PathBuf]) -> Result<Named, CommandError> {
    let here = [PathBuf::from(".")];
    let paths = if paths.is_empty() { &here } else { paths };
    let mut named = Named::default();
    for path in paths {
        let full = folder.join(path);
        let shown = path.to_string_lossy();
        if full.symlink_metadata().is_err() {
            let told = format!("there is no {}", harmless(&shown));
            return Err(CommandError::missing(told).hint("Name files or folders that are there."));
        }
        match validation::files_below(folder, &full) {
            Some(below) => {
                if below.files.is_empty() {
                    named.notes.push(format!("{shown} holds no files"));
                }
                named.names.extend(below.files);
                named.notes.extend(links(below.links, &shown));
            }
            None => named.names.push(shown.into_owned()),
        }
    }
    Ok(named)
}

fn links(count: usize, place: &str) -> Option<String> {
    let below = match place {
        "." => "here".to_owned(),
        place => format!("below {place}"),
    };
    match count {
        0 => None,
        1 => Some(format!("1 symbolic link {below} was not followed")),
        count => Some(format!("{count} symbolic links {below} were not followed")),
    }
}
