//! The address of a host's API.

use crate::http::{Path, Settings};

/// GitHub, a GitHub Enterprise or the local forge: they differ by address only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    api_url: String,
}

/// The version of the REST API whose answers the types were made for.
const API_VERSION: &str = "2022-11-28";

impl Server {
    /// The server of a host as people write it in URLs of pull requests:
    /// `github.com`, `github.example.com`, `127.0.0.1:8080`.
    pub fn from_host(host: &str) -> Self {
        let host = host.to_ascii_lowercase();
        let api_url = if matches!(
            host.as_str(),
            "github.com" | "www.github.com" | "api.github.com"
        ) {
            "https://api.github.com".to_owned()
        } else if let Some(tenant) = host.strip_suffix(".ghe.com") {
            // Enterprise Cloud with a data region of its own.
            let tenant = tenant.strip_prefix("api.").unwrap_or(tenant);
            format!("https://api.{tenant}.ghe.com")
        } else if is_loopback(&host) {
            format!("http://{host}/api/v3")
        } else {
            format!("https://{host}/api/v3")
        };
        Self { api_url }
    }

    /// The server with this REST address, such as `https://api.github.com` or
    /// `http://127.0.0.1:8080/api/v3`. [`GitHub::new`](super::GitHub::new) checks
    /// whether it can be used.
    pub fn at(api_url: &str) -> Self {
        Self {
            api_url: api_url.trim_end_matches('/').to_owned(),
        }
    }

    pub fn api_url(&self) -> &str {
        &self.api_url
    }

    /// The address of its repositories for people and git: `https://github.com`.
    pub fn web_url(&self) -> String {
        if let Some(root) = self.api_url.strip_suffix("/api/v3") {
            return root.to_owned();
        }
        match self.api_url.strip_prefix("https://api.") {
            Some(host) if host == "github.com" || host.ends_with(".ghe.com") => {
                format!("https://{host}")
            }
            _ => self.api_url.clone(),
        }
    }

    /// The host of its pages, as in the URL of a pull request.
    pub fn host(&self) -> String {
        let web_url = self.web_url();
        let authority = web_url.split("://").last().unwrap_or_default();
        authority
            .split('/')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase()
    }

    /// Settings for this server, to adjust where needed.
    pub fn settings(&self, user_agent: impl Into<String>) -> Settings {
        let mut settings = Settings::new(self.api_url.clone(), user_agent);
        settings
            .headers
            .push(("x-github-api-version", API_VERSION.to_owned()));
        settings
    }

    /// An Enterprise server has GraphQL beside `/api/v3`; github.com has both
    /// at the root.
    pub(super) fn graphql_path(&self) -> Path {
        if self.api_url.ends_with("/api/v3") {
            Path::from_origin("/api/graphql", &[])
        } else {
            Path::new("/graphql", &[])
        }
    }
}

/// On this machine there is no need to encrypt.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost"
        || name.ends_with(".localhost")
        || address
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_their_api_where_github_puts_it() {
        for (host, api) in [
            ("github.com", "https://api.github.com"),
            ("GitHub.com", "https://api.github.com"),
            ("www.github.com", "https://api.github.com"),
            ("octo.ghe.com", "https://api.octo.ghe.com"),
            ("github.example.com", "https://github.example.com/api/v3"),
            (
                "git.example.com:8443",
                "https://git.example.com:8443/api/v3",
            ),
            ("127.0.0.1:8080", "http://127.0.0.1:8080/api/v3"),
            ("[::1]:8080", "http://[::1]:8080/api/v3"),
            ("github.localhost", "http://github.localhost/api/v3"),
            (
                "localhost.example.com",
                "https://localhost.example.com/api/v3",
            ),
            (
                "127.0.0.1.example.com",
                "https://127.0.0.1.example.com/api/v3",
            ),
        ] {
            assert_eq!(Server::from_host(host).api_url(), api, "{host}");
        }
    }

    #[test]
    fn every_server_knows_its_pages() {
        for (api, web, host) in [
            ("https://api.github.com", "https://github.com", "github.com"),
            (
                "https://api.octo.ghe.com",
                "https://octo.ghe.com",
                "octo.ghe.com",
            ),
            (
                "https://GitHub.example.com/api/v3/",
                "https://GitHub.example.com",
                "github.example.com",
            ),
            (
                "http://127.0.0.1:8080/api/v3",
                "http://127.0.0.1:8080",
                "127.0.0.1:8080",
            ),
            (
                "https://api.example.com",
                "https://api.example.com",
                "api.example.com",
            ),
        ] {
            let server = Server::at(api);
            assert_eq!(server.web_url(), web, "{api}");
            assert_eq!(server.host(), host, "{api}");
        }
    }
}
