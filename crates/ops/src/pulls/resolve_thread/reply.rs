//! What is said in a thread when it is resolved.

use baton_protocol::tools::resolve_review_thread::{
    EvidenceKind, ResolutionEvidence, ResolveReviewThreadInput,
};

use crate::pulls::mark::Mark;

/// The same for the same thread and the caller's key, or the same evidence.
pub(super) fn mark(thread: &str, input: &ResolveReviewThreadInput) -> Mark {
    let evidence = [&input.commit, &input.reason].map(|text| text.as_deref().unwrap_or_default());
    let parts: &[&str] = match &input.key {
        Some(key) => &[key],
        None => &evidence,
    };
    let parts = [thread].into_iter().chain(parts.iter().copied());
    Mark::new("resolve-review-thread", parts)
}

pub(super) fn text(
    mark: &Mark,
    evidence: &ResolutionEvidence,
    input: &ResolveReviewThreadInput,
) -> String {
    let mut parts = Vec::new();
    parts.extend(input.reply.clone());
    if evidence.kind == EvidenceKind::FixCommit {
        let commit = evidence.commit.as_deref().unwrap_or_default();
        let subject = evidence.subject.as_deref().unwrap_or_default();
        // A subject is foreign text; as code it neither links nor calls anybody.
        parts.push(format!(
            "Fixed in {commit}: `{}`",
            subject.replace('`', "'")
        ));
    }
    parts.extend(evidence.reason.clone());
    mark.below(&parts.join("\n\n"))
}
