//! How the pull-request tools reach GitHub from here: which server, with which
//! login, through which proxy, and what is kept between calls.

mod cursor_key;
mod login;
pub(crate) mod network;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use baton_host::cmd::Environment;
use baton_host::git::Authorization;
use baton_ops::pulls::{OptionalChecks, PullAccess, Workplace};
use baton_ops::{Fault, OpError};
use baton_protocol::cursor::CursorKey;
use baton_protocol::error_chain;
use baton_protocol::tools::ErrorCategory;
use baton_protocol::{PrReference, Repository};
use baton_remote::github::{Auth, GitHub, Observer, Server};
use baton_remote::http::{Cache, PlainHttp, Settings};
use baton_state::State;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::checkout;
use crate::config::Source;
use crate::error::CommandError;
use crate::session::Session;
use crate::terminal::sanitize;

pub(crate) const USER_AGENT: &str = concat!("baton/", env!("CARGO_PKG_VERSION"));

/// Connects to the servers of pull requests. Nothing is opened, asked or started
/// before the first connection is needed; after that, they share their clients.
pub(crate) struct GitHubAccess {
    environment: Environment,
    /// The folder that the user is in.
    folder: PathBuf,
    /// The server of references that name no host.
    configured: Server,
    /// Configured; otherwise it is the default.
    is_chosen: bool,
    plain_http: PlainHttp,
    optional_checks: OptionalChecks,
    state_dir: Option<PathBuf>,
    cache: OnceLock<Option<Cache>>,
    cursors: OnceLock<CursorKey>,
    /// By the address of the API.
    clients: Mutex<BTreeMap<String, Client>>,
}

#[derive(Clone)]
struct Client {
    github: GitHub,
    is_anonymous: bool,
    /// For git.
    authorization: Option<Authorization>,
}

impl GitHubAccess {
    pub(crate) fn new(session: &Session) -> Result<Self, CommandError> {
        let config = session.config()?;
        let api_url = config
            .get("github.api_url")
            .expect("the address of the API has a default");
        let plain_http = match config.flag("github.allow_plain_http") {
            Some(true) => PlainHttp::Anywhere,
            _ => PlainHttp::LoopbackOnly,
        };
        Ok(Self {
            environment: session.environment.clone(),
            folder: Session::working_directory()?,
            configured: Server::at(&api_url.text),
            is_chosen: api_url.source != Source::Default,
            plain_http,
            optional_checks: config.optional_checks(),
            state_dir: config.state_dir(&session.environment),
            cache: OnceLock::new(),
            cursors: OnceLock::new(),
            clients: Mutex::default(),
        })
    }

    /// The server of these pull requests, as the caller wrote them; without any,
    /// that of the checkout. What is wrong with a reference is the operation's
    /// to say.
    pub(crate) async fn pulls(
        &self,
        references: &[&str],
        cancel: &CancellationToken,
    ) -> Result<PullAccess, OpError> {
        let here = if references.is_empty() || references.iter().any(|text| is_number(text)) {
            checkout::repository(&self.folder, &self.environment, cancel).await
        } else {
            None
        };
        let server = self.server(references, here.as_ref())?;
        let client = self.client(&server, cancel).await?;
        Ok(PullAccess {
            github: client.github,
            workplace: self.workplace_with(&server, self.folder.clone(), client.authorization),
            here: here.map(|(_, repository)| repository),
            cursors: self.cursors(),
            state: self.state_dir.clone(),
            optional_checks: self.optional_checks,
        })
    }

    /// The server that is meant where no other is named.
    pub(crate) fn configured(&self) -> &Server {
        &self.configured
    }

    /// The server of a repository with a remote on `host`. One that the user
    /// configured is meant whatever the remote's address is.
    pub(crate) fn server_of(&self, host: &str) -> Server {
        if self.is_chosen || host == self.configured.host() {
            self.configured.clone()
        } else {
            Server::from_host(host)
        }
    }

    /// The client for changes on a server.
    pub(crate) async fn with_login(
        &self,
        server: &Server,
        cancel: &CancellationToken,
    ) -> Result<GitHub, OpError> {
        let client = self.client(server, cancel).await?;
        if client.is_anonymous {
            return Err(OpError::failed(
                Fault::Local,
                ErrorCategory::User,
                format!("there is no token for {}", server.host()),
                "Set GITHUB_TOKEN, or run `gh auth login`.",
            ));
        }
        Ok(client.github)
    }

    /// What the pull-request tools need for work on a server in a checkout.
    pub(crate) async fn workplace(
        &self,
        server: &Server,
        checkout: PathBuf,
        cancel: &CancellationToken,
    ) -> Result<Workplace, OpError> {
        let client = self.client(server, cancel).await?;
        Ok(self.workplace_with(server, checkout, client.authorization))
    }

    fn workplace_with(
        &self,
        server: &Server,
        checkout: PathBuf,
        authorization: Option<Authorization>,
    ) -> Workplace {
        Workplace {
            folder: Some(checkout),
            clones: self.clones(),
            environment: self.environment.clone(),
            web_url: server.web_url(),
            authorization,
        }
    }

