use async_graphql::{Context, Object, Result, Union};

use super::{Issue, Organization, PullRequest, Repository, User};
use crate::error::ApiError;
use crate::graphql::access::{access, read};
use crate::graphql::connection::{Connection, Edge, PageInfo, connections};
use crate::graphql::enums::SearchType;
use crate::graphql::page::Page;
use crate::search;
use crate::store::repositories::Permission;
use crate::store::users::UserKind;
use crate::store::{pulls, repositories, users};

#[derive(Union)]
pub(in crate::graphql) enum SearchResultItem {
    Issue(Issue),
    Organization(Organization),
    PullRequest(PullRequest),
    Repository(Repository),
    User(User),
}

connections! {
    SearchResultItems: SearchResults, SearchResultItemEdge, SearchResultItem;
}

/// Other than most lists, it counts by kind.
pub(in crate::graphql) struct SearchResultItemConnection {
    found: SearchResults,
    kind: SearchType,
}

#[Object]
impl SearchResultItemConnection {
    async fn code_count(&self) -> i32 {
        0
    }

    async fn discussion_count(&self) -> i32 {
        self.count(SearchType::Discussion)
    }

    async fn edges(&self) -> Option<Vec<Option<&Edge<SearchResultItems>>>> {
        Some(self.found.edges().map(Some).collect())
    }

    async fn issue_count(&self) -> i32 {
        self.count(SearchType::Issue)
    }

    async fn nodes(&self) -> Option<Vec<Option<&SearchResultItem>>> {
        Some(self.found.nodes().map(Some).collect())
    }

    async fn page_info(&self) -> PageInfo {
        self.found.page_info()
    }

    async fn repository_count(&self) -> i32 {
        self.count(SearchType::Repository)
    }

    async fn user_count(&self) -> i32 {
        self.count(SearchType::User)
    }

    async fn wiki_count(&self) -> i32 {
        0
    }
}

impl SearchResultItemConnection {
    pub(in crate::graphql) fn find(
        ctx: &Context<'_>,
        page: &Page,
        kind: SearchType,
        text: &str,
    ) -> Result<Self, ApiError> {
        let found = match kind {
            SearchType::Issue => issues(ctx, page, text)?,
            SearchType::Repository => repositories_named(ctx, page, text)?,
            SearchType::User => accounts_named(ctx, page, text)?,
            SearchType::Discussion => SearchResults::empty(page),
        };
        Ok(Self { found, kind })
    }

    fn count(&self, kind: SearchType) -> i32 {
        if self.kind == kind {
            self.found.total()
        } else {
            0
        }
    }
}

fn issues(ctx: &Context<'_>, page: &Page, text: &str) -> Result<SearchResults, ApiError> {
    let caller = &access(ctx).caller;
    read(ctx, |connection| {
        let mut found: Vec<_> = search::issues(connection, caller, text, None)?
            .into_iter()
            .map(Some)
            .collect();
        let keys: Vec<i64> = found.iter().flatten().map(|row| row.id).collect();
        Connection::keyed(page, &keys, |id| {
            let row = found
                .iter_mut()
                .find_map(|row| row.take_if(|row| row.id == id))
                .ok_or(ApiError::NotFound)?;
            let repository = Repository::new(repositories::by_id(connection, row.repository_id)?);
            if !row.is_pull {
                return Ok(SearchResultItem::Issue(Issue::new(row, repository)));
            }
            let pull = pulls::by_id(connection, row.id)?.ok_or(ApiError::NotFound)?;
            let pull = PullRequest::new(pull, repository);
            Ok(SearchResultItem::PullRequest(pull))
        })
    })
}

/// The words that are no qualifiers, and who is named by `user:` or `org:`.
struct Wanted {
    words: Vec<String>,
    owner: Option<String>,
}

impl Wanted {
    fn read(text: &str) -> Self {
        let mut wanted = Self {
            words: Vec::new(),
            owner: None,
        };
        for word in text.split_whitespace() {
            match word.split_once(':') {
                Some(("user" | "org", login)) => wanted.owner = Some(login.to_lowercase()),
                Some(_) => {}
                None => wanted.words.push(word.to_lowercase()),
            }
        }
        wanted
    }

    fn is_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.words.iter().all(|word| text.contains(word))
    }
}

/// By name and description.
fn repositories_named(
    ctx: &Context<'_>,
    page: &Page,
    text: &str,
) -> Result<SearchResults, ApiError> {
    let wanted = Wanted::read(text);
    let caller = &access(ctx).caller;
    let rows = read(ctx, |connection| {
        let mut rows = Vec::new();
        for row in repositories::all(connection)? {
            let description = row.description.as_deref().unwrap_or_default();
            let owner = row.owner.login.to_lowercase();
            let fits = wanted.owner.as_ref().is_none_or(|wanted| *wanted == owner)
                && wanted.is_in(&format!("{} {description}", row.full_name()));
            if fits && caller.permission(connection, &row)? >= Permission::Read {
                rows.push(row);
            }
        }
        Ok(rows)
    })?;
    let node = |row| SearchResultItem::Repository(Repository::new(row));
    Ok(Connection::of(page, rows, |row| row.id, node))
}

/// By login and name.
fn accounts_named(ctx: &Context<'_>, page: &Page, text: &str) -> Result<SearchResults, ApiError> {
    let wanted = Wanted::read(text);
    let mut rows = read(ctx, |connection| Ok(users::all(connection)?))?;
    rows.retain(|row| {
        let name = row.name.as_deref().unwrap_or_default();
        row.kind != UserKind::Bot && wanted.is_in(&format!("{} {name}", row.login))
    });
    let node = |row: users::User| match row.kind {
        UserKind::Organization => SearchResultItem::Organization(Organization(row)),
        UserKind::User | UserKind::Bot => SearchResultItem::User(User(row)),
    };
    Ok(Connection::of(page, rows, |row| row.id, node))
}
