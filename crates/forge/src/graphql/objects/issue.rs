//! Issues, and what they and pull requests have in common: they share the rows.

use super::{Account, PullRequest, Repo, account};
use crate::graphql::prelude::*;
use crate::store::comments::{self, Comment};
use crate::store::issues::{self, IssueState};
use crate::store::reactions::{self, CONTENTS, Subject};
use crate::store::repositories;
use crate::store::{assignees, labels, pulls, users};
use crate::views::{self, merged};

pub(crate) struct Issue {
    pub(crate) row: issues::Issue,
    pub(crate) repository: Arc<Repository>,
}

impl Issue {
    pub(crate) fn new(row: issues::Issue, repository: &Arc<Repository>) -> Self {
        let repository = Arc::clone(repository);
        Self { row, repository }
    }
}

impl Object for Issue {
    kind!("Issue");

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        cx.show(|view| {
            Ok(views::issues::issue_facts(
                view,
                &self.repository,
                &self.row,
            ))
        })
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let row = &self.row;
        let can_change = || viewer_can_change(cx, &self.repository, row.author_id);
        match field.name {
            "stateReason" => {
                let reason = row.state_reason.as_deref();
                // Older clients do not know duplicates: to them, these are not planned.
                let known = field.arguments.flag("enableDuplicate") == Some(true);
                plain(match reason {
                    Some("duplicate") if !known => Some("not_planned"),
                    reason => reason,
                })
            }
            "viewerCanClose" => plain(row.state == IssueState::Open && can_change()?),
            "viewerCanReopen" => plain(row.state == IssueState::Closed && can_change()?),
            _ => conversation(cx, field, &self.repository, row),
        }
    }
}

/// The fields that issues and pull requests share.
pub(super) fn conversation(
    cx: &Context,
    field: &Field<'_>,
    repository: &Arc<Repository>,
    issue: &issues::Issue,
) -> Resolved {
    let (id, author) = (issue.id, issue.author_id);
    match field.name {
        "assignees" => {
            let rows = cx.rows(|conn| assignees::for_issue(conn, id))?;
            field.list(rows, |row| row.id, Account)
        }
        "author" => account(cx, author),
        "authorAssociation" => association(cx, repository, author),
        "body" | "bodyText" => plain(issue.body.clone().unwrap_or_default()),
        "closed" => plain(issue.state == IssueState::Closed),
        "comments" => comments_of(cx, field, repository, issue),
        "labels" => {
            let rows = cx.rows(|conn| labels::for_issue(conn, id))?;
            labels(field, rows, repository)
        }
        "participants" => participants(cx, field, issue),
        "projectCards" | "projectItems" => field.empty(),
        "reactionGroups" => reaction_groups(cx, Subject::Issue, id),
        "repository" => one(Repo(Arc::clone(repository))),
        "viewerCanUpdate" => plain(viewer_can_change(cx, repository, author)?),
        "viewerDidAuthor" => plain(cx.viewer_id() == Some(author)),
        _ => Ok(Output::Fact),
    }
}

pub(super) fn association(cx: &Context, repository: &Repository, user_id: i64) -> Resolved {
    plain(cx.read(|conn| {
        let user = users::by_id(conn, user_id)?;
        Ok(repositories::association(conn, repository, &user)?)
    })?)
}

/// Authors may change and close what is theirs; so may those who triage.
pub(super) fn viewer_can_change(
    cx: &Context,
    repository: &Repository,
    author_id: i64,
) -> Result<bool, QueryError> {
    let is_author = cx.viewer_id() == Some(author_id);
    Ok(!repository.archived && (is_author || cx.permission(repository)? >= Permission::Triage))
}

/// By age, where nothing else is asked for.
pub(super) fn labels(
    field: &Field<'_>,
    mut rows: Vec<labels::Label>,
    repository: &Arc<Repository>,
) -> Resolved {
    if let Some(query) = field.arguments.text("query").map(str::to_lowercase) {
        let contains = |text: &str| text.to_lowercase().contains(&query);
        rows.retain(|row| contains(&row.name) || row.description.as_deref().is_some_and(contains));
    }
    let order = field.arguments.order();
    match &order {
        Some((by, _)) if by == "NAME" => rows.sort_by_cached_key(|row| row.name.to_lowercase()),
        _ => rows.sort_by_key(|row| row.id),
    }
    if order.is_some_and(|(_, descending)| descending) {
        rows.reverse();
    }
    field.list(rows, |row| row.id, |row| Label(row, Arc::clone(repository)))
}

