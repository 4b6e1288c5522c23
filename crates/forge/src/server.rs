//! Starting, serving and stopping.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use axum::Router;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::actions::pulls;
use crate::app::App;
use crate::git::Repositories;
use crate::graphql;
use crate::rest;
use crate::runner;
use crate::settings::Settings;
use crate::smart_http;
use crate::store::Store;
use crate::urls::Urls;

/// A forge that listens. Its requests are answered while [`Forge::serve`] runs.
pub struct Forge {
    app: App,
    listener: TcpListener,
    address: SocketAddr,
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
    #[error("cannot listen on {address}")]
    Listen {
        address: SocketAddr,
        source: io::Error,
    },
}

impl Forge {
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        let folder = settings.data.clone();
        fs::create_dir_all(&folder).map_err(|source| StartError::Folder {
            path: folder.clone(),
            source,
        })?;
        let store = Store::open(&folder).map_err(|source| StartError::Database {
            path: folder.clone(),
            source,
        })?;
        let repositories = Repositories::open(&folder, &settings.environment).await?;
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
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Set-up from the same process: users, tokens, repositories.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Until `stop`: then no new request is taken, and those under way end. So
    /// do checks that are executed; they start again with the next forge.
    pub async fn serve(self, stop: CancellationToken) -> io::Result<()> {
        let runner = tokio::spawn(runner::run(self.app.clone(), stop.clone()));
        let reactor = tokio::spawn(pulls::react(self.app.clone(), stop.clone()));
        let served = axum::serve(self.listener, router(self.app))
            .with_graceful_shutdown(stop.clone().cancelled_owned())
            .await;
        stop.cancel();
        if let Err(error) = runner.await {
            tracing::error!(%error, "the runner ended early");
        }
        if let Err(error) = reactor.await {
            tracing::error!(%error, "waiting merges were left alone");
        }
        served
    }
}

/// `gh` asks an Enterprise host under `/api/v3`, and `HOST` under a proxy as
/// `api.HOST/`: both are the same routes.
fn router(app: App) -> Router {
    let api = rest::routes();
    Router::new()
        .nest("/api/v3", api.clone())
        .merge(api)
        .merge(graphql::routes())
        .merge(smart_http::routes())
        .with_state(app)
}
