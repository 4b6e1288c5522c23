use std::sync::Arc;

use async_graphql::{Context, ID, InputObject, Object, Result};
use baton_host::git::Oid;

use super::git_objects::{TreeEntry, short};
use super::{
    CheckSuite, CheckSuiteConnection, Deployment, DeploymentConnection, GitActor,
    GitActorConnection, GitSignature, Repository, Status, StatusCheckRollup, Tree,
};
use crate::git::{self, HistoryRange, Person};
use crate::graphql::access::{access, read, urls};
use crate::graphql::connection::{Connection, Page, PageArguments, connections, lists};
use crate::graphql::enums::DeploymentOrder;
use crate::graphql::errors::QueryError;
use crate::graphql::scalars::{DateTime, GitObjectId, GitTimestamp, Uri, int};
use crate::node_id::{Kind, NodeId, named_node_id, parse};
use crate::store::check_suites::SuiteFilter;
use crate::store::deployments::Filter;
use crate::store::{check_suites, deployments, users};

#[derive(Debug, Clone)]
pub(in crate::graphql) struct Commit {
    pub(super) commit: Arc<git::Commit>,
    pub(super) repository: Repository,
}

connections! {
    Parents: CommitConnection, CommitEdge, Commit;
}

lists! {
    History: CommitHistoryConnection, Commit;
}

#[derive(InputObject)]
pub(in crate::graphql) struct CommitAuthor {
    emails: Option<Vec<String>>,
    id: Option<ID>,
}

#[derive(InputObject)]
pub(in crate::graphql) struct CheckSuiteFilter {
    app_id: Option<i32>,
    check_name: Option<String>,
}

#[Object]
impl Commit {
    pub(super) async fn abbreviated_oid(&self) -> String {
        short(&self.commit.oid)
    }

    async fn additions(&self, ctx: &Context<'_>) -> Result<i32> {
        Ok(self.size(ctx).await?.additions)
    }

    async fn author(&self) -> Option<GitActor> {
        Some(GitActor(self.commit.author.clone()))
    }

    async fn authored_by_committer(&self) -> bool {
        self.commit.author.email == self.commit.committer.email
    }

    async fn authored_date(&self) -> DateTime {
        self.commit.author.date.as_str().into()
    }

    async fn authors(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<GitActorConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        Ok(Connection::fixed(&page, authors(&self.commit), GitActor))
    }

    async fn changed_files_if_available(&self, ctx: &Context<'_>) -> Result<Option<i32>> {
        Ok(Some(self.size(ctx).await?.files))
    }

    async fn check_suites(
        &self,
        ctx: &Context<'_>,
        filter_by: Option<CheckSuiteFilter>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<CheckSuiteConnection>> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let filter = SuiteFilter {
            app_id: filter_by
                .as_ref()
                .and_then(|filter| filter.app_id.map(i64::from)),
            check_name: filter_by
                .as_ref()
                .and_then(|filter| filter.check_name.as_deref()),
        };
        let (repository, oid) = (&self.repository, self.commit.oid.as_str());
        let rows = read(ctx, |connection| {
            Ok(check_suites::of_commit(
                connection,
                repository.0.id,
                oid,
                filter,
            )?)
        })?;
        let node = |row| CheckSuite::new(row, repository.clone());
        Ok(Some(Connection::of(&page, rows, |row| row.id, node)))
    }

    pub(super) async fn commit_resource_path(&self) -> Uri {
        Uri(self.path())
    }

