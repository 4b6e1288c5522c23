//! Following redirects, by our own rules: the credential stays with the base
//! URL's origin, and only what may be repeated is sent again.

use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Method, StatusCode, Url};

use super::call::Safety;
use super::client::is_local;
use super::error::RedirectTrouble;
use super::shown;

/// GitHub needs one for a renamed repository and one for a log; a chain of
/// more than five goes nowhere.
pub(super) const MOST_HOPS: u32 = 5;

/// Where an answer sends the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Redirect {
    pub(super) url: Url,
    pub(super) permanent: bool,
    /// It leaves the base URL's origin.
    pub(super) foreign: bool,
}

/// Nothing if the answer is not a redirect.
pub(super) fn next(
    status: StatusCode,
    headers: &HeaderMap,
    (method, safety): (&Method, &Safety),
    from: &Url,
    base: &Url,
) -> Result<Option<Redirect>, RedirectTrouble> {
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
        .ok_or(RedirectTrouble::NoTarget)?;
    // Neither a server's idea of our credentials nor a fragment goes anywhere.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);

    let foreign = url.origin() != base.origin();
    if foreign && url.scheme() != "https" && !(is_local(&url) && is_local(base)) {
        return Err(RedirectTrouble::Insecure {
            target: shown::target(&url),
        });
    }
    let reads = matches!(*method, Method::GET | Method::HEAD);
    let repeatable = keeps_method && !foreign && *safety != Safety::Write;
    if !reads && !repeatable {
        return Err(RedirectTrouble::NotRepeatable {
            method: method.clone(),
            target: shown::target(&url),
        });
    }
    Ok(Some(Redirect {
        url,
        permanent: matches!(status.as_u16(), 301 | 308),
        foreign,
    }))
}
