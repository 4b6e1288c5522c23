//! A pull request, prepared for an agent that reviews it.

mod checklist;
mod excerpts;
mod findings;
mod focus;
mod mentions;

use std::cmp::Reverse;

use baton_host::git::ChangeKind;
use baton_protocol::tools::get_review_suggestions::{
    BreakingChange, FileStatus, GetReviewSuggestionsInput, GetReviewSuggestionsOutput, PrMetadata,
    ReviewContext, ReviewFile,
};
use baton_review::Finding;

use super::breaking;
use super::change::{self, Change, File};
use super::context::PullContext;
use super::unreadable;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};
use excerpts::Excerpt;
use focus::Focus;

pub struct GetReviewSuggestions;

impl Operation for GetReviewSuggestions {
    const META: Meta = Meta {
        name: "get_review_suggestions",
        title: "Get review suggestions",
        about: "Prepare a pull request for a review",
        description: "Gives a pull request for review: its description, the changed files with what to look at in each, \
            excerpts of the diff within one budget that is spent on the riskiest hunks first, a checklist that follows \
            from what the change contains, related issues and pull requests, and evidence of breaking changes. Call it \
            once at the beginning of a review. Points with a severity and a rule are what the static review found; \
            judge them. All others are places to look at.",
        input: "get_review_suggestions.input",
        output: "get_review_suggestions.output",
        effects: Effects::READ_REMOTE,
        may_last: operation::never,
    };
    type Input = GetReviewSuggestionsInput;
    type Output = GetReviewSuggestionsOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let cx = cx.pulls(&[&input.pr]).await?;
        cx.until_cancelled(suggest(&cx, &input)).await
    }
}

/// The riskiest files are listed, others are counted.
const MAX_FILES: usize = 120;
/// Points to look at over all files, those of the riskiest first.
const MAX_POINTS: usize = 60;
/// Of the description, in characters.
const MAX_DESCRIPTION_LEN: usize = 3_000;

/// What is known about the change besides its lines.
#[derive(Debug, Default)]
struct Clues {
    broken: Vec<BreakingChange>,
    findings: Vec<Finding>,
}

impl Clues {
    fn broken_in(&self, path: &str) -> impl Iterator<Item = &BreakingChange> {
        let is_here = move |change: &&BreakingChange| change.path.as_deref() == Some(path);
        self.broken.iter().filter(is_here)
    }

    fn found_in(&self, path: &str) -> impl Iterator<Item = &Finding> {
        let findings = self.findings.iter();
        findings.filter(move |finding| finding.place.path == path)
    }
}

async fn suggest(
    cx: &PullContext,
    input: &GetReviewSuggestionsInput,
) -> Result<GetReviewSuggestionsOutput, OpError> {
    let reference = cx.reference(&input.pr)?;
    let change = change::fetch(cx, &reference).await?;
    let mentioned = mentions::fetch(cx, reference.repository(), &change.overview).await?;
    let focus = Focus::new(&input.focus_areas);
    let clues = Clues {
        broken: broken(&change),
        findings: findings::collect(&change).await?,
    };
    let budget = if input.include_diff {
        usize::try_from(input.max_diff_lines).unwrap_or(usize::MAX)
    } else {
        0
    };
    let excerpts = excerpts::select(&change.files, &clues, &focus, budget);
    let unread = change.overview.unreadable.iter();
    let unreadable = unreadable::parts(unread.chain(&mentioned.unreadable));
    let message = message(&change, &excerpts, budget);
    let files = files(&change, excerpts, &clues, &focus);
    let more = change.files.len() - files.len();
    let pull = &change.overview.pull;
    Ok(GetReviewSuggestionsOutput {
        pr: reference.to_string(),
        metadata: PrMetadata {
            title: pull.title.clone(),
            description: cut(&pull.body, MAX_DESCRIPTION_LEN),
            author: pull
                .author
                .as_ref()
                .map_or_else(|| "ghost".to_owned(), |author| author.login.clone()),
            labels: change
                .overview
                .labels
                .iter()
                .map(|label| label.name.clone())
                .collect(),
        },
        files,
        review_checklist: checklist::build(&change.files, &clues, &focus),
        context: ReviewContext {
            related_issues: mentioned.issues,
            mentioned_prs: mentioned.pull_requests,
            breaking_changes_detected: !clues.broken.is_empty(),
            breaking_changes: clues.broken,
        },
        more_files: (more > 0).then_some(more as u64),
        message: joined(message, unreadable::in_words(&unreadable)),
        unreadable,
    })
}

