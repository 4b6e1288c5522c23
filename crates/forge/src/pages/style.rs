//! The style sheet and the icon of all pages.

use std::sync::LazyLock;

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use sha2::{Digest as _, Sha256};

use crate::hex::hex;

const SHEET: &str = include_str!("../../templates/style.css");

/// Changes with the sheet, so that browsers may keep it for long.
static ADDRESS: LazyLock<String> = LazyLock::new(|| {
    let digest = hex(&Sha256::digest(SHEET));
    format!("/_forge/style.css?v={}", &digest[..12])
});

pub(super) fn address() -> &'static str {
    &ADDRESS
}

/// The same picture as at the head of every page.
const ICON: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect x="2" y="9.5" width="20" height="5" rx="2.5" fill="#0b6e99" transform="rotate(-35 12 12)"/><circle cx="18.6" cy="7.4" r="3.4" fill="#a8700a"/></svg>"##;

pub(super) async fn icon() -> Response {
    let headers = [
        (CONTENT_TYPE, "image/svg+xml"),
        (CACHE_CONTROL, "public, max-age=86400"),
    ];
    (headers, ICON).into_response()
}

pub(super) async fn sheet() -> Response {
    let headers = [
        (CONTENT_TYPE, "text/css; charset=utf-8"),
        (CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    (headers, SHEET).into_response()
}
