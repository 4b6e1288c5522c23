//! What is asked and answered, whichever way it goes.

/// An issue, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueState {
    pub key: String,
    /// The name of its status, as the workflow calls it.
    pub status: String,
}

/// A way from the issue's status to another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    pub id: String,
    pub name: String,
    /// The name of the status that it leads to, where that is told.
    pub to: Option<String>,
    /// Fields that have to be filled in and have no default, by the names that
    /// people see.
    pub required_fields: Vec<String>,
}

/// The link that an issue gets.
#[derive(Clone, Copy, Debug)]
pub struct PullRequestLink<'a> {
    pub url: &'a str,
    pub title: &'a str,
}

impl PullRequestLink<'_> {
    /// Two links of one issue with the same id are one.
    pub(super) fn global_id(&self) -> String {
        format!("baton:{}", self.url)
    }

    /// What is written where there are no remote links.
    pub(super) fn comment(&self) -> String {
        format!("Pull Request: {}", self.url)
    }
}

/// How the pull request is to be found from the issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linked {
    RemoteLink,
    Comment,
    /// It was there before.
    Already,
}
