//! An app's private key, and the tokens that it signs.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64_URL;
use jiff::Timestamp;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::json;

use crate::http::Secret;

/// A private key as GitHub issues it: a PEM file with an RSA key.
#[derive(Clone)]
pub struct AppKey(Arc<RsaKeyPair>);

/// Why a key cannot be used. It contains nothing of the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadKey {
    #[error(
        "the app's private key is no PEM file; download one from the app's settings page and give its whole text, from BEGIN to END"
    )]
    NotPem,
    #[error(
        "the app's private key is no RSA key, which GitHub's apps have; download a new one from the app's settings page"
    )]
    NotRsa,
    #[error(
        "the app's private key cannot be used ({reason}); download a new one from the app's settings page"
    )]
    Unusable { reason: String },
}

/// In seconds. GitHub's clock may be behind ours, as its documentation warns.
const ISSUED_BEFORE: i64 = 60;

/// In seconds. GitHub accepts ten minutes at most.
const LIVES: i64 = 9 * 60;

impl AppKey {
    /// Reads PKCS#1 (`RSA PRIVATE KEY`) or PKCS#8 (`PRIVATE KEY`).
    pub fn from_pem(pem: &[u8]) -> Result<Self, BadKey> {
        let der = PrivateKeyDer::from_pem_slice(pem).map_err(|_| BadKey::NotPem)?;
        let pair = match &der {
            PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()),
            PrivateKeyDer::Pkcs8(der) => RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()),
            _ => return Err(BadKey::NotRsa),
        };
        pair.map(|pair| Self(Arc::new(pair)))
            .map_err(|error| match error.to_string().as_str() {
                "WrongAlgorithm" => BadKey::NotRsa,
                reason => BadKey::Unusable {
                    reason: reason.to_owned(),
                },
            })
    }

    /// A JSON web token that identifies the app for some minutes.
    pub(super) fn sign(&self, app_id: &str, now: Timestamp) -> Option<Secret> {
        let now = now.as_second();
        let header = json!({ "alg": "RS256", "typ": "JWT" });
        let claims = json!({ "iss": app_id, "iat": now - ISSUED_BEFORE, "exp": now + LIVES });
        let encode = |value: serde_json::Value| BASE64_URL.encode(value.to_string());
        let message = format!("{}.{}", encode(header), encode(claims));
        let mut signature = vec![0; self.0.public().modulus_len()];
        self.0
            .sign(
                &RSA_PKCS1_SHA256,
                &SystemRandom::new(),
                message.as_bytes(),
                &mut signature,
            )
            .ok()?;
        Some(Secret::new(format!(
            "{message}.{}",
            BASE64_URL.encode(signature)
        )))
    }
}

impl fmt::Debug for AppKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AppKey(***)")
    }
}
