//! Lists that come in pages.

use std::collections::HashSet;

use reqwest::header::LINK;
use serde::de::DeserializeOwned;

use super::call::Call;
use super::client::Http;
use super::error::HttpError;
use super::failure::Failure;
use super::link;
use super::path::Path;
use super::reply::Reply;

/// How much of a list is read.
#[derive(Clone, Copy, Debug)]
pub struct PageLimits {
    pub pages: usize,
    pub items: usize,
}

impl Default for PageLimits {
    fn default() -> Self {
        Self {
            pages: 100,
            items: 10_000,
        }
    }
}

/// What was read of a list.
#[derive(Clone, Debug)]
pub struct Listed<T> {
    pub items: Vec<T>,
    pub pages: usize,
    /// A limit ended the reading; there is more.
    pub truncated: bool,
    /// The new address of the list, if it has moved permanently.
    pub moved_to: Option<String>,
}

/// A list that is read page by page, following `Link: rel="next"` within the
/// base URL's origin.
pub struct Pages<'a> {
    http: &'a Http,
    next: Option<Call>,
    seen: HashSet<String>,
}

impl Http {
    /// Reads a list whose pages are arrays.
    pub async fn list<T: DeserializeOwned>(
        &self,
        call: &Call,
        limits: PageLimits,
    ) -> Result<Listed<T>, HttpError> {
        self.list_by(call, limits, |page: Vec<T>| page).await
    }

    /// Reads a list whose pages wrap their items; `items` takes them out.
    pub async fn list_by<P: DeserializeOwned, T>(
        &self,
        call: &Call,
        limits: PageLimits,
        items: impl Fn(P) -> Vec<T>,
    ) -> Result<Listed<T>, HttpError> {
        let mut listed = Listed {
            items: Vec::new(),
            pages: 0,
            truncated: false,
            moved_to: None,
        };
        let mut pages = self.pages(call);
        while listed.pages < limits.pages && listed.items.len() < limits.items {
            let Some(reply) = pages.next().await? else {
                return Ok(listed);
            };
            listed.pages += 1;
            listed.items.extend(items(reply.json()?));
            listed.moved_to = listed.moved_to.or(reply.moved_to);
        }
        listed.truncated = pages.has_next() || listed.items.len() > limits.items;
        listed.items.truncate(limits.items);
        Ok(listed)
    }

    /// Reads a list page by page.
    pub fn pages(&self, call: &Call) -> Pages<'_> {
        Pages {
            http: self,
            next: Some(call.clone()),
            seen: HashSet::new(),
        }
    }
}

impl Pages<'_> {
    /// The next page; nothing after the last one, and nothing after an error.
    pub async fn next(&mut self) -> Result<Option<Reply>, HttpError> {
        let Some(call) = self.next.take() else {
            return Ok(None);
        };
        let reply = self.http.send(&call).await?;
        self.seen.insert(reply.asked.url.to_string());
        if let Some(next) = reply.header(&LINK).and_then(link::next_page) {
            // Some servers give a relative one.
            let url = reply.asked.url.join(next);
            let url = url.map_or_else(|_| next.to_owned(), String::from);
            if self.seen.contains(&url) {
                return Err(reply.asked.failed(Failure::PageLoop));
            }
            self.next = Some(call.at(Path::url(url)));
        }
        Ok(Some(reply))
    }

    pub fn has_next(&self) -> bool {
        self.next.is_some()
    }
}
