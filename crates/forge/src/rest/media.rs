//! The media types of GitHub that a request may accept.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

/// In which form an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Media {
    Json,
    Diff,
    Patch,
    /// The file itself.
    Raw,
    /// Only the id of a commit.
    Sha,
}

impl Media {
    /// GitHub's media types with and without the version; what is unknown
    /// means JSON.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let wanted = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
        for part in wanted.unwrap_or_default().split(',') {
            let name = part.split(';').next().unwrap_or_default().trim();
            let Some(name) = name.strip_prefix("application/vnd.github.") else {
                continue;
            };
            match name.strip_prefix("v3.").unwrap_or(name) {
                "diff" => return Self::Diff,
                "patch" => return Self::Patch,
                "raw" | "raw+json" => return Self::Raw,
                "sha" => return Self::Sha,
                _ => {}
            }
        }
        Self::Json
    }

    /// As it stands in `Content-Type`.
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json; charset=utf-8",
            Self::Diff => "application/vnd.github.diff; charset=utf-8",
            Self::Patch => "application/vnd.github.patch; charset=utf-8",
            Self::Raw => "application/vnd.github.raw; charset=utf-8",
            Self::Sha => "application/vnd.github.sha; charset=utf-8",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_may_be_left_out() {
        let media = |accept: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, accept.parse().unwrap());
            Media::from_headers(&headers)
        };
        assert_eq!(media("application/vnd.github.v3.diff"), Media::Diff);
        assert_eq!(
            media("application/vnd.github.diff; charset=utf-8"),
            Media::Diff
        );
        assert_eq!(
            media("text/html, application/vnd.github.patch"),
            Media::Patch
        );
        assert_eq!(media("application/vnd.github+json"), Media::Json);
        assert_eq!(media("application/vnd.github.nebula-preview"), Media::Json);
        assert_eq!(media(""), Media::Json);
    }
}