    pub(super) async fn commit_url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
    }

    async fn committed_date(&self) -> DateTime {
        self.commit.committer.date.as_str().into()
    }

    async fn committer(&self) -> Option<GitActor> {
        Some(GitActor(self.commit.committer.clone()))
    }

    async fn deletions(&self, ctx: &Context<'_>) -> Result<i32> {
        Ok(self.size(ctx).await?.deletions)
    }

    #[expect(clippy::too_many_arguments, reason = "they are the field's arguments")]
    async fn deployments(
        &self,
        ctx: &Context<'_>,
        environments: Option<Vec<String>>,
        order_by: Option<DeploymentOrder>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<Option<DeploymentConnection>> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let filter = Filter {
            sha: Some(self.commit.oid.to_string()),
            ..Filter::default()
        };
        let mut rows = read(ctx, |connection| {
            Ok(deployments::list(
                connection,
                self.repository.0.id,
                &filter,
            )?)
        })?;
        if let Some(environments) = environments {
            rows.retain(|row| environments.contains(&row.environment));
        }
        if !order_by.is_some_and(|order| order.is_descending()) {
            rows.reverse();
        }
        let node = |row| Deployment::new(row, self.repository.clone());
        Ok(Some(Connection::of(&page, rows, |row| row.id, node)))
    }

    async fn file(&self, ctx: &Context<'_>, path: String) -> Result<Option<TreeEntry>> {
        let git = access(ctx).app.git(&self.repository.0);
        let entry = git.entry(&self.commit.oid, &path).await?;
        Ok(entry.map(|entry| TreeEntry {
            entry,
            repository: self.repository.clone(),
        }))
    }

    #[expect(clippy::too_many_arguments, reason = "they are the field's arguments")]
    async fn history(
        &self,
        ctx: &Context<'_>,
        path: Option<String>,
        author: Option<CommitAuthor>,
        since: Option<GitTimestamp>,
        until: Option<GitTimestamp>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<CommitHistoryConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        let email = author
            .map(|author| wanted_email(ctx, author))
            .transpose()?
            .flatten();
        let range = HistoryRange {
            path: path.as_deref(),
            author: email.as_deref(),
            since: since.as_ref().map(|time| time.0.as_str()),
            until: until.as_ref().map(|time| time.0.as_str()),
            ..HistoryRange::of(&self.commit.oid)
        };
        let git = access(ctx).app.git(&self.repository.0);
        let oids = git.history(&range).await?;
        Ok(Self::page_of(ctx, &page, &self.repository, &oids)
            .await?
            .into())
    }

    pub(super) async fn id(&self) -> ID {
        self.named(Kind::Commit)
    }

    async fn message(&self) -> &str {
        &self.commit.message
    }

    async fn message_body(&self) -> &str {
        self.commit.body()
    }

    async fn message_headline(&self) -> &str {
        self.commit.headline()
    }

    pub(super) async fn oid(&self) -> GitObjectId {
        self.commit.oid.as_str().into()
    }

    async fn parents(
        &self,
        ctx: &Context<'_>,
        after: Option<String>,
        before: Option<String>,
        first: Option<i32>,
        last: Option<i32>,
    ) -> Result<CommitConnection> {
        let page = Page::new(
            ctx,
            PageArguments {
                after,
                before,
                first,
                last,
            },
        )?;
        Self::page_of(ctx, &page, &self.repository, &self.commit.parents).await
    }

    pub(super) async fn repository(&self) -> &Repository {
        &self.repository
    }

    pub(super) async fn resource_path(&self) -> Uri {
        Uri(self.path())
    }

    async fn signature(&self) -> Option<GitSignature> {
        let signature = self.commit.signature.as_deref()?;
        Some(GitSignature::of(signature, &self.commit.committer.email))
    }

    async fn status(&self, ctx: &Context<'_>) -> Result<Option<Status>> {
        Status::of(ctx, self)
    }

    async fn status_check_rollup(&self, ctx: &Context<'_>) -> Result<Option<StatusCheckRollup>> {
        StatusCheckRollup::of(ctx, self)
    }

    async fn tree(&self) -> Tree {
        Tree::new(&self.commit.tree, &self.repository)
    }

    pub(super) async fn url(&self, ctx: &Context<'_>) -> Uri {
        Uri(urls(ctx).page(&self.path()))
    }
}

impl Commit {
    pub(super) fn new(commit: Arc<git::Commit>, repository: &Repository) -> Self {
        Self {
            commit,
            repository: repository.clone(),
        }
    }

    /// Absent where the repository has no such commit, or no longer.
    pub(in crate::graphql) async fn load(
        ctx: &Context<'_>,
        repository: &Repository,
        oid: &str,
    ) -> Result<Option<Self>> {
        let Some(oid) = Oid::parse(oid) else {
            return Ok(None);
        };
        let git = access(ctx).app.git(&repository.0);
        let commit = match git.known_commit(&oid) {
            Some(commit) => Some(commit),
            None => git.commit(&oid).await?,
        };
        Ok(commit.map(|commit| Self::new(commit, repository)))
    }

