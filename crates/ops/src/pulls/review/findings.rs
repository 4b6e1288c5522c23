//! What the review engine finds in the lines that the change touched.

use baton_host::git::{ChangeKind, FileDiff, Hunk, Oid};
use baton_review::{ChangedFile, Finding, Options, StopFlag, Touched};

use super::super::change::{Change, File};
use crate::error::OpError;

/// Larger files are data.
const MAX_FILE_BYTES: usize = 1 << 20;
/// Of all files, before and after.
const MAX_CHANGE_BYTES: usize = 32 << 20;

/// Ends of a diff with content of their own: neither links nor submodules.
const REGULAR: [&str; 2] = ["100644", "100755"];

/// The gravest first.
pub(super) async fn collect(change: &Change) -> Result<Vec<Finding>, OpError> {
    let files = change.files.iter().filter(|file| is_reviewed(file));
    let files: Vec<File> = files.cloned().collect();
    let ends = files
        .iter()
        .flat_map(|file| [&file.diff.old, &file.diff.new])
        .filter(|id| !id.is_zero());
    let git = &change.objects.git;
    let contents = git.blobs(ends, MAX_FILE_BYTES, MAX_CHANGE_BYTES).await?;
    let options = Options {
        is_change: true,
        ..Options::default()
    };
    // Where the answer is not waited for any more, the engine need not go on.
    let _guard = StopOnDrop(options.stop.clone());
    let review = move || {
        // A file of which one end was not read would look new or deleted.
        let is_known = |id: &Oid| id.is_zero() || contents.contains_key(id);
        let known = files
            .iter()
            .filter(|file| is_known(&file.diff.old) && is_known(&file.diff.new));
        let content = |id: &Oid| contents.get(id).map(Vec::as_slice);
        let files = known.map(|file| ChangedFile {
            path: &file.path,
            before: content(&file.diff.old),
            after: content(&file.diff.new),
            touched: touched(&file.diff),
        });
        let changed: Vec<ChangedFile<'_>> = files.collect();
        baton_review::review(&changed, &options).findings
    };
    // A panic there is a bug of the engine, and no reason to say nothing at all.
    let mut findings = tokio::task::spawn_blocking(review)
        .await
        .unwrap_or_default();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    Ok(findings)
}

struct StopOnDrop(StopFlag);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

fn is_reviewed(file: &File) -> bool {
    let diff = &file.diff;
    let mode = if file.is_deleted() {
        &diff.old_mode
    } else {
        &diff.new_mode
    };
    !diff.is_binary && REGULAR.contains(&mode.as_str()) && !file.is_generated()
}

fn touched(diff: &FileDiff) -> Touched {
    if diff.kind == ChangeKind::Added {
        return Touched::All;
    }
    let added = diff.hunks.iter().flat_map(Hunk::added);
    Touched::Lines(added.map(|(line, _)| line..=line).collect())
}
