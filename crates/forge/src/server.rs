//! Starting, serving and stopping.

use std::fs::{File, TryLockError};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::actions::pulls;
use crate::app::App;
use crate::error::ApiError;
use crate::git::Repositories;
use crate::graphql;
use crate::middleware;
use crate::middleware::connections;
use crate::middleware::hosts::{self, Hosts};
use crate::pages;
use crate::private;
use crate::rest;
use crate::runner;
use crate::settings::Settings;
use crate::smart_http;
use crate::store::{DATABASE_NAME, Store};
use crate::urls::Urls;
use crate::watch;
use crate::webhooks;

/// How long requests that are under way may still take once the forge is to stop.
const GRACE: Duration = Duration::from_secs(10);

/// A forge that listens. Its requests are answered while [`Forge::serve`] runs.
pub struct Forge {
    app: App,
    listener: TcpListener,
    address: SocketAddr,
    /// Let go when it is dropped.
    lock: File,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot use the forge's data folder {}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("cannot open the forge's database in {}", path.display())]
    Database {
        path: PathBuf,
        source: rusqlite::Error,
    },
    #[error("cannot use git")]
    Git(#[from] baton_host::git::GitError),
    #[error("another forge serves the data folder {}", path.display())]
    InUse { path: PathBuf },
    #[error("cannot listen on {address}")]
    Listen {
        address: SocketAddr,
        source: io::Error,
    },
}

impl App {
    /// The facts of a data folder without anybody being served: for set-up,
    /// also while a forge serves the same folder.
    pub async fn open(settings: Settings) -> Result<Self, StartError> {
        let (store, repositories) = open(&settings).await?;
        let root = settings
            .public_url
            .clone()
            .unwrap_or_else(|| format!("http://{}", settings.listen));
        Ok(Self::new(settings, store, repositories, Urls::new(root)))
    }
}

impl Forge {
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        let (store, repositories) = open(&settings).await?;
        let lock = claim(&settings.data)?;
        let unusable = |source| StartError::Folder {
            path: repositories.scratch().to_path_buf(),
            source,
        };
        repositories.empty_scratch().map_err(unusable)?;
        let listening = |source| StartError::Listen {
            address: settings.listen,
            source,
        };
        let listener = TcpListener::bind(settings.listen)
            .await
            .map_err(listening)?;
        let address = listener.local_addr().map_err(listening)?;
        let root = settings
            .public_url
            .clone()
            .unwrap_or_else(|| format!("http://{address}"));
        Ok(Self {
            app: App::new(settings, store, repositories, Urls::new(root)),
            listener,
            address,
            lock,
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Set-up from the same process: users, tokens, repositories.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Until `stop`: then no new request is taken, and those under way end, if
    /// they do so soon. So do checks that are executed; they start again with
    /// the next forge.
    pub async fn serve(self, stop: CancellationToken) {
        let Self {
            app,
            listener,
            lock: _lock,
            ..
        } = self;
        let background = stop.child_token();
        let runner = tokio::spawn(runner::run(app.clone(), background.clone()));
        let reactor = tokio::spawn(pulls::react(app.clone(), background.clone()));
        let watcher = tokio::spawn(watch::run(app.clone(), background.clone()));
        let deliverer = tokio::spawn(webhooks::run(app.clone(), background.clone()));
        let limits = app.settings().connections;
        let served = connections::serve(listener, router(app), limits, stop.clone());
        let too_long = async {
            stop.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            () = served => {}
            () = too_long => {}
        }
        background.cancel();
        for (name, task) in [
            ("runner", runner),
            ("reactor", reactor),
            ("deliverer", deliverer),
            ("watcher", watcher),
        ] {
            if let Err(error) = task.await {
                tracing::error!(%error, name, "a background task ended early");
            }
        }
    }
}

async fn open(settings: &Settings) -> Result<(Store, Repositories), StartError> {
    let folder = &settings.data;
    let unusable = |source| StartError::Folder {
        path: folder.clone(),
        source,
    };
    private::folder(folder, DATABASE_NAME).map_err(unusable)?;
    // SQLite gives the files beside its database the same rights.
    private::file(&folder.join(DATABASE_NAME)).map_err(unusable)?;
    let store = Store::open(folder).map_err(|source| StartError::Database {
        path: folder.clone(),
        source,
    })?;
    let repositories = Repositories::open(folder, &settings.environment).await?;
    Ok((store, repositories))
}

/// Two forges on one folder would deliver every hook and run every check twice.
fn claim(folder: &Path) -> Result<File, StartError> {
    let unusable = |source| StartError::Folder {
        path: folder.to_path_buf(),
        source,
    };
    let lock = private::file(&folder.join("serving.lock")).map_err(unusable)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(StartError::InUse {
            path: folder.to_path_buf(),
        }),
        Err(TryLockError::Error(error)) => Err(unusable(error)),
    }
}

/// The middleware comes before the routes, as it changes addresses: the API is found
/// below `/api/v3` and at the root alike.
fn router(app: App) -> Router {
    let routes = Router::new()
        // Programs are not shown a page where there is nothing.
        .nest("/api/v3", rest::routes().fallback(no_such_route))
        .merge(rest::first_page())
        .merge(rest::own_routes())
        .merge(graphql::routes())
        .merge(pages::routes())
        .merge(smart_http::routes())
        .with_state(app.clone());
    let hosts = Arc::new(Hosts::new(app.settings()));
    Router::new()
        .fallback_service(routes)
        .layer(from_fn_with_state(app, middleware::pass))
        .layer(from_fn_with_state(hosts, hosts::check))
}

async fn no_such_route() -> ApiError {
    ApiError::NotFound
}
