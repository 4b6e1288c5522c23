//! A comment in the conversation of a pull request, or a reply in a thread: once.

use baton_protocol::PrReference;
use baton_protocol::tools::comment_on_pull_request::{
    CommentOnPullRequestInput, CommentOnPullRequestOutput,
};

use super::context::PullContext;
use super::mark::{self, Mark, Viewer};
use super::thread_lookup;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};

pub struct CommentOnPullRequest;

impl Operation for CommentOnPullRequest {
    const META: Meta = Meta {
        name: "comment_on_pull_request",
        title: "Comment on a pull request",
        about: "Comment on a pull request, or reply in a review thread",
        description: "Comments in the conversation of a pull request or, with `thread`, replies in a review thread. \
            The same call again says nothing a second time.",
        input: "comment_on_pull_request.input",
        output: "comment_on_pull_request.output",
        effects: Effects::IDEMPOTENT,
        may_last: operation::never,
    };
    type Input = CommentOnPullRequestInput;
    type Output = CommentOnPullRequestOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let cx = cx.pulls(&[&input.pr]).await?;
        cx.until_cancelled(comment(&cx, &input)).await
    }
}

/// What was found, or written.
struct Comment {
    html_url: String,
    changed: bool,
    mark: Mark,
    /// The thread's id.
    thread: Option<String>,
}

async fn comment(
    cx: &PullContext,
    input: &CommentOnPullRequestInput,
) -> Result<CommentOnPullRequestOutput, OpError> {
    if input.body.trim().is_empty() {
        return Err(OpError::refused(
            "the comment says nothing",
            "Give its text as `body`.",
        ));
    }
    let reference = cx.reference(&input.pr)?;
    let comment = match &input.thread {
        Some(thread) => in_thread(cx, &reference, thread, input).await?,
        None => in_conversation(cx, &reference, input).await?,
    };
    let (place, before) = match (&comment.thread, comment.changed) {
        (Some(_), true) => ("reply", "was written"),
        (Some(_), false) => ("reply", "was there before"),
        (None, true) => ("comment", "was written"),
        (None, false) => ("comment", "was there before"),
    };
    Ok(CommentOnPullRequestOutput {
        pr: format!("{}#{}", reference.repository(), reference.number()),
        thread: comment.thread,
        html_url: comment.html_url,
        changed: comment.changed,
        key: comment.mark.key().to_owned(),
        message: format!("The {place} {before}"),
    })
}

async fn in_conversation(
    cx: &PullContext,
    reference: &PrReference,
    input: &CommentOnPullRequestInput,
) -> Result<Comment, OpError> {
    let (repository, number) = (reference.repository(), reference.number());
    let mark = mark("", input);
    let (viewer, comments) = tokio::try_join!(
        Viewer::ask(&cx.github),
        cx.github.issue_comments(repository, number),
    )?;
    let said = comments
        .items
        .iter()
        .find(|comment| viewer.wrote(comment.user.as_ref()) && mark.is_in(&comment.body));
    let html_url = if let Some(said) = said {
        said.html_url.clone()
    } else {
        mark::whole(comments.truncated, "comments", repository, number)?;
        let text = mark.below(&input.body);
        let written = cx.github.create_issue_comment(repository, number, &text);
        written.await?.html_url
    };
    Ok(Comment {
        html_url,
        changed: said.is_none(),
        mark,
        thread: None,
    })
}

async fn in_thread(
    cx: &PullContext,
    reference: &PrReference,
    name: &str,
    input: &CommentOnPullRequestInput,
) -> Result<Comment, OpError> {
    let (repository, number) = (reference.repository(), reference.number());
    let discussion = cx.github.review_discussion(repository, number).await?;
    let (thread, _) = thread_lookup::find(&discussion, name)
        .ok_or_else(|| thread_lookup::unknown(reference, &discussion, name))?;
    let mark = mark(thread.place.id.as_str(), input);
    let said = thread
        .comments
        .iter()
        .find(|reply| reply.viewer_did_author && mark.is_in(&reply.body));
    let html_url = if let Some(said) = said {
        said.url.clone()
    } else {
        mark::whole(discussion.truncated, "comments", repository, number)?;
        let text = mark.below(&input.body);
        let written = cx.github.reply_to_thread(&thread.place.id, &text);
        written.await?.url
    };
    Ok(Comment {
        html_url,
        changed: said.is_none(),
        mark,
        thread: Some(thread.place.id.as_str().to_owned()),
    })
}

fn mark(thread: &str, input: &CommentOnPullRequestInput) -> Mark {
    let text = input.key.as_ref().unwrap_or(&input.body);
    Mark::new("comment-on-pull-request", [thread, text])
}
