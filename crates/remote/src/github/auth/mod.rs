//! How the client authenticates: a token, the `gh` program's login, or an app.

mod app;
mod gh;
mod key;

use std::sync::Arc;

pub(super) use app::AppCredential;
pub use app::{App, Installation};
pub use gh::{GhError, token_from_gh};
pub use key::{AppKey, BadKey};

use crate::http::{Credential, Credentials, Secret, Settings, SettingsError, UnsendableCredential};

/// How to log in.
#[derive(Clone, Debug)]
pub enum Auth {
    /// Public data only, and 60 requests an hour.
    Anonymous,
    /// A token of any kind.
    Token(Secret),
    /// As an app, whose installation tokens are fetched when needed.
    App(App),
}

/// Why no client could be made.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    #[error(transparent)]
    Unsendable(#[from] UnsendableCredential),
    #[error(transparent)]
    Settings(#[from] SettingsError),
}

impl Auth {
    /// `settings` are for the requests that an app makes for its own tokens.
    pub(super) fn credentials(
        self,
        settings: &Settings,
    ) -> Result<(Credentials, Option<Arc<AppCredential>>), AuthError> {
        Ok(match self {
            Self::Anonymous => (Credentials::Anonymous, None),
            Self::Token(token) => (Credentials::Fixed(Credential::bearer(&token)?), None),
            Self::App(app) => {
                let credential = Arc::new(AppCredential::new(app, settings)?);
                (Credentials::Provided(credential.clone()), Some(credential))
            }
        })
    }
}
