//! The headers that every answer of the API has.

use std::sync::atomic::{AtomicU32, Ordering};

use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_TYPE, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use jiff::Timestamp;

use crate::auth::Caller;

pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-github-request-id");
const API_VERSION: HeaderName = HeaderName::from_static("x-github-api-version");
const VERSION_SELECTED: HeaderName = HeaderName::from_static("x-github-api-version-selected");
const MEDIA_TYPE: HeaderName = HeaderName::from_static("x-github-media-type");
const SCOPES: HeaderName = HeaderName::from_static("x-oauth-scopes");
const ACCEPTED_SCOPES: HeaderName = HeaderName::from_static("x-accepted-oauth-scopes");

/// What a caller gets, whether or not it chooses.
const VERSION: &str = "2022-11-28";

/// Looks like GitHub's: groups of hexadecimal digits, the last one the time.
pub(crate) fn request_id(now: Timestamp) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    let nanosecond = now.subsec_nanosecond();
    let second = now.as_second();
    format!(
        "{:04X}:{:06X}:{count:07X}:{nanosecond:08X}:{second:08X}",
        process & 0xFFFF,
        process
    )
}

/// The version that a caller asks for, or what it asked for in vain.
pub(crate) fn chosen_version(headers: &HeaderMap) -> Result<&'static str, String> {
    match headers.get(API_VERSION) {
        Some(asked) if asked != VERSION => {
            Err(String::from_utf8_lossy(asked.as_bytes()).into_owned())
        }
        _ => Ok(VERSION),
    }
}

/// Whether anything that the forge can send is welcome.
pub(crate) fn is_acceptable(headers: &HeaderMap) -> Result<(), String> {
    let mut asked = Vec::new();
    for value in headers.get_all(ACCEPT) {
        let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
        for range in text.split(',') {
            let range = range.split(';').next().unwrap_or_default().trim();
            let range = range.to_ascii_lowercase();
            let known = matches!(range.as_str(), "" | "*/*" | "application/*" | "text/html")
                || range.starts_with("application/vnd.github")
                || range == "application/json"
                || range.ends_with("+json");
            if known {
                return Ok(());
            }
        }
        asked.push(text);
    }
    if asked.is_empty() {
        return Ok(());
    }
    Err(asked.join(", "))
}

/// `github.v3; format=json`, or `github.v3; param=diff` for a media type of its own.
pub(crate) fn media_type(headers: &HeaderMap) -> String {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    let mut version = None;
    let mut parameters = Vec::new();
    let mut format = None;
    for range in accept.unwrap_or_default().split(',') {
        let range = range.split(';').next().unwrap_or_default().trim();
        let Some(rest) = range.strip_prefix("application/vnd.github") else {
            continue;
        };
        let (words, suffix) = rest.split_once('+').unwrap_or((rest, ""));
        for word in words.split('.').filter(|word| !word.is_empty()) {
            if word == "v3" {
                version = Some(word);
            } else if is_token(word) {
                parameters.push(word);
            }
        }
        if suffix == "json" {
            format = Some("json");
        }
    }
    let mut text = format!("github.{}", version.unwrap_or("v3"));
    if !parameters.is_empty() {
        text.push_str("; param=");
        text.push_str(&parameters.join("."));
    }
    if parameters.is_empty() || format.is_some() {
        text.push_str("; format=json");
    }
    text
}

/// What the answer says about itself and about the caller's token.
pub(crate) fn describe(
    headers: &mut HeaderMap,
    version: &'static str,
    media_type: &str,
    caller: &Caller,
    accepted_scopes: &'static str,
) {
    if let Ok(value) = HeaderValue::from_str(media_type) {
        headers.insert(MEDIA_TYPE, value);
    }
    if headers
        .get(CONTENT_TYPE)
        .is_some_and(|value| value == "application/json")
    {
        let json = HeaderValue::from_static("application/json; charset=utf-8");
        headers.insert(CONTENT_TYPE, json);
    }
    headers.insert(VERSION_SELECTED, HeaderValue::from_static(version));
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static(if caller.user.is_some() {
            "private, max-age=60, s-maxage=60"
        } else {
            "public, max-age=60, s-maxage=60"
        }));
    headers.entry(VARY).or_insert(HeaderValue::from_static(
        "Accept, Authorization, Cookie, X-GitHub-OTP, Accept-Encoding",
    ));
    if caller.user.is_some()
        && let Ok(scopes) = HeaderValue::from_str(&caller.scopes)
    {
        headers.insert(SCOPES, scopes);
        headers.insert(ACCEPTED_SCOPES, HeaderValue::from_static(accepted_scopes));
    }
}

/// For every answer, pages and API alike. GitHub also lets any web page read
/// its API (`Access-Control-Allow-Origin: *`); a forge on someone's own
/// machine must not, so that header is left out on purpose.
pub(crate) fn identify(headers: &mut HeaderMap, request_id: &str) {
    if let Ok(value) = HeaderValue::from_str(request_id) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers
        .entry(REFERRER_POLICY)
        .or_insert(HeaderValue::from_static(
            "origin-when-cross-origin, strict-origin-when-cross-origin",
        ));
}

/// What GitHub says a token should have for a call. A public repository can be
/// read with any.
pub(crate) fn accepted_scopes(method: &Method, path: &str) -> &'static str {
    let first = path.split('/').nth(1).unwrap_or_default();
    let is_hooks = path.split('/').nth(4) == Some("hooks");
    match (first, method.is_safe()) {
        ("repos", true) if is_hooks => {
            "admin:repo_hook, public_repo, read:repo_hook, repo, write:repo_hook"
        }
        ("repos", false) if is_hooks => "admin:repo_hook, public_repo, repo, write:repo_hook",
        ("repos" | "repositories" | "graphql", _) => "repo",
        ("orgs", true) => "admin:org, read:org, repo, user, write:org",
        ("orgs", false) => "admin:org",
        ("user", false) => "public_repo, repo",
        _ => "",
    }
}

fn is_token(word: &str) -> bool {
    word.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepting(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(value))])
    }

    #[test]
    fn media_types_are_told_back() {
        for (accept, told) in [
            ("*/*", "github.v3; format=json"),
            ("application/vnd.github+json", "github.v3; format=json"),
            ("application/vnd.github.v3+json", "github.v3; format=json"),
            ("application/vnd.github.v3.diff", "github.v3; param=diff"),
            (
                "application/vnd.github.merge-info-preview+json, application/vnd.github.nebula-preview",
                "github.v3; param=merge-info-preview.nebula-preview; format=json",
            ),
            ("application/vnd.github.<x>+json", "github.v3; format=json"),
        ] {
            assert_eq!(media_type(&accepting(accept)), told, "{accept}");
        }
    }

    #[test]
    fn only_what_cannot_be_sent_is_refused() {
        for welcome in [
            "*/*",
            "application/json",
            "text/html, */*;q=0.1",
            "application/vnd.github.v3.patch",
        ] {
            assert_eq!(is_acceptable(&accepting(welcome)), Ok(()), "{welcome}");
        }
        assert_eq!(is_acceptable(&HeaderMap::new()), Ok(()));
        assert_eq!(
            is_acceptable(&accepting("image/png")),
            Err("image/png".to_owned())
        );
    }
}