fn comments_of(
    cx: &Context,
    field: &Field<'_>,
    repository: &Arc<Repository>,
    issue: &issues::Issue,
) -> Resolved {
    let mut rows = cx.rows(|conn| comments::for_issue(conn, issue.id))?;
    if let Some((_, descending)) = field.arguments.order() {
        rows.sort_by(|one, other| one.updated_at.cmp(&other.updated_at));
        if descending {
            rows.reverse();
        }
    }
    let node = |row| IssueComment {
        row,
        issue: issue.clone(),
        repository: Arc::clone(repository),
    };
    field.list(rows, |row| row.id, node)
}

/// The author, then those who commented.
fn participants(cx: &Context, field: &Field<'_>, issue: &issues::Issue) -> Resolved {
    let rows = cx.read(|conn| {
        let mut ids = vec![issue.author_id];
        for comment in comments::for_issue(conn, issue.id)? {
            if !ids.contains(&comment.author_id) {
                ids.push(comment.author_id);
            }
        }
        let rows = ids.into_iter().map(|id| users::by_id(conn, id));
        Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
    })?;
    field.list(rows, |row| row.id, Account)
}

/// All eight, also those that were never given, as GitHub does.
pub(super) fn reaction_groups(cx: &Context, subject: Subject, id: i64) -> Resolved {
    let rows = cx.rows(|conn| reactions::for_subject(conn, subject, id))?;
    all(CONTENTS.into_iter().map(|content| ReactionGroup {
        content,
        given: rows
            .iter()
            .filter(|row| row.content == content)
            .cloned()
            .collect(),
    }))
}

struct ReactionGroup {
    content: &'static str,
    given: Vec<reactions::Reaction>,
}

impl Object for ReactionGroup {
    kind!("ReactionGroup");

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let mut given = self.given.clone();
        match field.name {
            "content" => plain(match self.content {
                "+1" => "thumbs_up",
                "-1" => "thumbs_down",
                other => other,
            }),
            "viewerHasReacted" => {
                plain(given.iter().any(|row| Some(row.user.id) == cx.viewer_id()))
            }
            name => {
                if name == "users" {
                    given.retain(|row| row.user.kind == UserKind::User);
                }
                field.list(given, |row| row.id, |row| Account(row.user))
            }
        }
    }
}

pub(crate) struct Label(pub(crate) labels::Label, pub(crate) Arc<Repository>);

impl Object for Label {
    kind!("Label");

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        let page = cx.page(&self.1, &format!("/labels/{}", self.0.name));
        let facts = cx.show(|view| Ok(views::issues::label(view, &self.1, &self.0)))?;
        Ok(merged(facts, json!({ "html_url": page })))
    }

    async fn resolve(&self, _: &Context, field: &Field<'_>) -> Resolved {
        match field.name {
            "repository" => one(Repo(Arc::clone(&self.1))),
            _ => Ok(Output::Fact),
        }
    }
}

/// A comment on an issue or pull request as a whole.
pub(crate) struct IssueComment {
    pub(crate) row: Comment,
    pub(crate) issue: issues::Issue,
    pub(crate) repository: Arc<Repository>,
}

impl Object for IssueComment {
    kind!("IssueComment");

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        let facts = cx.show(|view| {
            let facts = views::issues::comment_facts;
            Ok(facts(view, &self.repository, &self.issue, &self.row))
        })?;
        Ok(merged(
            facts,
            json!({ "minimized_reason": self.row.minimized_reason }),
        ))
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let (row, repository) = (&self.row, &self.repository);
        match field.name {
            "author" => account(cx, row.author_id),
            "authorAssociation" => association(cx, repository, row.author_id),
            "includesCreatedEdit" => plain(row.updated_at != row.created_at),
            "isMinimized" => plain(row.minimized_reason.is_some()),
            "issue" => one(Issue::new(self.issue.clone(), repository)),
            "pullRequest" => {
                let id = self.issue.id;
                let pull = cx.rows(|conn| pulls::by_id(conn, id))?;
                maybe(pull.map(|pull| PullRequest::new(pull, repository)))
            }
            "reactionGroups" => reaction_groups(cx, Subject::Comment, row.id),
            "repository" => one(Repo(Arc::clone(repository))),
            "viewerCanUpdate" => plain(viewer_can_change(cx, repository, row.author_id)?),
            "viewerDidAuthor" => plain(cx.viewer_id() == Some(row.author_id)),
            _ => Ok(Output::Fact),
        }
    }
}
