//! The diff of a pull request, in pages that an agent can take.

use baton_protocol::Glob;
use baton_protocol::tools::get_pull_request_diff::{
    DiffFile, GetPullRequestDiffInput, GetPullRequestDiffOutput,
};
use baton_remote::github::Listed;
use baton_remote::github::resources::changed_files::ChangedFile;

use super::context::PullContext;
use super::pages::Page;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};

pub struct GetPullRequestDiff;

impl Operation for GetPullRequestDiff {
    const META: Meta = Meta {
        name: "get_pull_request_diff",
        title: "Get the diff of a pull request",
        about: "Show the diff of a pull request",
        description: "Gives the diff of a pull request, file by file, in pages. `paths` picks files by patterns.",
        input: "get_pull_request_diff.input",
        output: "get_pull_request_diff.output",
        effects: Effects::READ_REMOTE,
        may_last: operation::never,
    };
    type Input = GetPullRequestDiffInput;
    type Output = GetPullRequestDiffOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let cx = cx.pulls(&[&input.pr]).await?;
        cx.until_cancelled(diff(&cx, &input)).await
    }
}

/// All files of an answer together.
const MAX_PAGE_BYTES: usize = 45_000;
/// One generated file must not take the page of all others.
const MAX_PATCH_BYTES: usize = 15_000;

async fn diff(
    cx: &PullContext,
    input: &GetPullRequestDiffInput,
) -> Result<GetPullRequestDiffOutput, OpError> {
    let size = usize::try_from(input.limit).unwrap_or(usize::MAX);
    let cursor = input.cursor.as_deref();
    let page = Page::new(
        &cx.cursors,
        GetPullRequestDiff::META.name,
        input,
        cursor,
        size,
    )?;
    let patterns = patterns(&input.paths)?;
    let reference = cx.reference(&input.pr)?;
    let (repository, number) = (reference.repository(), reference.number());
    let (pull, listed) = tokio::try_join!(
        cx.github.pull_request(repository, number),
        cx.github.changed_files(repository, number),
    )?;
    let message = message(&listed, pull.changed_files);
    let mut files = listed.items;
    files.retain(|file| is_wanted(file, &patterns));
    let (shown, next_cursor) = page.fill(&cx.cursors, files.len(), MAX_PAGE_BYTES, |at| {
        entry(&files[at])
    });
    Ok(GetPullRequestDiffOutput {
        pr: format!("{repository}#{number}"),
        base: pull.base.branch,
        head: pull.head.sha.as_str().to_owned(),
        total_files: files.len() as u64,
        files: shown,
        next_cursor,
        message,
    })
}

fn patterns(paths: &[String]) -> Result<Vec<Glob>, OpError> {
    let compiled = paths.iter().map(|path| {
        Glob::workflow_filter(path).ok_or_else(|| {
            OpError::refused(
                format!("`{path}` is no pattern of paths"),
                "Write it as `src/**` or `**/*.rs`.",
            )
        })
    });
    compiled.collect()
}

/// By its path now, or the one that it had before.
fn is_wanted(file: &ChangedFile, patterns: &[Glob]) -> bool {
    let names = || [Some(&file.path), file.previous_path.as_ref()].into_iter();
    patterns.is_empty()
        || patterns
            .iter()
            .any(|pattern| names().flatten().any(|name| pattern.matches(name)))
}

fn entry(file: &ChangedFile) -> DiffFile {
    let patch = file.patch.as_deref();
    let shown = patch.map(|patch| &patch[..patch.floor_char_boundary(MAX_PATCH_BYTES)]);
    DiffFile {
        path: file.path.clone(),
        previous_path: file.previous_path.clone(),
        status: file.status.as_str().to_owned(),
        additions: file.additions,
        deletions: file.deletions,
        patch_is_cut: shown.map(str::len) != patch.map(str::len),
        patch: shown.map(str::to_owned),
    }
}

fn message(listed: &Listed<ChangedFile>, changed: Option<u64>) -> Option<String> {
    let read = listed.items.len();
    match changed {
        Some(changed) if changed > read as u64 => Some(format!(
            "Only {read} of {changed} changed files could be read"
        )),
        None if listed.truncated => Some("There are more files than could be read".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, patch: Option<&str>) -> ChangedFile {
        let value = serde_json::json!({ "filename": name, "status": "modified", "patch": patch });
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_long_patch_is_cut_and_says_so() {
        let long = entry(&file("a", Some(&"ä".repeat(MAX_PATCH_BYTES))));
        assert!(long.patch_is_cut && long.patch.unwrap().len() <= MAX_PATCH_BYTES);
        let short = entry(&file("a", Some("+x")));
        assert!(!short.patch_is_cut && short.patch.as_deref() == Some("+x"));
        assert!(!entry(&file("a.png", None)).patch_is_cut);
    }

    #[test]
    fn patterns_pick_files_by_either_name() {
        let mut moved = file("new/a.rs", None);
        moved.previous_path = Some("old/a.rs".to_owned());
        let wanted = |pattern: &str| is_wanted(&moved, &patterns(&[pattern.to_owned()]).unwrap());
        assert!(wanted("old/**") && wanted("**/*.rs") && !wanted("*.rs"));
        assert!(is_wanted(&moved, &[]));
    }
}