fn joined(one: Option<String>, other: Option<String>) -> Option<String> {
    let parts: Vec<String> = one.into_iter().chain(other).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn broken(change: &Change) -> Vec<BreakingChange> {
    let pull = &change.overview.pull;
    let said = breaking::in_words(&pull.title, &pull.body);
    said.into_iter()
        .chain(breaking::in_files(&change.files))
        .collect()
}

/// The riskiest files, by path.
fn files(change: &Change, excerpts: Vec<Excerpt>, clues: &Clues, focus: &Focus) -> Vec<ReviewFile> {
    let mut ranked: Vec<(usize, Excerpt)> = excerpts.into_iter().enumerate().collect();
    ranked.sort_by_key(|(_, excerpt)| Reverse(excerpt.score));
    ranked.truncate(MAX_FILES);
    let mut left = MAX_POINTS;
    let mut listed: Vec<(usize, ReviewFile)> = Vec::new();
    for (place, excerpt) in ranked {
        let mut file = review_file(&change.files[place], excerpt, clues, focus);
        file.focus_points.truncate(left);
        left -= file.focus_points.len();
        listed.push((place, file));
    }
    listed.sort_by_key(|(place, _)| *place);
    listed.into_iter().map(|(_, file)| file).collect()
}

fn review_file(file: &File, excerpt: Excerpt, clues: &Clues, focus: &Focus) -> ReviewFile {
    ReviewFile {
        path: file.path.clone(),
        status: status(file),
        additions: file.diff.additions() as u64,
        deletions: file.diff.deletions() as u64,
        diff_excerpt: excerpt.text,
        focus_points: focus::points(file, clues, focus),
        previous_path: file.previous_path(),
        omitted_lines: (excerpt.omitted > 0).then_some(excerpt.omitted as u64),
    }
}

fn status(file: &File) -> FileStatus {
    match file.diff.kind {
        ChangeKind::Added | ChangeKind::Copied { .. } => FileStatus::Added,
        ChangeKind::Deleted => FileStatus::Deleted,
        ChangeKind::Renamed { .. } => FileStatus::Renamed,
        ChangeKind::Modified | ChangeKind::TypeChanged | ChangeKind::Other(_) => {
            FileStatus::Modified
        }
    }
}

fn message(change: &Change, excerpts: &[Excerpt], budget: usize) -> Option<String> {
    if change.files.is_empty() {
        return Some("Nothing differs from the base branch.".to_owned());
    }
    let omitted: usize = excerpts.iter().map(|excerpt| excerpt.omitted).sum();
    if budget == 0 || omitted == 0 {
        return None;
    }
    let shown: usize = excerpts.iter().map(|excerpt| excerpt.shown).sum();
    let without = excerpts
        .iter()
        .filter(|excerpt| excerpt.omitted > 0 && excerpt.shown == 0);
    Some(format!(
        "{shown} of {} lines of the diff are shown, the riskiest hunks first; {} of {} files have no excerpt. \
         Raise max_diff_lines, or read the rest with `git diff {}...{}`.",
        shown + omitted,
        without.count(),
        change.files.len(),
        change.merge_base,
        change.head
    ))
}

fn cut(text: &str, most: usize) -> String {
    let mut characters = text.chars();
    let mut shown: String = characters.by_ref().take(most).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}
