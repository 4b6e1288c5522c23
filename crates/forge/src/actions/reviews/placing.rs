//! Finding the lines that a comment is about.

use super::places::{Moves, replace_threads};
use crate::actions::prelude::*;
use crate::actions::pulls::{counts, oid};
use crate::git::FileDiff;
use crate::git::patch::Patch;
use crate::store::review_threads::{self, NewComment, NewThread, Place, Side, Subject, Thread};

/// A comment as it is asked for: by line, by position in the diff, or on the
/// file as a whole.
#[derive(Debug, Clone)]
pub(crate) struct DraftComment {
    pub(crate) path: String,
    pub(crate) body: String,
    pub(crate) position: Option<u32>,
    pub(crate) line: Option<u32>,
    pub(crate) side: Side,
    pub(crate) start_line: Option<u32>,
    pub(crate) start_side: Option<Side>,
    pub(crate) subject: Subject,
}

/// Why a comment has no place in the diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommentError {
    BlankBody,
    Path,
    Line,
    StartHunk,
    StartOrder,
    Position,
}

impl CommentError {
    /// For the API of reviews, which answers with sentences.
    pub(crate) fn sentence(self) -> String {
        let blank_hunk = "Pull request review thread diff hunk can't be blank";
        match self {
            Self::BlankBody => "Body can't be blank".to_owned(),
            Self::Path => {
                format!("Pull request review thread path is invalid and {blank_hunk}")
            }
            Self::Line => {
                format!("Pull request review thread line must be part of the diff and {blank_hunk}")
            }
            Self::Position => {
                format!("Pull request review thread position is invalid and {blank_hunk}")
            }
            Self::StartHunk => {
                "Pull request review thread start line must be part of the same hunk as the line."
                    .to_owned()
            }
            Self::StartOrder => {
                "Pull request review thread start line must precede the end line.".to_owned()
            }
        }
    }

    /// For the API of comments, which names fields.
    pub(crate) fn field_error(self) -> ApiError {
        let (field, message) = match self {
            Self::BlankBody => ("body", "body can't be blank"),
            Self::Path => (
                "pull_request_review_thread.path",
                "pull_request_review_thread.path is invalid",
            ),
            Self::Line => (
                "pull_request_review_thread.line",
                "pull_request_review_thread.line must be part of the diff",
            ),
            Self::StartHunk => (
                "pull_request_review_thread.start_line",
                "pull_request_review_thread.start_line must be part of the same hunk as the line.",
            ),
            Self::StartOrder => (
                "pull_request_review_thread.start_line",
                "pull_request_review_thread.start_line must precede the end line.",
            ),
            Self::Position => (
                "pull_request_review_thread.position",
                "pull_request_review_thread.position is invalid",
            ),
        };
        let resource = "PullRequestReviewComment";
        ApiError::invalid(resource, field, "custom", Some(message.to_owned()))
    }
}

/// A comment with its place in the diff of a commit.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    draft: DraftComment,
    side: Side,
    start_side: Option<Side>,
    original: Place,
    diff_hunk: String,
    commit: Oid,
    /// In the newest commit, where that is another one.
    current: Option<(Option<Place>, Oid)>,
}

impl Placed {
    /// The id of the comment.
    pub(super) fn insert(&self, change: Change<'_>, pull: &Pull, review_id: i64) -> Result<i64> {
        let thread = NewThread {
            pull_id: pull.id(),
            path: &self.draft.path,
            subject: self.draft.subject,
            side: self.side,
            start_side: self.start_side,
            place: self.original,
            commit_sha: self.commit.as_str(),
            diff_hunk: &self.diff_hunk,
        };
        let thread_id = review_threads::create(change.tx, &thread)?;
        if let Some((place, head)) = &self.current {
            review_threads::set_place(change.tx, thread_id, *place, head.as_str())?;
        }
        let comment = NewComment {
            thread_id,
            review_id,
            in_reply_to_id: None,
            user_id: change.actor_id.unwrap_or_default(),
            body: &self.draft.body,
            at: change.at,
        };
        Ok(review_threads::add_comment(change.tx, &comment)?)
    }
}

