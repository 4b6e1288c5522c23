//! Reviews of pull requests, the threads in them, and who was asked for one.

use super::issue::{association, reaction_groups};
use super::listings::found;
use super::{Account, PullRequest, Repo, commit};
use crate::graphql::prelude::*;
use crate::node_id::named_node_id;
use crate::store::reactions::Subject;
use crate::store::repositories;
use crate::store::review_threads::{self, Side};
use crate::store::reviews;
use crate::views::{self, merged};

/// The lists of a pull request's reviews.
pub(super) fn pull_reviews(cx: &Context, field: &Field<'_>, pull: &PullRequest) -> Resolved {
    let (id, viewer) = (pull.row.id(), cx.viewer_id());
    let mut rows = cx.rows(|conn| reviews::for_pull(conn, id, viewer))?;
    match field.name {
        "viewerLatestReview" => {
            let newest = rows.into_iter().rfind(|row| Some(row.user.id) == viewer);
            return maybe(newest.map(|row| Review(row, pull.clone())));
        }
        "latestReviews" => {
            // Those whose review is asked for again are left out, as at GitHub.
            let asked = cx.rows(|conn| reviews::requests(conn, id))?;
            let mut latest: Vec<reviews::Review> = Vec::new();
            for review in rows.into_iter().filter(|row| row.is_visible_to(None)) {
                let again = asked
                    .iter()
                    .any(|request| request.user.id == review.user.id);
                if !again {
                    latest.retain(|known| known.user.id != review.user.id);
                    latest.push(review);
                }
            }
            rows = latest;
        }
        "latestOpinionatedReviews" => {
            rows = cx.rows(|conn| reviews::latest_opinions(conn, id))?;
            if field.arguments.flag("writersOnly") == Some(true) {
                let mut writers = Vec::new();
                for row in rows {
                    if may_push(cx, pull, &row)? {
                        writers.push(row);
                    }
                }
                rows = writers;
            }
        }
        _ => {
            if let Some(states) = field.arguments.texts("states") {
                rows.retain(|row| states.iter().any(|state| state == row.state.as_str()));
            }
            if let Some(author) = field.arguments.text("author") {
                rows.retain(|row| row.user.login.eq_ignore_ascii_case(author));
            }
        }
    }
    field.list(rows, |row| row.id, |row| Review(row, pull.clone()))
}

fn may_push(cx: &Context, pull: &PullRequest, row: &reviews::Review) -> Result<bool, QueryError> {
    let given = cx.read(|conn| {
        let user = Some(&row.user);
        Ok(repositories::permission(conn, &pull.repository, user)?)
    })?;
    Ok(given >= Permission::Write)
}

#[derive(Clone)]
pub(crate) struct Review(pub(crate) reviews::Review, pub(crate) PullRequest);

impl Object for Review {
    kind!("PullRequestReview");

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        let (row, pull) = (&self.0, &self.1);
        let facts = cx.show(|view| {
            let facts = views::reviews::review_facts;
            Ok(facts(view, &pull.repository, &pull.row, row))
        })?;
        let more = json!({
            "created_at": row.created_at,
            "updated_at": row.updated_at,
            "submitted_at": row.submitted_at,
            "minimized": false,
            "minimized_reason": null,
        });
        Ok(merged(facts, more))
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let (row, pull) = (&self.0, &self.1);
        match field.name {
            "author" => one(Account(row.user.clone())),
            "authorAssociation" => association(cx, &pull.repository, row.user.id),
            "authorCanPushToRepository" => plain(may_push(cx, pull, row)?),
            "comments" => {
                let comments = review_threads::comments_of_review;
                let rows = cx.rows(|conn| comments(conn, row.id))?;
                field.list(rows, |row| row.id, |row| ReviewComment(row, pull.clone()))
            }
            "commit" => commit::load(cx, &pull.repository, Some(&row.commit_sha)).await,
            "onBehalfOf" => field.empty(),
            "pullRequest" => one(pull.clone()),
            "reactionGroups" => reaction_groups(cx, Subject::Review, row.id),
            "repository" => one(Repo(Arc::clone(&pull.repository))),
            "viewerDidAuthor" => plain(cx.viewer_id() == Some(row.user.id)),
            _ => Ok(Output::Fact),
        }
    }
}

/// A comment on some lines.
pub(crate) struct ReviewComment(
    pub(crate) review_threads::ReviewComment,
    pub(crate) PullRequest,
);

impl ReviewComment {
    fn thread(&self, cx: &Context) -> Result<review_threads::Thread, QueryError> {
        found(cx.rows(|conn| review_threads::by_id(conn, self.0.thread_id))?)
    }

    fn review(&self, cx: &Context) -> Result<reviews::Review, QueryError> {
        found(cx.rows(|conn| reviews::by_id(conn, self.0.review_id))?)
    }
}

