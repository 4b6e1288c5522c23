//! Repositories.

use baton_host::git::Oid;

use super::{Account, Issue, Label, MergeQueue, PullRequest, Ref, git_object, issue, listings};
use crate::graphql::prelude::*;
use crate::store::repositories;
use crate::store::{issues, labels, pulls, refs};
use crate::views;

pub(crate) struct Repo(pub(crate) Arc<Repository>);

/// Absent where the caller may not know of it.
pub(crate) fn visible(cx: &Context, id: i64) -> Result<Option<Arc<Repository>>, QueryError> {
    let found = cx.app.read(|conn| {
        let row = repositories::by_id(conn, id)?;
        cx.caller.check(conn, &row, Permission::Read)?;
        Ok(row)
    });
    match found {
        Ok(row) => Ok(Some(Arc::new(row))),
        Err(ApiError::NotFound | ApiError::Database(rusqlite::Error::QueryReturnedNoRows)) => {
            Ok(None)
        }
        Err(other) => Err(other.into()),
    }
}

impl Object for Repo {
    kind!("Repository");

    fn facts(&self, cx: &Context) -> Result<Value, QueryError> {
        cx.show(|view| Ok(views::repositories::facts(view, &self.0)))
    }

    async fn resolve(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let (row, id, arguments) = (&self.0, self.0.id, &field.arguments);
        match field.name {
            "assignableUsers" | "mentionableUsers" => {
                let mut rows = cx.rows(|conn| repositories::assignable(conn, row))?;
                if let Some(query) = arguments.text("query").map(str::to_lowercase) {
                    rows.retain(|user| user.login.to_lowercase().contains(&query));
                }
                field.list(rows, |user| user.id, Account)
            }
            "autoMergeAllowed" => plain(row.allow_auto_merge),
            "defaultBranchRef" => Ref::branch(cx, row, &row.default_branch).and_then(maybe),
            "forkCount" => plain(cx.rows(|conn| repositories::fork_count(conn, id))?),
            "forks" => listings::forks(cx, field, row),
            "hasIssuesEnabled" => plain(row.has_issues),
            "hasProjectsEnabled" | "hasWikiEnabled" | "isMirror" => plain(false),
            "isEmpty" => {
                let refs = cx.rows(|conn| refs::for_repository(conn, id))?;
                plain(refs.is_empty())
            }
            "isInOrganization" => plain(row.owner.kind == UserKind::Organization),
            "isLocked" => plain(row.suspended.is_some()),
            "issue" | "issueOrPullRequest" | "pullRequest" => self.numbered(cx, field),
            "issues" => listings::issues(cx, field, row),
            "label" => {
                let name = arguments.required("name");
                let label = cx.rows(|conn| labels::by_name(conn, id, name))?;
                maybe(label.map(|label| Label(label, Arc::clone(row))))
            }
            "labels" => {
                let rows = cx.rows(|conn| labels::for_repository(conn, id))?;
                issue::labels(field, rows, row)
            }
            "mergeCommitAllowed" => plain(row.allow_merge_commit),
            "mergeQueue" => {
                let branch = arguments.text("branch").unwrap_or(&row.default_branch);
                MergeQueue::for_branch(cx, row, branch).and_then(maybe)
            }
            "nameWithOwner" => plain(row.full_name()),
            "object" => self.object(cx, field).await,
            "owner" => one(Account(row.owner.clone())),
            "parent" => match row.fork_of {
                Some(parent) => maybe(visible(cx, parent)?.map(Repo)),
                None => plain(Value::Null),
            },
            "pullRequests" => listings::pulls(cx, field, row, None),
            "rebaseMergeAllowed" => plain(row.allow_rebase_merge),
            "ref" => self.reference(cx, arguments.required("qualifiedName")),
            "refs" => self.refs(cx, field),
            "squashMergeAllowed" => plain(row.allow_squash_merge),
            "viewerCanAdminister" => plain(cx.permission(row)? == Permission::Admin),
            "viewerDefaultMergeMethod" => {
                plain(match (row.allow_merge_commit, row.allow_squash_merge) {
                    (true, _) => "merge",
                    (false, true) => "squash",
                    (false, false) => "rebase",
                })
            }
            "viewerPermission" => plain(match cx.permission(row)? {
                Permission::None => None,
                given => Some(given.as_str()),
            }),
            _ => Ok(Output::Fact),
        }
    }
}

impl Repo {
    /// An issue or a pull request, whichever the field is about.
    fn numbered(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let number = field.arguments.number("number").unwrap_or_default();
        let found = cx.rows(|conn| issues::by_number(conn, self.0.id, number))?;
        let wanted = found.filter(|row| match field.name {
            "issue" => !row.is_pull,
            "pullRequest" => row.is_pull,
            _ => true,
        });
        let Some(row) = wanted else {
            let what = match field.name {
                "issue" => "an Issue",
                "pullRequest" => "a PullRequest",
                _ => "an issue or pull request",
            };
            return Err(QueryError::not_found(format!(
                "Could not resolve to {what} with the number of {number}."
            )));
        };
        if !row.is_pull {
            return one(Issue::new(row, &self.0));
        }
        let pull = cx.rows(|conn| pulls::by_id(conn, row.id))?;
        maybe(pull.map(|pull| PullRequest::new(pull, &self.0)))
    }

    /// `expression` is a revision, or `REVISION:PATH`.
    async fn object(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let git = cx.app.git(&self.0);
        let arguments = (
            field.arguments.text("oid"),
            field.arguments.text("expression"),
        );
        let found = match arguments {
            (Some(oid), _) => Oid::parse(oid),
            (None, Some(expression)) => match expression.split_once(':') {
                None => git.resolve(expression).await?,
                Some((revision, path)) => match git.resolve_commit(revision).await? {
                    None => None,
                    Some(commit) if path.is_empty() => {
                        git.commit(&commit).await?.map(|commit| commit.tree.clone())
                    }
                    Some(commit) => git.entry(&commit, path).await?.map(|entry| entry.oid),
                },
            },
            (None, None) => {
                let message = "Either `oid` or `expression` is required.";
                return Err(QueryError::unprocessable(message));
            }
        };
        match found {
            Some(oid) => git_object(cx, &self.0, &oid).await,
            None => plain(Value::Null),
        }
    }

    fn reference(&self, cx: &Context, name: &str) -> Resolved {
        if name.starts_with("refs/") {
            return Ref::find(cx, &self.0, name).and_then(maybe);
        }
        for prefix in ["refs/heads/", "refs/tags/", "refs/"] {
            if let Some(found) = Ref::find(cx, &self.0, &format!("{prefix}{name}"))? {
                return one(found);
            }
        }
        plain(Value::Null)
    }

    fn refs(&self, cx: &Context, field: &Field<'_>) -> Resolved {
        let (prefix, query) = (
            field.arguments.required("refPrefix"),
            field.arguments.text("query"),
        );
        let rows = cx.rows(|conn| refs::for_repository(conn, self.0.id))?;
        let rows = rows.into_iter().filter(|(name, _)| {
            let rest = name.strip_prefix(prefix);
            rest.is_some_and(|rest| query.is_none_or(|query| rest.contains(query)))
        });
        let mut rows: Vec<(String, String)> = rows.collect();
        let descending = match field.arguments.order() {
            Some((by, descending)) if by == "ALPHABETICAL" => descending,
            _ => field.arguments.text("direction") == Some("DESC"),
        };
        if descending {
            rows.reverse();
        }
        field.fixed(rows, |(name, oid)| Ref::new(name, oid, &self.0))
    }
}
