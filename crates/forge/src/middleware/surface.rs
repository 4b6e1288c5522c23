//! Which side of the forge a request is for.

use axum::http::header::{ACCEPT, HOST};
use axum::http::request::Parts;
use axum::http::uri::{PathAndQuery, Uri};

use super::quota::Resource;

/// Where the API's paths begin. `gh` asks an Enterprise host there, and
/// anybody else at the root of a host whose name starts with `api.`.
const API: &str = "/api/v3";

/// First segments of the API's paths, which are understood at the root, too;
/// no one can be called like this.
const RESERVED: &[&str] = &[
    "_forge",
    "api",
    "app",
    "apps",
    "avatars",
    "emojis",
    "events",
    "gists",
    "gitignore",
    "graphql",
    "installation",
    "issues",
    "licenses",
    "login",
    "markdown",
    "meta",
    "notifications",
    "octocat",
    "organizations",
    "orgs",
    "rate_limit",
    "repos",
    "repositories",
    "search",
    "teams",
    "user",
    "users",
    "versions",
    "zen",
];

/// Whether a name is taken by the forge's own addresses.
pub(crate) fn is_reserved(login: &str) -> bool {
    RESERVED.iter().any(|word| word.eq_ignore_ascii_case(login))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// GitHub's API.
    Api,
    /// Fetches and pushes.
    Git,
    /// The forge's own API, below `/_forge`.
    Own,
    /// Pages for people.
    Page,
}

/// A request, as far as its address tells.
#[derive(Debug)]
pub(crate) struct Address {
    pub(crate) surface: Surface,
    /// Without `/api/v3` and without a query.
    pub(crate) path: String,
}

impl Address {
    pub(crate) fn from_parts(parts: &Parts) -> Self {
        let path = parts.uri.path();
        let path = below_api(path).unwrap_or(path);
        let is_api = path.len() < parts.uri.path().len();
        if path.starts_with("/_forge/") {
            return Self::new(Surface::Own, path);
        }
        if is_api {
            return Self::new(Surface::Api, path);
        }
        if path == "/api/graphql" || path == "/graphql" {
            return Self::new(Surface::Api, "/graphql");
        }
        if is_api_host(parts) {
            return Self::new(Surface::Api, path);
        }
        if is_git(path) {
            return Self::new(Surface::Git, path);
        }
        let first = path.split('/').nth(1).unwrap_or_default();
        let surface = match first {
            "" if !prefers_pages(parts) => Surface::Api,
            "login" | "avatars" => Surface::Page,
            word if is_reserved(word) => Surface::Api,
            _ => Surface::Page,
        };
        Self::new(surface, path)
    }

    fn new(surface: Surface, path: &str) -> Self {
        let path = if path.is_empty() { "/" } else { path };
        Self {
            surface,
            path: path.to_owned(),
        }
    }

    pub(crate) fn resource(&self) -> Resource {
        if self.path == "/graphql" {
            Resource::Graphql
        } else if self.path.starts_with("/search/") {
            Resource::Search
        } else {
            Resource::Core
        }
    }

    /// Owner, name, and the rest after `/repos/OWNER/NAME`.
    pub(crate) fn repository(&self) -> Option<(&str, &str, &str)> {
        let rest = self.path.strip_prefix("/repos/")?;
        let (owner, rest) = rest.split_once('/')?;
        let end = rest.find('/').unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        (!owner.is_empty() && !name.is_empty()).then_some((owner, name, rest))
    }

    /// The number and the rest of `/repositories/NUMBER…`, the address of a
    /// repository that outlives its name.
    pub(crate) fn repository_number(&self) -> Option<(i64, &str)> {
        let rest = self.path.strip_prefix("/repositories/")?;
        let end = rest.find('/').unwrap_or(rest.len());
        let (number, rest) = rest.split_at(end);
        Some((number.parse().ok()?, rest))
    }

