//! A review of a pull request: of the commit that was reviewed, and once.

use baton_protocol::diff::Hunk;
use baton_protocol::short;
use baton_protocol::tools::submit_review::{
    LineComment, ReviewVerdict, SubmitReviewInput, SubmitReviewOutput,
};
use baton_remote::github::enums::DiffSide;
use baton_remote::github::resources::changed_files::ChangedFile;
use baton_remote::github::resources::reviews::{NewReview, NewReviewComment, Verdict};

use super::context::PullContext;
use super::head;
use super::mark::{self, Mark, Viewer};
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};

pub struct SubmitReview;

impl Operation for SubmitReview {
    const META: Meta = Meta {
        name: "submit_review",
        title: "Submit a review",
        about: "Approve a pull request, request changes or comment, with comments on lines",
        description: "Submits a review of a pull request: approves, requests changes or comments, with comments on \
            lines of the diff. An approval names the reviewed commit and is refused when that is not the head any more. \
            The same call again submits nothing a second time.",
        input: "submit_review.input",
        output: "submit_review.output",
        effects: Effects::IDEMPOTENT,
        may_last: operation::never,
    };
    type Input = SubmitReviewInput;
    type Output = SubmitReviewOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let cx = cx.pulls(&[&input.pr]).await?;
        cx.until_cancelled(submit(&cx, &input)).await
    }
}

async fn submit(
    cx: &PullContext,
    input: &SubmitReviewInput,
) -> Result<SubmitReviewOutput, OpError> {
    let comments = line_comments(input)?;
    let reference = cx.reference(&input.pr)?;
    let (repository, number) = (reference.repository(), reference.number());
    let (viewer, pull, reviews) = tokio::try_join!(
        Viewer::ask(&cx.github),
        cx.github.pull_request(repository, number),
        cx.github.reviews(repository, number),
    )?;
    let mark = mark(input);
    let said = reviews
        .items
        .iter()
        .find(|review| viewer.wrote(review.user.as_ref()) && mark.is_in(&review.body));
    let mut output = SubmitReviewOutput {
        pr: format!("{repository}#{number}"),
        verdict: input.verdict,
        commit: pull.head.sha.as_str().to_owned(),
        html_url: String::new(),
        changed: said.is_none(),
        key: mark.key().to_owned(),
        message: "The review was there before".to_owned(),
    };
    if let Some(said) = said {
        said.html_url.clone_into(&mut output.html_url);
        if let Some(commit) = &said.commit_id {
            commit.as_str().clone_into(&mut output.commit);
        }
        return Ok(output);
    }
    mark::whole(reviews.truncated, "reviews", repository, number)?;
    head::require(input.commit.as_deref(), pull.head.sha.as_str())?;
    if !comments.is_empty() {
        let files = cx.github.changed_files(repository, number).await?;
        are_in_the_diff(&comments, &files.items)?;
    }
    let review = NewReview {
        commit: &pull.head.sha,
        verdict: verdict(input.verdict),
        body: &mark.below(input.body.as_deref().unwrap_or_default()),
        comments,
    };
    let review = cx.github.create_review(repository, number, &review).await?;
    output.html_url = review.html_url;
    output.message = format!("The review of {} was submitted", short(&output.commit));
    Ok(output)
}

/// The same for the caller's key, or for the same words about the same commit.
fn mark(input: &SubmitReviewInput) -> Mark {
    let word = input.verdict.as_str();
    let mut parts = vec![word];
    if let Some(key) = &input.key {
        parts.push(key);
    } else {
        parts.push(input.commit.as_deref().unwrap_or_default());
        parts.push(input.body.as_deref().unwrap_or_default());
        parts.extend(input.comments.iter().map(String::as_str));
    }
    Mark::new("submit-review", parts)
}

fn verdict(verdict: ReviewVerdict) -> Verdict {
    match verdict {
        ReviewVerdict::Approve => Verdict::Approve,
        ReviewVerdict::RequestChanges => Verdict::RequestChanges,
        ReviewVerdict::Comment => Verdict::Comment,
    }
}

fn line_comments(input: &SubmitReviewInput) -> Result<Vec<NewReviewComment<'_>>, OpError> {
    let says_nothing = input
        .body
        .as_deref()
        .is_none_or(|body| body.trim().is_empty());
    if says_nothing && input.comments.is_empty() && input.verdict != ReviewVerdict::Approve {
        return Err(OpError::refused(
            "the review says nothing",
            "Give `body`, or comments on lines; only an approval can do without both.",
        ));
    }
    if input.verdict == ReviewVerdict::Approve && input.commit.is_none() {
        return Err(OpError::refused(
            "an approval is of a commit, and none was given",
            "Pass the head that was reviewed as `commit`.",
        ));
    }
    let comments = input
        .comments
        .iter()
        .filter_map(|text| LineComment::parse(text));
    Ok(comments
        .map(|comment| NewReviewComment {
            path: comment.path,
            line: comment.line,
            start_line: comment.start_line,
            side: DiffSide::Right,
            body: comment.text,
        })
        .collect())
}

/// GitHub refuses the whole review for one such line, and does not say which.
fn are_in_the_diff(
    comments: &[NewReviewComment<'_>],
    files: &[ChangedFile],
) -> Result<(), OpError> {
    let outside: Vec<String> = comments
        .iter()
        .filter(|comment| !is_in_the_diff(comment, files))
        .map(|comment| format!("{}:{}", comment.path, comment.line))
        .collect();
    if outside.is_empty() {
        return Ok(());
    }
    Err(OpError::refused(
        format!("not in the diff: {}", outside.join(", ")),
        "Comment on lines that get_pull_request_diff shows, by their number in the new file, and put the rest into `body`.",
    ))
}

fn is_in_the_diff(comment: &NewReviewComment<'_>, files: &[ChangedFile]) -> bool {
    let Some(file) = files.iter().find(|file| file.path == comment.path) else {
        return false;
    };
    // GitHub leaves long patches out, and knows them all the same.
    let Some(patch) = &file.patch else {
        return true;
    };
    let start = comment.start_line.unwrap_or(comment.line);
    let hunks = patch.lines().filter_map(Hunk::parse_header);
    hunks.filter_map(|hunk| hunk.new_range()).any(|range| {
        let has = |line: u64| u32::try_from(line).is_ok_and(|line| range.contains(&line));
        has(start) && has(comment.line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_of_the_diff_take_comments() {
        let file = serde_json::json!({
            "filename": "a.rs", "status": "modified", "patch": "@@ -1,2 +3,4 @@ fn a() {\n a\n+b\n+c\n d",
        });
        let files = [serde_json::from_value::<ChangedFile>(file).unwrap()];
        let outside = |path, start_line, line| {
            let comment = NewReviewComment {
                path,
                line,
                start_line,
                side: DiffSide::Right,
                body: "Why?",
            };
            are_in_the_diff(&[comment], &files).is_err()
        };
        assert!(!outside("a.rs", None, 3) && !outside("a.rs", Some(3), 6));
        assert!(
            outside("a.rs", None, 2) && outside("a.rs", Some(2), 3) && outside("b.rs", None, 3)
        );
    }
}
