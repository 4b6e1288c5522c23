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

pub(super) async fn sheet() -> Response {
    let headers = [
        (CONTENT_TYPE, "text/css; charset=utf-8"),
        (CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    (headers, SHEET).into_response()
}
