//! The static review of files or of a change on this machine.

use std::path::{Path, PathBuf};

use baton_protocol::review::{FindingSeverity, ReviewReport};
use baton_protocol::tools::review_change::ReviewChangeInput;
use baton_review::{Options, Severity};

use crate::context::Context;
use crate::error::OpError;
use crate::event::Event;
use crate::operation::{self, Effects, Meta, Operation};
use crate::plain_text;
use crate::validation::{self, Others, SCANNER_LIMIT, Scanning, Since};

pub struct ReviewChange;

impl Operation for ReviewChange {
    const META: Meta = Meta {
        name: "review_change",
        title: "Review a change",
        about: "Review files, or what has changed since a commit",
        description: "Reviews what has changed in a checkout on this machine, or the files that you \
            name, offline and in little time: vulnerabilities with the way from source to sink, \
            secrets, likely mistakes, and tests that were weakened. Call it after you have changed \
            code and before you commit, with the absolute path of the project. Every finding has \
            its place, its reason and a remedy; judge it. Changes nothing.",
        input: "review_change.input",
        output: "review.output",
        effects: Effects::READ_ONLY,
        may_last: operation::never,
    };
    type Input = ReviewChangeInput;
    type Output = ReviewReport;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let folder = folder(&input.working_directory)?;
        let settings = cx.provider.settings(&folder)?;
        let logs = cx.provider.scanner_logs(&folder)?;
        let NamedFiles { names, notes } = names(cx, &input, &folder).await?;
        let since = is_change(&input).then_some(Since {
            commit: input.base.as_deref(),
            environment: &cx.environment,
        });
        let options = Options {
            threshold: input.threshold.map_or(settings.threshold, severity),
            everywhere: input.everything || !is_change(&input),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            ..Options::default()
        };
        cx.emit(Event::Message(&match names.len() {
            1 => "reviewing 1 file".to_owned(),
            count => format!("reviewing {count} files"),
        }));
        let others = Others {
            scanning: Some(Scanning {
                scanners: &settings.scanners,
                environment: &cx.environment,
                cancel: &cx.cancel,
                limit: SCANNER_LIMIT,
            }),
            logs: &logs,
            ..Others::default()
        };
        let cancel = &cx.cancel;
        let mut reviewed =
            validation::review_files(&folder, &names, since, options, others, cancel).await;
        reviewed.notes.extend(notes);
        if cancel.is_cancelled() {
            return Err(OpError::Cancelled);
        }
        Ok(reviewed.report())
    }
}

fn folder(given: &str) -> Result<PathBuf, OpError> {
    let path = Path::new(given);
    match path.canonicalize() {
        Ok(folder) if path.is_absolute() && folder.is_dir() => Ok(folder),
        _ => Err(OpError::refused(
            format!("{} is no folder", plain_text(given)),
            "Give the absolute path of a project's folder on this machine.",
        )),
    }
}

/// Otherwise files are reviewed whole, as they are.
fn is_change(input: &ReviewChangeInput) -> bool {
    input.base.is_some() || input.files.is_none()
}

async fn names(
    cx: &Context,
    input: &ReviewChangeInput,
    folder: &Path,
) -> Result<NamedFiles, OpError> {
    let named = match &input.files {
        Some(files) => {
            let paths: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
            Some(named_files(folder, &paths)?)
        }
        None => None,
    };
    if !is_change(input) {
        return Ok(named.unwrap_or_default());
    }
    let base = input.base.as_deref();
    let changed = validation::changed_since(folder, &cx.environment, &cx.cancel, base).await;
    let mut changed = changed.map_err(|error| {
        OpError::local(
            format!("cannot tell what has changed: {error}"),
            "Work in a git repository, name a commit that is there, or name the files.",
        )
    })?;
    let mut notes = Vec::new();
    if let Some(named) = named {
        changed.retain(|name| named.names.contains(name));
        notes = named.notes;
    }
    Ok(NamedFiles {
        names: changed,
        notes,
    })
}

/// What is to be reviewed.
#[derive(Debug, Default)]
pub struct NamedFiles {
    /// Also what cannot be reviewed: the review says why.
    pub names: Vec<String>,
    /// What was passed over on the way.
    pub notes: Vec<String>,
}

/// Files as they are named, and all below folders that are named.
pub fn named_files(folder: &Path, paths: &[PathBuf]) -> Result<NamedFiles, OpError> {
    let here = [PathBuf::from(".")];
    let paths = if paths.is_empty() { &here } else { paths };
    let mut named = NamedFiles::default();
    for path in paths {
        let full = folder.join(path);
        let shown = path.to_string_lossy();
        if full.symlink_metadata().is_err() {
            return Err(OpError::local(
                format!("there is no {}", plain_text(&shown)),
                "Name files or folders that are there.",
            ));
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

fn severity(given: FindingSeverity) -> Severity {
    match given {
        FindingSeverity::Low => Severity::Low,
        FindingSeverity::Medium => Severity::Medium,
        FindingSeverity::High => Severity::High,
        FindingSeverity::Critical => Severity::Critical,
    }
}
