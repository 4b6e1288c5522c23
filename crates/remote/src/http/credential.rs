//! Credentials and their providers.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use baton_host::cmd::Redactor;
use reqwest::header::HeaderValue;
use sha2::{Digest as _, Sha256};

use super::secret::Secret;

/// The value of the `Authorization` header, and its owner.
///
/// Clones share everything, so a provider may keep one and hand out copies.
#[derive(Clone)]
pub struct Credential(Arc<Parts>);

struct Parts {
    header: HeaderValue,
    /// A digest that distinguishes the responses to two credentials without
    /// revealing the secret.
    identity: [u8; 32],
    redactor: Redactor,
    /// As they may appear in a response.
    secrets: Vec<Secret>,
}

/// The secret has characters that no header can carry, such as a line feed
/// from the file it was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the credential has characters that cannot be sent; check it for line feeds and other control characters"
)]
pub struct UnsendableCredential;

impl Credential {
    /// `Authorization: Bearer TOKEN`, as GitHub expects it.
    pub fn bearer(token: &Secret) -> Result<Self, UnsendableCredential> {
        let header = format!("Bearer {}", token.expose());
        Self::new(&header, &[token.expose()])
    }

    /// `Authorization: Basic …`, as Jira expects it.
    pub fn basic(user: &str, password: &Secret) -> Result<Self, UnsendableCredential> {
        let encoded = BASE64.encode(format!("{user}:{}", password.expose()));
        Self::new(&format!("Basic {encoded}"), &[password.expose(), &encoded])
    }

    fn new(header: &str, secrets: &[&str]) -> Result<Self, UnsendableCredential> {
        let mut value = HeaderValue::from_str(header).map_err(|_| UnsendableCredential)?;
        value.set_sensitive(true);
        let mut redactor = Redactor::default();
        for secret in secrets {
            redactor.add(secret);
        }
        Ok(Self(Arc::new(Parts {
            header: value,
            identity: Sha256::digest(header).into(),
            redactor,
            secrets: secrets.iter().copied().map(Secret::new).collect(),
        })))
    }

    pub(super) fn header(&self) -> &HeaderValue {
        &self.0.header
    }

    pub(super) fn identity(&self) -> &[u8; 32] {
        &self.0.identity
    }

    /// Whether a response contains the secret.
    pub(super) fn is_in(&self, answer: &[u8]) -> bool {
        let mut secrets = self
            .0
            .secrets
            .iter()
            .map(|secret| secret.expose().as_bytes());
        secrets.any(|secret| !secret.is_empty() && memchr::memmem::find(answer, secret).is_some())
    }

    pub(super) fn redactor(&self) -> &Redactor {
        &self.0.redactor
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credential(***)")
    }
}

/// Why there is no credential. It is displayed, so it must not contain one.
pub type NoCredential = Box<dyn Error + Send + Sync>;

/// Provides a credential for each call; the provider renews one that expires.
pub trait ProvideCredential: Send + Sync {
    fn credential(
        &self,
    ) -> Pin<Box<dyn Future<Output = Result<Credential, NoCredential>> + Send + '_>>;
}

#[derive(Clone, Default)]
pub enum Credentials {
    #[default]
    Anonymous,
    Fixed(Credential),
    Provided(Arc<dyn ProvideCredential>),
}

impl Credentials {
    pub(super) async fn get(&self) -> Result<Option<Credential>, NoCredential> {
        match self {
            Self::Anonymous => Ok(None),
            Self::Fixed(credential) => Ok(Some(credential.clone())),
            Self::Provided(provider) => provider.credential().await.map(Some),
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anonymous => "Anonymous",
            Self::Fixed(_) => "Fixed(***)",
            Self::Provided(_) => "Provided(***)",
        })
    }
}
