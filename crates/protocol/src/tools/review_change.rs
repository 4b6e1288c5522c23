//! What the static review says about files or a change on this machine.

use crate::request::{
    boolean, list_of, optional, request, required, text, text_of_at_least, unlisted_default, word,
};
use crate::review::FindingSeverity;

request! {
    pub struct ReviewChangeInput, unknown keys Refused {
        /// The absolute path of the project's folder.
        working_directory: String = required(text_of_at_least(1)),
        /// The commit that the change began at (default: where the branch left the trunk).
        base: Option<String> = optional(text_of_at_least(1)),
        /// Files and folders, relative to the project's. Without `base` they are reviewed as they are, whole.
        files: Option<Vec<String>> = optional(list_of(text())),
        /// Also tell of lines that the change did not touch, in the files that it touched (default: false).
        everything: bool = unlisted_default(false, boolean()),
        /// Leave out what is less severe (default: as configured, else `medium`).
        threshold: Option<FindingSeverity> = optional(word()),
    }
}
