//! The mark by which an act is known again.

use std::fmt;

use baton_protocol::tools::resolve_review_thread::{
    EvidenceKind, ResolutionEvidence, ResolveReviewThreadInput,
};
use baton_remote::github::questions::review_discussion::ThreadComment;
use sha2::{Digest as _, Sha256};

/// Eight bytes: there are never so many threads that two would meet.
const BYTES: usize = 8;

/// Stands in the reply, in a comment that pages do not show.
pub(super) struct Key(String);

impl Key {
    /// The same for the same thread and the caller's key, or the same evidence.
    pub(super) fn new(thread: &str, input: &ResolveReviewThreadInput) -> Self {
        let mut hash = Sha256::new();
        let mut add = |part: &str| {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        };
        add(thread);
        if let Some(key) = &input.key {
            add(key);
        } else {
            add(input.commit.as_deref().unwrap_or_default());
            add(input.reason.as_deref().unwrap_or_default());
        }
        let digest = hash.finalize();
        let hex = digest.iter().take(BYTES).map(|byte| format!("{byte:02x}"));
        Self(hex.collect())
    }

    /// Only in a comment of the caller's own: others could write the mark too.
    pub(super) fn is_in(&self, comment: &ThreadComment) -> bool {
        comment.viewer_did_author && comment.body.contains(&self.mark())
    }

    /// What to say in the thread.
    pub(super) fn marked(
        &self,
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
        parts.push(self.mark());
        parts.join("\n\n")
    }

    fn mark(&self) -> String {
        format!("<!-- baton:resolve-review-thread {} -->", self.0)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
