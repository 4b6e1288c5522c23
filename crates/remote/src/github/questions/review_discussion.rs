//! The discussion of a pull request: threads in the code, reviews, and the
//! conversation.

use baton_protocol::Oid;
use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use super::merge_readiness::ReviewedCommit;
use crate::github::client::GitHub;
use crate::github::documents;
use crate::github::enums::{
    AuthorAssociation, DiffSide, PullState, Reaction, ReviewState, ThreadSubject,
};
use crate::github::errand::Errand;
use crate::github::error::GitHubError;
use crate::github::fact::{Fact, Unreadable};
use crate::github::graphql::{Answer, Connection, InRepository, MAX_PAGES, OnePull, Parts};
use crate::github::values::{Account, NodeId, big_int, null_as_default};

#[derive(Clone, Debug)]
pub struct ReviewDiscussion {
    pub pull: DiscussedPull,
    pub threads: Vec<ReviewThread>,
    pub reviews: Vec<DiscussedReview>,
    pub comments: Vec<ConversationComment>,
    /// There is more than was read.
    pub truncated: bool,
    /// Threads of which nothing could be read. They count as open.
    pub withheld_threads: u64,
    pub unreadable: Vec<Unreadable>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiscussedPull {
    pub id: NodeId,
    pub number: u32,
    pub url: String,
    pub state: PullState,
    pub head_ref_oid: Oid,
    pub author: Option<Account>,
}

/// A thread in the code. Lines are those of the pull request's head, and
/// absent when the thread is outdated.
#[derive(Clone, Debug)]
pub struct ReviewThread {
    pub place: ThreadPlace,
    pub comments: Vec<ThreadComment>,
    /// To the first comment. Those to all others would cost ten times as much.
    pub reaction_groups: Vec<ReactionGroup>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "GitHub's own shape; each flag is a fact of its own"
)]
pub struct ThreadPlace {
    pub id: NodeId,
    pub is_resolved: bool,
    pub is_outdated: bool,
    pub path: String,
    pub line: Option<u64>,
    pub start_line: Option<u64>,
    pub original_line: Option<u64>,
    pub original_start_line: Option<u64>,
    pub diff_side: Option<DiffSide>,
    pub subject_type: Option<ThreadSubject>,
    #[serde(default)]
    pub viewer_can_reply: bool,
    #[serde(default)]
    pub viewer_can_resolve: bool,
    pub resolved_by: Option<Account>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadComment {
    pub id: NodeId,
    /// Its number in REST.
    #[serde(default, deserialize_with = "big_int")]
    pub full_database_id: Option<u64>,
    /// `PENDING` comments are the viewer's own and not sent yet.
    pub state: Option<String>,
    pub author: Option<Account>,
    /// It is the caller's own.
    #[serde(default)]
    pub viewer_did_author: bool,
    pub author_association: AuthorAssociation,
    pub body: String,
    #[serde(default)]
    pub diff_hunk: String,
    pub path: String,
    pub line: Option<u64>,
    pub start_line: Option<u64>,
    pub original_line: Option<u64>,
    pub original_start_line: Option<u64>,
    /// The head that it was written about; absent when it is gone.
    pub original_commit: Option<ReviewedCommit>,
    #[serde(default)]
    pub outdated: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub url: String,
    #[serde(default)]
    pub is_minimized: bool,
    pub minimized_reason: Option<String>,
    pub reply_to: Option<Numbered>,
    pub pull_request_review: Option<Numbered>,
}

/// Something, by its number in REST.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Numbered {
    #[serde(default, deserialize_with = "big_int")]
    pub full_database_id: Option<u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiscussedReview {
    pub id: NodeId,
    #[serde(default, deserialize_with = "big_int")]
    pub full_database_id: Option<u64>,
    pub state: ReviewState,
    pub author: Option<Account>,
    pub author_association: AuthorAssociation,
    #[serde(default)]
    pub author_can_push_to_repository: bool,
    pub body: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Absent while the review is not sent.
    pub submitted_at: Option<Timestamp>,
    pub url: String,
    #[serde(default)]
    pub is_minimized: bool,
    pub minimized_reason: Option<String>,
    pub commit: Option<ReviewedCommit>,
    #[serde(default, deserialize_with = "null_as_default")]
    pub reaction_groups: Vec<ReactionGroup>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationComment {
    pub id: NodeId,
    #[serde(default, deserialize_with = "big_int")]
    pub full_database_id: Option<u64>,
    pub author: Option<Account>,
    pub author_association: AuthorAssociation,
    pub body: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub url: String,
    #[serde(default)]
    pub is_minimized: bool,
    pub minimized_reason: Option<String>,
    #[serde(default, deserialize_with = "null_as_default")]
    pub reaction_groups: Vec<ReactionGroup>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReactionGroup {
    pub content: Reaction,
    reactors: Option<Reactors>,
}

impl ReactionGroup {
    pub fn count(&self) -> u64 {
        self.reactors.map_or(0, |reactors| reactors.total_count)
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reactors {
    total_count: u64,
}

/// Which lists are still to be read, and from where. `None` is done.
struct Progress {
    threads: Option<Start>,
    reviews: Option<Start>,
    comments: Option<Start>,
}

enum Start {
    Beginning,
    Cursor(String),
}

impl GitHub {
    pub async fn review_discussion(
        &self,
        repository: &Repository,
        number: u32,
    ) -> Result<ReviewDiscussion, GitHubError> {
        let errand = Errand::numbered("read the comments on", "pull request", repository, number);
        let start = Progress {
            threads: Some(Start::Beginning),
            reviews: Some(Start::Beginning),
            comments: Some(Start::Beginning),
        };
        let (mut discussion, mut next) = self
            .page_of_discussion(repository, number, &start, &errand)
            .await?;
        for _ in 1..MAX_PAGES {
            if next.is_done() {
                return Ok(discussion);
            }
            let (page, after) = self
                .page_of_discussion(repository, number, &next, &errand)
                .await?;
            discussion.append(page);
            next = after;
        }
        discussion.truncated |= !next.is_done();
        Ok(discussion)
    }

    async fn page_of_discussion(
        &self,
        repository: &Repository,
        number: u32,
        from: &Progress,
        errand: &Errand,
    ) -> Result<(ReviewDiscussion, Progress), GitHubError> {
        let variables = json!({
            "owner": repository.owner(),
            "name": repository.name(),
            "number": number,
            "threads": from.threads.is_some(),
            "threadsAfter": cursor(from.threads.as_ref()),
            "reviews": from.reviews.is_some(),
            "reviewsAfter": cursor(from.reviews.as_ref()),
            "comments": from.comments.is_some(),
            "commentsAfter": cursor(from.comments.as_ref()),
        });
        let answer: Answer<InRepository<OnePull<Parts<DiscussedPull, Lists>>>> = self
            .ask(
                &documents::REVIEW_THREADS_AND_COMMENTS,
                &variables,
                errand.clone(),
            )
            .await?;
        let Parts(pull, lists) = answer.data.repository.pull_request;
        let next = Progress {
            threads: lists.review_threads.next_page().map(Start::Cursor),
            reviews: lists.reviews.next_page().map(Start::Cursor),
            comments: lists.comments.next_page().map(Start::Cursor),
        };
        let mut page = ReviewDiscussion {
            pull,
            threads: Vec::new(),
            reviews: Vec::new(),
            comments: Vec::new(),
            truncated: false,
            withheld_threads: 0,
            unreadable: answer.unreadable,
        };
        if from.threads.is_some() {
            for thread in page.take("reviewThreads", lists.review_threads) {
                match thread {
                    Some(Parts(place, lists)) => {
                        self.add_thread(&mut page, place, lists, errand).await?;
                    }
                    None => page.withheld_threads += 1,
                }
            }
        }
        if from.reviews.is_some() {
            page.reviews = page
                .take("reviews", lists.reviews)
                .into_iter()
                .flatten()
                .collect();
        }
        if from.comments.is_some() {
            page.comments = page
                .take("comments", lists.comments)
                .into_iter()
                .flatten()
                .collect();
        }
        Ok((page, next))
    }

    /// A thread with all its comments: the first ones came with the thread.
    async fn add_thread(
        &self,
        page: &mut ReviewDiscussion,
        place: ThreadPlace,
        lists: ThreadLists,
        errand: &Errand,
    ) -> Result<(), GitHubError> {
        let opening = lists.opening.into_items().into_iter().next();
        let mut next = lists.comments.next_page();
        let mut comments = lists.comments.into_items();
        for _ in 1..MAX_PAGES {
            let Some(after) = &next else { break };
            let variables = json!({ "thread": place.id.as_str(), "after": after });
            let answer: Answer<ThreadNode> = self
                .ask(&documents::THREAD_COMMENTS, &variables, errand.clone())
                .await?;
            page.unreadable.extend(answer.unreadable);
            let more = answer.data.node.comments;
            next = more.next_page();
            comments.extend(more.into_items());
        }
        page.truncated |= next.is_some();
        page.threads.push(ReviewThread {
            place,
            comments,
            reaction_groups: opening
                .map(|opening| opening.reaction_groups)
                .unwrap_or_default(),
        });
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lists {
    #[serde(default, deserialize_with = "null_as_default")]
    review_threads: Connection<Parts<ThreadPlace, ThreadLists>>,
    #[serde(default, deserialize_with = "null_as_default")]
    reviews: Connection<DiscussedReview>,
    #[serde(default, deserialize_with = "null_as_default")]
    comments: Connection<ConversationComment>,
}

#[derive(Deserialize)]
struct ThreadLists {
    /// Of the first page only.
    #[serde(default, deserialize_with = "null_as_default")]
    opening: Connection<Opening>,
    comments: Connection<ThreadComment>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Opening {
    #[serde(default, deserialize_with = "null_as_default")]
    reaction_groups: Vec<ReactionGroup>,
}

#[derive(Deserialize)]
struct ThreadNode {
    node: ThreadLists,
}

impl ReviewDiscussion {
    /// The entries of a list of the pull request. The reasons why some may not be seen are noted.
    fn take<T>(&mut self, list: &str, page: Connection<T>) -> Vec<Option<T>> {
        let path = format!("repository.pullRequest.{list}");
        let facts = page.into_facts(&path, &self.unreadable).into_iter();
        let entries = facts.map(|fact| match fact {
            Fact::Known(entry) => Some(entry),
            Fact::Unreadable(cause) => {
                let is_known = self.unreadable.contains(&cause);
                self.unreadable.extend((!is_known).then_some(cause));
                None
            }
        });
        entries.collect()
    }

    fn append(&mut self, page: Self) {
        self.threads.extend(page.threads);
        self.reviews.extend(page.reviews);
        self.comments.extend(page.comments);
        self.truncated |= page.truncated;
        self.withheld_threads += page.withheld_threads;
        self.unreadable.extend(page.unreadable);
    }
}

impl Progress {
    fn is_done(&self) -> bool {
        self.threads.is_none() && self.reviews.is_none() && self.comments.is_none()
    }
}

fn cursor(from: Option<&Start>) -> Option<&str> {
    match from {
        Some(Start::Cursor(cursor)) => Some(cursor),
        Some(Start::Beginning) | None => None,
    }
}
