//! The types of failures, as handoffs name them.

pub(crate) const FORMAT: &str = "format";
pub(crate) const LINT: &str = "lint";
pub(crate) const BUILD: &str = "build";
pub(crate) const TEST: &str = "test";
pub(crate) const CODE_REVIEW: &str = "code_review";
pub(crate) const SECURITY: &str = "security";
/// A check of CI in which no test was recognised.
pub(crate) const CI: &str = "ci";
/// The base does not fit any more.
pub(crate) const CONFLICT: &str = "conflict";
/// People ask for changes that no review has handed over yet.
pub(crate) const COMMENTS: &str = "comments";
/// Someone pushed after the validation.
pub(crate) const HEAD_MOVED: &str = "head_moved";