/// The commit that is reviewed: one of the pull request.
pub(super) async fn commit_of(
    cx: RepoContext<'_>,
    pull: &Pull,
    asked: Option<&str>,
) -> Result<Oid> {
    let head = oid(&pull.head_sha)?;
    let Some(asked) = asked.filter(|asked| *asked != pull.head_sha) else {
        return Ok(head);
    };
    let invalid = || {
        ApiError::Sentences(vec![format!(
            "Commit {asked} is not part of the pull request"
        )])
    };
    let asked = Oid::parse(asked).ok_or_else(invalid)?;
    let git = cx.git();
    if git.commit(&asked).await?.is_none() {
        return Err(invalid());
    }
    let base = oid(&counts(cx.app, cx.repository, pull).await?.merge_base_sha)?;
    if git.is_ancestor(&asked, &base).await? {
        return Err(invalid());
    }
    Ok(asked)
}

/// Finds the lines of all comments, or says what is wrong with the first that
/// has none.
pub(super) async fn place_all(
    cx: RepoContext<'_>,
    pull: &Pull,
    commit: &Oid,
    drafts: Vec<DraftComment>,
) -> Result<Result<Vec<Placed>, CommentError>> {
    if drafts.is_empty() {
        return Ok(Ok(Vec::new()));
    }
    let git = cx.git();
    let head = oid(&pull.head_sha)?;
    let base = oid(&counts(cx.app, cx.repository, pull).await?.merge_base_sha)?;
    let files = git.diff(&base, commit).await?;
    let mut placed = Vec::new();
    for draft in drafts {
        match place(&files, draft, commit) {
            Ok(comment) => placed.push(comment),
            Err(error) => return Ok(Err(error)),
        }
    }
    if *commit != head {
        let newest = git.diff(&base, &head).await?;
        let moves = Moves {
            old_base: base.clone(),
            new_base: base,
            new_head: head.clone(),
        };
        for comment in &mut placed {
            let thread = [comment.as_thread(pull)];
            let found = replace_threads(&git, &thread, &newest, &moves).await?;
            comment.current = found.first().map(|(_, place)| (*place, head.clone()));
        }
    }
    Ok(Ok(placed))
}

impl Placed {
    /// As it will be stored.
    fn as_thread(&self, pull: &Pull) -> Thread {
        Thread {
            id: 0,
            pull_id: pull.id(),
            path: self.draft.path.clone(),
            subject: self.draft.subject,
            side: self.side,
            start_side: self.start_side,
            place: self.original,
            commit_sha: self.commit.to_string(),
            original_place: self.original,
            original_commit_sha: self.commit.to_string(),
            outdated: false,
            diff_hunk: self.diff_hunk.clone(),
            resolved_by: None,
        }
    }
}

fn place(files: &[FileDiff], draft: DraftComment, commit: &Oid) -> Result<Placed, CommentError> {
    if draft.body.trim().is_empty() {
        return Err(CommentError::BlankBody);
    }
    let file = files
        .iter()
        .find(|file| file.path == draft.path)
        .ok_or(CommentError::Path)?;
    let mut placed = Placed {
        side: draft.side,
        start_side: None,
        original: Place::default(),
        diff_hunk: String::new(),
        commit: commit.clone(),
        current: None,
        draft,
    };
    if placed.draft.subject == Subject::File {
        return Ok(placed);
    }
    let patch = Patch::parse(file.patch.as_deref().ok_or(CommentError::Line)?);
    let position = match (placed.draft.line, placed.draft.position) {
        (Some(line), _) => {
            let position = patch
                .position(placed.side, line)
                .ok_or(CommentError::Line)?;
            placed.original.line = Some(line);
            position
        }
        (None, Some(position)) => {
            let (side, line) = patch.at(position).ok_or(CommentError::Position)?;
            placed.side = side;
            placed.original.line = Some(line);
            position
        }
        (None, None) => return Err(CommentError::Line),
    };
    if let Some(start) = placed.draft.start_line {
        let side = placed.draft.start_side.unwrap_or(placed.side);
        if side == placed.side && placed.original.line.is_some_and(|line| start >= line) {
            return Err(CommentError::StartOrder);
        }
        let first = patch.position(side, start).ok_or(CommentError::StartHunk)?;
        if !patch.spans(first, position) {
            return Err(CommentError::StartHunk);
        }
        placed.start_side = Some(side);
        placed.original.start_line = Some(start);
    }
    placed.original.position = Some(position);
    placed.diff_hunk = patch.excerpt(position);
    Ok(placed)
}
