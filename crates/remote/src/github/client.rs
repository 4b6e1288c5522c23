//! The client: what all calls have in common.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use baton_protocol::Repository;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use tokio::io::AsyncWrite;

use super::archive::{Archive, ArchiveLimits};
use super::auth::{AppCredential, Auth, AuthError};
use super::degrading::{Cuts, RefusedFields};
use super::documents::Document;
use super::endpoint;
use super::errand::Errand;
use super::error::{GitHubError, GitHubErrorKind};
use super::event::{Event, Observer};
use super::refusal;
use super::request::Request;
use super::server::Server;
use super::values::Listed;
use crate::http::{
    Call, Clock, Download, Http, HttpError, Overflow, PageLimits, Path, Reply, Settings, WaitLimit,
    display,
};

/// GitHub, an Enterprise server or the local forge. Clones are cheap and share
/// connections, credentials and quotas.
#[derive(Clone)]
pub struct GitHub {
    shared: Arc<Shared>,
    wait_limit: Option<Arc<WaitLimit>>,
    tries_once: bool,
}

struct Shared {
    http: Http,
    server: Server,
    anonymous: bool,
    app: Option<Arc<AppCredential>>,
    observer: Observer,
    /// Repositories that are known to be visible to the token.
    visible: Mutex<HashSet<Repository>>,
    refused_fields: RefusedFields,
    clock: Clock,
}

/// Lists longer than this are cut and marked as truncated.
const LIMITS: PageLimits = PageLimits {
    pages: 30,
    items: 3000,
};

impl GitHub {
    /// `settings` come from [`Server::settings`] and may have been changed;
    /// credentials are set here.
    pub fn new(
        server: &Server,
        auth: Auth,
        mut settings: Settings,
        observer: Observer,
    ) -> Result<Self, AuthError> {
        let anonymous = matches!(auth, Auth::Anonymous);
        let (credentials, app) = auth.credentials(&settings)?;
        settings.credentials = credentials;
        let clock = settings.clock.clone();
        let shared = Shared {
            http: Http::new(settings)?,
            server: server.clone(),
            anonymous,
            app,
            observer,
            visible: Mutex::default(),
            refused_fields: RefusedFields::default(),
            clock,
        };
        Ok(Self {
            shared: Arc::new(shared),
            wait_limit: None,
            tries_once: false,
        })
    }

    /// The same client for a caller who cannot wait longer than this, all calls together.
    #[must_use]
    pub fn waiting_at_most(&self, all: Duration) -> Self {
        Self {
            wait_limit: Some(Arc::new(WaitLimit::new(all))),
            ..self.clone()
        }
    }

    /// The same client for a caller who counts the tries of each call itself.
    #[must_use]
    pub fn trying_once(&self) -> Self {
        Self {
            tries_once: true,
            ..self.clone()
        }
    }

    pub fn server(&self) -> &Server {
        &self.shared.server
    }

    /// How many requests were sent, with retries, redirects and pages.
    pub fn requests(&self) -> u64 {
        self.shared.http.requests()
    }

