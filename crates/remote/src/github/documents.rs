//! The GraphQL documents, by the names of their files.

/// A query or a mutation.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
}

macro_rules! documents {
    ($($constant:ident = $name:literal;)+) => {
        $(pub(super) const $constant: Document = Document {
            name: $name,
            text: include_str!(concat!("queries/", $name, ".graphql")),
        };)+

        /// Name and text of all documents, for checks against GitHub's schema.
        pub const DOCUMENTS: &[(&str, &str)] = &[$(($constant.name, $constant.text)),+];
    };
}

documents! {
    CHECK_DETAILS = "check_details";
    COMMIT_CHECKS = "commit_checks";
    CONVERT_TO_DRAFT = "convert_to_draft";
    ENABLE_AUTO_MERGE = "enable_auto_merge";
    ENQUEUE_PULL_REQUEST = "enqueue_pull_request";
    FILE_HISTORIES = "file_histories";
    FORCE_PUSHES = "force_pushes";
    MARK_READY_FOR_REVIEW = "mark_ready_for_review";
    MENTIONED_NUMBERS = "mentioned_numbers";
    MERGE_READINESS = "merge_readiness";
    OPEN_PULLS_WITH_HEADS = "open_pulls_with_heads";
    PULL_LIST = "pull_list";
    PULL_REQUEST_CHECKS = "pull_request_checks";
    PULL_REQUEST_OVERVIEW = "pull_request_overview";
    QUEUE_ENTRY = "queue_entry";
    READINESS_FILES = "readiness_files";
    RECENTLY_CLOSED_PULLS = "recently_closed_pulls";
    REPLY_TO_REVIEW_THREAD = "reply_to_review_thread";
    RESOLVE_REVIEW_THREAD = "resolve_review_thread";
    REVIEW_THREADS_AND_COMMENTS = "review_threads_and_comments";
    STACKED_PAIR = "stacked_pair";
    THREAD_COMMENTS = "thread_comments";
    UNRESOLVE_REVIEW_THREAD = "unresolve_review_thread";
    VIEWER = "viewer";
}
