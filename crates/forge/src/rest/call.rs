//! A call of the API, as every handler gets it: the forge, who calls, and what the address, the
//! query and the body say.

#![expect(
    clippy::unnecessary_wraps,
    reason = "answers are results of functions that may fail"
)]

use std::collections::HashMap;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts as _, Query, RawPathParams, Request};
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::pagination::Paging;
use super::payload::Payload;
use crate::actions::change::RepoContext;
use crate::app::App;
use crate::auth::Caller;
use crate::error::{ApiError, Result};
use crate::git::GitRepository;
use crate::store::issues::{self, Issue};
use crate::store::pulls::{self, Pull};
use crate::store::repositories::{Permission, Repository};
use crate::views::View;

pub(super) type Answer = Result<Response>;

pub(super) struct Call {
    pub(super) app: App,
    pub(super) caller: Caller,
    pub(super) paging: Paging,
    pub(super) headers: HeaderMap,
    pub(super) query: HashMap<String, String>,
    pub(super) body: Bytes,
    parameters: Vec<(String, String)>,
}

impl FromRequest<App> for Call {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self> {
        let (mut parts, body) = request.into_parts();
        let caller = Caller::from_request_parts(&mut parts, app).await?;
        let Ok(paging) = Paging::from_request_parts(&mut parts, app).await;
        let parameters = RawPathParams::from_request_parts(&mut parts, app).await;
        let parameters = parameters.map_err(|_| ApiError::NotFound)?;
        let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        let parameters = parameters.iter().map(owned).collect();
        let query = Query::try_from_uri(&parts.uri).map(|Query(query)| query);
        let headers = parts.headers.clone();
        let body = Bytes::from_request(Request::from_parts(parts, body), app).await;
        let body =
            body.map_err(|rejected| ApiError::refused(rejected.status(), rejected.body_text()))?;
        Ok(Self {
            app: app.clone(),
            caller,
            paging,
            headers,
            query: query.unwrap_or_default(),
            body,
            parameters,
        })
    }
}

impl Call {
    /// A part of the address, by its name in the route.
    pub(super) fn path(&self, name: &str) -> &str {
        let found = self.parameters.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    /// A number in the address. What is none names nothing.
    pub(super) fn number(&self, name: &str) -> Result<i64> {
        self.path(name).parse().map_err(|_| ApiError::NotFound)
    }

    /// From the query.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.query.get(key).map(String::as_str)
    }

    /// The JSON of the body.
    pub(super) fn payload(&self) -> Result<Payload> {
        let payload = Payload::parse(&self.body);
        let text = self.body.trim_ascii();
        match payload {
            Err(ApiError::NotJson) => payload,
            _ if text.is_empty() || text.starts_with(b"{") => payload,
            _ => Err(ApiError::refused(
                StatusCode::BAD_REQUEST,
                "Body should be a JSON object",
            )),
        }
    }

    pub(super) fn on<'a>(&'a self, repository: &'a Repository) -> RepoContext<'a> {
        RepoContext {
            app: &self.app,
            caller: &self.caller,
            repository,
        }
    }

    /// The repository of the address, when the caller has this permission there.
    pub(super) fn repository(&self, needed: Permission) -> Result<Repository> {
        let (owner, name) = (self.path("owner"), self.path("repo"));
        self.read(|conn| self.caller.repository(conn, owner, name, needed))
    }

    /// The same for a request that changes something there.
    pub(super) fn repository_to_change(&self, needed: Permission) -> Result<Repository> {
        let (owner, name) = (self.path("owner"), self.path("repo"));
        self.read(|conn| self.caller.repository_to_change(conn, owner, name, needed))
    }

    pub(super) fn git(&self) -> Result<(Repository, GitRepository)> {
        let repository = self.repository(Permission::Read)?;
        let git = self.app.git(&repository);
        Ok((repository, git))
    }

    /// The issue or pull request of the address.
    pub(super) fn issue(&self) -> Result<(Repository, Issue)> {
        let repository = self.repository(Permission::Read)?;
        let number = self.number("number")?;
        let issue = self.rows(|conn| issues::by_number(conn, repository.id, number))?;
        let issue = issue.ok_or(ApiError::NotFound)?;
        if !issue.is_pull && !repository.has_issues {
            return Err(ApiError::issues_disabled());
        }
        Ok((repository, issue))
    }

    pub(super) fn issue_to_change(&self, needed: Permission) -> Result<(Repository, Issue)> {
        self.repository_to_change(needed)?;
        self.issue()
    }

    /// The pull request of the address.
    pub(super) fn pull(&self) -> Result<(Repository, Pull)> {
        let repository = self.repository(Permission::Read)?;
        let number = self.number("number")?;
        let pull = self.rows(|conn| pulls::by_number(conn, repository.id, number))?;
        Ok((repository, pull.ok_or(ApiError::NotFound)?))
    }

    pub(super) fn pull_to_change(&self) -> Result<(Repository, Pull)> {
        self.repository_to_change(Permission::Read)?;
        self.pull()
    }

    pub(super) fn read<T>(&self, look: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.app.read(look)
    }

    pub(super) fn rows<T>(
        &self,
        look: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        self.app.rows(look)
    }

    /// Shows one thing.
    pub(super) fn show(&self, look: impl FnOnce(View<'_>) -> Result<Value>) -> Answer {
        ok(self.app.show(look)?)
    }

    /// The same for a thing that was just made.
    pub(super) fn show_new(&self, look: impl FnOnce(View<'_>) -> Result<Value>) -> Answer {
        created(self.app.show(look)?)
    }

    /// The page of a list that is asked for.
    pub(super) fn list<T>(
        &self,
        all: Vec<T>,
        mut show: impl FnMut(View<'_>, &T) -> Result<Value>,
    ) -> Answer {
        let total = all.len();
        let items = self.app.show(|view| {
            let items = self.paging.page(all);
            items.iter().map(|item| show(view, item)).collect()
        })?;
        Ok(self.paging.answer(items, total))
    }

    /// A list inside an object: `{"total_count": …, "check_runs": […]}`.
    pub(super) fn counted<T>(
        &self,
        key: &str,
        all: Vec<T>,
        mut show: impl FnMut(View<'_>, &T) -> Result<Value>,
    ) -> Answer {
        let total = all.len();
        let items: Vec<Value> = self.app.show(|view| {
            let items = self.paging.page(all);
            items.iter().map(|item| show(view, item)).collect()
        })?;
        let body = json!({ "total_count": total, key: items });
        Ok(self.paging.wrap(body, total))
    }
}

pub(super) fn answer(status: StatusCode, body: Value) -> Answer {
    Ok((status, Json(body)).into_response())
}

pub(super) fn ok(body: Value) -> Answer {
    answer(StatusCode::OK, body)
}

pub(super) fn created(body: Value) -> Answer {
    answer(StatusCode::CREATED, body)
}

/// With the address of what was made.
pub(super) fn created_there(body: Value) -> Answer {
    let address = HeaderValue::from_str(body["url"].as_str().unwrap_or_default());
    let mut response = created(body)?;
    if let Ok(address) = address {
        response.headers_mut().insert(LOCATION, address);
    }
    Ok(response)
}

pub(super) fn accepted(body: Value) -> Answer {
    answer(StatusCode::ACCEPTED, body)
}

pub(super) fn no_content() -> Answer {
    Ok(StatusCode::NO_CONTENT.into_response())
}
