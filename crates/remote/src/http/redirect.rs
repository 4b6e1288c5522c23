//! Follows redirects by our own rules: the credential stays with the base URL's
//! origin, and only what may be repeated is sent again.

use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Method, StatusCode, Url};

use super::call::Safety;
use super::client::is_local;
use super::display;
use super::failure::RedirectError;

/// GitHub needs one for a renamed repository and one for a log; a chain of
/// more than five goes nowhere.
pub(super) const MAX_REDIRECTS: u32 = 5;

/// The target of a redirect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Redirect {
    pub(super) url: Url,
    pub(super) permanent: bool,
    /// It leaves the base URL's origin.
    pub(super) foreign: bool,
}

/// `None` if the response is not a redirect.
pub(super) fn next(
    status: StatusCode,
    headers: &HeaderMap,
    (method, safety): (&Method, &Safety),
    from: &Url,
    base: &Url,
) -> Result<Option<Redirect>, RedirectError> {
    let keeps_method = match status.as_u16() {
        301..=303 => false,
        307 | 308 => true,
        _ => return Ok(None),
    };
    let mut url = headers
        .get(LOCATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|location| from.join(location).ok())
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or(RedirectError::NoTarget)?;
    // Credentials and fragments from the server are dropped.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);

    let foreign = url.origin() != base.origin();
    if foreign && url.scheme() != "https" && !(is_local(&url) && is_local(base)) {
        return Err(RedirectError::Insecure {
            target: display::target(&url),
        });
    }
    let reads = matches!(*method, Method::GET | Method::HEAD);
    let repeatable = keeps_method && !foreign && *safety != Safety::Write;
    if !reads && !repeatable {
        return Err(RedirectError::NotRepeatable {
            method: method.clone(),
            target: display::target(&url),
        });
    }
    Ok(Some(Redirect {
        url,
        permanent: matches!(status.as_u16(), 301 | 308),
        foreign,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(base: &str, location: &str) -> Result<(String, bool), String> {
        let base = Url::parse(base).unwrap();
        let from = base.join("/old?page=1").unwrap();
        let headers = HeaderMap::from_iter([(LOCATION, location.parse().unwrap())]);
        let call = (&Method::GET, &Safety::Read);
        match next(StatusCode::FOUND, &headers, call, &from, &base) {
            Ok(redirect) => {
                let Redirect { url, foreign, .. } = redirect.unwrap();
                Ok((url.into(), foreign))
            }
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn the_origin_decides_what_goes_along() {
        let base = "https://api.example.test/v3";
        for (location, target, foreign) in [
            ("/new", "https://api.example.test/new", false),
            ("new", "https://api.example.test/new", false),
            (
                "//api.example.test/new",
                "https://api.example.test/new",
                false,
            ),
            (
                "https://API.example.test:443/new",
                "https://api.example.test/new",
                false,
            ),
            (
                "https://api.example.test:444/new",
                "https://api.example.test:444/new",
                true,
            ),
            ("https://me:pw@b.test/x#f", "https://b.test/x", true),
            ("https://127.0.0.1/x", "https://127.0.0.1/x", true),
        ] {
            assert_eq!(followed(base, location), Ok((target.to_owned(), foreign)));
        }
    }

    #[test]
    fn nothing_leaves_in_clear_but_on_this_machine() {
        let insecure = |target: &str| Err(format!("it leads to {target}, which is not encrypted"));
        let base = "https://api.example.test";
        for target in [
            "http://api.example.test/x",
            "http://b.test/x",
            "http://127.0.0.1/x",
        ] {
            assert_eq!(followed(base, target), insecure(target));
        }
        let base = "http://forge.localhost:3000";
        for target in [
            "http://127.0.0.1/x",
            "http://[::1]:9/x",
            "http://localhost/x",
        ] {
            assert_eq!(followed(base, target), Ok((target.to_owned(), true)));
        }
        assert_eq!(
            followed(base, "http://b.test/x"),
            insecure("http://b.test/x")
        );
        // Where the user allowed plain HTTP, it is allowed for that origin.
        let base = "http://forge.example.test";
        assert_eq!(
            followed(base, "/x"),
            Ok(("http://forge.example.test/x".to_owned(), false))
        );
    }
}
