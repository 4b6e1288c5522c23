//! `page` and `per_page`, and the `Link` header that leads through the pages.

use std::convert::Infallible;
use std::fmt::Write as _;

use axum::Json;
use axum::extract::{FromRequestParts, OriginalUri};
use axum::http::header::{HOST, HeaderValue, LINK};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde_json::Value;

const DEFAULT_SIZE: usize = 30;
const MAX_SIZE: usize = 100;

/// As many files of a commit GitHub shows at once.
const MAX_FILES: usize = 300;

/// Which page of a list was asked for, and under which address.
#[derive(Debug, Clone)]
pub(crate) struct Paging {
    /// From 1.
    page: usize,
    size: usize,
    /// Scheme, host and path as the caller wrote them, so that a link leads
    /// where the request went, also through a proxy.
    address: String,
    /// The query without `page`.
    query: String,
}

impl Paging {
    pub(crate) fn offset(&self) -> usize {
        (self.page - 1).saturating_mul(self.size)
    }

    pub(crate) fn limit(&self) -> usize {
        self.size
    }

    /// The part of a whole list that is on this page.
    pub(crate) fn page<T>(&self, all: Vec<T>) -> Vec<T> {
        all.into_iter()
            .skip(self.offset())
            .take(self.limit())
            .collect()
    }

    /// The files of a commit come in pages of their own size.
    pub(crate) fn files<'a, T>(&self, all: &'a [T]) -> &'a [T] {
        let start = ((self.page - 1).saturating_mul(MAX_FILES)).min(all.len());
        &all[start..(start + MAX_FILES).min(all.len())]
    }

    /// A list as the answer. `items` are this page's, `total` counts all.
    pub(crate) fn answer(&self, items: Vec<Value>, total: usize) -> Response {
        self.wrap(Value::Array(items), total)
    }

    /// For lists inside an object: `{"total_count": …, "check_runs": […]}`.
    pub(crate) fn wrap(&self, body: Value, total: usize) -> Response {
        let mut response = Json(body).into_response();
        if let Some(link) = self.link(total) {
            response.headers_mut().insert(LINK, link);
        }
        response
    }

    /// In GitHub's order; none where all is on one page.
    pub(crate) fn link(&self, total: usize) -> Option<HeaderValue> {
        let last = total.div_ceil(self.size).max(1);
        let mut pages = Vec::new();
        if self.page > 1 {
            pages.push(("prev", (self.page - 1).min(last)));
        }
        if self.page < last {
            pages.push(("next", self.page + 1));
            pages.push(("last", last));
        }
        if self.page > 1 {
            pages.push(("first", 1));
        }
        let mut text = String::new();
        for (relation, page) in pages {
            let separator = if text.is_empty() { "" } else { ", " };
            let and = if self.query.is_empty() { "" } else { "&" };
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "{separator}<{}?{}{and}page={page}>; rel=\"{relation}\"",
                self.address, self.query
            );
        }
        HeaderValue::from_str(&text)
            .ok()
            .filter(|_| !text.is_empty())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Paging {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let OriginalUri(uri) = OriginalUri::from_request_parts(parts, state).await?;
        let query = uri.query().unwrap_or_default();
        let host = uri
            .authority()
            .map(|authority| authority.as_str().to_owned())
            .or_else(|| {
                let host = parts.headers.get(HOST)?;
                host.to_str().ok().map(str::to_owned)
            });
        let address = match host {
            Some(host) => format!("http://{host}{}", uri.path()),
            None => uri.path().to_owned(),
        };
        // GitHub takes what makes no sense for the default.
        let number = |name: &str| {
            pairs(query)
                .find(|(key, _)| *key == name)
                .and_then(|(_, value)| value.parse::<usize>().ok())
                .filter(|number| *number > 0)
        };
        let rest: Vec<_> = query
            .split('&')
            .filter(|pair| !pair.is_empty() && pair.split('=').next() != Some("page"))
            .collect();
        Ok(Self {
            page: number("page").unwrap_or(1),
            size: number("per_page").map_or(DEFAULT_SIZE, |size| size.min(MAX_SIZE)),
            address,
            query: rest.join("&"),
        })
    }
}

fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').filter_map(|pair| pair.split_once('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paging(page: usize, query: &str) -> Paging {
        Paging {
            page,
            size: 10,
            address: "http://h/repos/octo/demo/issues".to_owned(),
            query: query.to_owned(),
        }
    }

    #[test]
    fn links_lead_through_all_pages() {
        let link = |paging: Paging, total| {
            paging
                .link(total)
                .map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(link(paging(1, ""), 10), None);
        insta::assert_snapshot!(link(paging(1, "state=all"), 25).unwrap(), @r#"<http://h/repos/octo/demo/issues?state=all&page=2>; rel="next", <http://h/repos/octo/demo/issues?state=all&page=3>; rel="last""#);
        insta::assert_snapshot!(link(paging(2, ""), 25).unwrap(), @r#"<http://h/repos/octo/demo/issues?page=1>; rel="prev", <http://h/repos/octo/demo/issues?page=3>; rel="next", <http://h/repos/octo/demo/issues?page=3>; rel="last", <http://h/repos/octo/demo/issues?page=1>; rel="first""#);
        insta::assert_snapshot!(link(paging(9, ""), 25).unwrap(), @r#"<http://h/repos/octo/demo/issues?page=3>; rel="prev", <http://h/repos/octo/demo/issues?page=1>; rel="first""#);
    }
}