    /// A page of a list of commits; only what is on it is read.
    pub(super) async fn page_of<K>(
        ctx: &Context<'_>,
        page: &Page,
        repository: &Repository,
        oids: &[Oid],
    ) -> Result<Connection<K>>
    where
        K: crate::graphql::connection::ConnectionKind<Node = Self>,
    {
        let window = page.window(oids.len());
        let shown = if page.is_wanted() {
            let git = access(ctx).app.git(&repository.0);
            git.commits(&oids[window.clone()]).await?
        } else {
            Vec::new()
        };
        let nodes = shown
            .into_iter()
            .map(|commit| Self::new(commit, repository));
        Ok(Connection::window(window, oids.len(), nodes.collect()))
    }

    /// The id of the commit, or of something that every commit has.
    pub(super) fn named(&self, kind: Kind) -> ID {
        let (repository, oid) = (self.repository.0.id, self.commit.oid.as_str());
        ID(named_node_id(kind, repository, oid))
    }

    fn path(&self) -> String {
        format!("{}/commit/{}", self.repository.path(), self.commit.oid)
    }

    async fn size(&self, ctx: &Context<'_>) -> Result<Size> {
        let git = access(ctx).app.git(&self.repository.0);
        let before = match self.commit.parents.first() {
            Some(parent) => parent.clone(),
            None => git.empty_tree().await?,
        };
        let files = git.diff(&before, &self.commit.oid).await?;
        let sum = |count: fn(&git::FileDiff) -> u64| {
            let sum: u64 = files.iter().map(count).sum();
            int(i64::try_from(sum).unwrap_or(i64::MAX))
        };
        Ok(Size {
            additions: sum(|file| file.additions),
            deletions: sum(|file| file.deletions),
            files: sum(|_| 1),
        })
    }
}

/// How much a commit changes.
struct Size {
    additions: i32,
    deletions: i32,
    files: i32,
}

/// The author, then those whom the message thanks in `Co-authored-by` lines.
fn authors(commit: &git::Commit) -> Vec<Person> {
    let mut found = vec![commit.author.clone()];
    for line in commit.message.lines() {
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        if !key.eq_ignore_ascii_case("co-authored-by") {
            continue;
        }
        let Some((name, email)) = value
            .trim()
            .strip_suffix('>')
            .and_then(|v| v.split_once('<'))
        else {
            continue;
        };
        if found.iter().all(|known| known.email != email) {
            found.push(Person {
                name: name.trim().to_owned(),
                email: email.to_owned(),
                date: commit.author.date.clone(),
            });
        }
    }
    found
}

/// git looks for one address; GitHub's filter has a list, of which the first
/// counts here.
fn wanted_email(ctx: &Context<'_>, author: CommitAuthor) -> Result<Option<String>> {
    if let Some(id) = author.id {
        let Some(NodeId::Numbered(Kind::User, number)) = parse(&id) else {
            return Err(QueryError::unknown_id(&id).into());
        };
        let user = read(ctx, |connection| Ok(users::by_id(connection, number)?))?;
        return Ok(user.email);
    }
    Ok(author.emails.and_then(|emails| emails.into_iter().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_helped_are_authors_too() {
        let person = |name: &str, email: &str| Person {
            name: name.to_owned(),
            email: email.to_owned(),
            date: "2026-01-31T12:00:00Z".to_owned(),
        };
        let octo = person("Octo", "octo@example.invalid");
        let commit = git::Commit {
            oid: Oid::parse(&"a".repeat(40)).unwrap(),
            tree: Oid::parse(&"b".repeat(40)).unwrap(),
            parents: Vec::new(),
            author: octo.clone(),
            committer: octo.clone(),
            signature: None,
            message: "Fix\n\nCo-authored-by: Re Viewer <reviewer@example.invalid>\n\
                      co-authored-by: Octo <octo@example.invalid>\nCo-authored-by: nobody"
                .to_owned(),
        };
        assert_eq!(
            authors(&commit),
            [octo, person("Re Viewer", "reviewer@example.invalid")]
        );
    }
}
