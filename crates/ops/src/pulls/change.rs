//! What a pull request changes, line by line, from real git.

use std::path::Path;

use baton_host::git::{ChangeKind, FileDiff, Hunk};
use baton_protocol::PrReference;
use baton_remote::github::questions::overview::Overview;

use super::areas;
use super::context::PullContext;
use super::generated::{self, Attributes};
use super::objects::{NeededCommit, Objects};
use crate::error::OpError;

/// Unchanged lines around each change.
const CONTEXT: u32 = 3;

#[derive(Debug)]
pub(super) struct Change {
    pub(super) overview: Overview,
    pub(super) objects: Objects,
    /// What the two ends had in common last.
    pub(super) merge_base: String,
    pub(super) head: String,
    /// By path.
    pub(super) files: Vec<File>,
}

/// One file of the change.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) diff: FileDiff,
    /// No person wrote it.
    is_generated: bool,
}

impl File {
    pub(super) fn new(diff: FileDiff) -> Self {
        let path = diff.path.display().to_string();
        Self {
            is_generated: areas::is_generated(&path) || generated::is_in_diff(&diff),
            path,
            diff,
        }
    }

    pub(super) fn is_generated(&self) -> bool {
        self.is_generated
    }

    /// The name that it had before.
    pub(super) fn previous_path(&self) -> Option<String> {
        match &self.diff.kind {
            ChangeKind::Renamed { from, .. } => Some(from.display().to_string()),
            _ => None,
        }
    }

    pub(super) fn is_deleted(&self) -> bool {
        self.diff.kind == ChangeKind::Deleted
    }

    pub(super) fn changed_lines(&self) -> usize {
        self.diff.additions() + self.diff.deletions()
    }

    /// What stands behind the last dot of its name, in small letters.
    pub(super) fn extension(&self) -> String {
        extension(&self.path)
    }

    pub(super) fn hunks(&self) -> &[Hunk] {
        &self.diff.hunks
    }
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

pub(super) fn extension(path: &str) -> String {
    match file_name(path).rsplit_once('.') {
        Some((_, extension)) => extension.to_ascii_lowercase(),
        None => String::new(),
    }
}

pub(super) async fn fetch(cx: &PullContext, reference: &PrReference) -> Result<Change, OpError> {
    let (repository, number) = (reference.repository(), reference.number());
    let (overview, objects) = tokio::join!(
        cx.github.overview(repository, number),
        cx.objects(repository)
    );
    let (overview, objects) = (overview?, objects?);
    let pull = &overview.pull;
    let (base, head) = (pull.base_ref_oid.as_str(), pull.head_ref_oid.as_str());
    objects
        .have(&[
            NeededCommit::head_of(number, head),
            NeededCommit::branch(&pull.base_ref_name, base),
        ])
        .await?;
    let Some(merge_base) = objects.git.merge_base(base, head).await? else {
        return Err(OpError::logical(
            format!(
                "{repository}#{number} and {} have no commit in common",
                pull.base_ref_name
            ),
            "There is no change to look at; make the branch again from its base.",
        ));
    };
    let merge_base = merge_base.to_string();
    let diff = objects.git.diff(&merge_base, head, CONTEXT).await?;
    let attributes = objects
        .git
        .file_at(&merge_base, Path::new(".gitattributes"));
    let attributes = Attributes::parse(&attributes.await?.unwrap_or_default());
    let mut files: Vec<File> = diff.into_iter().map(File::new).collect();
    for file in &mut files {
        file.is_generated = attributes
            .generated(&file.path)
            .unwrap_or(file.is_generated);
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(Change {
        merge_base,
        head: head.to_owned(),
        files,
        objects,
        overview,
    })
}

#[cfg(test)]
pub(super) mod samples {
    use baton_host::git::parse;

    use super::File;

    /// Files from a patch as git writes it, without the lines that `--raw` adds.
    pub(in super::super) fn file(path: &str, hunk: &str) -> File {
        let zeros = "0".repeat(40);
        let status = if hunk.lines().all(|line| !line.starts_with('+')) && hunk.contains("+0,0") {
            "D"
        } else {
            "M"
        };
        let text = format!(
            ":100644 100644 {zeros} {zeros} {status}\0{path}\0\0diff --git a/{path} b/{path}\n\
             index {zeros}..{zeros} 100644\n--- a/{path}\n+++ b/{path}\n{hunk}"
        );
        let mut found = parse::diff(text.as_bytes());
        assert_eq!(found.len(), 1, "one file is read");
        File::new(found.remove(0))
    }
}