    /// The same address where the router looks for it.
    pub(crate) fn routed(&self, uri: &Uri) -> Uri {
        let prefix = match self.surface {
            Surface::Api if self.path == "/graphql" => "/api",
            Surface::Api => API,
            Surface::Own => "",
            Surface::Git | Surface::Page => return uri.clone(),
        };
        let query = uri.query().map(|query| format!("?{query}"));
        let target = format!("{prefix}{}{}", self.path, query.unwrap_or_default());
        let Ok(target) = PathAndQuery::try_from(target) else {
            return uri.clone();
        };
        let mut parts = uri.clone().into_parts();
        parts.path_and_query = Some(target);
        Uri::from_parts(parts).unwrap_or_else(|_| uri.clone())
    }
}

fn below_api(path: &str) -> Option<&str> {
    let rest = path.strip_prefix(API)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

fn is_api_host(parts: &Parts) -> bool {
    let host = match parts.uri.host() {
        // A proxy is told the whole address.
        Some(host) => Some(host),
        None => parts.headers.get(HOST).and_then(|host| host.to_str().ok()),
    };
    host.is_some_and(|host| host.starts_with("api."))
}

fn is_git(path: &str) -> bool {
    path.ends_with("/info/refs")
        || path.ends_with("/git-upload-pack")
        || path.ends_with("/git-receive-pack")
        || path.contains(".git/")
}

fn prefers_pages(parts: &Parts) -> bool {
    parts
        .headers
        .get(ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"))
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn address(uri: &str, headers: &[(&str, &str)]) -> (Surface, String, String) {
        let mut request = Request::get(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let address = Address::from_parts(&parts);
        let routed = address.routed(&parts.uri);
        let routed = routed.path_and_query().unwrap().to_string();
        (address.surface, address.path, routed)
    }

    #[test]
    fn one_path_has_many_addresses() {
        let same = (
            Surface::Api,
            "/repos/octo/demo".to_owned(),
            "/api/v3/repos/octo/demo?page=2".to_owned(),
        );
        assert_eq!(address("/repos/octo/demo?page=2", &[]), same);
        assert_eq!(address("/api/v3/repos/octo/demo?page=2", &[]), same);
        let proxied = "http://api.github.localhost/repos/octo/demo?page=2";
        assert_eq!(address(proxied, &[]), same);
        let host = [("host", "api.github.localhost")];
        assert_eq!(address("/repos/octo/demo?page=2", &host), same);
    }

    #[test]
    fn every_face_is_found() {
        let surface = |uri, headers: &[_]| address(uri, headers).0;
        assert_eq!(surface("/graphql", &[]), Surface::Api);
        assert_eq!(address("/graphql", &[]).2, "/api/graphql");
        assert_eq!(surface("/", &[]), Surface::Api);
        assert_eq!(
            surface("/", &[("accept", "text/html,*/*;q=0.8")]),
            Surface::Page
        );
        assert_eq!(surface("/octo/demo/pull/1", &[]), Surface::Page);
        assert_eq!(
            surface("/octo/demo.git/info/refs?service=x", &[]),
            Surface::Git
        );
        assert_eq!(surface("/_forge/faults", &[]), Surface::Own);
        assert_eq!(address("/api/v3/_forge/faults", &[]).2, "/_forge/faults");
        assert_eq!(surface("/api/v3", &[]), Surface::Api);
        assert_eq!(surface("/api/v33", &[]), Surface::Api);
        let api_host = [("host", "api.github.localhost")];
        assert_eq!(address("/octo", &api_host).2, "/api/v3/octo");
    }

    #[test]
    fn repositories_are_found_in_paths() {
        let path = |path: &str| Address::new(Surface::Api, path);
        assert_eq!(
            path("/repos/octo/demo/pulls/1").repository(),
            Some(("octo", "demo", "/pulls/1"))
        );
        assert_eq!(
            path("/repos/octo/demo").repository(),
            Some(("octo", "demo", ""))
        );
        assert_eq!(path("/repos/octo").repository(), None);
        assert_eq!(path("/repos//x").repository(), None);
        assert_eq!(
            path("/repositories/7/pulls").repository_number(),
            Some((7, "/pulls"))
        );
        assert_eq!(path("/repositories/x").repository_number(), None);
    }
}
