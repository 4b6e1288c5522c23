//! Resolving a review thread, on evidence.
//!
//! Looked at first, then acted on, then recorded: the reply in the thread says
//! why it is settled and carries the key of the act, by which a second call, or
//! one after a crash, knows what the first has done.

mod anchor;
mod evidence;
mod reply;

use baton_protocol::tools::resolve_review_thread::{
    EvidenceKind, ResolutionEvidence, ResolveReviewThreadInput, ResolveReviewThreadOutput,
};
use baton_remote::github::questions::review_discussion::ReviewThread;

use self::evidence::Claim;
use super::context::PullContext;
use super::gh;
use super::thread_lookup;
use crate::context::Context;
use crate::error::OpError;
use crate::operation::{self, Effects, Meta, Operation};

pub struct ResolveReviewThread;

impl Operation for ResolveReviewThread {
    const META: Meta = Meta {
        name: "resolve_review_thread",
        title: "Resolve a review thread",
        about: "Resolve a review thread, on evidence",
        description: "Resolves a review thread of a pull request and says in it why. It wants evidence: a commit that is \
            in the pull request now, is newer than the comment and changes the commented lines, or else a reason. \
            Refuses, and changes nothing, when the evidence does not hold. The same call again changes nothing more. \
            Call it for one thread at a time, after the fix has been pushed and checked.",
        input: "resolve_review_thread.input",
        output: "resolve_review_thread.output",
        effects: Effects::IDEMPOTENT,
        may_last: operation::never,
    };
    type Input = ResolveReviewThreadInput;
    type Output = ResolveReviewThreadOutput;

    async fn run(cx: &Context, input: Self::Input) -> Result<Self::Output, OpError> {
        let cx = cx.pulls(&[&input.pr]).await?;
        cx.until_cancelled(resolve(&cx, &input)).await
    }
}

const UNDO: &str = "query=mutation($thread: ID!) { \
    unresolveReviewThread(input: {threadId: $thread}) { thread { isResolved } } }";

async fn resolve(
    cx: &PullContext,
    input: &ResolveReviewThreadInput,
) -> Result<ResolveReviewThreadOutput, OpError> {
    let claim = Claim::from_input(input)?;
    let reference = cx.reference(&input.pr)?;
    let (repository, number) = (reference.repository(), reference.number());
    let discussion = cx.github.review_discussion(repository, number).await?;
    let (thread, first) = thread_lookup::find(&discussion, &input.thread)
        .ok_or_else(|| thread_lookup::unknown(&reference, &discussion, &input.thread))?;
    let head = discussion.pull.head_ref_oid.as_str();
    let mark = reply::mark(thread.place.id.as_str(), input);
    let said = thread
        .comments
        .iter()
        .find(|reply| reply.viewer_did_author && mark.is_in(&reply.body));
    let mut output = ResolveReviewThreadOutput {
        pr: format!("{repository}#{number}"),
        thread: thread.place.id.as_str().to_owned(),
        resolved: true,
        changed: false,
        file_path: thread.place.path.clone(),
        line_number: thread.place.line.or(thread.place.original_line),
        html_url: first.url.clone(),
        evidence: known_before(&claim, said.is_some(), head),
        reply_url: said.map(|reply| reply.url.clone()),
        resolved_by: thread.place.resolved_by.as_ref().map(|by| by.login.clone()),
        key: mark.key().to_owned(),
        undo_command: undo(cx, thread),
        message: "The thread was resolved before".to_owned(),
    };
    if thread.place.is_resolved {
        return Ok(output);
    }
    may_act(thread)?;
    let target = evidence::Target {
        repository,
        number,
        head,
    };
    output.evidence = claim.check(cx, &target, thread, first).await?;
    if said.is_none() {
        let text = reply::text(&mark, &output.evidence, input);
        let reply = cx.github.reply_to_thread(&thread.place.id, &text).await?;
        output.reply_url = Some(reply.url);
    }
    cx.github.resolve_thread(&thread.place.id).await?;
    output.changed = true;
    "The thread is resolved".clone_into(&mut output.message);
    Ok(output)
}

/// What is known of the evidence without looking at it again: that the reply
/// of this act is there says that it held.
fn known_before(claim: &Claim<'_>, is_ours: bool, head: &str) -> ResolutionEvidence {
    let kind = match (is_ours, claim.commit) {
        (false, _) => EvidenceKind::AlreadyResolved,
        (true, Some(_)) => EvidenceKind::FixCommit,
        (true, None) => EvidenceKind::Reason,
    };
    let fact = if is_ours {
        "an earlier call with this key resolved it"
    } else {
        "it was resolved before; the evidence was not looked at"
    };
    ResolutionEvidence {
        kind,
        head: head.to_owned(),
        commit: claim.commit.map(str::to_owned),
        subject: None,
        reason: claim.reason.map(str::to_owned),
        facts: vec![fact.to_owned()],
    }
}

fn may_act(thread: &ReviewThread) -> Result<(), OpError> {
    if thread.place.viewer_can_resolve && thread.place.viewer_can_reply {
        return Ok(());
    }
    let what = if thread.place.viewer_can_resolve {
        "reply in"
    } else {
        "resolve"
    };
    Err(OpError::local(
        format!("this token may not {what} the thread {}", thread.place.id),
        "Ask the pull request's author or someone with write access, or use their token.",
    ))
}

fn undo(cx: &PullContext, thread: &ReviewThread) -> String {
    let thread = format!("thread={}", thread.place.id);
    let words = ["api", "graphql", "-f", UNDO, "-f", &thread];
    gh::command(&cx.workplace.web_url, &words)
}