impl Object for ReviewComment {
    kind!("PullRequestReviewComment");

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        let (thread, pull) = (self.thread(cx)?, &self.1);
        let facts = cx.show(|view| {
            let facts = views::reviews::comment_facts;
            Ok(facts(view, &pull.repository, &pull.row, &self.0, &thread))
        })?;
        let more = json!({
            "minimized": false,
            "minimized_reason": null,
            "outdated": thread.outdated,
            "line": thread.place.line,
            "original_line": thread.original_place.line,
        });
        Ok(merged(facts, more))
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let (row, pull) = (&self.0, &self.1);
        let repository = &pull.repository;
        match field.name {
            "author" => one(Account(row.user.clone())),
            "authorAssociation" => association(cx, repository, row.user.id),
            "commit" => commit::load(cx, repository, Some(&self.thread(cx)?.commit_sha)).await,
            "originalCommit" => {
                let sha = self.thread(cx)?.original_commit_sha;
                commit::load(cx, repository, Some(&sha)).await
            }
            "pullRequest" => one(pull.clone()),
            "pullRequestReview" => one(Review(self.review(cx)?, pull.clone())),
            "reactionGroups" => reaction_groups(cx, Subject::ReviewComment, row.id),
            "replyTo" => match row.in_reply_to_id {
                Some(id) => {
                    let row = cx.rows(|conn| review_threads::comment(conn, id))?;
                    maybe(row.map(|row| Self(row, pull.clone())))
                }
                None => plain(Value::Null),
            },
            "repository" => one(Repo(Arc::clone(repository))),
            "state" => {
                let submitted = self.review(cx)?.is_visible_to(None);
                plain(if submitted { "submitted" } else { "pending" })
            }
            "viewerDidAuthor" => plain(cx.viewer_id() == Some(row.user.id)),
            _ => Ok(Output::Fact),
        }
    }
}

/// A conversation about some lines.
pub(crate) struct Thread(pub(crate) review_threads::Thread, pub(crate) PullRequest);

impl Object for Thread {
    kind!("PullRequestReviewThread");

    fn facts(&self, _: &Context) -> Result<Value, QueryError> {
        let row = &self.0;
        Ok(json!({
            "node_id": node_id(Kind::ReviewThread, row.id),
            "diff_side": row.side.as_str(),
            "collapsed": row.resolved_by.is_some(),
            "outdated": row.outdated,
            "resolved": row.resolved_by.is_some(),
            "line": row.place.line,
            "original_line": row.original_place.line,
            "original_start_line": row.original_place.start_line,
            "path": row.path,
            "start_diff_side": row.start_side.map(Side::as_str),
            "start_line": row.place.start_line,
            "subject_type": row.subject.as_str(),
        }))
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let (row, pull) = (&self.0, &self.1);
        // Those who may write, and the author of the pull request.
        let may_settle = || {
            let is_author = cx.viewer_id() == Some(pull.row.issue.author_id);
            let given = cx.permission(&pull.repository)?;
            Ok::<_, QueryError>(is_author || given >= Permission::Write)
        };
        match field.name {
            "comments" => {
                let comments = review_threads::comments_of_thread;
                let rows = cx.rows(|conn| comments(conn, row.id))?;
                field.list(rows, |row| row.id, |row| ReviewComment(row, pull.clone()))
            }
            "pullRequest" => one(pull.clone()),
            "repository" => one(Repo(Arc::clone(&pull.repository))),
            "resolvedBy" => maybe(row.resolved_by.clone().map(Account)),
            "viewerCanReply" => {
                let given = cx.permission(&pull.repository)?;
                let open = !pull.row.issue.locked || given >= Permission::Write;
                plain(!pull.repository.archived && open)
            }
            "viewerCanResolve" => plain(row.resolved_by.is_none() && may_settle()?),
            "viewerCanUnresolve" => plain(row.resolved_by.is_some() && may_settle()?),
            _ => Ok(Output::Fact),
        }
    }
}

/// A user who was asked for a review.
pub(super) struct ReviewRequest(pub(super) reviews::ReviewRequest, pub(super) PullRequest);

impl Object for ReviewRequest {
    kind!("ReviewRequest");

    async fn resolve(&self, _: &Context, field: &Field<'_>) -> Resolved {
        let (row, pull) = (&self.0, &self.1);
        match field.name {
            "asCodeOwner" => plain(row.as_code_owner),
            "id" => {
                let name = format!("{}:{}", pull.row.id(), row.user.id);
                let kind = Kind::ReviewRequest;
                plain(named_node_id(kind, pull.repository.id, &name))
            }
            "pullRequest" => one(pull.clone()),
            _ => one(Account(row.user.clone())),
        }
    }
}