    /// The one server that all references are about.
    fn server(
        &self,
        references: &[&str],
        here: Option<&(String, Repository)>,
    ) -> Result<Server, OpError> {
        let mut hosts: Vec<String> = references
            .iter()
            .map(|text| self.host_of(text, here))
            .collect();
        hosts.sort_unstable();
        hosts.dedup();
        match &hosts[..] {
            [] => Ok(self.server_of_checkout(here)),
            [host] if *host == self.configured.host() => Ok(self.configured.clone()),
            [host] => Ok(Server::from_host(host)),
            [one, other, ..] => Err(OpError::failed(
                Fault::Caller,
                ErrorCategory::Logical,
                format!("the pull requests are on two hosts, {one} and {other}"),
                "Name pull requests of one host.",
            )),
        }
    }

    fn server_of_checkout(&self, here: Option<&(String, Repository)>) -> Server {
        match here {
            Some((host, _)) if *host != self.configured.host() => Server::from_host(host),
            _ => self.configured.clone(),
        }
    }

    fn host_of(&self, text: &str, here: Option<&(String, Repository)>) -> String {
        let named = match PrReference::parse(text, None) {
            Ok(reference) => reference.host().map(str::to_owned),
            Err(_) => Repository::from_remote(text).map(|(host, _)| host),
        };
        match (named, here) {
            (Some(host), _) => host,
            (None, Some((host, _))) if is_number(text) => host.clone(),
            _ => self.configured.host(),
        }
    }

    async fn client(&self, server: &Server, cancel: &CancellationToken) -> Result<Client, OpError> {
        // Held while a client is made, so that `gh` is asked once for all who
        // wait. What failed is tried again by the next: a login may have come.
        let mut clients = self.clients.lock().await;
        if let Some(client) = clients.get(server.api_url()) {
            return Ok(client.clone());
        }
        let auth = if *server == self.configured {
            login::for_configured(server, &self.environment, cancel).await
        } else {
            login::for_named(server, &self.environment, cancel).await?
        };
        let client = Client {
            is_anonymous: matches!(auth, Auth::Anonymous),
            authorization: authorization(server, &auth),
            github: self.github(server, auth)?,
        };
        clients.insert(server.api_url().to_owned(), client.clone());
        Ok(client)
    }

    fn github(&self, server: &Server, auth: Auth) -> Result<GitHub, OpError> {
        let unusable = |error: &dyn std::error::Error| {
            OpError::failed(
                Fault::Local,
                ErrorCategory::User,
                format!("cannot ask {}: {}", server.host(), error_chain(error)),
                "Check github.api_url, the token and the proxy variables; `baton doctor` looks \
                 at them.",
            )
        };
        let settings = Settings {
            plain_http: self.plain_http,
            proxy: network::proxy(&self.environment),
            trust: network::trust(&self.environment).map_err(|error| unusable(&error))?,
            cache: self.cache(),
            ..server.settings(USER_AGENT)
        };
        GitHub::new(server, auth, settings, Observer::default()).map_err(|error| unusable(&error))
    }

    /// Without a place for it there is no cache, which costs only time.
    fn cache(&self) -> Option<Cache> {
        let open = || match State::open(self.state_dir.as_ref()?) {
            Ok(state) => Some(Cache::new(state)),
            Err(error) => {
                tracing::debug!(%error, "no HTTP cache");
                None
            }
        };
        self.cache.get_or_init(open).clone()
    }

    pub(crate) fn cursors(&self) -> CursorKey {
        self.cursors
            .get_or_init(|| cursor_key::kept_in(self.state_dir.as_deref()))
            .clone()
    }

    fn clones(&self) -> PathBuf {
        match &self.state_dir {
            Some(folder) => folder.join("clones"),
            None => self.environment.temporary_folder().join("baton-clones"),
        }
    }
}

/// A tool's error in the words of a verb.
pub(crate) fn command_error(error: OpError) -> CommandError {
    match error {
        OpError::Cancelled => CommandError::interrupted(),
        OpError::BadCursor(bad) => CommandError::wrong_use(bad.to_string())
            .hint("Leave --cursor out to begin with the first page."),
        OpError::Failed { response, fault } => {
            let message = sanitize(&response.error);
            let error = match fault {
                Fault::Caller => CommandError::wrong_use(message),
                Fault::Local => CommandError::missing(message),
                Fault::Remote => CommandError::remote(message),
            };
            match &response.suggestion {
                Some(suggestion) => error.hint(sanitize(suggestion)),
                None => error,
            }
        }
    }
}

/// A reference that needs a checkout to mean anything.
fn is_number(text: &str) -> bool {
    let text = text.trim();
    let digits = text.strip_prefix('#').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// git logs in as `gh` would: any user's name, and the token for a password.
fn authorization(server: &Server, auth: &Auth) -> Option<Authorization> {
    let Auth::Token(token) = auth else {
        return None;
    };
    Some(Authorization {
        origin: server.web_url(),
        username: "x-access-token".to_owned(),
        secret: token.expose().to_owned(),
    })
}