    /// Sends a request and reads its answer.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        request: Request,
    ) -> Result<T, GitHubError> {
        let errand = request.errand.clone();
        let reply = self.send(request).await?;
        reply
            .json()
            .map_err(|error| GitHubError::new(errand, GitHubErrorKind::Http(error)))
    }

    /// Sends a request whose response has no content of interest. An HTML page is
    /// still an error: then something other than GitHub took the request.
    pub(super) async fn settle(&self, request: Request) -> Result<(), GitHubError> {
        let errand = request.errand.clone();
        let reply = self.send(request).await?;
        if reply.bytes().trim_ascii().is_empty() {
            return Ok(());
        }
        reply
            .json::<IgnoredAny>()
            .map(drop)
            .map_err(|error| GitHubError::new(errand, GitHubErrorKind::Http(error)))
    }

    /// Sends a request. The answer may be anything.
    pub(super) fn send(&self, request: Request) -> BoxFuture<'_, Result<Reply, GitHubError>> {
        Box::pin(async move {
            let Request { call, errand } = self.bounded(request);
            let mut result = self.shared.http.send(&call).await;
            if self.renewed_credential(&result) {
                result = self.shared.http.send(&call).await;
            }
            match result {
                Ok(reply) => {
                    self.note_success(&errand, reply.moved_to());
                    Ok(reply)
                }
                Err(error) => Err(self.explain(errand, error).await),
            }
        })
    }

    /// Reads a list whose pages are arrays.
    pub(super) async fn list<T: DeserializeOwned>(
        &self,
        request: Request,
    ) -> Result<Listed<T>, GitHubError> {
        self.list_by(request, |page: Vec<T>| page).await
    }

    /// Reads a list whose pages are objects with the items below `field`.
    pub(super) async fn list_in<T: DeserializeOwned>(
        &self,
        request: Request,
        field: &'static str,
    ) -> Result<Listed<T>, GitHubError> {
        let errand = request.errand.clone();
        let pages = self.list_by(request, |page: Value| vec![page]).await?;
        let mut listed = Listed {
            items: Vec::new(),
            truncated: pages.truncated,
        };
        for mut page in pages.items {
            let items = page.get_mut(field).map(Value::take).unwrap_or_default();
            let items = Vec::<T>::deserialize(items).map_err(|error| {
                let reason = format!("{field}: {error}");
                GitHubError::new(errand.clone(), GitHubErrorKind::UnexpectedAnswer { reason })
            })?;
            listed.items.extend(items);
        }
        Ok(listed)
    }

    async fn list_by<P: DeserializeOwned, T>(
        &self,
        request: Request,
        items: impl Fn(P) -> Vec<T>,
    ) -> Result<Listed<T>, GitHubError> {
        let Request { call, errand } = self.bounded(request.query("per_page", 100));
        let mut result = self.shared.http.list_by(&call, LIMITS, &items).await;
        if self.renewed_credential(&result) {
            result = self.shared.http.list_by(&call, LIMITS, &items).await;
        }
        match result {
            Ok(listed) => {
                self.note_success(&errand, listed.moved_to.as_deref());
                Ok(Listed {
                    items: listed.items,
                    truncated: listed.truncated,
                })
            }
            Err(error) => Err(self.explain(errand, error).await),
        }
    }

    /// Writes an answer to `to` as it comes.
    pub(super) async fn download(
        &self,
        request: Request,
        to: &mut (dyn AsyncWrite + Send + Unpin),
        overflow: Overflow,
    ) -> Result<Download, GitHubError> {
        let Request { call, errand } = self.bounded(request);
        let mut result = self.shared.http.download(&call, to, overflow).await;
        if self.renewed_credential(&result) {
            result = self.shared.http.download(&call, to, overflow).await;
        }
        match result {
            Ok(download) => {
                self.note_success(&errand, download.reply.moved_to());
                Ok(download)
            }
            Err(error) => Err(self.explain(errand, error).await),
        }
    }

    /// Reads an answer as a zip file.
    pub(super) async fn archive(
        &self,
        request: Request,
        limits: ArchiveLimits,
    ) -> Result<Archive, GitHubError> {
        let errand = request.errand.clone();
        let mut packed = Vec::new();
        let request = request.size_cap(limits.packed);
        self.download(request, &mut packed, Overflow::Refuse)
            .await?;
        Archive::open(Bytes::from(packed), limits)
            .map_err(|error| GitHubError::new(errand, GitHubErrorKind::Archive(error)))
    }

    fn bounded(&self, request: Request) -> Request {
        let call = request.call.waiting_within(self.wait_limit.clone());
        Request {
            call: if self.tries_once {
                call.sent_once()
            } else {
                call
            },
            ..request
        }
    }

    pub(super) fn observe(&self, event: &Event<'_>) {
        self.shared.observer.see(event);
    }

    /// An app's token may be revoked before it expires: a new one is tried
    /// once. A call that was answered with 401 has done nothing.
    fn renewed_credential<T>(&self, result: &Result<T, HttpError>) -> bool {
        match (&self.shared.app, result) {
            (Some(app), Err(error)) if error.status() == Some(401) => {
                app.forget();
                true
            }
            _ => false,
        }
    }

    fn note_success(&self, errand: &Errand, moved_to: Option<&str>) {
        let Some(repository) = errand.repository() else {
            return;
        };
        self.note_visible(repository);
        if let Some(to) = moved_to {
            self.observe(&Event::RepositoryMoved { repository, to });
        }
    }

    pub(super) fn note_visible(&self, repository: &Repository) {
        // A panic elsewhere cannot leave a set of names half changed.
        let mut visible = self
            .shared
            .visible
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !visible.contains(repository) {
            visible.insert(repository.clone());
        }
    }

    /// The fields of a document that the server refused to this token.
    pub(super) fn refused_fields(&self, document: &Document) -> Cuts {
        let now = self.shared.clock.now();
        self.shared.refused_fields.in_document(document.name, now)
    }

    pub(super) fn note_refused(&self, document: &Document, cuts: &Cuts) {
        let now = self.shared.clock.now();
        let known = &self.shared.refused_fields;
        known.remember(document.name, cuts.clone(), now);
    }

    fn is_known_visible(&self, repository: &Repository) -> bool {
        let visible = self.shared.visible.lock();
        visible
            .unwrap_or_else(PoisonError::into_inner)
            .contains(repository)
    }

    /// The reason for a failed call. Where it may be about the whole repository,
    /// the repository is requested as well.
    async fn explain(&self, errand: Errand, error: HttpError) -> GitHubError {
        let Some(repository) = errand.repository() else {
            let kind = refusal::classify(error, self.shared.anonymous);
            return GitHubError::new(errand, kind);
        };
        let kind = if refusal::is_unfollowed_redirect(&error) {
            GitHubErrorKind::RepositoryRenamed {
                repository: repository.clone(),
                now: self.current_name(repository).await,
            }
        } else {
            let kind = refusal::classify(error, self.shared.anonymous);
            self.or_hidden(kind, repository).await
        };
        GitHubError::new(errand, kind)
    }

    /// A 404 may be about the repository or about something in it. If the
    /// repository was not seen yet, it is requested.
    async fn or_hidden(&self, kind: GitHubErrorKind, repository: &Repository) -> GitHubErrorKind {
        let GitHubErrorKind::NotFound {
            message,
            missing_scopes,
        } = &kind
        else {
            return kind;
        };
        // Only those who can see the repository get more ("Branch not
        // protected").
        let tells_more = message != "Not Found";
        if tells_more
            || self.is_known_visible(repository)
            || self.current_name(repository).await.is_some()
        {
            self.note_visible(repository);
            return kind;
        }
        GitHubErrorKind::RepositoryHidden {
            repository: repository.clone(),
            missing_scopes: missing_scopes.clone(),
        }
    }

    /// The current name of a repository, if the token can see it.
    async fn current_name(&self, repository: &Repository) -> Option<String> {
        #[derive(Deserialize)]
        struct Named {
            full_name: String,
        }
        let (owner, name) = (repository.owner(), repository.name());
        let path = Path::new(endpoint::REPOSITORY.template, &[&owner, &name]);
        let found: Named = self.shared.http.json(&Call::get(path)).await.ok()?;
        Some(display::excerpt(&found.full_name))
    }
}

impl fmt::Debug for GitHub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GitHub")
            .field("server", &self.shared.server)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Servers run what they are asked on several threads. This compiles or not; there is
    /// nothing to run.
    const _: fn(&GitHub, &Repository) = |github, repository| {
        fn is_send<T: Send>(_: T) {}
        is_send(github.overview(repository, 1));
        is_send(github.branch_head(repository, "main"));
        is_send(github.open_pulls(repository));
    };
}
