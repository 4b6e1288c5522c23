//! Which thread is meant.

use baton_protocol::PrReference;
use baton_remote::github::questions::review_discussion::{
    ReviewDiscussion, ReviewThread, ThreadComment,
};

use crate::error::OpError;

/// By the thread's id, or by the number, address or id of a comment in it; with
/// its first comment.
pub(super) fn find<'a>(
    discussion: &'a ReviewDiscussion,
    name: &str,
) -> Option<(&'a ReviewThread, &'a ThreadComment)> {
    let name = name.trim();
    let number = number_in(name);
    let is_meant = |thread: &&ReviewThread| {
        thread.place.id.as_str() == name
            || thread.comments.iter().any(|comment| {
                comment.id.as_str() == name
                    || number.is_some() && comment.full_database_id == number
            })
    };
    let thread = discussion.threads.iter().find(is_meant)?;
    Some((thread, thread.comments.first()?))
}

/// `12`, `…#discussion_r12`
fn number_in(name: &str) -> Option<u64> {
    let digits = match name.rsplit_once("#discussion_r") {
        Some((_, digits)) => digits,
        None => name,
    };
    digits.parse().ok()
}

pub(super) fn unknown(pull: &PrReference, discussion: &ReviewDiscussion, name: &str) -> OpError {
    let open = discussion.threads.iter();
    let open = open.filter(|thread| !thread.place.is_resolved).count();
    let shown: String = name.chars().filter(|c| !c.is_control()).take(100).collect();
    let (repository, number) = (pull.repository(), pull.number());
    OpError::refused(
        format!("{repository}#{number} has no review thread '{shown}' ({open} open)"),
        "Take the id from `thread.id` of find_unresolved_comments; reviews and comments in the \
         conversation have no thread.",
    )
}

#[cfg(test)]
mod tests {
    use super::number_in;

    #[test]
    fn a_comment_has_a_number_and_an_address() {
        assert_eq!(number_in("12"), Some(12));
        let url = "https://github.com/octo/demo/pull/1#discussion_r12";
        assert_eq!(number_in(url), Some(12));
        assert_eq!(number_in("PRRT_12"), None);
    }
}
