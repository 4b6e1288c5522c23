//! Logging in as an app: its key signs a short-lived JSON web token, which is
//! exchanged for an installation's token that is valid for an hour.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use baton_protocol::Repository;
use jiff::Timestamp;
use serde::Deserialize;

use super::key::AppKey;
use crate::github::endpoint::{APP_INSTALLATION_TOKEN, REPOSITORY_INSTALLATION};
use crate::github::refusal;
use crate::http::{
    Call, Clock, Credential, Credentials, Failure, Http, HttpError, NoCredential, Path,
    ProvideCredential, Safety, Secret, Settings, SettingsError, UnsendableCredential,
};

/// An app and the installation that it acts for.
#[derive(Clone, Debug)]
pub struct App {
    /// The app's id or client id.
    pub id: String,
    pub key: AppKey,
    pub installation: Installation,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Installation {
    Id(u64),
    /// Whichever installation covers this repository.
    Of(Repository),
}

/// Gives out an installation's token, and fetches a new one when it is due.
pub(in crate::github) struct AppCredential {
    http: Http,
    installation: Installation,
    clock: Clock,
    current: Mutex<Option<Token>>,
    /// Held while a token is fetched, so that concurrent calls share one.
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Clone)]
struct Token {
    credential: Credential,
    expires_at: Timestamp,
}

/// A token is not used in its last minute: a call may take that long.
const SPARE: Duration = Duration::from_mins(1);

/// Why an app has no token.
#[derive(Debug, thiserror::Error)]
enum NoToken {
    #[error("the app's key cannot sign; download a new one from the app's settings page")]
    Signing,
    #[error(
        "the app is not installed for {0}, or its id and key do not belong together; install it from the app's page"
    )]
    NotInstalled(Repository),
    #[error(
        "GitHub rejects the app's key ({0}); check the app's id, its key and this machine's clock"
    )]
    Rejected(String),
    #[error("cannot get the app's token")]
    Failed(#[source] HttpError),
    #[error(transparent)]
    Unsendable(#[from] UnsendableCredential),
}

#[derive(Deserialize)]
struct FoundInstallation {
    id: u64,
}

#[derive(Deserialize)]
struct NewToken {
    token: String,
    expires_at: Timestamp,
}

impl AppCredential {
    pub(super) fn new(app: App, settings: &Settings) -> Result<Self, SettingsError> {
        let mut settings = settings.clone();
        let clock = settings.clock.clone();
        settings.credentials = Credentials::Provided(Arc::new(Signed {
            id: app.id,
            key: app.key,
            clock: clock.clone(),
        }));
        // The responses are credentials, so they are never cached.
        settings.cache = None;
        Ok(Self {
            http: Http::new(settings)?,
            installation: app.installation,
            clock,
            current: Mutex::default(),
            fetching: tokio::sync::Mutex::default(),
        })
    }

    /// Drops the token that the server no longer accepts.
    pub(in crate::github) fn forget(&self) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn current(&self) -> Option<Credential> {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let token = current.as_ref()?;
        (token.expires_at > self.clock.now() + SPARE).then(|| token.credential.clone())
    }

    async fn fetch(&self) -> Result<Credential, NoToken> {
        let id = match &self.installation {
            Installation::Id(id) => *id,
            Installation::Of(repository) => self.find(repository).await?,
        };
        // A second token does no harm: they are independent.
        let safety = Safety::Idempotent {
            proof: "a token that was not received is of no consequence",
        };
        let call = Call::post(Path::new(APP_INSTALLATION_TOKEN.template, &[&id]), safety);
        let new: NewToken = self.http.json(&call).await.map_err(NoToken::from_http)?;
        let credential = Credential::bearer(&Secret::new(new.token))?;
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(Token {
            credential: credential.clone(),
            expires_at: new.expires_at,
        });
        Ok(credential)
    }

    async fn find(&self, repository: &Repository) -> Result<u64, NoToken> {
        let (owner, name) = (repository.owner(), repository.name());
        let path = Path::new(REPOSITORY_INSTALLATION.template, &[&owner, &name]);
        match self.http.json::<FoundInstallation>(&Call::get(path)).await {
            Ok(found) => Ok(found.id),
            Err(error) if error.status() == Some(404) => {
                Err(NoToken::NotInstalled(repository.clone()))
            }
            Err(error) => Err(NoToken::from_http(error)),
        }
    }
}

impl NoToken {
    fn from_http(error: HttpError) -> Self {
        match error.failure() {
            Failure::Status(refusal) if refusal.status == 401 => {
                Self::Rejected(refusal::message(refusal))
            }
            _ => Self::Failed(error),
        }
    }
}

impl ProvideCredential for AppCredential {
    fn credential(
        &self,
    ) -> Pin<Box<dyn Future<Output = Result<Credential, NoCredential>> + Send + '_>> {
        Box::pin(async move {
            if let Some(credential) = self.current() {
                return Ok(credential);
            }
            let _only_one = self.fetching.lock().await;
            match self.current() {
                Some(credential) => Ok(credential),
                None => self.fetch().await.map_err(Into::into),
            }
        })
    }
}

/// The app itself, by its signature.
struct Signed {
    id: String,
    key: AppKey,
    clock: Clock,
}

impl ProvideCredential for Signed {
    fn credential(
        &self,
    ) -> Pin<Box<dyn Future<Output = Result<Credential, NoCredential>> + Send + '_>> {
        let signed = self.key.sign(&self.id, self.clock.now());
        let credential = signed
            .ok_or(NoToken::Signing)
            .and_then(|token| Ok(Credential::bearer(&token)?));
        Box::pin(async move { credential.map_err(Into::into) })
    }
}
