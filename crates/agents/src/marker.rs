//! The hidden mark that says which step made an issue, a pull request or a
//! comment, so that the step finds it again instead of making it twice.

use baton_remote::github::resources::comments::IssueComment;
use baton_remote::github::{Account, GitHubError};
use baton_workflow::Key;

use crate::Place;

/// People do not see it, and it stays where it is when they change the text
/// around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Marker(String);

impl Marker {
    /// For a step that makes one thing of a kind.
    pub(crate) fn for_key(key: &Key) -> Self {
        Self(format!("<!-- baton:{key} -->"))
    }

    /// For a step that makes several: one for each name. A name has letters,
    /// digits and hyphens.
    pub(crate) fn part(key: &Key, name: impl std::fmt::Display) -> Self {
        Self(format!("<!-- baton:{key}#{name} -->"))
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        text.contains(&self.0)
    }

    /// Puts the mark below a text.
    pub(crate) fn below(&self, text: &str) -> String {
        format!("{}\n\n{}\n", text.trim_end(), self.0)
    }
}

/// Whether a text has a mark of whichever step, or of a tool that it used.
pub(crate) fn is_in_any(text: &str) -> bool {
    text.contains("<!-- baton")
}

/// Whether the account is the one whose token is used. Anyone may write a mark
/// into a text of their own; only ours counts.
pub(crate) fn is_same(one: Option<&Account>, viewer: &Account) -> bool {
    // REST has the suffix of an app's name, GraphQL has not.
    let bare = |account: &Account| {
        let login = account.login.to_ascii_lowercase();
        login.strip_suffix("[bot]").unwrap_or(&login).to_owned()
    };
    one.is_some_and(|one| bare(one) == bare(viewer))
}

/// The comment of an issue or pull request that has the mark, if we wrote one.
pub(crate) async fn find_comment(
    place: &Place,
    number: u32,
    marker: &Marker,
) -> Result<Option<IssueComment>, GitHubError> {
    let comments = place.github.issue_comments(&place.repository, number);
    let mut comments = comments.await?.items;
    comments.retain(|comment| marker.is_in(&comment.body));
    if comments.is_empty() {
        return Ok(None);
    }
    let viewer = place.github.viewer().await?;
    let mut ours = comments.into_iter();
    Ok(ours.find(|comment| is_same(comment.user.as_ref(), &viewer)))
}

/// Comments once, however often it is called with the same mark.
pub(crate) async fn comment_once(
    place: &Place,
    number: u32,
    marker: &Marker,
    text: &str,
) -> Result<IssueComment, GitHubError> {
    if let Some(comment) = find_comment(place, number, marker).await? {
        return Ok(comment);
    }
    let body = marker.below(text);
    let (github, repository) = (&place.github, &place.repository);
    match github.create_issue_comment(repository, number, &body).await {
        // The answer may be lost and the comment there.
        Err(error) if error.is_transient() => match find_comment(place, number, marker).await {
            Ok(Some(comment)) => Ok(comment),
            _ => Err(error),
        },
        created => created,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_again_and_no_other_is() {
        let key = |text: &str| Key::from(text.to_owned());
        let marker = Marker::for_key(&key("r-1/004-fix"));
        let body = marker.below("Done.\n\n");
        assert_eq!(body, "Done.\n\n<!-- baton:r-1/004-fix -->\n");
        assert!(marker.is_in(&body));
        assert!(!Marker::for_key(&key("r-1/004-fi")).is_in(&body));
        assert!(!Marker::part(&key("r-1/004-fix"), "a").is_in(&body));
        assert!(!Marker::for_key(&key("r-11/004-fix")).is_in(&body));
    }
}
